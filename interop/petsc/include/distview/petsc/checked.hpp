// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/interop/solver_error.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace distview::petsc {

namespace impl {
void run_checked(const Communicator& comm, const char* caller, const std::function<int()>& action);
}

/// Runs calls of PETSc and reports their errors as the library's: `action` returns the first PetscErrorCode that is an
/// error.
///
///     checked(comm, "project", [&] {
///         PetscCall(VecNorm(v, NORM_2, &norm));
///         return PETSC_SUCCESS;
///     });
///
/// Meanwhile PETSc prints no trace; the error contains its text. Exceptions of operators that PETSc called, such as
/// those of shell_matrix(), arrive unchanged. A Vec that PETSc was reading when a call failed stays locked
/// (VecLockReadPop()); solve() unlocks its own vectors.
///
/// Collective: over comm
/// Errors:     UsageError if PETSc is not running, SolverError if a call fails (thrown on all ranks); if PETSc fails on
///             some ranks inside one of its collective calls, the other ranks wait there
template <std::invocable Action>
    requires std::convertible_to<std::invoke_result_t<Action&>, int>
void checked(const Communicator& comm, const char* caller, Action&& action) {
    // std::function stores a reference without allocating. A copy of `action` may allocate, and fail on one rank.
    impl::run_checked(comm, caller, std::function<int()>(std::ref(action)));
}

} // namespace distview::petsc
