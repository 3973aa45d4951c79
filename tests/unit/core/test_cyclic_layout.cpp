// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout_checks.hpp"
#include "random_layouts.hpp"

#include <distview/core/cyclic_layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace distview::testing {

namespace {

/// Distributes elements 0 to n - 1 cyclically, b at a time.
std::vector<ExpectedSection> deal_cyclic(std::int64_t n, int process_count, std::int64_t b) {
    std::vector<std::vector<std::int64_t>> hands(static_cast<std::size_t>(process_count));
    std::int64_t next = 0;
    while (next < n)
        for (auto& hand : hands)
            for (std::int64_t i = 0; i < b && next < n; ++i) hand.push_back(next++);
    return plain_sections(hands);
}

} // namespace

// Vectors of the specification of index maps, 3.2 and 3.3.
TEST(CyclicLayout, known_vectors) {
    struct Case {
        const char* name;
        CyclicLayout layout;
        std::vector<std::vector<std::int64_t>> sections;
    };
    const Case cases[] = {
        {"10 on 4", CyclicLayout(10, 4), {{0, 4, 8}, {1, 5, 9}, {2, 6}, {3, 7}}},
        {"2 on 4", CyclicLayout(2, 4), {{0}, {1}, {}, {}}},
        {"13 on 4 by 2",
         CyclicLayout(13, 4, 2),
         {{0, 1, 8, 9}, {2, 3, 10, 11}, {4, 5, 12}, {6, 7}}},
        {"9 on 4 by 5", CyclicLayout(9, 4, 5), {{0, 1, 2, 3, 4}, {5, 6, 7, 8}, {}, {}}},
        {"9 on 4 by 100", CyclicLayout(9, 4, 100), {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {}, {}, {}}},
        {"24 on 3 by 4",
         CyclicLayout(24, 3, 4),
         {{0, 1, 2, 3, 12, 13, 14, 15},
          {4, 5, 6, 7, 16, 17, 18, 19},
          {8, 9, 10, 11, 20, 21, 22, 23}}},
        {"0 on 3", CyclicLayout(0, 3), {{}, {}, {}}},
        {"5 on 1 by 2", CyclicLayout(5, 1, 2), {{0, 1, 2, 3, 4}}},
        {"default", CyclicLayout(), {{}}}};
    for (const Case& c : cases)
        EXPECT_EQ(find_difference(c.layout, plain_sections(c.sections)), "") << c.name;

    constexpr CyclicLayout by_four(24, 3, 4);
    EXPECT_EQ(by_four.owner(GlobalIndex(17)), 1);
    EXPECT_EQ(by_four.to_local(1, GlobalIndex(17)), 5);
}

TEST(CyclicLayout, says_what_it_was_made_of) {
    constexpr CyclicLayout layout(13, 4, 2);
    EXPECT_EQ(layout.size(), 13);
    EXPECT_EQ(layout.protocol_size(), 13);
    EXPECT_EQ(layout.grid_size(), 4);
    EXPECT_EQ(layout.block_size(), 2);
    EXPECT_EQ(CyclicLayout(13, 4).block_size(), 1);
}

TEST(CyclicLayout, equals_dealing_out) {
    for (int process_count = 1; process_count <= 8; ++process_count)
        for (std::int64_t n = 0; n <= 30; ++n)
            for (std::int64_t b = 1; b <= 12; ++b)
                ASSERT_EQ(find_difference(CyclicLayout(n, process_count, b),
                                          deal_cyclic(n, process_count, b)),
                          "")
                    << n << " elements on " << process_count << " processes in blocks of " << b;
}

TEST(CyclicLayout, random_layouts_keep_their_promises) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const std::int64_t n = random.integer(0, 121);
        const int process_count = static_cast<int>(random.integer(1, 21));
        const std::int64_t b = random.chance(0.3) ? 1 : random.integer(1, 2 * n + 2);
        const CyclicLayout layout(n, process_count, b);
        ASSERT_EQ(find_flaw(layout, first_indices(n)), "");
        ASSERT_EQ(find_difference(layout, deal_cyclic(n, process_count, b)), "");
    });
}

// Whole rounds, and the share of process p in the last one.
TEST(CyclicLayout, sizes_beyond_32_bits) {
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t n :
         {(std::int64_t(1) << 31) + 5, (std::int64_t(1) << 40) + 13, largest - 1, largest}) {
        for (const int process_count : {1, 7, 1000}) {
            for (const std::int64_t b : {std::int64_t(1), std::int64_t(3), std::int64_t(1) << 33}) {
                SCOPED_TRACE(text(n, " elements on ", process_count, " processes by ", b));
                const CyclicLayout layout(n, process_count, b);
                const std::int64_t round = b * process_count;
                std::uint64_t total = 0;
                for (int p = 0; p < process_count; ++p) {
                    const std::int64_t last = std::clamp<std::int64_t>(n % round - p * b, 0, b);
                    ASSERT_EQ(layout.local_extent(p), n / round * b + last) << p;
                    total += static_cast<std::uint64_t>(layout.local_extent(p));
                }
                EXPECT_EQ(total, static_cast<std::uint64_t>(n));

                Random random(campaign_seed(), static_cast<std::uint64_t>(n));
                for (int i = 0; i < 100; ++i) {
                    const GlobalIndex g(i == 0 ? n - 1 : random.integer(0, n));
                    const int p = layout.owner(g);
                    const LocalIndex l = layout.to_local(p, g);
                    ASSERT_TRUE(layout.owned_local(p).contains(l)) << g.value();
                    ASSERT_EQ(layout.to_global(p, l), g);
                }
            }
        }
    }
}

TEST(CyclicLayout, blocks_larger_than_any_array) {
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const CyclicLayout layout(9, 4, largest);
    EXPECT_EQ(find_difference(layout, plain_sections({first_indices(9), {}, {}, {}})), "");
    EXPECT_EQ(layout.with_tables(nullptr, nullptr).block_size(), largest);
}

} // namespace distview::testing
