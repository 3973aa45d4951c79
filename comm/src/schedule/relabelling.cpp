// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_schedule.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

namespace distview {

namespace {

using impl::AxisIntersection;
using impl::AxisRun;

/// Elements that coordinates of the two grids share along an axis.
struct Overlap {
    std::int64_t elements;
    int from;
    int to;
};

constexpr int most_exact = 512;

std::vector<Overlap> overlaps_of(const AxisIntersection& axis, int extent) {
    std::vector<Overlap> result;
    for (int c = 0; c < extent; ++c)
        for (const AxisRun& run : axis.runs_to(c)) {
            const bool is_new =
                result.empty() || result.back().to != c || result.back().from != run.peer;
            if (is_new) result.push_back({0, run.peer, c});
            result.back().elements += run.elements();
        }
    return result;
}

/// The permutation with the largest sum of overlaps: for every `to` its `from`. Shortest augmenting
/// paths with potentials, one row at a time (the Hungarian method of Jonker and Volgenant).
std::vector<int> best_matching(const std::vector<Overlap>& overlaps, int extent) {
    const auto n = static_cast<std::size_t>(extent);
    std::vector<std::int64_t> cost(n * n, 0); // by `to`, then `from`
    for (const Overlap& overlap : overlaps)
        cost[static_cast<std::size_t>(overlap.to) * n + static_cast<std::size_t>(overlap.from)] =
            -overlap.elements;

    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max();
    // The search for each row begins at column n.
    std::vector<std::int64_t> row_potential(n, 0), column_potential(n + 1, 0);
    std::vector<std::size_t> row_of(n + 1, none), before(n + 1, n);
    for (std::size_t row = 0; row < n; ++row) {
        std::vector<std::int64_t> distance(n + 1, infinite);
        std::vector<char> is_done(n + 1, 0);
        std::size_t column = n;
        row_of[n] = row;
        do {
            is_done[column] = 1;
            const std::size_t current = row_of[column];
            std::int64_t least = infinite;
            std::size_t next = n;
            for (std::size_t c = 0; c < n; ++c) {
                if (is_done[c]) continue;
                const std::int64_t reduced =
                    cost[current * n + c] - row_potential[current] - column_potential[c];
                if (reduced < distance[c]) {
                    distance[c] = reduced;
                    before[c] = column;
                }
                if (distance[c] < least) {
                    least = distance[c];
                    next = c;
                }
            }
            for (std::size_t c = 0; c <= n; ++c)
                if (is_done[c]) {
                    row_potential[row_of[c]] += least;
                    column_potential[c] -= least;
                } else if (c < n) {
                    distance[c] -= least;
                }
            column = next;
        } while (row_of[column] != none);
        for (; column != n; column = before[column]) row_of[column] = row_of[before[column]];
    }

    std::vector<int> result(n);
    for (std::size_t c = 0; c < n; ++c) result[row_of[c]] = static_cast<int>(c);
    return result;
}

std::vector<int> greedy_matching(std::vector<Overlap> overlaps, int extent) {
    std::sort(overlaps.begin(), overlaps.end(), [](const Overlap& a, const Overlap& b) {
        return std::tuple(-a.elements, a.to, a.from) < std::tuple(-b.elements, b.to, b.from);
    });
    std::vector<int> result(static_cast<std::size_t>(extent), -1);
    std::vector<char> is_taken(static_cast<std::size_t>(extent), 0);
    for (const Overlap& overlap : overlaps) {
        if (result[static_cast<std::size_t>(overlap.to)] >= 0 ||
            is_taken[static_cast<std::size_t>(overlap.from)])
            continue;
        result[static_cast<std::size_t>(overlap.to)] = overlap.from;
        is_taken[static_cast<std::size_t>(overlap.from)] = 1;
    }
    int spare = 0;
    for (int& from : result) {
        if (from >= 0) continue;
        while (is_taken[static_cast<std::size_t>(spare)]) ++spare;
        from = spare++;
    }
    return result;
}

} // namespace

std::string Relabelling::describe() const {
    return text(wire_elements_after, " elements for other ranks instead of ", wire_elements_before);
}

Relabelling relabel(const ArrayLayout& from, const ArrayLayout& to,
                    const RedistributionOptions& options) {
    const RedistributionSchedule schedule(from, to, options);
    Relabelling result{{}, schedule.wire_elements(), 0};
    for (int process = 0; process < to.process_count(); ++process)
        result.to_ranks.push_back(schedule.to_rank(process));
    result.wire_elements_after = result.wire_elements_before;

    std::array<std::vector<int>, max_rank> matching; // by axis of the target
    for (int d = 0; d < schedule.rank(); ++d) {
        const int extent = to.grid().extent(d);
        if (extent != from.grid().extent(schedule.permutation(d))) return result;
        std::vector<Overlap> overlaps = overlaps_of(schedule.axis(d), extent);
        matching[static_cast<std::size_t>(d)] = extent <= most_exact
                                                    ? best_matching(overlaps, extent)
                                                    : greedy_matching(std::move(overlaps), extent);
    }
    RedistributionOptions relabelled = options;
    relabelled.to_ranks.resize(static_cast<std::size_t>(to.process_count()));
    for (int process = 0; process < to.process_count(); ++process) {
        const GridCoordinates at = to.coordinates(process);
        GridCoordinates source{};
        for (std::size_t d = 0; d < static_cast<std::size_t>(schedule.rank()); ++d)
            source[static_cast<std::size_t>(schedule.permutation(static_cast<int>(d)))] =
                matching[d][static_cast<std::size_t>(at[d])];
        relabelled.to_ranks[static_cast<std::size_t>(process)] =
            schedule.from_rank(from.grid().process(source));
    }
    const std::int64_t after = RedistributionSchedule(from, to, relabelled).wire_elements();
    if (after >= result.wire_elements_before) return result;
    result.to_ranks = std::move(relabelled.to_ranks);
    result.wire_elements_after = after;
    return result;
}

} // namespace distview
