// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproducible sums, scalar products and norms against reductions whose result depends on the ranks, of 10^7 doubles a
// rank. Threads add up the rows of `line` in place; the rows of `cube` are short and padded: they are copied together first.

#include "perf.hpp"

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <cmath>
#include <cstdint>

namespace {

using namespace distview;
using perf::Exec;

constexpr ReductionOptions exactly{.reproducible = true};

/// Numbers between -1 and 1, or, if `wide`, spread over a hundred powers of two.
struct Scattered {
    bool wide;
    template <class... Indices>
    KOKKOS_FUNCTION double operator()(Indices... g) const {
        std::uint64_t bits = 1;
        ((bits = (bits ^ static_cast<std::uint64_t>(g.value())) * 0x9e3779b97f4a7c15u), ...);
        bits ^= bits >> 31;
        bits *= 0xbf58476d1ce4e5b9u;
        bits ^= bits >> 29;
        const double number = static_cast<double>(bits >> 11) * 0x1p-52 - 1;
        return wide ? number * std::ldexp(1.0, static_cast<int>(bits % 100)) : number;
    }
};

ArrayLayout line() {
    const std::int64_t n = perf::smoke() ? 3000 : 10'000'000;
    const int ranks = perf::communicator().size();
    return {ProcessGrid{ranks}, {block(n * ranks)}};
}
ArrayLayout cube() {
    const std::int64_t n = perf::smoke() ? 12 : 216;
    const int ranks = perf::communicator().size();
    const BlockOptions options{.padding = 1, .boundary = 1};
    return {ProcessGrid{ranks, 1, 1},
            {block(n * ranks, options), block(n, options), block(n, options)}};
}

template <class Call>
void compete(benchmark::State& state, const Exec& exec, const Call& call) {
    double plain = 0;
    double exact = 0;
    plain = call(ReductionOptions{});
    exact = call(exactly);
    if (!perf::verify(state, std::abs(exact - plain) <= 1e-6 * (1 + std::abs(exact)), "the sum") ||
        !perf::verify(state, exact == call(exactly), "the sum once more"))
        return;
    perf::contest(state, exec,
                  {{"plain", [&] { plain = call(ReductionOptions{}); }},
                   {"reproducible", [&] { exact = call(exactly); }}});
}

template <class Data>
void compete(benchmark::State& state, const ArrayLayout& layout, const char* what, bool wide) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const auto u = make_dist_view<Data>(exec, "u", comm, layout);
    const auto v = make_dist_view<Data>(exec, "v", comm, layout);
    fill_with(exec, u, Scattered{wide});
    fill_with(exec, v, Scattered{false});
    exec.fence("bench_reproducible_sum: arrays are set");
    switch (what[0]) {
    case 's': return compete(state, exec, [&](const auto& o) { return sum(exec, comm, u, o); });
    case 'd': return compete(state, exec, [&](const auto& o) { return dot(exec, comm, u, v, o); });
    default: return compete(state, exec, [&](const auto& o) { return norm2(exec, comm, u, o); });
    }
}

void of_line(benchmark::State& state, const char* what, bool wide) {
    compete<double*>(state, line(), what, wide);
}
void of_cube(benchmark::State& state, const char* what) {
    compete<double***>(state, cube(), what, false);
}

template <class Registered>
void settle(Registered* registered) {
    registered->Iterations(perf::iterations(100))->UseManualTime()->Unit(benchmark::kMicrosecond);
}

const int registered = [] {
    for (const char* what : {"sum", "dot", "norm2"}) {
        const std::string name = what;
        settle(benchmark::RegisterBenchmark(("line_" + name).c_str(), of_line, what, false));
        settle(benchmark::RegisterBenchmark(("cube_" + name).c_str(), of_cube, what));
    }
    settle(benchmark::RegisterBenchmark("line_sum_of_wide_numbers", of_line, "sum", true));
    return 0;
}();

} // namespace
