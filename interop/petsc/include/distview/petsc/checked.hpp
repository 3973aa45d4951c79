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

/// Runs calls of PETSc so that their errors are ours: `action` returns the PetscErrorCode of the first that fails.
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
    // By reference, which a function keeps in itself: a copy may take memory, which may end on this rank alone.
    impl::run_checked(comm, caller, std::function<int()>(std::ref(action)));
}

} // namespace distview::petsc
