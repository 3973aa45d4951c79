// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout_checks.hpp"
#include "random_layouts.hpp"

#include <distview/core/block_layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::testing {

namespace {

GlobalRange global_range(std::int64_t begin, std::int64_t end) {
    return {GlobalIndex(begin), GlobalIndex(end)};
}

/// {low, high} of every process in turn, the format of BlockLayout.
std::vector<std::int64_t> widths_table(const std::vector<Widths>& paddings) {
    std::vector<std::int64_t> table;
    for (const Widths widths : paddings) {
        table.push_back(widths.low);
        table.push_back(widths.high);
    }
    return table;
}

/// Blocks of the smallest size of which P hold n elements, filled one after the other.
std::vector<std::int64_t> deal_regular(std::int64_t n, int process_count) {
    std::int64_t most = 0;
    while (most * process_count < n) ++most;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(process_count), 0);
    for (std::int64_t& size : sizes)
        for (; n > 0 && size < most; --n) ++size;
    return sizes;
}

/// Gives one element to each process in turn until all n are distributed.
std::vector<std::int64_t> deal_balanced(std::int64_t n, int process_count) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(process_count), 0);
    for (std::int64_t i = 0; i < n; ++i) ++sizes[static_cast<std::size_t>(i % process_count)];
    return sizes;
}

} // namespace

// Specification of index maps 3.1: 0 1 2 3 | 4 5 6 7 | 8 9 10
TEST(BlockLayout, regular_blocks_of_11_elements_on_3_processes) {
    constexpr BlockLayout layout(11, 3, BlockSplit::regular);
    EXPECT_EQ(find_difference(layout, plain_sections({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10}})),
              "");
    EXPECT_EQ(layout.size(), 11);
    EXPECT_EQ(layout.protocol_size(), 11);
    EXPECT_FALSE(layout.has_tables());
    EXPECT_FALSE(layout.periodic());
}

// 10 elements on 4 processes: regular 0 1 2 | 3 4 5 | 6 7 8 | 9, balanced 0 1 2 | 3 4 5 | 6 7 | 8 9
TEST(BlockLayout, balanced_blocks_differ_by_at_most_one) {
    EXPECT_EQ(find_difference(BlockLayout(10, 4, BlockSplit::regular),
                              plain_sections({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9}})),
              "");
    EXPECT_EQ(
        find_difference(BlockLayout(10, 4), plain_sections({{0, 1, 2}, {3, 4, 5}, {6, 7}, {8, 9}})),
        "");
}

// Specification of index maps 3.1: bounds 0 5 5 12 20, process 1 owns nothing.
TEST(BlockLayout, irregular_blocks_may_be_empty) {
    constexpr std::int64_t bounds[] = {0, 5, 5, 12, 20};
    const BlockLayout layout(bounds, 4, nullptr);
    EXPECT_EQ(layout.owner(GlobalIndex(5)), 2);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(5)), 0);
    EXPECT_EQ(layout.local_extent(1), 0);
    EXPECT_TRUE(layout.owned(1).empty());
    EXPECT_EQ(layout.owned(2), global_range(5, 12));
    EXPECT_TRUE(layout.has_tables());
    EXPECT_EQ(layout.split(), BlockSplit::irregular);
    EXPECT_EQ(find_difference(layout, block_sections({5, 0, 7, 8}, std::vector<Widths>(4), {})),
              "");
}

TEST(BlockLayout, owners_of_coinciding_bounds_are_never_empty) {
    const std::vector<std::int64_t> tables[] = {
        {0, 0, 0, 3, 3, 3, 4, 4, 4}, {0, 4, 4, 4, 4, 4, 4, 4, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 4}};
    for (const auto& bounds : tables) {
        const BlockLayout layout(bounds.data(), 8, nullptr);
        for (GlobalIndex g(0); g < 4; ++g)
            EXPECT_TRUE(layout.owned(layout.owner(g)).contains(g)) << g.value();
    }
}

// 16 interior elements on 2 processes, padding (1, 1), B boundary, C communication:
//
//     process 0   B-1  0..7  C8           the protocol's start 0, stop 10
//     process 1        C7  8..15  B16     the protocol's start 8, stop 18
TEST(BlockLayout, padding_of_the_16_element_array) {
    constexpr BlockLayout layout(16, 2, BlockSplit::balanced, 1, 1);
    EXPECT_EQ(layout.size(), 16);
    EXPECT_EQ(layout.protocol_size(), 18);
    EXPECT_EQ(layout.held(0), global_range(-1, 9));
    EXPECT_EQ(layout.held(1), global_range(7, 17));
    EXPECT_EQ(layout.owned(0), global_range(-1, 8));
    EXPECT_EQ(layout.owned(1), global_range(8, 17));
    EXPECT_EQ(layout.interior(0), global_range(0, 8));
    EXPECT_EQ(layout.interior(1), global_range(8, 16));
    EXPECT_EQ(layout.local_extent(0), 10);
    EXPECT_EQ(layout.local_extent(1), 10);

    EXPECT_EQ(layout.owner(GlobalIndex(8)), 1);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(8)), 1);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(8)), 9);
    EXPECT_EQ(layout.owner(GlobalIndex(7)), 0);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(7)), 8);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(7)), 0);
    EXPECT_EQ(layout.owner(GlobalIndex(-1)), 0);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(-1)), 0);
    EXPECT_EQ(layout.owner(GlobalIndex(16)), 1);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(16)), 9);

    EXPECT_EQ(layout.protocol_index(GlobalIndex(-1)), 0);
    EXPECT_EQ(layout.protocol_index(GlobalIndex(16)), 17);
    EXPECT_EQ(layout.global_index(ProtocolIndex(9)), 8);
}

// 26 interior elements on 4 processes, padding (4, 1) (1, 2) (2, 3) (3, 0).
TEST(BlockLayout, padding_of_the_26_element_array) {
    constexpr std::int64_t bounds[] = {0, 6, 12, 19, 26};
    constexpr std::int64_t widths[] = {0, 1, 1, 2, 2, 3, 3, 0};
    const BlockLayout layout(bounds, 4, widths, {}, {4, 0});
    EXPECT_EQ(layout.size(), 26);
    EXPECT_EQ(layout.protocol_size(), 30);
    const GlobalRange held[] = {global_range(-4, 7), global_range(5, 14), global_range(10, 22),
                                global_range(16, 26)};
    const GlobalRange owned[] = {global_range(-4, 6), global_range(6, 12), global_range(12, 19),
                                 global_range(19, 26)};
    const std::int64_t extents[] = {11, 9, 12, 10};
    for (int p = 0; p < 4; ++p) {
        EXPECT_EQ(layout.held(p), held[p]) << p;
        EXPECT_EQ(layout.owned(p), owned[p]) << p;
        EXPECT_EQ(layout.local_extent(p), extents[p]) << p;
    }
    EXPECT_EQ(layout.boundary_padding(0), Widths(4, 0));
    EXPECT_EQ(layout.boundary_padding(3), Widths(0, 0));
    EXPECT_EQ(layout.communication_padding(2), Widths(2, 3));

    EXPECT_EQ(layout.owner(GlobalIndex(6)), 1);
    EXPECT_EQ(layout.to_local(1, GlobalIndex(6)), 1);
    EXPECT_EQ(layout.to_local(0, GlobalIndex(6)), 10);
    EXPECT_EQ(layout.owner(GlobalIndex(20)), 3);
    EXPECT_EQ(layout.to_local(3, GlobalIndex(20)), 4);
    EXPECT_EQ(layout.to_local(2, GlobalIndex(20)), 10);
}

// Periodic, 10 interior elements on 2 processes, padding (2, 1) (1, 2): bboooooc | cooooobb
TEST(BlockLayout, padding_of_the_periodic_10_element_array) {
    constexpr BlockLayout layout(10, 2, BlockSplit::balanced, 1, 2, true);
    EXPECT_TRUE(layout.periodic());
    EXPECT_EQ(layout.size(), 10);
    EXPECT_EQ(layout.protocol_size(), 14);
    EXPECT_EQ(layout.held(0), global_range(-2, 6));
    EXPECT_EQ(layout.held(1), global_range(4, 12));
    EXPECT_EQ(layout.owned(0), global_range(-2, 5));
    EXPECT_EQ(layout.owned(1), global_range(5, 12));
    EXPECT_EQ(layout.interior(0), global_range(0, 5));
    EXPECT_EQ(layout.interior(1), global_range(5, 10));
    EXPECT_EQ(layout.boundary_padding(0), Widths(2, 0));
    EXPECT_EQ(layout.boundary_padding(1), Widths(0, 2));
    EXPECT_EQ(layout.communication_padding(0), Widths(0, 1));
    EXPECT_EQ(layout.communication_padding(1), Widths(1, 0));
}

TEST(BlockLayout, one_process_has_boundary_padding_only) {
    constexpr BlockLayout layout(5, 1, BlockSplit::balanced, {3, 3}, {2, 1});
    EXPECT_EQ(find_difference(layout, block_sections({5}, {{}}, {2, 1})), "");
    EXPECT_EQ(layout.communication_padding(0), Widths());
    EXPECT_EQ(layout.boundary_padding(0), Widths(2, 1));
    EXPECT_EQ(layout.size(), 5);
    EXPECT_EQ(layout.protocol_size(), 8);
}

TEST(BlockLayout, widest_padding_is_the_most_that_a_process_has) {
    EXPECT_EQ(BlockLayout(16, 3, BlockSplit::regular, {2, 1}, {5, 6}, true).widest_padding(),
              Widths(2, 1));
    // Two processes have one seam, which uses both widths; one process has no seam.
    EXPECT_EQ(BlockLayout(16, 2, BlockSplit::balanced, {2, 1}).widest_padding(), Widths(2, 1));
    EXPECT_EQ(BlockLayout(16, 1, BlockSplit::balanced, {2, 1}, 3).widest_padding(), Widths());

    constexpr std::int64_t bounds[] = {0, 6, 12, 19, 26};
    EXPECT_EQ(BlockLayout(bounds, 4, nullptr, {2, 1}).widest_padding(), Widths(2, 1));
    // Widths beyond the array's ends do not count.
    constexpr std::int64_t widths[] = {9, 1, 1, 2, 4, 3, 3, 9};
    EXPECT_EQ(BlockLayout(bounds, 4, widths, 7, {5, 6}).widest_padding(), Widths(4, 3));
    EXPECT_EQ(BlockLayout(bounds, 1, widths).widest_padding(), Widths());
}

TEST(BlockLayout, nothing_but_boundary_padding_belongs_to_the_ends) {
    for (const BlockSplit split : {BlockSplit::regular, BlockSplit::balanced}) {
        const BlockLayout layout(0, 3, split, 0, {2, 1});
        EXPECT_EQ(
            find_difference(layout, block_sections({0, 0, 0}, std::vector<Widths>(3), {2, 1})), "");
        EXPECT_EQ(layout.owner(GlobalIndex(-1)), 0);
        EXPECT_EQ(layout.owner(GlobalIndex(0)), 2);
        EXPECT_EQ(layout.size(), 0);
    }
}

TEST(BlockLayout, default_is_empty_on_one_process) {
    EXPECT_EQ(find_difference(BlockLayout(), plain_sections({{}})), "");
}

TEST(BlockLayout, closed_forms_equal_dealing_out) {
    for (int process_count = 1; process_count <= 12; ++process_count) {
        for (std::int64_t n = 0; n <= 40; ++n) {
            const std::vector<Widths> none(static_cast<std::size_t>(process_count));
            ASSERT_EQ(find_difference(BlockLayout(n, process_count, BlockSplit::regular),
                                      block_sections(deal_regular(n, process_count), none, {})),
                      "")
                << "regular, " << n << " elements on " << process_count << " processes";
            ASSERT_EQ(find_difference(BlockLayout(n, process_count),
                                      block_sections(deal_balanced(n, process_count), none, {})),
                      "")
                << "balanced, " << n << " elements on " << process_count << " processes";
        }
    }
}

TEST(BlockLayout, random_uniform_padding_equals_dealing_out) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 10));
        const std::int64_t n = random.integer(0, 51);
        const BlockSplit split = random.chance(0.5) ? BlockSplit::regular : BlockSplit::balanced;
        // Not limited by the blocks: maps must also hold for copies from beyond the neighbour.
        const Widths padding = random_widths(random, 3);
        const Widths boundary = random_widths(random, 3);
        const auto sizes = split == BlockSplit::regular ? deal_regular(n, process_count)
                                                        : deal_balanced(n, process_count);
        const BlockLayout layout(n, process_count, split, padding, boundary, random.chance(0.5));
        ASSERT_EQ(find_difference(
                      layout, block_sections(sizes,
                                             std::vector<Widths>(
                                                 static_cast<std::size_t>(process_count), padding),
                                             boundary)),
                  "");
    });
}

TEST(BlockLayout, random_irregular_blocks_equal_dealing_out) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 13));
        const auto sizes = random_block_sizes(random, process_count, 9);
        const auto paddings = random_matched_paddings(random, sizes);
        const Widths boundary = random_widths(random, 3);
        const auto bounds = bounds_of_sizes(sizes);
        const auto widths = widths_table(paddings);
        const BlockLayout layout(bounds.data(), process_count, widths.data(), {}, boundary);
        ASSERT_EQ(find_difference(layout, block_sections(sizes, paddings, boundary)), "");
        ASSERT_EQ(find_flaw(layout, indices_with(boundary, layout.size())), "");

        const BlockLayout without(bounds.data(), process_count, nullptr, {}, boundary);
        ASSERT_EQ(find_flaw(without, indices_with(boundary, without.size())), "");
    });
}

// Over all processes: owned and interior ranges are contiguous, and two neighbours' sections
// overlap by exactly the elements that each copies from the other.
TEST(BlockLayout, ranges_of_neighbours_fit_together) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 13));
        const auto sizes = random_block_sizes(random, process_count, 9);
        const auto paddings = random_matched_paddings(random, sizes);
        const auto bounds = bounds_of_sizes(sizes);
        const auto widths = widths_table(paddings);
        const Widths boundary = random_widths(random, 3);
        const BlockLayout layout(bounds.data(), process_count, widths.data(), {}, boundary);

        GlobalIndex owned_so_far(-boundary.low);
        GlobalIndex interior_so_far(0);
        for (int p = 0; p < process_count; ++p) {
            ASSERT_EQ(layout.owned(p).begin, owned_so_far);
            ASSERT_EQ(layout.interior(p).begin, interior_so_far);
            owned_so_far = layout.owned(p).end;
            interior_so_far = layout.interior(p).end;
            ASSERT_GE(layout.held(p).begin, -boundary.low);
            ASSERT_LE(layout.held(p).end, layout.size() + boundary.high);
            if (p == 0) continue;
            const std::int64_t above = layout.communication_padding(p - 1).high;
            const std::int64_t below = layout.communication_padding(p).low;
            ASSERT_EQ(above, below);
            ASSERT_EQ(layout.held(p - 1).end - layout.held(p).begin, above + below);
        }
        ASSERT_EQ(owned_so_far, layout.size() + boundary.high);
        ASSERT_EQ(interior_so_far, layout.size());
    });
}

TEST(BlockLayout, sizes_beyond_32_bits) {
    for (const std::int64_t n :
         {(std::int64_t(1) << 31) + 5, (std::int64_t(1) << 40) + 7, (std::int64_t(1) << 61) - 1}) {
        for (const int process_count : {1, 3, 1000, 2147483647}) {
            for (const BlockSplit split : {BlockSplit::regular, BlockSplit::balanced}) {
                const BlockLayout layout(n, process_count, split, {2, 1}, {3, 4});
                Random random(campaign_seed(), static_cast<std::uint64_t>(n));
                for (int i = 0; i < 50; ++i) {
                    const GlobalIndex g(random.integer(-3, n + 4));
                    const int p = layout.owner(g);
                    ASSERT_TRUE(layout.owned(p).contains(g)) << g.value();
                    ASSERT_EQ(layout.to_global(p, layout.to_local(p, g)), g);
                    const GlobalIndex before = p == 0 ? GlobalIndex(-3) : layout.owned(p - 1).end;
                    ASSERT_EQ(before, layout.owned(p).begin);
                }
                EXPECT_EQ(layout.owned(0).begin, -3);
                EXPECT_EQ(layout.owned(process_count - 1).end, n + 4);
                EXPECT_EQ(layout.owner(GlobalIndex(n + 3)), process_count - 1);
            }
        }
    }
}

TEST(BlockLayout, large_blocks_begin_where_arithmetic_says) {
    constexpr std::int64_t n = (std::int64_t(1) << 40) + 7; // 1000 * 1099511627 + 783
    constexpr BlockLayout balanced(n, 1000);
    EXPECT_EQ(balanced.owned(999).begin, std::int64_t(1099511627) * 999 + 783);
    EXPECT_EQ(balanced.owned(1).begin, 1099511628);
    EXPECT_EQ(balanced.owner(GlobalIndex(1099511628)), 1);
    EXPECT_EQ(balanced.owner(GlobalIndex(1099511627)), 0);
    constexpr BlockLayout regular(n, 1000, BlockSplit::regular);
    EXPECT_EQ(regular.owned(999).begin, std::int64_t(1099511628) * 999);
    EXPECT_EQ(regular.owned(999).size(), n - std::int64_t(1099511628) * 999);
}

TEST(BlockLayout, reads_its_tables_where_it_is_told) {
    // In one piece, as in an ArrayLayout; the original is then overwritten, so only the copy may be read.
    const std::vector<std::int64_t> copy{7, 7, 0, 6, 12, 19, 26, 0, 1, 1, 2, 2, 3, 3, 0};
    std::vector<std::int64_t> original = copy;
    const BlockLayout there(original.data() + 2, 4, original.data() + 7, {}, {4, 0});
    const BlockLayout here = there.with_tables(original.data(), copy.data());
    std::fill(original.begin(), original.end(), 1);
    EXPECT_EQ(find_difference(
                  here, block_sections({6, 6, 7, 7}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {4, 0})),
              "");

    const BlockLayout closed_form(10, 3);
    EXPECT_FALSE(closed_form.with_tables(nullptr, copy.data()).has_tables());
}

} // namespace distview::testing
