// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parabola.hpp"

#include <distview/hypre.hpp>

#include <mpi.h>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const distview::hypre::Session session(comm);
    const Parabola problem(comm);
    const auto result = distview::hypre::solve(comm, distview::hypre::ij_matrix(problem.matrix),
                                               distview::hypre::vector(problem.rows, problem.b),
                                               distview::hypre::vector(problem.rows, problem.u));
    return problem.check(comm, result.iterations);
}
