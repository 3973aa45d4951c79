// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

namespace distview::python {

/// Starts Kokkos unless it runs; throws UsageError, beginning with `caller`, once it was stopped.
void require_kokkos(const char* caller);

/// initialize(), finalize(), is_initialized(), build_info().
void register_runtime(nanobind::module_& module);

} // namespace distview::python
