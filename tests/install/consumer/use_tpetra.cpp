// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parabola.hpp"

#include <distview/tpetra.hpp>

#include <mpi.h>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const Parabola problem(comm);
    const distview::tpetra::Map map(problem.rows);
    const auto result =
        distview::tpetra::solve(problem.exec, distview::tpetra::Matrix(map, problem.matrix),
                                distview::tpetra::MultiVector(map, problem.b),
                                distview::tpetra::MultiVector(map, problem.u));
    return problem.check(comm, result.iterations);
}
