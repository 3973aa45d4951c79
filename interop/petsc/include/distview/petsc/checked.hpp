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
/// PETSc prints no trace meanwhile; its text is in the error. Exceptions of operators that PETSc called, such as those of
/// shell_matrix(), arrive as they were. A Vec that PETSc was reading when a call failed stays locked (VecLockReadPop());
/// solve() unlocks its own.
///
/// Collective: over comm
/// Errors:     UsageError if PETSc is not running, SolverError if a call fails (thrown on all ranks); where PETSc fails on
///             some ranks inside a collective call of its own, the others wait there
template <std::invocable Action>
    requires std::convertible_to<std::invoke_result_t<Action&>, int>
void checked(const Communicator& comm, const char* caller, Action&& action) {
    // std::function stores a reference inside itself. A copy may allocate, which may fail on this rank alone.
    impl::run_checked(comm, caller, std::function<int()>(std::ref(action)));
}

} // namespace distview::petsc
