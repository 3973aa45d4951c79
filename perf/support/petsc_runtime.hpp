// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef DISTVIEW_PERF_HAVE_PETSC

#include <mpi.h>
#include <petscsys.h>

namespace distview::perf {

/// PETSc between its start and its end, on a communicator of its own: PETSc makes errors of the one that
/// it is given return, and those of the other baselines are to stop the program.
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
