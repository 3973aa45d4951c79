// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/interop/solver_error.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace distview::hypre {

namespace impl {
void run_checked(const Communicator& comm, const char* caller, const std::function<int()>& action);
}

/// Runs calls of hypre so that their errors are ours: `action` returns what they do, hypre's error flag.
///
///     checked(comm, "multiply", [&] { return HYPRE_ParCSRMatrixMatvec(1, a, x, 0, y); });
///
/// hypre prints no error meanwhile, and its texts are in the error. hypre has one flag for all calls: it is cleared before
/// and after, and texts go to the screen again afterwards (HYPRE_SetPrintErrorMode(0)).
///
/// Collective: over comm
/// Errors:     UsageError if hypre is not running, SolverError if a call fails (thrown on all ranks); where hypre fails on
///             some ranks inside a collective call of its own, the others wait there
template <std::invocable Action>
    requires std::convertible_to<std::invoke_result_t<Action&>, int>
void checked(const Communicator& comm, const char* caller, Action&& action) {
    // By reference, which a function keeps in itself: a copy may take memory, which may end on this rank alone.
    impl::run_checked(comm, caller, std::function<int()>(std::ref(action)));
}

} // namespace distview::hypre
