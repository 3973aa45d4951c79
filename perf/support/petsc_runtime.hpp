// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef DISTVIEW_PERF_HAVE_PETSC

#include <mpi.h>
#include <petscsys.h>

namespace distview::perf {

/// PETSc from initialisation to finalisation, on a communicator of its own: PETSc sets its communicator to return
/// errors, while errors of the other baselines must stop the program.
class Petsc {
public:
    explicit Petsc(MPI_Comm comm) {
        MPI_Comm_dup(comm, &m_comm);
        PETSC_COMM_WORLD = m_comm;
        PetscCallAbort(m_comm, PetscInitializeNoArguments());
    }
    ~Petsc() {
        PetscCallAbort(m_comm, PetscFinalize());
        MPI_Comm_free(&m_comm);
    }
    Petsc(const Petsc&) = delete;
    Petsc& operator=(const Petsc&) = delete;

    MPI_Comm comm() const { return m_comm; }

private:
    MPI_Comm m_comm = MPI_COMM_NULL;
};

} // namespace distview::perf

#endif
