// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <nanobind/nanobind.h>

namespace distview::python {

/// Starts Kokkos unless it runs; throws UsageError, beginning with `caller`, if it was stopped.
///
/// `comm`: the array's communicator, null if it has none. Unless the environment sets the number of threads, each rank
/// uses its share of the cores: with more threads than cores, threads would wait for each other.
void require_kokkos(const char* caller, const Communicator* comm);

/// initialize(), finalize(), is_initialized(), check_padding(), build_info().
void register_runtime(nanobind::module_& package);

} // namespace distview::python
