// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat spreads over a plate that is periodic from west to east and has cold edges in the north and
// south. Run it on any number of ranks: mpirun -n 4 02_heat_2d

#include <distview/algorithms.hpp>

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;

void spread_heat(const Communicator& comm) {
    const Exec exec;

    // 200 x 300 cells; each section has one additional cell on each side.
    const ArrayLayout layout(
        ProcessGrid::balanced(comm.size(), 2),
        {block(200, {.padding = 1}), block(300, {.padding = 1, .periodic = true})});
    auto now = make_dist_view<double**>(exec, "temperature", comm, layout);
    auto next = make_dist_view<double**>(exec, "next temperature", comm, layout);
    fill_with(
        exec, now, KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
            return std::hypot(double(i) - 100.0, double(j) - 150.0) < 30.0 ? 100.0 : 0.0;
        });

    PaddingExchangePlan plan(comm, layout, {.stencil = Stencil::faces});
    for (int step = 0; step <= 500; ++step) {
        if (step % 100 == 0) {
            const double heat = sum(exec, comm, now);
            const double hottest = max(exec, comm, now);
            if (comm.rank() == 0)
                std::printf("step %3d   heat %12.3f   hottest %8.4f\n", step, heat, hottest);
        }
        const auto t = now.view();
        const auto t_next = next.view();
        apply_stencil(
            exec, plan, next,
            KOKKOS_LAMBDA(int i, int j) {
                t_next(i, j) = t(i, j) + 0.2 * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) +
                                                t(i, j + 1) - 4.0 * t(i, j));
            },
            now); // apply_stencil() first fills the padding of `now`
        std::swap(now, next);
    }
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        spread_heat(Communicator(MPI_COMM_WORLD));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "02_heat_2d: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
