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

/// Runs calls of hypre and reports their errors as the library's: `action` returns hypre's error flag, as its calls do.
///
///     checked(comm, "multiply", [&] { return HYPRE_ParCSRMatrixMatvec(1, a, x, 0, y); });
///
/// Meanwhile hypre prints no errors; the exception contains their texts. hypre has one flag for all calls: checked()
/// clears it before and after, and afterwards texts go to the screen again (HYPRE_SetPrintErrorMode(0)).
///
/// Collective: over comm
/// Errors:     UsageError if hypre is not running, SolverError if a call fails (thrown on all ranks); if hypre fails on
///             some ranks inside one of its collective calls, the other ranks wait there
template <std::invocable Action>
    requires std::convertible_to<std::invoke_result_t<Action&>, int>
void checked(const Communicator& comm, const char* caller, Action&& action) {
    // std::function stores a reference without allocating. A copy of `action` may allocate, and fail on one rank.
    impl::run_checked(comm, caller, std::function<int()>(std::ref(action)));
}

} // namespace distview::hypre
