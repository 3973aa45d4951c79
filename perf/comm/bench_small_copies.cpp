// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that are too short to start threads for: a rank with several threads fills the padding of a wrapped n x n
// array from its own section. Baseline: a loop of one thread. impl::tuning::one_thread_bytes was chosen with it. Run it
// with one rank and two threads.

#include "perf.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace {

using namespace distview;
using perf::Exec;
using Section = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// The work of an exchange if both axes of a section are periodic and not split.
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

/// The source index of the element at index `at` of a wrapped axis with `extent` elements.
std::size_t wrapped(std::size_t at, std::size_t extent) {
    return at == 0 ? extent - 2 : at == extent - 1 ? 1 : at;
}

/// Whether `fill` sets all padding of the section correctly and changes nothing else.
template <class Fill>
bool fills(const Section& u, const Fill& fill) {
    const std::size_t rows = u.extent(0);
    const std::size_t columns = u.extent(1);
    const auto expected = [&](std::size_t i, std::size_t j) {
        return static_cast<double>(wrapped(i, rows) * columns + wrapped(j, columns));
    };
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const bool is_padding = wrapped(i, rows) != i || wrapped(j, columns) != j;
            u(i, j) = is_padding ? -1 : expected(i, j);
        }
    fill();
    bool right = true;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) right = right && u(i, j) == expected(i, j);
    return right;
}

void wrapped(benchmark::State& state) {
    const Exec exec;
    const Communicator self(MPI_COMM_SELF);
    const std::int64_t n = perf::smoke() ? 8 : state.range(0);
    const auto size = static_cast<std::size_t>(n + 2);
    const ArrayLayout layout(ProcessGrid{1, 1}, {block(n, {.padding = 1, .periodic = true}),
                                                 block(n, {.padding = 1, .periodic = true})});
    const Section section("distview::bench", size, size);
    const auto u = wrap_dist_view(self, layout, section);
    PaddingExchangePlan plan(self, layout);
    const auto exchange = [&] { plan.execute(exec, u); };
    const auto loop = [&] { fill_padding(section); };
    if (!perf::verify(state, fills(section, exchange), "the padding") ||
        !perf::verify(state, fills(section, loop), "the padding by the loop"))
        return;
    perf::contest(state, exec, {{"exchange", exchange}, {"loop", loop}});
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
