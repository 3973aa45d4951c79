// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parabola.hpp"

#include <distview/petsc.hpp>

#include <mpi.h>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const distview::petsc::Session session(comm, argc, argv);
    const Parabola problem(comm);
    const auto result = distview::petsc::solve(comm, distview::petsc::aij_matrix(problem.matrix),
                                               distview::petsc::vector(problem.rows, problem.b),
                                               distview::petsc::vector(problem.rows, problem.u));
    return problem.check(comm, result.iterations);
}
