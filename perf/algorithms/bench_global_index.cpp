// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements by global index. A kernel loads elements of the neighbouring rank; the baseline loads the same numbers from
// its own memory. A 27-point stencil reads by global indices alone; the baseline is the stencil on padded arrays.

#include "perf.hpp"

#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/inspected_loop.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

/// Loads elements of the next rank in an order that defeats prefetchers.
void loads(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const std::int64_t each = perf::smoke() ? 64 : state.range(0);
    const std::int64_t count = perf::smoke() ? 100 : 100000;
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(each * comm.size())});
    const auto u = make_dist_view<double*>(exec, "u", comm, layout);
    const std::int64_t own_first = each * comm.rank();
    for (std::int64_t i = 0; i < each; ++i)
        u.view()(i) = static_cast<double>(own_first + i); // each rank holds other values
    GlobalAccess access(exec, comm, u);
    access.fence(exec);
    const auto at = access.elements();
    const std::int64_t first = each * ((comm.rank() + 1) % comm.size());
    const Kokkos::View<std::int64_t*, Exec> wanted("wanted", static_cast<std::size_t>(count));
    std::uint64_t bits = 1;
    double sum_of_wanted = 0; // exact: all elements are whole numbers
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        wanted(k) = static_cast<std::int64_t>((bits >> 33) % static_cast<std::uint64_t>(each));
        sum_of_wanted += static_cast<double>(wanted(k));
    }
    double by_index = 0, plain = 0;
    const auto own = u.view();
    const Kokkos::RangePolicy<Exec> all(exec, 0, count);
    perf::contest(
        state, exec,
        {{"elements",
          [&] {
              Kokkos::parallel_reduce(
                  "elements", all,
                  KOKKOS_LAMBDA(std::int64_t k, double& sum) { sum += at(first + wanted(k)); },
                  by_index);
          }},
         {"own", [&] {
              Kokkos::parallel_reduce(
                  "own", all, KOKKOS_LAMBDA(std::int64_t k, double& sum) { sum += own(wanted(k)); },
                  plain);
          }}});
    access.fence(exec);
    const auto expected = [&](std::int64_t from) {
        return sum_of_wanted + static_cast<double>(count * from);
    };
    perf::verify(state, by_index == expected(first), "the sum of the elements");
    perf::verify(state, plain == expected(own_first), "the sum of this process's elements");
    state.counters["ns_each"] =
        state.counters["elements_us"].value * 1000 / static_cast<double>(count);
}
BENCHMARK(loads)
    ->ArgName("n")
    ->Arg(1 << 12)
    ->Arg(1 << 16)
    ->Arg(1 << 20)
    ->Arg(1 << 22)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

struct Stencil {
    template <class Elements, class Index>
    KOKKOS_FORCEINLINE_FUNCTION static double sum(const Elements& u, Index i, Index j, Index k) {
        double total = 0;
        for (int a = -1; a <= 1; ++a)
            for (int b = -1; b <= 1; ++b)
                for (int c = -1; c <= 1; ++c) total += u(i + a, j + b, k + c);
        return total * (1. / 27);
    }
    template <class Elements>
    KOKKOS_FORCEINLINE_FUNCTION double operator()(const Elements& u, std::int64_t i, std::int64_t j,
                                                  std::int64_t k) const {
        return sum(u, i, j, k);
    }
};

/// The value at a global index.
struct Number {
    KOKKOS_FORCEINLINE_FUNCTION double operator()(std::int64_t i, std::int64_t j,
                                                  std::int64_t k) const {
        return static_cast<double>((i * 31 + j * 17 + k * 7) % 101);
    }
};

void stencil27(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const std::int64_t edge = perf::smoke() ? 6 : state.range(0);
    const int axis = static_cast<int>(state.range(1));
    int grid[3] = {1, 1, 1};
    grid[axis] = comm.size();
    const std::int64_t extents[] = {edge * grid[0], edge * grid[1], edge * grid[2]};
    std::vector<AxisSpec> bare, padded;
    for (const std::int64_t n : extents) {
        bare.push_back(block(n));
        padded.push_back(block(n, {.padding = 1, .boundary = Widths{0, 0}}));
    }
    const ProcessGrid processes{grid[0], grid[1], grid[2]};
    const ArrayLayout layout(processes, bare), with_padding(processes, padded);
    const auto u = make_dist_view<double***>(exec, "u", comm, layout);
    const auto v = make_dist_view<double***>(exec, "v", comm, layout);
    const auto p = make_dist_view<double***>(exec, "p", comm, with_padding);
    const auto q = make_dist_view<double***>(exec, "q", comm, with_padding);
    const auto number = [&](const auto& array) {
        const auto view = array.view();
        for_each_with_global(
            exec, array, [=](int i, int j, int k, GlobalIndex gi, GlobalIndex gj, GlobalIndex gk) {
                view(i, j, k) = Number()(gi.value(), gj.value(), gk.value());
            });
    };
    number(u);
    number(p);
    InspectedLoop loop(exec, comm, u, v, Stencil(),
                       {{1, extents[0] - 1}, {1, extents[1] - 1}, {1, extents[2] - 1}});
    PaddingExchangePlan plan(comm, with_padding);
    const auto from = p.view();
    const auto to = q.view();
    // Cells at the walls have no padding beyond them: the stencil skips them.
    std::int64_t first[3], last[3];
    for (int d = 0; d < 3; ++d) {
        const LocalRange range = p.interior_range(d);
        first[d] = range.begin.value() + (p.global_index(d, range.begin).value() == 0 ? 1 : 0);
        last[d] = range.end.value() -
                  (p.global_index(d, range.end - 1).value() == extents[d] - 1 ? 1 : 0);
    }
    LocalBox inside{};
    for (std::size_t d = 0; d < 3; ++d) inside[d] = {LocalIndex(first[d]), LocalIndex(last[d])};
    perf::contest(state, exec,
                  {{"by_index", [&] { loop.execute(exec); }},
                   {"padded", [&] {
                        plan.execute(exec, p);
                        for_each(
                            exec, "padded", q,
                            [=](std::int64_t i, std::int64_t j, std::int64_t k) {
                                to(i, j, k) = Stencil::sum(from, i, j, k);
                            },
                            inside);
                        exec.fence("bench");
                    }}});
    std::int64_t wrong = 0, low[3], own[3];
    for (int d = 0; d < 3; ++d) {
        low[d] = p.interior_range(d).begin.value();
        own[d] = p.global_index(d, p.interior_range(d).begin).value();
    }
    for (std::int64_t i = first[0]; i < last[0]; ++i)
        for (std::int64_t j = first[1]; j < last[1]; ++j)
            for (std::int64_t k = first[2]; k < last[2]; ++k) {
                const std::int64_t at[3] = {i - low[0], j - low[1], k - low[2]};
                const double expected =
                    Stencil::sum(Number(), own[0] + at[0], own[1] + at[1], own[2] + at[2]);
                wrong += v.view()(at[0], at[1], at[2]) == expected ? 0 : 1;
                wrong += to(i, j, k) == expected ? 0 : 1;
            }
    perf::verify(state, wrong == 0, "the stencil");
}
BENCHMARK(stencil27)
    ->ArgNames({"n", "axis"})
    ->ArgsProduct({{32, 64, 128}, {0, 2}})
    ->Iterations(60)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
