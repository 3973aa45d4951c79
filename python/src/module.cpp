// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"
#include "registers.hpp"
#include "runtime.hpp"

#include <distview/core/version.hpp>

#include <nanobind/nanobind.h>

NB_MODULE(_distview, package) {
    using namespace distview::python;
    package.doc() = "The compiled part of distview; use the names of the package instead.";
    package.attr("__version__") = distview::version();
    // Arrays alive at the interpreter's exit are not a user's mistake.
    nanobind::set_leak_warnings(false);
    register_errors();
    register_runtime(package);
    register_layout(package);
    register_communicator(package);
    register_array(package);
    register_section_access(package);
    register_redistribution(package);
    register_exact_sum(package);
    register_protocol(package);
    register_capsules(package);
    register_device(package);
    register_elements(package);
    register_ghosts(package);
    register_migration(package);
    register_files(package);
    register_signals(package);
}
