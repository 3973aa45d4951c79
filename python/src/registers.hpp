// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace distview::python {

namespace nb = nanobind;

// Each function adds the topic of its file's name to the module.
void register_layout(nb::module_& package);
void register_communicator(nb::module_& package);
void register_array(nb::module_& package);
void register_section_access(nb::module_& package);
void register_redistribution(nb::module_& package);
void register_exact_sum(nb::module_& package);
void register_protocol(nb::module_& package);
void register_capsules(nb::module_& package);
void register_device(nb::module_& package);
void register_elements(nb::module_& package);
void register_ghosts(nb::module_& package);
void register_migration(nb::module_& package);
void register_files(nb::module_& package);
void register_signals(nb::module_& package);

} // namespace distview::python
