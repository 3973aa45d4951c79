// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_oracle.hpp"

#include <distview/comm/redistribution_schedule.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace distview::testing {

namespace {

std::int64_t wire_elements(const RedistributionCase& c, const std::vector<int>& to_ranks) {
    RedistributionOptions options = c.options;
    options.to_ranks = to_ranks;
    return RedistributionSchedule(c.from, c.to, options).wire_elements();
}

/// The least traffic over all products of permutations of the axes' coordinates.
std::int64_t least_traffic(const RedistributionCase& c) {
    const ProcessGrid& grid = c.to.grid();
    std::vector<std::vector<int>> labels;
    for (int d = 0; d < grid.rank(); ++d) {
        labels.emplace_back(static_cast<std::size_t>(grid.extent(d)));
        std::iota(labels.back().begin(), labels.back().end(), 0);
    }
    std::int64_t least = wire_elements(c, c.options.to_ranks);
    for (bool more = true; more;) {
        std::vector<int> ranks(static_cast<std::size_t>(grid.size()));
        for (int p = 0; p < grid.size(); ++p) {
            const GridCoordinates at = grid.coordinates(p);
            GridCoordinates source{};
            for (std::size_t d = 0; d < labels.size(); ++d)
                source[static_cast<std::size_t>(c.options.permutation[d])] =
                    labels[d][static_cast<std::size_t>(at[d])];
            ranks[static_cast<std::size_t>(p)] = c.from.grid().process(source);
        }
        least = std::min(least, wire_elements(c, ranks));
        more = false;
        for (std::size_t d = 0; d < labels.size() && !more; ++d)
            more = std::next_permutation(labels[d].begin(), labels[d].end());
    }
    return least;
}

TEST(Relabelling, IsTheBestOfAllProducts) {
    int gains = 0;
    for_each_case(400, [&](Random& random, std::uint64_t) {
        const auto rank = static_cast<int>(random.integer(1, 4));
        const auto processes = static_cast<int>(random.integer(1, 7));
        const RedistributionCase c = random_redistribution_case(random, rank, processes, processes);
        const Relabelling labels = relabel(c.from, c.to, c.options);
        EXPECT_EQ(labels.wire_elements_before, wire_elements(c, c.options.to_ranks));
        EXPECT_EQ(labels.wire_elements_after, wire_elements(c, labels.to_ranks));
        std::vector<int> sorted = labels.to_ranks;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t p = 0; p < sorted.size(); ++p) EXPECT_EQ(sorted[p], static_cast<int>(p));
        bool is_matched = true;
        for (int d = 0; d < rank; ++d)
            is_matched = is_matched && c.to.grid().extent(d) ==
                                           c.from.grid().extent(
                                               c.options.permutation[static_cast<std::size_t>(d)]);
        EXPECT_EQ(labels.wire_elements_after,
                  is_matched ? least_traffic(c) : labels.wire_elements_before)
            << c.describe();
        gains += labels.wire_elements_after < labels.wire_elements_before;
    });
    EXPECT_GT(gains, 50);
}

// Blocks in reverse order: a relabelling removes all traffic.
TEST(Relabelling, FindsWhatOnlyNamesDiffer) {
    std::vector<std::vector<std::int64_t>> lists(700);
    for (std::int64_t p = 0; p < 700; ++p)
        for (std::int64_t i = 0; i < 3; ++i)
            lists[static_cast<std::size_t>(699 - p)].push_back(3 * p + i);
    for (const int processes : {7, 700}) { // solved exactly, and by the greedy method
        const std::vector<std::vector<std::int64_t>> some(lists.end() - processes, lists.end());
        const ArrayLayout from(ProcessGrid{processes}, {block(3 * processes)});
        const ArrayLayout to(ProcessGrid{processes}, {unstructured(some)});
        const Relabelling labels = relabel(from, to);
        EXPECT_EQ(labels.wire_elements_before, 3 * (processes - processes % 2));
        EXPECT_EQ(labels.wire_elements_after, 0);
        EXPECT_EQ(labels.to_ranks.front(), processes - 1);
    }
    EXPECT_EQ((Relabelling{{}, 900, 500}.describe()),
              "500 elements for other ranks instead of 900");
}

} // namespace

} // namespace distview::testing
