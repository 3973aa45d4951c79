// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave on a ring: several fields in one exchange, and computation while their messages travel.

#include <distview/algorithms.hpp>

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <optional>

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;

void run_wave(const Communicator& comm) {
    const Exec exec;

    constexpr std::int64_t n = 1000;
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(n, {.padding = 1, .periodic = true})});
    auto height = make_dist_view<double*>(exec, "height", comm, layout);
    auto speed = make_dist_view<float*>(exec, "speed", comm, layout); // types may differ
    fill_with(
        exec, height, KOKKOS_LAMBDA(std::int64_t g) {
            return std::exp(-std::pow(0.02 * (double(g) - 300.0), 2));
        });

    PaddingExchangePlan plan(comm, layout);
    const auto h = height.view();
    const auto v = speed.view();
    const auto accelerate = KOKKOS_LAMBDA(int i) {
        v(i) += 0.2F * static_cast<float>(h(i - 1) - h(i + 1));
    };
    const auto rise = KOKKOS_LAMBDA(int i) {
        h(i) += 0.2 * (static_cast<double>(v(i - 1)) - static_cast<double>(v(i + 1)));
    };
    for (int step = 0; step < 2000; ++step) {
        auto exchange = plan.start(exec, height, speed);
        for_each(exec, speed, accelerate, plan.inner_cells());
        exchange.finish(); // now the neighbours' cells have arrived
        for (const LocalBox& cells : plan.outer_cells()) for_each(exec, speed, accelerate, cells);

        apply_stencil(exec, plan, height, rise, speed); // does all these steps in one call
    }
    const double volume = sum(exec, comm, height);
    const auto crest = max_location(exec, comm, height);
    if (comm.rank() == 0)
        std::printf("volume %.12f, highest point %.4f at cell %lld\n", volume, crest.value,
                    static_cast<long long>(crest.index[0]));
}

int main(int argc, char** argv) {
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        run_wave(Communicator(MPI_COMM_WORLD));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "03_overlap: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1); // if one rank fails alone, the others would wait for it
    }
}
