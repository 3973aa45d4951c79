// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The canonical form, export in both versions, and arrays that one version cannot express.
#include "expect_error.hpp"
#include "protocol_cases.hpp"
#include "protocol_random.hpp"

#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/validate.hpp>

#include <limits>

namespace distview::testing {

using protocol::AxisPadding;
using protocol::canonical_axis;
using protocol::canonical_form;
using protocol::CanonicalAxis;
using protocol::check_all;
using protocol::check_exportable;
using protocol::dim_data_of;
using protocol::export_dim_data;
using protocol::export_section;
using protocol::layout_from_dim_data;

ProtocolRange range(std::int64_t begin, std::int64_t end) {
    return {ProtocolIndex(begin), ProtocolIndex(end)};
}

TEST(ProtocolCanonical, block_of_both_versions) {
    const auto in_0_10 =
        canonical_form(v0_10_0, sections({{block_dim(18, 2, 0, 0, 10, PaddingValue{1, 1}), 10},
                                          {block_dim(18, 2, 1, 8, 18, PaddingValue{1, 1}), 10}}));
    const auto in_0_9 =
        canonical_form(v0_9_0, sections({{block_dim(18, 2, 0, 0, 9, PaddingValue{1, 1}), 10},
                                         {block_dim(18, 2, 1, 9, 18, PaddingValue{1, 1}), 10}}));
    EXPECT_EQ(in_0_10, in_0_9);
    const CanonicalAxis& second = in_0_10[1][0];
    EXPECT_EQ(second.kind, DistType::block);
    EXPECT_EQ(second.size, 18);
    EXPECT_EQ(second.grid_size, 2);
    EXPECT_EQ(second.grid_rank, 1);
    EXPECT_EQ(second.owned, range(9, 18));
    EXPECT_EQ(second.communication, Widths(1, 0));
    EXPECT_EQ(second.edges, Widths(0, 1));
    EXPECT_EQ(second.axis_padding, (AxisPadding{{1, 1}, true}));
}

TEST(ProtocolCanonical, periodic_block_of_both_versions) {
    const auto in_0_10 = canonical_form(
        v0_10_0, sections({{block_dim(14, 2, 0, 0, 8, PaddingValue{2, 1}, true), 8},
                           {block_dim(14, 2, 1, 6, 14, PaddingValue{1, 2}, true), 8}}));
    const auto in_0_9 = canonical_form(
        v0_9_0, sections({{block_dim(10, 2, 0, 0, 5, PaddingValue{2, 1}, true), 8},
                          {block_dim(10, 2, 1, 5, 10, PaddingValue{1, 2}, true), 8}}));
    EXPECT_EQ(in_0_10, in_0_9);
    EXPECT_EQ(in_0_9[0][0].size, 14);
    EXPECT_EQ(in_0_9[0][0].owned, range(0, 7));
    EXPECT_EQ(in_0_9[1][0].owned, range(7, 14));
    EXPECT_EQ(in_0_9[1][0].edges, Widths(0, 2));
}

TEST(ProtocolCanonical, other_kinds) {
    const CanonicalAxis cyclic = canonical_axis(v0_10_0, cyclic_dim(9, 4, 3, 9, 5), 0);
    EXPECT_EQ(cyclic.kind, DistType::cyclic);
    EXPECT_EQ(cyclic.block_size, 5);
    EXPECT_EQ(cyclic.axis_padding, AxisPadding{});
    const CanonicalAxis lists = canonical_axis(v0_9_0, unstructured_dim(6, 3, 0, {7, -3}, true), 2);
    EXPECT_EQ(lists.indices, (std::vector<std::int64_t>{7, -3}));
    EXPECT_TRUE(lists.one_to_one);
    EXPECT_EQ(canonical_axis(v0_10_0, DimData{}, 4),
              canonical_axis(v0_9_0, undistributed_dim(4), 4));
}

// One process's data determine the whole axis' padding only if it is the only process, or unpadded in 0.9.
TEST(ProtocolCanonical, from_one_process_alone) {
    const DimData inner = block_dim(30, 4, 1, 9, 18, PaddingValue{1, 2});
    const CanonicalAxis known = canonical_axis(v0_10_0, inner, 9);
    EXPECT_EQ(known.owned, range(10, 16));
    EXPECT_FALSE(known.axis_padding.has_value());
    EXPECT_EQ(canonical_axis(v0_10_0, inner, 9, AxisPadding{{4, 0}, true}).axis_padding,
              (AxisPadding{{4, 0}, true}));
    EXPECT_EQ(canonical_axis(v0_10_0, block_dim(9, 1, 0, 0, 9, PaddingValue{1, 2}), 9).axis_padding,
              (AxisPadding{{1, 2}, true}));
    EXPECT_FALSE(canonical_axis(v0_10_0, block_dim(9, 3, 1, 3, 6), 3).axis_padding.has_value());
    EXPECT_EQ(canonical_axis(v0_9_0, block_dim(9, 3, 1, 3, 6), 3).axis_padding, AxisPadding{});

    const DimData round = block_dim(10, 2, 0, 0, 5, PaddingValue{2, 1}, true);
    expect_error<UsageError>([&] { canonical_axis(v0_9_0, round, 8); },
                             "canonical_axis: expected axis_padding for a padded periodic axis of "
                             "0.9 on several processes");
    EXPECT_EQ(canonical_axis(v0_9_0, round, 8, AxisPadding{{2, 2}, true}).size, 14);
}

TEST(ProtocolCanonical, refuses_data_that_do_not_conform) {
    EXPECT_THROW(canonical_axis(v0_10_0, block_dim(9, 3, 1, 3, 6), 4), ProtocolError);
    EXPECT_THROW(canonical_axis({0, 8, 0}, block_dim(9, 3, 1, 3, 6), 3), ProtocolError);
    EXPECT_THROW(canonical_form(v0_10_0, sections({{block_dim(9, 3, 1, 3, 6), 3}})), ProtocolError);
}

// Keys with default values are omitted; the padding keys of an axis are all present or all absent.
TEST(ProtocolExport, keys_that_are_written) {
    const ArrayLayout layout(ProcessGrid{1, 2, 2, 2},
                             {block(3), block(4, {.padding = 0, .boundary = {0, 1}}), cyclic(3),
                              unstructured({{5, -1}, {0}}, true)});
    for (const auto& version : both_versions) {
        EXPECT_EQ(describe(export_dim_data(layout, 1, version)),
                  R"([{"dist_type": "b", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, )"
                  R"("start": 0, "stop": 3}, )"
                  R"({"dist_type": "b", "size": 5, "proc_grid_size": 2, "proc_grid_rank": 0, )"
                  R"("start": 0, "stop": 2, "padding": [0, 0]}, )"
                  R"({"dist_type": "c", "size": 3, "proc_grid_size": 2, "proc_grid_rank": 0, )"
                  R"("start": 0}, )"
                  R"({"dist_type": "u", "size": 3, "proc_grid_size": 2, "proc_grid_rank": 1, )"
                  R"("indices": [0], "one_to_one": true}])");
        EXPECT_EQ(describe(export_dim_data(layout, 6, version)),
                  R"([{"dist_type": "b", "size": 3, "proc_grid_size": 1, "proc_grid_rank": 0, )"
                  R"("start": 0, "stop": 3}, )"
                  R"({"dist_type": "b", "size": 5, "proc_grid_size": 2, "proc_grid_rank": 1, )"
                  R"("start": 2, "stop": 5, "padding": [0, 1]}, )"
                  R"({"dist_type": "c", "size": 3, "proc_grid_size": 2, "proc_grid_rank": 1, )"
                  R"("start": 1}, )"
                  R"({"dist_type": "u", "size": 3, "proc_grid_size": 2, "proc_grid_rank": 0, )"
                  R"("indices": [5, -1], "one_to_one": true}])");
    }
    EXPECT_TRUE(export_dim_data(ArrayLayout(), 0, v0_10_0).empty());
}

// An axis without communication padding gives the same dictionary in both versions.
TEST(ProtocolExport, versions_agree_without_communication_padding) {
    const ArrayLayout layout(ProcessGrid{3, 2},
                             {block(7, {.padding = 0, .boundary = {2, 1}}), block_cyclic(9, 2)});
    EXPECT_EQ(exported(layout, v0_10_0), exported(layout, v0_9_0));
    const ArrayLayout periodic(ProcessGrid{3}, {block(7, {.periodic = true})});
    EXPECT_EQ(exported(periodic, v0_10_0), exported(periodic, v0_9_0));
    EXPECT_EQ(exported(periodic, v0_9_0)[1].dim_data[0].periodic, true);
}

// B10: 0.10 cannot express two widths at one seam; 0.9 can.
TEST(ProtocolExport, padding_that_differs_across_a_seam) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(9), block(8, {.padding = {1, 2}})});
    const auto found = check_exportable(layout, v0_10_0);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(summary(found), "padding_mismatch at axis 1, key 'padding', process 0");
    EXPECT_EQ(found->message,
              "DAP export, process 0: version 0.10 cannot describe axis 1: right padding 2 of "
              "grid rank 0 differs from left padding 1 of grid rank 1");
    for (int p = 0; p < 4; ++p) EXPECT_THROW(export_dim_data(layout, p, v0_10_0), ProtocolError);
    EXPECT_EQ(layout_from_dim_data(v0_9_0, exported(layout, v0_9_0)), layout);
}

// B11: nor can it express padding wider than the neighbour's owned range (A20).
TEST(ProtocolExport, padding_wider_than_the_neighbour) {
    const ArrayLayout low(ProcessGrid{3},
                          {block_bounds({0, 1, 9, 12}, {.padding = 2, .boundary = 0})});
    EXPECT_EQ(summary(check_exportable(low, v0_10_0)),
              "padding_too_wide at axis 0, key 'padding', process 1");
    EXPECT_EQ(check_exportable(low, v0_10_0)->message,
              "DAP export, process 1: version 0.10 cannot describe axis 0: left padding 2 of "
              "grid rank 1 exceeds the 1 indices owned by grid rank 0");
    const ArrayLayout high(ProcessGrid{3, 2},
                           {block_bounds({0, 4, 4, 8}, {.padding = 1}), cyclic(2)});
    EXPECT_EQ(summary(check_exportable(high, v0_10_0)),
              "padding_too_wide at axis 0, key 'padding', process 0");
    // The neighbour's boundary padding counts as owned.
    expect_conforms(check_exportable(
        ArrayLayout(ProcessGrid{2}, {block_bounds({0, 1, 9}, {.padding = 2})}), v0_10_0));
    for (const ArrayLayout& layout : {low, high})
        EXPECT_EQ(layout_from_dim_data(v0_9_0, exported(layout, v0_9_0)), layout);
}

// 0.10 can express exactly the arrays that its own rules accept.
TEST(ProtocolExport, other_versions) {
    const ArrayLayout layout(ProcessGrid{2}, {block(8)});
    for (const protocol::Version version :
         {protocol::Version{0, 11, 0}, protocol::Version{1, 0, 0}}) {
        EXPECT_EQ(code_of(check_exportable(layout, version)), "version_unsupported");
        EXPECT_THROW(export_dim_data(layout, 0, version), ProtocolError);
        EXPECT_THROW(export_dim_data(ArrayLayout(), 0, version), ProtocolError);
        EXPECT_THROW(dim_data_of(version, CanonicalAxis{}), ProtocolError);
    }
    EXPECT_EQ(export_dim_data(layout, 1, {0, 10, 4}), export_dim_data(layout, 1, v0_10_0));
}

TEST(ProtocolExport, processes_and_axes_that_are_not_there) {
    const ArrayLayout layout(ProcessGrid{2}, {block(8)});
    expect_error<UsageError>([&] { export_dim_data(layout, 2, v0_10_0); },
                             "export_dim_data: expected a process in [0, 2), got 2");
    expect_error<UsageError>([&] { export_dim_data(layout, -1, v0_10_0); },
                             "export_dim_data: expected a process in [0, 2), got -1");
    expect_error<UsageError>([&] { canonical_axis(layout, 1, 0); },
                             "canonical_axis: expected an axis in [0, 1), got 1");
    expect_error<UsageError>([&] { canonical_axis(layout, 0, 2); },
                             "canonical_axis: expected a process in [0, 2), got 2");
}

// A layout that knows only one process's labels can export that process's section.
TEST(ProtocolExport, labels_of_one_process) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(4), unstructured_local(5, 1, {7, 3})});
    const auto mine = export_section(layout, 3, v0_10_0);
    EXPECT_EQ(mine.dim_data[1], unstructured_dim(5, 2, 1, {7, 3}));
    EXPECT_EQ(mine.extents, (std::vector<std::int64_t>{2, 2}));
    expect_error<UsageError>([&] { export_dim_data(layout, 2, v0_10_0); },
                             "canonical_axis: axis 1: expected grid rank 1, the only one whose "
                             "indices the layout knows, got 0");
}

// The protocol has no ghosts: they are exported as ordinary indices on several processes.
TEST(ProtocolExport, ghosts_are_indices) {
    const ArrayLayout layout(ProcessGrid{2},
                             {unstructured({{7, 3, 5}, {5, 7}}, {.ghosts = {1, 1}})});
    const auto array = exported(layout, v0_10_0);
    EXPECT_EQ(array[0].dim_data[0], unstructured_dim(3, 2, 0, {7, 3, 5}));
    EXPECT_EQ(array[1].dim_data[0], unstructured_dim(3, 2, 1, {5, 7}));
    EXPECT_EQ(array[1].extents, std::vector<std::int64_t>{2});
    EXPECT_EQ(layout_from_dim_data(v0_10_0, array),
              ArrayLayout(ProcessGrid{2}, {unstructured({{7, 3, 5}, {5, 7}})}));
}

// C2: starts beyond 64 bits cannot be written; a start clamped to size is also legal there.
TEST(ProtocolExport, cyclic_starts_beyond_64_bits) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const ArrayLayout layout(ProcessGrid{3}, {block_cyclic(9, largest / 2 + 1)});
    const auto array = exported(layout, v0_10_0);
    EXPECT_EQ(array[1].dim_data[0].start, largest / 2 + 1);
    EXPECT_EQ(array[2].dim_data[0].start, 9);
    EXPECT_EQ(layout_from_dim_data(v0_10_0, array), layout);
}

// Without the other processes' data, the key 'padding' is written in 0.9 (it must be on all
// processes), in 0.10 only if this process has padding.
TEST(ProtocolConvert, one_process_between_versions) {
    const DimData in_0_10 = block_dim(30, 4, 1, 9, 18, PaddingValue{1, 2});
    const DimData in_0_9 = block_dim(30, 4, 1, 10, 16, PaddingValue{1, 2});
    EXPECT_EQ(dim_data_of(v0_9_0, canonical_axis(v0_10_0, in_0_10, 9)), in_0_9);
    EXPECT_EQ(dim_data_of(v0_10_0, canonical_axis(v0_9_0, in_0_9, 9)), in_0_10);
    EXPECT_EQ(dim_data_of(v0_10_0, canonical_axis(v0_10_0, in_0_10, 9)), in_0_10);

    const DimData bare = block_dim(9, 3, 1, 3, 6);
    EXPECT_EQ(dim_data_of(v0_10_0, canonical_axis(v0_10_0, bare, 3)), bare);
    EXPECT_EQ(dim_data_of(v0_9_0, canonical_axis(v0_10_0, bare, 3)),
              block_dim(9, 3, 1, 3, 6, PaddingValue{0, 0}));
    EXPECT_EQ(dim_data_of(v0_9_0, canonical_axis(v0_9_0, bare, 3)), bare);

    const DimData round = block_dim(14, 2, 0, 0, 8, PaddingValue{2, 1}, true);
    EXPECT_EQ(dim_data_of(v0_9_0, canonical_axis(v0_10_0, round, 8, AxisPadding{{2, 2}, true})),
              block_dim(10, 2, 0, 0, 5, PaddingValue{2, 1}, true));
    expect_error<UsageError>([&] { dim_data_of(v0_9_0, canonical_axis(v0_10_0, round, 8)); },
                             "dim_data_of: expected axis_padding for a periodic axis on several "
                             "processes in 0.9");
}

// 0.9 permits periodic cyclic and unstructured axes, which 0.10 cannot express; in 0.9 the key is preserved.
TEST(ProtocolConvert, periodic_axes_that_are_no_blocks) {
    DimData dim = cyclic_dim(5, 1, 0, 0);
    dim.periodic = true;
    DimData lists = unstructured_dim(2, 1, 0, {7, -3});
    lists.periodic = true;
    for (const auto& [given, extent] : {std::pair(dim, 5), std::pair(lists, 2)}) {
        const CanonicalAxis axis = canonical_axis(v0_9_0, given, extent);
        EXPECT_TRUE(axis.periodic);
        EXPECT_EQ(dim_data_of(v0_9_0, axis), given);
        const auto refused = [](const auto& function) {
            try {
                function();
                ADD_FAILURE();
            } catch (const ProtocolError& error) {
                EXPECT_EQ(error.code(), "key_not_applicable");
                EXPECT_EQ(error.key(), "periodic");
            }
        };
        refused([&] { dim_data_of(v0_10_0, axis); });

        const ArrayLayout layout = layout_from_dim_data(v0_9_0, sections({{given, extent}}));
        EXPECT_TRUE(layout.axis(0).periodic());
        EXPECT_EQ(export_dim_data(layout, 0, v0_9_0), std::vector{given});
        refused([&] { export_dim_data(layout, 0, v0_10_0); });
        const ArrayLayout again(layout.grid(), {axis_spec(layout.axis(0))});
        EXPECT_EQ(again, layout);
        EXPECT_NE(layout.describe().find(", periodic"), std::string::npos);
        DimData plain = given;
        plain.periodic.reset();
        EXPECT_NE(layout_from_dim_data(v0_9_0, sections({{plain, extent}})), layout);
    }
}

// X5 permits different boundary padding on processes of one grid rank. Such data conform, but a
// layout has a single interior, which would be wrong on some of these processes.
TEST(ProtocolConvert, boundary_padding_that_differs_within_a_grid_rank) {
    const auto given =
        product({sections({{block_dim(18, 2, 0, 0, 10, PaddingValue{3, 1}), 10},
                           {block_dim(18, 2, 1, 8, 18, PaddingValue{1, 2}), 10}}),
                 sections({{cyclic_dim(2, 2, 0, 0), 1}, {cyclic_dim(2, 2, 1, 1), 1}})});
    EXPECT_EQ(layout_from_dim_data(v0_10_0, given).axis(0).as_block().boundary(), Widths(3, 2));
    const auto expect_refused = [&](std::size_t process, PaddingValue padding,
                                    const std::string& words) {
        auto array = given;
        array[process].dim_data[0].padding = padding;
        expect_conforms(check_all(v0_10_0, array));
        try {
            layout_from_dim_data(v0_10_0, array);
            ADD_FAILURE() << words;
        } catch (const ProtocolError& error) {
            EXPECT_EQ(error.code(), "axis_inconsistent");
            EXPECT_EQ(error.axis(), 0);
            EXPECT_EQ(error.key(), "padding");
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    expect_refused(1, {2, 1}, "boundary padding is 2 at the low end, but 3 on process 0");
    expect_refused(1, {5, 1}, "boundary padding is 5 at the low end, but 3 on process 0");
    expect_refused(0, {0, 1}, "boundary padding is 3 at the low end, but 0 on process 0");
    expect_refused(3, {1, 0}, "boundary padding is 0 at the high end, but 2 on process 2");
    expect_refused(2, {1, 6}, "boundary padding is 2 at the high end, but 6 on process 2");
    // Also in 0.9, where start and stop are then equal.
    auto old = given;
    for (SectionDescription& section : old) {
        section.dim_data[0].stop = section.dim_data[0].proc_grid_rank == 0 ? 9 : 18;
        section.dim_data[0].start = section.dim_data[0].proc_grid_rank == 0 ? 0 : 9;
    }
    EXPECT_NO_THROW(layout_from_dim_data(v0_9_0, old));
    old[1].dim_data[0].padding = PaddingValue{2, 1};
    EXPECT_THROW(layout_from_dim_data(v0_9_0, old), ProtocolError);
}

TEST(ProtocolConvert, layouts_of_data_that_do_not_conform) {
    EXPECT_THROW(layout_from_dim_data(v0_10_0, sections({{block_dim(9, 3, 1, 3, 6), 3}})),
                 ProtocolError);
    EXPECT_THROW(layout_from_dim_data(v0_10_0, {}), UsageError);
    // Conforming data with nine axes, more than a view can have.
    const SectionDescription nine{std::vector<DimData>(9), std::vector<std::int64_t>(9, 1)};
    expect_conforms(check_all(v0_10_0, {&nine, 1}));
    EXPECT_THROW(layout_from_dim_data(v0_10_0, {&nine, 1}), LayoutError);
}

// One empty axis among large ones.
TEST(ProtocolConvert, empty_array_with_large_axes) {
    const std::int64_t large = std::int64_t(1) << 40;
    const SectionDescription empty{{DimData{}, DimData{}, DimData{}}, {large, large, 0}};
    const ArrayLayout layout = layout_from_dim_data(v0_10_0, {&empty, 1});
    EXPECT_EQ(layout.size(), 0);
}

} // namespace distview::testing
