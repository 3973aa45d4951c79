// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a matrix on a cube of n^3 cells a rank: assemble() against hand-written loops that know the layout. Each cell
// is joined to the 6 cells that share a face with it, or to the 26 that touch it; the edges are walls; ranks split axis 0.

#include "perf.hpp"

#include <distview/interop/matrix_rows.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;

/// Whether a cell is joined to the one at the offset (i, j, k).
bool is_joined(std::int64_t points, int i, int j, int k) {
    return points == 27 || (i != 0) + (j != 0) + (k != 0) <= 1;
}

struct ByHand {
    std::vector<std::int64_t> offsets{};
    std::vector<std::int64_t> columns{};
    std::vector<double> values{};
};

ByHand assemble_by_hand(std::int64_t points, std::int64_t n, int rank, int ranks) {
    ByHand rows;
    rows.offsets.push_back(0);
    const auto add_row = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        for (int a = -1; a <= 1; ++a)
            for (int b = -1; b <= 1; ++b)
                for (int c = -1; c <= 1; ++c) {
                    const std::array<std::int64_t, 3> at{i + a, j + b, k + c};
                    const bool is_there = at[0] >= 0 && at[0] < n * ranks && at[1] >= 0 &&
                                          at[1] < n && at[2] >= 0 && at[2] < n;
                    if (!is_there || !is_joined(points, a, b, c)) continue;
                    const bool is_own = a == 0 && b == 0 && c == 0;
                    rows.columns.push_back((at[0] * n + at[1]) * n + at[2]);
                    rows.values.push_back(is_own ? static_cast<double>(points) - 1 : -1);
                }
        rows.offsets.push_back(static_cast<std::int64_t>(rows.columns.size()));
    };
    for (std::int64_t i = n * rank; i < n * (rank + 1); ++i)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = 0; k < n; ++k) add_row(i, j, k);
    return rows;
}

/// Arguments: cells along each axis and rank, and entries in a row.
void assembled(benchmark::State& state) {
    const Exec exec;
    const Communicator& comm = perf::communicator();
    const std::int64_t n = perf::smoke() ? 5 : state.range(0);
    const std::int64_t points = state.range(1);
    const RowNumbering numbering(comm, ArrayLayout(ProcessGrid{comm.size(), 1, 1},
                                                   {block(n * comm.size()), block(n), block(n)}));
    const auto faces = [](MatrixRow& row, GlobalIndex, GlobalIndex, GlobalIndex) {
        row.add(6, {0, 0, 0});
        for (const int step : {-1, 1})
            row.add(-1, {step, 0, 0}), row.add(-1, {0, step, 0}), row.add(-1, {0, 0, step});
    };
    const auto corners = [](MatrixRow& row, GlobalIndex, GlobalIndex, GlobalIndex) {
        for (const int i : {-1, 0, 1})
            for (const int j : {-1, 0, 1})
                for (const int k : {-1, 0, 1})
                    row.add(i == 0 && j == 0 && k == 0 ? 26 : -1, {i, j, k});
    };
    const auto ours = [&] {
        return points == 7 ? assemble(numbering, faces) : assemble(numbering, corners);
    };
    const auto by_hand = [&] { return assemble_by_hand(points, n, comm.rank(), comm.size()); };

    const MatrixRows rows = ours();
    const ByHand expected = by_hand();
    const bool same = rows.offsets == expected.offsets && rows.columns == expected.columns &&
                      rows.values == expected.values;
    if (!perf::verify(state, same, "the rows")) return;
    const std::vector<double> medians =
        perf::contest(state, exec,
                      {{"assemble", [&] { benchmark::DoNotOptimize(ours()); }},
                       {"by_hand", [&] { benchmark::DoNotOptimize(by_hand()); }}});
    state.counters["ns_an_entry"] =
        medians[0] * 1e9 / static_cast<double>(rows.columns.empty() ? 1 : rows.columns.size());
}
BENCHMARK(assembled)
    ->ArgNames({"n", "points"})
    ->Args({40, 7})
    ->Args({40, 27})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

} // namespace
