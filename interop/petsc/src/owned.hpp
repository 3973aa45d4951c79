// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/row_numbering.hpp>
#include <distview/petsc/vector.hpp>

#include <petscsys.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview::petsc::impl {

/// Makes an object of PETSc keep `owner` until PETSc destroys the object.
PetscErrorCode keep(PetscObject object, std::unique_ptr<Owner> owner);

/// Throws UsageError unless PETSc can number these rows.
void require_rows(const char* caller, const RowNumbering& rows);

/// Converts numbers that require_rows() accepted.
std::vector<PetscInt> narrow(const std::vector<std::int64_t>& numbers);

/// Throws UsageError if the object is null, or its ranks are not the communicator's in the same order.
void require_processes(const char* caller, const Communicator& comm, PetscObject object);

/// The library's own duplicate; PETSc duplicates it once more for its messages.
inline MPI_Comm comm_of(const RowNumbering& rows) { return rows.communicator().mpi(); }

} // namespace distview::petsc::impl
