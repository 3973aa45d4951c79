// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that are too short to start threads for: a rank with several threads fills the padding of a wrapped n x n
// array from itself, beside a loop of one thread. Run it with one rank and two threads; where impl::tuning::one_thread_bytes
// was chosen.

#include "perf.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace {

using namespace distview;
using perf::Exec;
using Section = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// What an exchange does to a section of which both axes are periodic and whole.
void fill_padding(const Section& u) {
    const std::size_t rows = u.extent(0);
    const std::size_t columns = u.extent(1);
    for (std::size_t j = 1; j + 1 < columns; ++j) {
        u(0, j) = u(rows - 2, j);
        u(rows - 1, j) = u(1, j);
    }
    for (std::size_t i = 0; i < rows; ++i) {
        u(i, 0) = u(i, columns - 2);
        u(i, columns - 1) = u(i, 1);
    }
}

bool is_filled(const Section& u) {
    const std::size_t last_row = u.extent(0) - 1;
    const std::size_t last = u.extent(1) - 1;
    bool filled = u(0, 0) == u(last_row - 1, last - 1) && u(last_row, last) == u(1, 1);
    for (std::size_t j = 1; j < last; ++j)
        filled = filled && u(0, j) == u(last_row - 1, j) && u(last_row, j) == u(1, j);
    for (std::size_t i = 1; i < last_row; ++i)
        filled = filled && u(i, 0) == u(i, last - 1) && u(i, last) == u(i, 1);
    return filled;
}

void wrapped(benchmark::State& state) {
    const Exec exec;
    const Communicator self(MPI_COMM_SELF);
    const std::int64_t n = perf::smoke() ? 8 : state.range(0);
    const auto size = static_cast<std::size_t>(n + 2);
    const ArrayLayout layout(ProcessGrid{1, 1}, {block(n, {.padding = 1, .periodic = true}),
                                                 block(n, {.padding = 1, .periodic = true})});
    const Section section("distview::bench", size, size);
    for (std::size_t i = 0; i < section.size(); ++i) section.data()[i] = static_cast<double>(i);
    const auto u = wrap_dist_view(self, layout, section);
    PaddingExchangePlan plan(self, layout);
    plan.execute(exec, u);
    if (!perf::verify(state, is_filled(section), "the padding")) return;
    perf::contest(
        state, exec,
        {{"exchange", [&] { plan.execute(exec, u); }}, {"loop", [&] { fill_padding(section); }}});
}
BENCHMARK(wrapped)
    ->ArgName("n")
    ->Arg(64)
    ->Arg(512)
    ->Arg(2048)
    ->Arg(4096)
    ->Arg(8192)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
