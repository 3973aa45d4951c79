// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading in place against messages, and against MPI by hand, with neighbours along all axes and more ranks than cores:
// a waiting rank must yield its core to the ranks it waits for. Run it with 8 and 12 ranks on 2 cores.
//
// `pinned` binds all ranks to the first processors that they may use, and lets each compute before it exchanges:
// run it with 2, 3 and 4 ranks.

#include "baselines/mpi_sweeps.hpp"
#include "perf.hpp"
#include "plan_of_transport.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <mpi.h>

#include <sched.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using Cube = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// n^3 cells on every rank.
ArrayLayout bricks(std::int64_t n, int ranks) {
    std::array<int, 3> grid{};
    MPI_Dims_create(ranks, 3, grid.data());
    std::vector<AxisSpec> axes;
    for (const int processes : grid)
        axes.push_back(block(n * processes, {.padding = 1, .periodic = true}));
    return ArrayLayout(ProcessGrid(grid), axes);
}

/// Calls visit(element, expected) for each position, padding included, with the value that its
/// global index stands for.
template <class Visit>
void for_each(const Cube& cube, Visit&& visit) {
    const auto global = [&](int axis, std::int64_t l) {
        const LocalRange cells = cube.interior_range(axis);
        const std::int64_t size = cube.extent(axis);
        const std::int64_t first = cube.global_index(axis, cells.begin).value();
        return (first + l - 1 + size) % size;
    };
    const auto extents = cube.layout().local_extents(cube.process());
    for (std::int64_t k = 0; k < extents[0]; ++k)
        for (std::int64_t j = 0; j < extents[1]; ++j)
            for (std::int64_t i = 0; i < extents[2]; ++i)
                visit(
                    cube.view()(k, j, i),
                    static_cast<double>((global(0, k) * 8209 + global(1, j)) * 8209 + global(2, i)),
                    k >= 1 && k < extents[0] - 1 && j >= 1 && j < extents[1] - 1 && i >= 1 &&
                        i < extents[2] - 1);
}

/// Binds this rank to the first `count` of the processors that it may use; 0 for all.
class Processors {
public:
    explicit Processors(std::int64_t count) {
        ::sched_getaffinity(0, sizeof(m_before), &m_before);
        if (count == 0) return;
        cpu_set_t bound;
        CPU_ZERO(&bound);
        for (int i = 0; i < CPU_SETSIZE && count > 0; ++i)
            if (CPU_ISSET(i, &m_before)) {
                CPU_SET(i, &bound);
                --count;
            }
        ::sched_setaffinity(0, sizeof(bound), &bound);
    }
    ~Processors() { ::sched_setaffinity(0, sizeof(m_before), &m_before); }
    Processors(const Processors&) = delete;
    Processors& operator=(const Processors&) = delete;

private:
    cpu_set_t m_before{};
};

/// Work that takes a processor this long if no other rank shares it.
class Computation {
public:
    explicit Computation(std::int64_t microseconds) {
        constexpr std::int64_t trial = 200000;
        const auto begin = std::chrono::steady_clock::now();
        m_steps = trial;
        run();
        const std::chrono::duration<double, std::micro> took =
            std::chrono::steady_clock::now() - begin;
        m_steps =
            static_cast<std::int64_t>(static_cast<double>(microseconds * trial) / took.count());
    }
    void run() {
        for (std::int64_t i = 0; i < m_steps; ++i) m_value = m_value * 0.999 + 1.0;
        benchmark::DoNotOptimize(m_value);
    }

private:
    double m_value = 1;
    std::int64_t m_steps = 0;
};

void compare(benchmark::State& state, std::int64_t n, std::int64_t processors,
             std::int64_t microseconds) {
    const Exec exec;
    Computation computation(perf::smoke() ? 1 : microseconds);
    const Processors bound(processors);
    MPI_Comm parent = MPI_COMM_NULL; // new: determines again which ranks share processors
    MPI_Comm_dup(perf::communicator().mpi(), &parent);
    const Communicator comm(parent);
    const ArrayLayout layout = bricks(perf::smoke() ? 4 : n, comm.size());
    const Cube shared = make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
        exec, "shared", comm, layout);
    const Cube plain(exec, "plain", layout, comm.rank());
    const Cube own(exec, "by hand", layout, comm.rank());
    auto direct = perf::plan_of_transport("direct", comm, layout);
    auto message = perf::plan_of_transport("message", comm, layout);
    const auto per_axis = [](auto number) {
        return std::array{static_cast<int>(number(0)), static_cast<int>(number(1)),
                          static_cast<int>(number(2))};
    };
    const perf::MpiSweeps by_hand(
        comm.mpi(), per_axis([&](int d) { return layout.grid().extent(d); }),
        per_axis([&](int d) { return own.view().extent_int(d); }), own.view().data());

    const auto check = [&](const Cube& cube, const char* name, auto exchange) {
        for_each(cube, [](double& element, double expected, bool owned) {
            element = owned ? expected : std::numeric_limits<double>::quiet_NaN();
        });
        exchange();
        bool filled = true;
        for_each(cube, [&](double element, double expected, bool) {
            filled = filled && element == expected;
        });
        return perf::verify(state, filled, std::string("padding of ") + name);
    };
    const auto run_direct = [&] { direct.execute(exec, shared); };
    const auto run_message = [&] { message.execute(exec, plain); };
    const auto run_by_hand = [&] { by_hand.execute(); };
    if (!check(shared, "direct", run_direct) || !check(plain, "message", run_message) ||
        !check(own, "by hand", run_by_hand))
        return;

    const auto after_work = [&](const auto& exchange) {
        return [&] {
            if (microseconds > 0) computation.run();
            exchange();
        };
    };
    const std::vector<double> medians = perf::contest(state, exec,
                                                      {{"direct", after_work(run_direct)},
                                                       {"message", after_work(run_message)},
                                                       {"by_hand", after_work(run_by_hand)}});
    state.counters["direct_over_message"] = medians[0] / medians[1];
    state.counters["direct_over_by_hand"] = medians[0] / medians[2];
    MPI_Comm_free(&parent);
}

void oversubscribed(benchmark::State& state) { compare(state, state.range(0), 0, 0); }
BENCHMARK(oversubscribed)
    ->ArgName("n")
    ->Arg(32)
    ->Arg(64)
    ->Iterations(300)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

void pinned(benchmark::State& state) {
    compare(state, state.range(0), state.range(1), state.range(2));
}
BENCHMARK(pinned)
    ->ArgNames({"n", "processors", "compute_us"})
    ->Args({4, 1, 0})
    ->Args({32, 1, 0})
    ->Args({4, 2, 0})
    ->Args({32, 2, 0})
    ->Args({4, 2, 1000})
    ->Args({32, 2, 1000})
    ->Iterations(300)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
