// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/interop/solver_error.hpp>

#include <functional>

namespace distview::petsc {

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
void checked(const Communicator& comm, const char* caller, const std::function<int()>& action);

} // namespace distview::petsc
