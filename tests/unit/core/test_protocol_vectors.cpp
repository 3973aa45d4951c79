// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The worked examples and vectors of the protocol specification, sections 1.0, 2 and 3: the data
// conform, and their layout has the listed elements, owners and positions.
#include "protocol_cases.hpp"
#include "protocol_reference.hpp"

#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/validate.hpp>

namespace distview::testing {

using protocol::check_all;
using protocol::export_section;
using protocol::layout_from_dim_data;
using protocol::Version;

/// The layout of the data; checks before that they conform, and that the layout's maps agree with them.
ArrayLayout imported(const Version& version, const std::vector<SectionDescription>& array) {
    expect_conforms(check_all(version, array));
    ArrayLayout layout = layout_from_dim_data(version, array);
    EXPECT_EQ(find_map_difference(version, array, layout), "");
    return layout;
}

/// The one axis' elements on process p.
std::vector<std::int64_t> held(const ArrayLayout& layout, int p) {
    std::vector<std::int64_t> result;
    for (LocalIndex l(0); l < layout.axis(0).local_extent(p); ++l)
        result.push_back(layout.axis(0).to_global(p, l).value());
    return result;
}

void expect_export(const ArrayLayout& layout, const Version& version,
                   const std::vector<SectionDescription>& expected) {
    for (int p = 0; p < layout.process_count(); ++p) {
        const SectionDescription mine = export_section(layout, p, version);
        const SectionDescription& theirs = expected[static_cast<std::size_t>(p)];
        EXPECT_EQ(describe(mine.dim_data), describe(theirs.dim_data));
        EXPECT_EQ(mine.extents, theirs.extents);
    }
}

/// For an element in the protocol's numbering: its owner, and its position on process p.
int owner_of(const AxisLayout& axis, std::int64_t i) {
    return axis.owner(axis.global_index(ProtocolIndex(i)));
}
std::int64_t local_of(const AxisLayout& axis, int p, std::int64_t i) {
    return axis.to_local(p, axis.global_index(ProtocolIndex(i))).value();
}

/// Expects that the layout's exports equal the data, in both versions.
void expect_same_array(const std::vector<SectionDescription>& in_0_10,
                       const std::vector<SectionDescription>& in_0_9) {
    const ArrayLayout layout = imported(v0_10_0, in_0_10);
    EXPECT_TRUE(layout == imported(v0_9_0, in_0_9));
    expect_export(layout, v0_10_0, in_0_10);
    expect_export(layout, v0_9_0, in_0_9);
}

constexpr PaddingValue ones{1, 1};

// 1.0: 18 elements on 2 processes.
//     process 0: B0 1..8 C9     process 1: C8 9..16 B17
TEST(ProtocolVectors, eighteen_elements_on_two_processes) {
    const auto in_0_10 =
        sections({{block_dim(18, 2, 0, 0, 10, ones), 10}, {block_dim(18, 2, 1, 8, 18, ones), 10}});
    const auto in_0_9 =
        sections({{block_dim(18, 2, 0, 0, 9, ones), 10}, {block_dim(18, 2, 1, 9, 18, ones), 10}});
    expect_same_array(in_0_10, in_0_9);
    const ArrayLayout layout = imported(v0_10_0, in_0_10);
    EXPECT_EQ(layout, ArrayLayout(ProcessGrid{2}, {block(16, {.padding = 1})}));

    const AxisLayout& axis = layout.axis(0);
    EXPECT_EQ(owner_of(axis, 9), 1);
    EXPECT_EQ(local_of(axis, 1, 9), 1);
    EXPECT_EQ(local_of(axis, 0, 9), 9);
    EXPECT_EQ(owner_of(axis, 8), 0);
    EXPECT_EQ(local_of(axis, 0, 8), 8);
    EXPECT_EQ(local_of(axis, 1, 8), 0);
    EXPECT_EQ(owner_of(axis, 0), 0);
    EXPECT_EQ(local_of(axis, 0, 0), 0);
}

// 1.0: if data are read with the other version's rules, only the extents reveal the mistake.
TEST(ProtocolVectors, eighteen_elements_under_the_wrong_version) {
    const auto in_0_10 =
        sections({{block_dim(18, 2, 0, 0, 10, ones), 10}, {block_dim(18, 2, 1, 8, 18, ones), 10}});
    const auto in_0_9 =
        sections({{block_dim(18, 2, 0, 0, 9, ones), 10}, {block_dim(18, 2, 1, 9, 18, ones), 10}});
    EXPECT_EQ(summary(check_all(v0_10_0, in_0_9)),
              "shape_mismatch at axis 0, key 'buffer', process 0");
    EXPECT_EQ(summary(check_all(v0_9_0, in_0_10)),
              "shape_mismatch at axis 0, key 'buffer', process 0");
}

// 1.0: four processes, padding (4,1) (1,2) (2,3) (3,0), 30 elements.
TEST(ProtocolVectors, thirty_elements_on_four_processes) {
    const auto in_0_10 = sections({{block_dim(30, 4, 0, 0, 11, PaddingValue{4, 1}), 11},
                                   {block_dim(30, 4, 1, 9, 18, PaddingValue{1, 2}), 9},
                                   {block_dim(30, 4, 2, 14, 26, PaddingValue{2, 3}), 12},
                                   {block_dim(30, 4, 3, 20, 30, PaddingValue{3, 0}), 10}});
    const auto in_0_9 = sections({{block_dim(30, 4, 0, 0, 10, PaddingValue{4, 1}), 11},
                                  {block_dim(30, 4, 1, 10, 16, PaddingValue{1, 2}), 9},
                                  {block_dim(30, 4, 2, 16, 23, PaddingValue{2, 3}), 12},
                                  {block_dim(30, 4, 3, 23, 30, PaddingValue{3, 0}), 10}});
    expect_same_array(in_0_10, in_0_9);
    const ArrayLayout layout = imported(v0_10_0, in_0_10);
    const AxisLayout& axis = layout.axis(0);
    const std::int64_t bounds[] = {0, 10, 16, 23, 30};
    for (int p = 0; p < 4; ++p) {
        EXPECT_EQ(axis.protocol_index(axis.as_block().owned(p).begin), bounds[p]);
        EXPECT_EQ(axis.protocol_index(axis.as_block().owned(p).end), bounds[p + 1]);
    }
    EXPECT_EQ(layout.protocol_size(0), 30);
    EXPECT_EQ(layout.extent(0), 26);
    EXPECT_EQ(owner_of(axis, 10), 1);
    EXPECT_EQ(local_of(axis, 1, 10), 1);
    EXPECT_EQ(local_of(axis, 0, 10), 10);
    EXPECT_EQ(owner_of(axis, 24), 3);
    EXPECT_EQ(local_of(axis, 3, 24), 4);
    EXPECT_EQ(local_of(axis, 2, 24), 10);
}

// 3.1: 11 elements in regular blocks on 3 processes; without padding both versions are equal.
TEST(ProtocolVectors, regular_blocks) {
    const auto data = sections({{block_dim(11, 3, 0, 0, 4), 4},
                                {block_dim(11, 3, 1, 4, 8), 4},
                                {block_dim(11, 3, 2, 8, 11), 3}});
    expect_same_array(data, data);
    EXPECT_EQ(imported(v0_10_0, data), ArrayLayout(ProcessGrid{3}, {regular_block(11)}));
    // A regular split that leaves the last process without elements.
    const auto empty_end = sections({{block_dim(4, 3, 0, 0, 2), 2},
                                     {block_dim(4, 3, 1, 2, 4), 2},
                                     {block_dim(4, 3, 2, 4, 4), 0}});
    expect_same_array(empty_end, empty_end);
    EXPECT_EQ(imported(v0_10_0, empty_end), ArrayLayout(ProcessGrid{3}, {regular_block(4)}));
}

// 3.1: if several blocks begin at 5, the owner of 5 is the process with elements.
TEST(ProtocolVectors, irregular_blocks_with_an_empty_one) {
    const auto data = sections({{block_dim(20, 4, 0, 0, 5), 5},
                                {block_dim(20, 4, 1, 5, 5), 0},
                                {block_dim(20, 4, 2, 5, 12), 7},
                                {block_dim(20, 4, 3, 12, 20), 8}});
    expect_same_array(data, data);
    const ArrayLayout layout = imported(v0_10_0, data);
    EXPECT_EQ(layout.axis(0).owner(GlobalIndex(5)), 2);
    EXPECT_EQ(layout.axis(0).to_local(2, GlobalIndex(5)), 0);
    EXPECT_EQ(layout.axis(0).local_extent(1), 0);
}

// 3.1: a periodic axis of 14 in 0.10 and 10 in 0.9: cells bboooooc and cooooobb.
TEST(ProtocolVectors, periodic_axis) {
    const auto in_0_10 = sections({{block_dim(14, 2, 0, 0, 8, PaddingValue{2, 1}, true), 8},
                                   {block_dim(14, 2, 1, 6, 14, PaddingValue{1, 2}, true), 8}});
    const auto in_0_9 = sections({{block_dim(10, 2, 0, 0, 5, PaddingValue{2, 1}, true), 8},
                                  {block_dim(10, 2, 1, 5, 10, PaddingValue{1, 2}, true), 8}});
    expect_same_array(in_0_10, in_0_9);
    const ArrayLayout layout = imported(v0_10_0, in_0_10);
    EXPECT_EQ(layout,
              ArrayLayout(ProcessGrid{2},
                          {block(10, {.padding = 1, .boundary = Widths(2), .periodic = true})}));
    const AxisLayout& axis = layout.axis(0);
    EXPECT_EQ(axis.owned_local(0), (LocalRange{LocalIndex(0), LocalIndex(7)}));
    EXPECT_EQ(axis.interior_local(0), (LocalRange{LocalIndex(2), LocalIndex(7)}));
    EXPECT_EQ(axis.owned_local(1), (LocalRange{LocalIndex(1), LocalIndex(8)}));
    EXPECT_EQ(axis.interior_local(1), (LocalRange{LocalIndex(1), LocalIndex(6)}));
    // The elements of the sections, in 0.9's numbering.
    EXPECT_EQ(reference_section(v0_9_0, in_0_9[0].dim_data[0], 8).held,
              (std::vector<std::int64_t>{8, 9, 0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(reference_section(v0_9_0, in_0_9[1].dim_data[0], 8).held,
              (std::vector<std::int64_t>{4, 5, 6, 7, 8, 9, 0, 1}));
    // Sources of padding: 0 from 10, 1 from 11, 12 from 2, 13 from 3.
    const auto filled_from = [&](std::int64_t i) {
        const GlobalIndex g = axis.global_index(ProtocolIndex(i));
        return axis.protocol_index(GlobalIndex(floor_mod(g.value(), axis.size())));
    };
    EXPECT_EQ(filled_from(0), 10);
    EXPECT_EQ(filled_from(1), 11);
    EXPECT_EQ(filled_from(12), 2);
    EXPECT_EQ(filled_from(13), 3);
}

// A3: the protocol's own test, 10 elements with padding (2, 2) on one periodic process.
TEST(ProtocolVectors, periodic_axis_on_one_process) {
    const auto in_0_10 = sections({{block_dim(10, 1, 0, 0, 10, PaddingValue{2, 2}, true), 10}});
    const auto in_0_9 = sections({{block_dim(6, 1, 0, 0, 6, PaddingValue{2, 2}, true), 10}});
    expect_same_array(in_0_10, in_0_9);
}

// 3.2: cyclic, single elements.
TEST(ProtocolVectors, cyclic) {
    const auto ten = sections({{cyclic_dim(10, 4, 0, 0), 3},
                               {cyclic_dim(10, 4, 1, 1), 3},
                               {cyclic_dim(10, 4, 2, 2), 2},
                               {cyclic_dim(10, 4, 3, 3), 2}});
    expect_same_array(ten, ten);
    const ArrayLayout layout = imported(v0_10_0, ten);
    EXPECT_EQ(held(layout, 0), (std::vector<std::int64_t>{0, 4, 8}));
    EXPECT_EQ(held(layout, 1), (std::vector<std::int64_t>{1, 5, 9}));
    EXPECT_EQ(held(layout, 2), (std::vector<std::int64_t>{2, 6}));
    EXPECT_EQ(held(layout, 3), (std::vector<std::int64_t>{3, 7}));
    // n = 2 on 4 processes: starts 2 and 3 lie beyond or at size.
    const auto two = sections({{cyclic_dim(2, 4, 0, 0), 1},
                               {cyclic_dim(2, 4, 1, 1), 1},
                               {cyclic_dim(2, 4, 2, 2), 0},
                               {cyclic_dim(2, 4, 3, 3), 0}});
    expect_same_array(two, two);
}

// 3.3 and A7: 13 elements in blocks of 2; the partial block is process 2's.
TEST(ProtocolVectors, block_cyclic) {
    const auto thirteen = sections({{cyclic_dim(13, 4, 0, 0, 2), 4},
                                    {cyclic_dim(13, 4, 1, 2, 2), 4},
                                    {cyclic_dim(13, 4, 2, 4, 2), 3},
                                    {cyclic_dim(13, 4, 3, 6, 2), 2}});
    expect_same_array(thirteen, thirteen);
    const ArrayLayout layout = imported(v0_9_0, thirteen);
    EXPECT_EQ(held(layout, 0), (std::vector<std::int64_t>{0, 1, 8, 9}));
    EXPECT_EQ(held(layout, 1), (std::vector<std::int64_t>{2, 3, 10, 11}));
    EXPECT_EQ(held(layout, 2), (std::vector<std::int64_t>{4, 5, 12}));
    EXPECT_EQ(held(layout, 3), (std::vector<std::int64_t>{6, 7}));

    const auto nine = sections({{cyclic_dim(9, 4, 0, 0, 5), 5},
                                {cyclic_dim(9, 4, 1, 5, 5), 4},
                                {cyclic_dim(9, 4, 2, 10, 5), 0},
                                {cyclic_dim(9, 4, 3, 15, 5), 0}});
    expect_same_array(nine, nine);
    const auto large_blocks = sections({{cyclic_dim(9, 4, 0, 0, 100), 9},
                                        {cyclic_dim(9, 4, 1, 100, 100), 0},
                                        {cyclic_dim(9, 4, 2, 200, 100), 0},
                                        {cyclic_dim(9, 4, 3, 300, 100), 0}});
    expect_same_array(large_blocks, large_blocks);
    const auto three = sections({{cyclic_dim(24, 3, 0, 0, 4), 8},
                                 {cyclic_dim(24, 3, 1, 4, 4), 8},
                                 {cyclic_dim(24, 3, 2, 8, 4), 8}});
    expect_same_array(three, three);
    const ArrayLayout blocks = imported(v0_10_0, three);
    EXPECT_EQ(held(blocks, 1), (std::vector<std::int64_t>{4, 5, 6, 7, 16, 17, 18, 19}));
    EXPECT_EQ(blocks.axis(0).owner(GlobalIndex(17)), 1);
    EXPECT_EQ(blocks.axis(0).to_local(1, GlobalIndex(17)), 5);
}

// 3.4: labels such as -3, which is a label and not the third index from the end (U7).
TEST(ProtocolVectors, unstructured) {
    const auto data = sections({{unstructured_dim(6, 3, 0, {7, -3, 100}), 3},
                                {unstructured_dim(6, 3, 1, {}), 0},
                                {unstructured_dim(6, 3, 2, {9, 8, 5}), 3}});
    expect_same_array(data, data);
    const ArrayLayout layout = imported(v0_10_0, data);
    EXPECT_EQ(layout.axis(0).owner(GlobalIndex(-3)), 0);
    EXPECT_EQ(layout.axis(0).to_local(0, GlobalIndex(-3)), 1);
    EXPECT_EQ(layout.axis(0).owner(GlobalIndex(0)), -1);
}

// A6: a size that counts shared labels twice is accepted; the distinct ones are exported.
TEST(ProtocolVectors, size_of_shared_labels) {
    const auto data = [](std::int64_t size) {
        return sections(
            {{unstructured_dim(size, 2, 0, {1, 2}), 2}, {unstructured_dim(size, 2, 1, {2, 3}), 2}});
    };
    expect_same_array(data(3), data(3));
    const ArrayLayout layout = imported(v0_10_0, data(4));
    EXPECT_EQ(layout.extent(0), 3);
    expect_export(layout, v0_10_0, data(3));
}

// 3.5: an undistributed axis is exported as a block on one process, never {} or 'n'.
TEST(ProtocolVectors, undistributed_axis) {
    const auto expected = sections({{block_dim(10, 1, 0, 0, 10), 10}});
    expect_same_array(expected, expected);
    const ArrayLayout layout = imported(v0_10_0, sections({{DimData{}, 10}}));
    expect_export(layout, v0_10_0, expected);
    EXPECT_EQ(imported(v0_9_0, sections({{undistributed_dim(10), 10}})), layout);
}

// 3.5: axis 0 block-cyclic (n 7, b 2, P 2), axis 1 blocks 0, 1, 6, 8 (P 3).
TEST(ProtocolVectors, two_axes_on_a_grid) {
    const auto data =
        product({sections({{cyclic_dim(7, 2, 0, 0, 2), 4}, {cyclic_dim(7, 2, 1, 2, 2), 3}}),
                 sections({{block_dim(8, 3, 0, 0, 1), 1},
                           {block_dim(8, 3, 1, 1, 6), 5},
                           {block_dim(8, 3, 2, 6, 8), 2}})});
    expect_same_array(data, data);
    const ArrayLayout layout = imported(v0_10_0, data);
    const GlobalIndex element[] = {GlobalIndex(5), GlobalIndex(6)};
    EXPECT_EQ(layout.owner(element), 2);
    EXPECT_EQ(layout.axis(0).to_local(0, element[0]), 3);
    EXPECT_EQ(layout.axis(1).to_local(2, element[1]), 0);
    EXPECT_EQ(layout.coordinates(4)[0], 1);
    EXPECT_EQ(layout.coordinates(4)[1], 1);
}

// The 0.9 text's example: two rows of processes, the second axis not distributed.
TEST(ProtocolVectors, block_and_no_distribution_of_0_9) {
    const auto rows = sections({{block_dim(2, 2, 0, 0, 1), 1}, {block_dim(2, 2, 1, 1, 2), 1}});
    const ArrayLayout layout =
        imported(v0_9_0, product({rows, sections({{undistributed_dim(10), 10}})}));
    EXPECT_EQ(layout, ArrayLayout(ProcessGrid{2, 1}, {block(2), block(10)}));
}

} // namespace distview::testing
