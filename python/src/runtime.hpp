// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <nanobind/nanobind.h>

namespace distview::python {

/// Starts Kokkos unless it runs; throws UsageError, beginning with `caller`, once it was stopped.
///
/// `comm`: of the array at hand, null if it has none. Unless the environment says how many threads there shall be, each
/// rank takes its share of the cores: with more threads than cores, threads wait for each other.
void require_kokkos(const char* caller, const Communicator* comm);

/// initialize(), finalize(), is_initialized(), check_padding(), build_info().
void register_runtime(nanobind::module_& package);

} // namespace distview::python
