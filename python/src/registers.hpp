// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace distview::python {

namespace nb = nanobind;

// Each adds what its file is named after to the module.
void register_layout(nb::module_& module);
void register_communicator(nb::module_& module);
void register_array(nb::module_& module);
void register_section_access(nb::module_& module);
void register_redistribution(nb::module_& module);
void register_exact_sum(nb::module_& module);
void register_protocol(nb::module_& module);
void register_capsules(nb::module_& module);
void register_device(nb::module_& module);
void register_migration(nb::module_& module);
void register_files(nb::module_& module);
void register_signals(nb::module_& module);

} // namespace distview::python
