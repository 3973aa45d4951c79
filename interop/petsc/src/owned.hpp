// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/row_numbering.hpp>
#include <distview/petsc/vector.hpp>

#include <petscsys.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview::petsc::impl {

/// Lets an object of PETSc keep what it needs, until it is destroyed.
PetscErrorCode keep(PetscObject object, std::unique_ptr<Owner> owner);

/// Throws UsageError unless PETSc can number these rows.
void require_rows(const char* caller, const RowNumbering& rows);

/// Converts numbers that require_rows() accepted.
std::vector<PetscInt> narrow(const std::vector<std::int64_t>& numbers);

/// Throws UsageError unless there is an object and its ranks are the communicator's, in their order.
void require_processes(const char* caller, const Communicator& comm, PetscObject object);

/// The library's own duplicate, of which PETSc makes one for itself.
inline MPI_Comm comm_of(const RowNumbering& rows) { return rows.communicator().mpi(); }

} // namespace distview::petsc::impl
