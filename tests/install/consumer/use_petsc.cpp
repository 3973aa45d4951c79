// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -u'' = 1 between walls, whose solution is a parabola.
#include <distview/algorithms.hpp>
#include <distview/comm.hpp>
#include <distview/petsc.hpp>

#include <mpi.h>

#include <cmath>
#include <cstdio>

int main(int argc, char** argv) {
    distview::Runtime runtime(argc, argv);
    const distview::Communicator comm(MPI_COMM_WORLD);
    const distview::petsc::Session session(comm, argc, argv);
    const Kokkos::DefaultHostExecutionSpace exec;
    const std::int64_t n = 19;
    const distview::RowNumbering rows(
        comm, distview::ArrayLayout(distview::ProcessGrid{comm.size()}, {distview::block(n)}));
    const auto matrix =
        distview::assemble(rows, [](distview::MatrixRow& row, distview::GlobalIndex) {
            row.add(2, {0}), row.add(-1, {-1}), row.add(-1, {1});
        });
    const auto make = [&](const char* label) {
        return distview::make_dist_view<double*, Kokkos::HostSpace>(exec, comm, rows.layout(),
                                                                    label);
    };
    const auto b = make("b"), u = make("u");
    distview::fill(exec, b, 1.0);
    exec.fence("the right side is there");
    const auto result =
        distview::petsc::solve(comm, distview::petsc::aij_matrix(matrix),
                               distview::petsc::vector(rows, b), distview::petsc::vector(rows, u));
    double worst = 0;
    for (std::int64_t c = 0; c < rows.local_rows(); ++c) {
        const auto x = static_cast<double>(rows.row_of_cell(c) + 1);
        worst = std::fmax(worst, std::abs(u.view().data()[c] - x * (n + 1 - x) / 2));
    }
    std::printf("rank %d: %d iterations, error %g\n", comm.rank(), result.iterations, worst);
    return worst < 1e-8 ? 0 : 1;
}
