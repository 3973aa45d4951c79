// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "errors.hpp"
#include "registers.hpp"
#include "runtime.hpp"

#include <distview/core/version.hpp>

#include <nanobind/nanobind.h>

NB_MODULE(_distview, module) {
    using namespace distview::python;
    module.doc() = "The compiled part of distview; use the names of the package instead.";
    module.attr("__version__") = distview::version();
    // Arrays alive at the interpreter's exit are no mistake of the user's.
    nanobind::set_leak_warnings(false);
    register_errors();
    register_runtime(module);
    register_layout(module);
    register_communicator(module);
    register_array(module);
    register_section_access(module);
    register_redistribution(module);
    register_exact_sum(module);
    register_protocol(module);
    register_capsules(module);
    register_device(module);
    register_migration(module);
    register_files(module);
    register_signals(module);
}
