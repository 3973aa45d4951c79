// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filling the padding of a periodic 3-D array, width 1, corners included: a plan against hand-written
// MPI. Each rank has n^3 cells; ranks split the slowest axis, which is kindest to the hand-written
// code: it wraps the other axes in place and sends whole padded planes without packing.

#include "perf.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <mpi.h>

#include <array>
#include <limits>
#include <string>

namespace {

using namespace distview;
using perf::Exec;

using Cube = DistView<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

ArrayLayout slabs(std::int64_t n, int ranks) {
    const BlockOptions options{.padding = 1, .periodic = true};
    return ArrayLayout(ProcessGrid{ranks, 1, 1},
                       {block(n * ranks, options), block(n, options), block(n, options)});
}

/// What an expert would write for this shape: persistent requests on the array itself.
class HandWritten {
public:
    HandWritten(const Communicator& comm, const Cube& cube)
        : m_cube(cube), m_n(static_cast<int>(cube.view().extent(1)) - 2),
          m_alone(comm.size() == 1) {
        if (m_alone) return;
        const int below = (comm.rank() + comm.size() - 1) % comm.size();
        const int above = (comm.rank() + 1) % comm.size();
        const int plane = (m_n + 2) * (m_n + 2);
        const auto at = [&](int k) { return &m_cube.view()(k, 0, 0); };
        MPI_Recv_init(at(0), plane, MPI_DOUBLE, below, 1, comm.mpi(), &m_requests[0]);
        MPI_Recv_init(at(m_n + 1), plane, MPI_DOUBLE, above, 2, comm.mpi(), &m_requests[1]);
        MPI_Send_init(at(m_n), plane, MPI_DOUBLE, above, 1, comm.mpi(), &m_requests[2]);
        MPI_Send_init(at(1), plane, MPI_DOUBLE, below, 2, comm.mpi(), &m_requests[3]);
    }
    ~HandWritten() {
        for (MPI_Request& request : m_requests)
            if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
    HandWritten(const HandWritten&) = delete;
    HandWritten& operator=(const HandWritten&) = delete;

    void execute(const Exec& exec) {
        const auto a = m_cube.view();
        const int n = m_n;
        if (!m_alone) MPI_Startall(2, m_requests.data());
        Kokkos::parallel_for(
            m_label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 1, n + 1), [=](int k) {
                for (int j = 1; j <= n; ++j) {
                    a(k, j, 0) = a(k, j, n);
                    a(k, j, n + 1) = a(k, j, 1);
                }
                for (int i = 0; i < n + 2; ++i) {
                    a(k, 0, i) = a(k, n, i);
                    a(k, n + 1, i) = a(k, 1, i);
                }
            });
        exec.fence(m_label);
        if (m_alone) {
            for (int j = 0; j < n + 2; ++j)
                for (int i = 0; i < n + 2; ++i) {
                    a(0, j, i) = a(n, j, i);
                    a(n + 1, j, i) = a(1, j, i);
                }
            return;
        }
        MPI_Startall(2, m_requests.data() + 2);
        MPI_Waitall(4, m_requests.data(), MPI_STATUSES_IGNORE);
    }

private:
    Cube m_cube;
    int m_n;
    bool m_alone;
    std::string m_label = "hand-written wrap";
    std::array<MPI_Request, 4> m_requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                          MPI_REQUEST_NULL};
};

double value(std::int64_t k, std::int64_t j, std::int64_t i) {
    return static_cast<double>((k * 4099 + j) * 4099 + i);
}

/// Sets the interior to a function of the global index and all padding to NaN.
void set(const Cube& cube) {
    Kokkos::deep_copy(cube.view(), std::numeric_limits<double>::quiet_NaN());
    const LocalRange rows = cube.interior_range(0);
    const std::int64_t first = cube.global_index(0, rows.begin) - 1;
    for (std::int64_t k = 1; k <= rows.size(); ++k)
        for (std::int64_t j = 1; j <= cube.interior_range(1).size(); ++j)
            for (std::int64_t i = 1; i <= cube.interior_range(2).size(); ++i)
                cube.view()(k, j, i) = value(first + k - 1, j - 1, i - 1);
}

bool is_filled(const Cube& cube) {
    const std::int64_t n0 = cube.layout().interior_size(0);
    const std::int64_t n = cube.layout().interior_size(1);
    const std::int64_t first = cube.global_index(0, cube.interior_range(0).begin) - 1;
    for (std::size_t k = 0; k < cube.view().extent(0); ++k)
        for (std::size_t j = 0; j < cube.view().extent(1); ++j)
            for (std::size_t i = 0; i < cube.view().extent(2); ++i) {
                const auto wrap = [](std::int64_t g, std::int64_t size) {
                    return (g + size) % size;
                };
                const double expected = value(wrap(first + static_cast<std::int64_t>(k) - 1, n0),
                                              wrap(static_cast<std::int64_t>(j) - 1, n),
                                              wrap(static_cast<std::int64_t>(i) - 1, n));
                if (cube.view()(k, j, i) != expected) return false;
            }
    return true;
}

void padding_exchange(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const std::int64_t n = perf::smoke() ? 8 : state.range(0);
    const ArrayLayout layout = slabs(n, comm.size());
    const Cube cube = make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
        exec, comm, layout, "cube");
    PaddingExchangePlan plan(comm, layout);
    HandWritten hand_written(comm, cube);

    set(cube);
    plan.execute(exec, cube);
    const bool plan_correct = is_filled(cube);
    set(cube);
    hand_written.execute(exec);
    if (!perf::verify(state, plan_correct, "the plan's padding") ||
        !perf::verify(state, is_filled(cube), "the hand-written padding"))
        return;

    perf::contest(state, exec,
                  {{"plan", [&] { plan.execute(exec, cube); }},
                   {"hand_written", [&] { hand_written.execute(exec); }}});
    std::int64_t sent = 0;
    for (const auto& message : plan.schedule().sends()) sent += 8 * message.elements;
    state.counters["messages"] = static_cast<double>(plan.send_peers().size());
    state.counters["sent_bytes"] = static_cast<double>(sent);
    state.counters["local_bytes"] = static_cast<double>(8 * plan.schedule().local_elements());
}
BENCHMARK(padding_exchange)
    ->Arg(16)
    ->Arg(64)
    ->Arg(128)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
