// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace distview::testing {

namespace {

TEST(Random, DependsOnSeedAndCaseOnly) {
    Random a(1, 2);
    Random b(1, 2);
    Random other_seed(2, 2);
    Random other_case(1, 3);
    const std::uint64_t first = a.bits();
    EXPECT_EQ(first, b.bits());
    EXPECT_NE(first, other_seed.bits());
    EXPECT_NE(first, other_case.bits());
    EXPECT_NE(first, a.bits());
}

// The expected numbers are literals, so a seed from an old failure report keeps its meaning.
TEST(Random, GivesTheSameNumbersEverywhere) {
    Random random(5, 7);
    const std::uint64_t first = random.bits();
    const std::uint64_t second = random.bits();
    EXPECT_EQ(first, 0xd62a51b959aa05caU);
    EXPECT_EQ(second, 0x1d4280335023bff0U);
}

TEST(Random, IntegersStayInTheirRangeAndReachItsEnds) {
    Random random(campaign_seed(), 0);
    std::set<std::int64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(random.integer(-3, 4));
    }
    EXPECT_EQ(seen, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2, 3}));
    EXPECT_THROW(random.integer(4, 4), std::invalid_argument);
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    const std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    EXPECT_NE(random.integer(lowest, highest), random.integer(lowest, highest));
}

TEST(Random, ShuffleKeepsTheElements) {
    Random random(campaign_seed(), 1);
    std::vector<int> values(100);
    std::iota(values.begin(), values.end(), 0);
    std::vector<int> shuffled = values;
    random.shuffle(shuffled);
    EXPECT_NE(shuffled, values);
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, values);
}

TEST(ProcessGrids, AllOfSixRanksInTwoDimensions) {
    const std::vector<std::vector<int>> expected{{1, 6}, {2, 3}, {3, 2}, {6, 1}};
    EXPECT_EQ(all_process_grids(6, 2), expected);
    EXPECT_EQ(all_process_grids(1, 3), (std::vector<std::vector<int>>{{1, 1, 1}}));
    EXPECT_EQ(all_process_grids(12, 3).size(), 18U);
}

TEST(ProcessGrids, RandomOnesReachAll) {
    for (const int rank_count : {1, 2, 6, 7, 12}) {
        for (const int n_dims : {1, 2, 3, 4}) {
            Random random(campaign_seed(), static_cast<std::uint64_t>(10 * rank_count + n_dims));
            std::set<std::vector<int>> seen;
            for (int i = 0; i < 5000; ++i) {
                const std::vector<int> grid = random_process_grid(random, rank_count, n_dims);
                ASSERT_EQ(std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>()),
                          rank_count);
                seen.insert(grid);
            }
            EXPECT_EQ(seen.size(), all_process_grids(rank_count, n_dims).size());
        }
    }
}

TEST(RandomExtent, CoversTheEdges) {
    Random random(campaign_seed(), 2);
    std::set<std::int64_t> seen;
    for (int i = 0; i < 5000; ++i) {
        const std::int64_t extent = random_extent(random, 30, 6);
        ASSERT_GE(extent, 0);
        ASSERT_LE(extent, 30);
        seen.insert(extent);
    }
    EXPECT_EQ(seen.size(), 31U);
}

TEST(RandomBounds, AscendFromZeroAndLeaveSomePartsEmpty) {
    int n_empty = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        Random random(campaign_seed(), i);
        const std::vector<std::int64_t> bounds = random_bounds(random, 100, 5);
        ASSERT_EQ(bounds.size(), 6U);
        EXPECT_EQ(bounds.front(), 0);
        EXPECT_EQ(bounds.back(), 100);
        EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
        n_empty += std::adjacent_find(bounds.begin(), bounds.end()) != bounds.end() ? 1 : 0;
    }
    EXPECT_GT(n_empty, 20);
    EXPECT_LT(n_empty, 190);
}

TEST(ForEachCase, RunsAllWithDifferentNumbers) {
    std::set<std::uint64_t> cases;
    std::set<std::uint64_t> numbers;
    for_each_case(50, [&](Random& random, std::uint64_t i) {
        cases.insert(i);
        numbers.insert(random.bits());
    });
    EXPECT_EQ(cases.size(), 50U);
    EXPECT_EQ(numbers.size(), 50U);
}

} // namespace

} // namespace distview::testing
