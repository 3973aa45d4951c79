// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules B1 to B15: block axes, on one process and between neighbours.
#include "protocol_cases.hpp"

#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>

#include <limits>

namespace distview::testing {

using protocol::check_all;
using protocol::check_local;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

// B1: start >= 0.
TEST(ProtocolRules, B1_start) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(block_dim(6, 2, 1, -1, 6), 7), 1),
                         "start_negative", 0, "start", 1,
                         "dim_data[0]['start'] is -1, expected >= 0");
        EXPECT_EQ(code_of(check_local(version, section(block_dim(6, 2, 1, smallest, 6), 6), 1)),
                  "start_negative");
    }
}

// B2: stop >= start, and equality is an empty section (A9).
TEST(ProtocolRules, B2_stop_not_below_start) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(block_dim(10, 3, 1, 6, 5), 0), 1),
                         "stop_lt_start", 0, "stop", 1,
                         "dim_data[0]['stop'] is 5, expected at least the start 6");
        EXPECT_EQ(
            code_of(check_local(version, section(block_dim(10, 3, 1, largest, smallest), 0), 1)),
            "stop_lt_start");
        expect_conforms(check_local(version, section(block_dim(10, 3, 1, 6, 6), 0), 1));
    }
}

// B3: stop <= size.
TEST(ProtocolRules, B3_stop_within_size) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(block_dim(10, 2, 1, 5, 11), 6), 1),
                         "stop_gt_size", 0, "stop", 1,
                         "dim_data[0]['stop'] is 11, expected at most the size 10");
        EXPECT_EQ(code_of(check_local(version, section(block_dim(10, 2, 0, 0, 11), 11), 0)),
                  "stop_gt_size");
    }
}

// B4: grid rank 0 starts at 0, the last stops at size.
TEST(ProtocolRules, B4_ends_of_the_axis) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(block_dim(10, 2, 0, 1, 5), 4), 0),
                         "edge_start", 0, "start", 0,
                         "dim_data[0]['start'] is 1, expected 0 on grid rank 0");
        expect_violation(check_local(version, section(block_dim(10, 2, 1, 5, 9), 4), 1),
                         "edge_stop", 0, "stop", 1,
                         "dim_data[0]['stop'] is 9, expected the size 10 on the last grid rank 1");
        expect_conforms(check_local(version, section(block_dim(10, 3, 1, 1, 9), 8), 1));
        // An empty section at an end must still lie at that end.
        expect_conforms(check_local(version, section(block_dim(10, 2, 0, 0, 0), 0), 0));
        EXPECT_EQ(code_of(check_local(version, section(block_dim(10, 2, 0, 10, 10), 0), 0)),
                  "edge_start");
        EXPECT_EQ(code_of(check_local(version, section(block_dim(10, 2, 1, 0, 0), 0), 0)),
                  "edge_stop");
    }
}

// B5 and A10: the buffer's extent is stop - start; in 0.9 with communication padding.
TEST(ProtocolRules, B5_extent) {
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, section(block_dim(10, 2, 0, 0, 5), 7), 0),
                         "shape_mismatch", 0, "buffer", 0,
                         "dim_data[0] describes 5 local elements, but buffer.shape[0] is 7");
        expect_violation(check_local(version, section(block_dim(1, 1, 0, 0, 1), 0), 0),
                         "shape_mismatch", 0, "buffer", 0,
                         "dim_data[0] describes 1 local element, but buffer.shape[0] is 0");
    }
    const DimData padded = block_dim(10, 3, 1, 3, 7, PaddingValue{1, 2});
    expect_conforms(check_local(v0_10_0, section(padded, 4), 1));
    expect_conforms(check_local(v0_9_0, section(padded, 7), 1));
    EXPECT_EQ(code_of(check_local(v0_10_0, section(padded, 7), 1)), "shape_mismatch");
    EXPECT_EQ(code_of(check_local(v0_9_0, section(padded, 4), 1)), "shape_mismatch");
    // Boundary padding is between start and stop in both versions; in 0.9 a periodic axis has none.
    const DimData lonely = block_dim(10, 1, 0, 0, 10, PaddingValue{2, 3});
    expect_conforms(check_local(v0_9_0, section(lonely, 10), 0));
    const DimData round = block_dim(10, 1, 0, 0, 10, PaddingValue{2, 3}, true);
    expect_conforms(check_local(v0_9_0, section(round, 15), 0));
    EXPECT_EQ(code_of(check_local(v0_9_0, section(round, 10), 0)), "shape_mismatch");
}

// B5: sums that exceed 64 bits are no extent.
TEST(ProtocolRules, B5_extents_beyond_64_bits) {
    expect_violation(
        check_local(v0_9_0, section(block_dim(10, 3, 1, 3, 7, PaddingValue{largest, 0}), 7), 1),
        "shape_mismatch", 0, "buffer", 1,
        "dim_data[0] describes more than 2^63-1 local elements, but buffer.shape[0] is 7");
    EXPECT_EQ(
        code_of(check_local(
            v0_9_0, section(block_dim(10, 3, 1, 3, 7, PaddingValue{largest, largest}), 2), 1)),
        "shape_mismatch");
}

// B6: irregular blocks and empty ones anywhere, with a block longer than all others.
TEST(ProtocolRules, B6_irregular_and_empty_blocks) {
    for (const auto& version : both_versions) {
        expect_conforms(check_all(version, sections({{block_dim(20, 4, 0, 0, 5), 5},
                                                     {block_dim(20, 4, 1, 5, 5), 0},
                                                     {block_dim(20, 4, 2, 5, 12), 7},
                                                     {block_dim(20, 4, 3, 12, 20), 8}})));
        expect_conforms(check_all(version, sections({{block_dim(3, 4, 0, 0, 0), 0},
                                                     {block_dim(3, 4, 1, 0, 0), 0},
                                                     {block_dim(3, 4, 2, 0, 3), 3},
                                                     {block_dim(3, 4, 3, 3, 3), 0}})));
        expect_conforms(check_all(
            version, sections({{block_dim(0, 2, 0, 0, 0), 0}, {block_dim(0, 2, 1, 0, 0), 0}})));
    }
}

// B7: a pair of widths >= 0; absent is (0, 0).
TEST(ProtocolRules, B7_padding_is_a_pair) {
    const auto padded = [](const PaddingValue& padding) {
        return section(block_dim(10, 1, 0, 0, 10, padding), 10);
    };
    for (const auto& version : both_versions) {
        expect_violation(check_local(version, padded({-1, 0}), 0), "padding_form", 0, "padding", 0,
                         "dim_data[0]['padding'] is (-1, 0), expected a pair of widths >= 0");
        expect_violation(check_local(version, padded({1, 0, 1}), 0), "padding_form", 0, "padding",
                         0, "dim_data[0]['padding'] is of 1 width, expected a pair of widths >= 0");
        EXPECT_EQ(code_of(check_local(version, padded({0, -1}), 0)), "padding_form");
        EXPECT_EQ(code_of(check_local(version, padded({0, 0, 0}), 0)), "padding_form");
        EXPECT_EQ(code_of(check_local(version, padded({0, 0, 3}), 0)), "padding_form");
        EXPECT_EQ(code_of(check_local(version, padded({smallest, smallest}), 0)), "padding_form");
        expect_conforms(check_local(version, padded({0, 0}), 0));
    }
    DimData dim = undistributed_dim(4);
    dim.padding = PaddingValue{0, -2};
    EXPECT_EQ(code_of(check_local(v0_9_0, section(dim, 4), 0)), "padding_form");
}

// B8: in 0.9 the key is on all processes of an axis or on none; 0.10 dropped that.
TEST(ProtocolRules, B8_padding_on_all_or_none) {
    const auto partial = sections(
        {{block_dim(10, 2, 0, 0, 5, PaddingValue{0, 0}), 5}, {block_dim(10, 2, 1, 5, 10), 5}});
    expect_violation(
        check_all(v0_9_0, partial), "padding_partial", 0, "padding", 1,
        "dim_data[0] lacks 'padding', but that of process 0 has it; 0.9 requires it on "
        "all processes or on none");
    expect_conforms(check_all(v0_10_0, partial));
    const auto other = sections(
        {{block_dim(10, 2, 0, 0, 5), 5}, {block_dim(10, 2, 1, 5, 10, PaddingValue{0, 3}), 5}});
    expect_violation(
        check_all(v0_9_0, other), "padding_partial", 0, "padding", 1,
        "dim_data[0] has 'padding', but that of process 0 lacks it; 0.9 requires it on "
        "all processes or on none");
    expect_conforms(check_all(v0_10_0, other));
}

// B8: also on processes of one grid rank, where the default would otherwise be equivalent.
TEST(ProtocolRules, B8_padding_on_all_or_none_in_a_grid) {
    const auto rows = sections({{block_dim(4, 1, 0, 0, 4), 4}});
    const auto columns = sections({{cyclic_dim(2, 2, 0, 0), 1}, {cyclic_dim(2, 2, 1, 1), 1}});
    auto array = product({rows, columns});
    array[1].dim_data[0].padding = PaddingValue{0, 0};
    EXPECT_EQ(summary(check_all(v0_9_0, array)),
              "padding_partial at axis 0, key 'padding', process 1");
    expect_conforms(check_all(v0_10_0, array));
}

// B9: the padding between start and stop must leave a non-negative owned count.
TEST(ProtocolRules, B9_padding_fits) {
    expect_violation(
        check_local(v0_10_0, section(block_dim(8, 3, 1, 0, 1, PaddingValue{0, 3}), 1), 1),
        "padding_too_wide", 0, "padding", 1,
        "dim_data[0]['padding'] (0, 3) does not fit into the 1 elements from start 0 to stop 1");
    EXPECT_EQ(
        code_of(check_local(v0_10_0, section(block_dim(8, 3, 1, 0, 4, PaddingValue{2, 3}), 4), 1)),
        "padding_too_wide");
    expect_conforms(
        check_local(v0_10_0, section(block_dim(8, 3, 1, 0, 4, PaddingValue{2, 2}), 4), 1));
    EXPECT_EQ(
        code_of(check_local(
            v0_10_0, section(block_dim(8, 3, 1, 0, 4, PaddingValue{largest, largest}), 4), 1)),
        "padding_too_wide");
    // 0.9: counts boundary padding only, at the end of the axis where it lies.
    EXPECT_EQ(
        code_of(check_local(v0_9_0, section(block_dim(8, 2, 0, 0, 2, PaddingValue{3, 1}), 3), 0)),
        "padding_too_wide");
    expect_conforms(
        check_local(v0_9_0, section(block_dim(8, 2, 0, 0, 2, PaddingValue{2, 9}), 11), 0));
    EXPECT_EQ(
        code_of(check_local(v0_9_0, section(block_dim(8, 1, 0, 0, 8, PaddingValue{4, 5}), 8), 0)),
        "padding_too_wide");
    expect_conforms(
        check_local(v0_9_0, section(block_dim(8, 1, 0, 0, 8, PaddingValue{9, 9}, true), 26), 0));
}

// B10: 0.10 requires equal widths on both sides of a seam; 0.9 does not.
TEST(ProtocolRules, B10_padding_is_equal_at_a_seam) {
    expect_violation(
        check_all(v0_10_0, sections({{block_dim(18, 2, 0, 0, 11, PaddingValue{1, 2}), 11},
                                     {block_dim(18, 2, 1, 8, 18, PaddingValue{1, 1}), 10}})),
        "padding_mismatch", 0, "padding", 0,
        "dim_data[0]: right padding 2 of grid rank 0 differs from left padding 1 of grid rank 1");
    expect_conforms(
        check_all(v0_9_0, sections({{block_dim(18, 2, 0, 0, 9, PaddingValue{1, 2}), 11},
                                    {block_dim(18, 2, 1, 9, 18, PaddingValue{1, 1}), 10}})));
    // The widths at the two ends of the axis have no counterpart, periodic or not.
    for (const bool periodic : {false, true})
        expect_conforms(check_all(
            v0_10_0, sections({{block_dim(18, 2, 0, 0, 9, PaddingValue{3, 0}, periodic), 9},
                               {block_dim(18, 2, 1, 9, 18, PaddingValue{0, 1}, periodic), 9}})));
}

// B11: no wider than the range owned by the neighbour, its boundary padding included; 0.9 has no such rule (A20).
TEST(ProtocolRules, B11_padding_within_the_neighbour) {
    const auto middle_owns = [](std::int64_t count) {
        return sections(
            {{block_dim(10 + count, 3, 0, 0, 8, PaddingValue{0, 3}), 8},
             {block_dim(10 + count, 3, 1, 2, 8 + count, PaddingValue{3, 3}), 6 + count},
             {block_dim(10 + count, 3, 2, 2 + count, 10 + count, PaddingValue{3, 0}), 8}});
    };
    EXPECT_EQ(code_of(check_all(v0_10_0, middle_owns(3))), "conforms");
    expect_violation(check_all(v0_10_0, middle_owns(1)), "padding_too_wide", 0, "padding", 0,
                     "dim_data[0]: right padding 3 of grid rank 0 exceeds the 1 indices owned by "
                     "grid rank 1");
    expect_conforms(
        check_all(v0_9_0, sections({{block_dim(11, 3, 0, 0, 5, PaddingValue{0, 3}), 8},
                                    {block_dim(11, 3, 1, 5, 6, PaddingValue{3, 3}), 7},
                                    {block_dim(11, 3, 2, 6, 11, PaddingValue{3, 0}), 8}})));
    // Only the neighbour on one side owns too little.
    expect_violation(
        check_all(v0_10_0, sections({{block_dim(11, 3, 0, 0, 5), 5},
                                     {block_dim(11, 3, 1, 5, 8, PaddingValue{0, 2}), 3},
                                     {block_dim(11, 3, 2, 4, 11, PaddingValue{2, 0}), 7}})),
        "padding_too_wide", 0, "padding", 2,
        "dim_data[0]: left padding 2 of grid rank 2 exceeds the 1 indices owned by grid rank 1");
    // Grid rank 0 owns two interior elements and two of boundary padding: 4 may be copied, 5 not.
    const auto copied = [](std::int64_t width) {
        return sections({{block_dim(14, 2, 0, 0, 4 + width, PaddingValue{2, width}), 4 + width},
                         {block_dim(14, 2, 1, 4 - width, 14, PaddingValue{width, 0}), 10 + width}});
    };
    expect_conforms(check_all(v0_10_0, copied(4)));
    EXPECT_EQ(code_of(check_all(v0_10_0, copied(5))), "start_negative");
}

// B11: next to a process without elements there is no padding.
TEST(ProtocolRules, B11_padding_beside_an_empty_process) {
    expect_violation(
        check_all(v0_10_0, sections({{block_dim(10, 3, 0, 0, 6, PaddingValue{0, 1}), 6},
                                     {block_dim(10, 3, 1, 4, 6, PaddingValue{1, 1}), 2},
                                     {block_dim(10, 3, 2, 4, 10, PaddingValue{1, 0}), 6}})),
        "padding_too_wide", 0, "padding", 0,
        "dim_data[0]: right padding 1 of grid rank 0 exceeds the 0 indices owned by grid rank 1");
    // Beside an empty first process the padding would lie below 0.
    EXPECT_EQ(code_of(check_all(v0_10_0,
                                sections({{block_dim(10, 2, 0, 0, 1, PaddingValue{0, 1}), 1},
                                          {block_dim(10, 2, 1, -1, 10, PaddingValue{1, 0}), 11}}))),
              "start_negative");
}

// B12 and B13: owned ranges tile [0, size) in the order of grid ranks.
TEST(ProtocolRules, B12_blocks_are_contiguous) {
    for (const auto& version : both_versions) {
        expect_violation(
            check_all(version,
                      sections({{block_dim(10, 2, 0, 0, 4), 4}, {block_dim(10, 2, 1, 5, 10), 5}})),
            "block_not_contiguous", 0, "stop", 0,
            "dim_data[0]: grid rank 0 owns indices below 4, but grid rank 1 from 5 on");
        EXPECT_EQ(code_of(check_all(version, sections({{block_dim(10, 2, 0, 0, 6), 6},
                                                       {block_dim(10, 2, 1, 5, 10), 5}}))),
                  "block_not_contiguous");
        // The same blocks in another order of grid ranks.
        EXPECT_EQ(code_of(check_all(version, sections({{block_dim(9, 3, 0, 0, 3), 3},
                                                       {block_dim(9, 3, 1, 6, 6), 0},
                                                       {block_dim(9, 3, 2, 3, 9), 6}}))),
                  "block_not_contiguous");
    }
}

// B12: whether sections overlap or touch depends on the version's definition of start and stop.
TEST(ProtocolRules, B12_padding_is_taken_off_in_0_10_only) {
    const auto old_reading = sections({{block_dim(18, 2, 0, 0, 9, PaddingValue{1, 1}), 10},
                                       {block_dim(18, 2, 1, 9, 18, PaddingValue{1, 1}), 10}});
    expect_conforms(check_all(v0_9_0, old_reading));
    // If the buffers hide it from the extents, the seam still shows it.
    const auto hidden = sections({{block_dim(18, 2, 0, 0, 9, PaddingValue{1, 1}), 9},
                                  {block_dim(18, 2, 1, 9, 18, PaddingValue{1, 1}), 9}});
    EXPECT_EQ(code_of(check_all(v0_10_0, hidden)), "block_not_contiguous");
}

// B14: a single process may be periodic and padded; the sizes are from the protocol's test in 0.10.
TEST(ProtocolRules, B14_periodic_on_one_process) {
    expect_conforms(
        check_all(v0_10_0, sections({{block_dim(10, 1, 0, 0, 10, PaddingValue{2, 2}, true), 10}})));
    expect_conforms(
        check_all(v0_9_0, sections({{block_dim(10, 1, 0, 0, 10, PaddingValue{2, 2}, true), 14}})));
    expect_conforms(check_all(v0_10_0, sections({{block_dim(10, 1, 0, 0, 10, {}, true), 10}})));
    DimData old = undistributed_dim(10);
    old.periodic = true;
    old.padding = PaddingValue{2, 2};
    expect_conforms(check_all(v0_9_0, sections({{old, 14}})));
}

// B15 (A3): edge padding of a periodic axis lies within [0, size) in 0.10 and outside in 0.9; a
// start of -2 or a stop of size + 2 is legal in neither.
TEST(ProtocolRules, B15_periodic_edge_padding_has_no_indices_of_its_own) {
    for (const auto& version : both_versions) {
        EXPECT_EQ(
            code_of(check_local(
                version, section(block_dim(10, 1, 0, -2, 10, PaddingValue{2, 0}, true), 12), 0)),
            "start_negative");
        EXPECT_EQ(
            code_of(check_local(
                version, section(block_dim(10, 1, 0, 0, 12, PaddingValue{0, 2}, true), 12), 0)),
            "stop_gt_size");
    }
}

} // namespace distview::testing
