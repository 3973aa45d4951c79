// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/schedule/axis_intersection.hpp>
#include <distview/core/array_layout.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::AxisIntersection;
using distview::impl::AxisRun;

using Runs = std::vector<AxisRun>;

/// The runs between the axes of two 1-d arrays.
struct Between {
    Between(const AxisSpec& from_spec, int from_grid, const AxisSpec& to_spec, int to_grid,
            AxisSlice from_slice = {}, AxisSlice to_slice = {}, bool fill_padding = false)
        : from(ProcessGrid{from_grid}, {from_spec}), to(ProcessGrid{to_grid}, {to_spec}),
          intersection({from.axis(0), from_slice, 0}, {to.axis(0), to_slice, 1}, fill_padding) {}

    ArrayLayout from;
    ArrayLayout to;
    AxisIntersection intersection;
};

// 10 cells: blocks 0..4 | 5..9 move to 0..3 | 4..6 | 7..9.
TEST(AxisIntersectionExamples, OfBlocksIsOneRunAPair) {
    const Between b(block(10), 2, block(10), 3);
    EXPECT_EQ(b.intersection.runs_to(1), (Runs{{.peer = 0, .mine = 0, .theirs = 4, .length = 1},
                                               {.peer = 1, .mine = 1, .theirs = 0, .length = 2}}));
    EXPECT_EQ(b.intersection.runs_from(0),
              (Runs{{.peer = 0, .mine = 0, .theirs = 0, .length = 4},
                    {.peer = 1, .mine = 4, .theirs = 0, .length = 1}}));
}

// Communication padding (C) shifts positions and is not written: sections 0 1 C and C 2 3.
TEST(AxisIntersectionExamples, CountsPaddingInPositions) {
    const Between b(block(4), 1, block(4, {.padding = 1, .boundary = Widths(0)}), 2);
    EXPECT_EQ(b.intersection.runs_to(0), (Runs{{.peer = 0, .mine = 0, .theirs = 0, .length = 2}}));
    EXPECT_EQ(b.intersection.runs_to(1), (Runs{{.peer = 0, .mine = 1, .theirs = 2, .length = 2}}));
}

TEST(AxisIntersectionExamples, FillsPaddingWhereItMirrorsTheRange) {
    // Sections 3 | 0 1 | 2 and 1 | 2 3 | 0: boundary padding is a separate window.
    const Between b(block(4), 1, block(4, {.padding = 1, .periodic = true}), 2, {}, {}, true);
    EXPECT_EQ(b.intersection.runs_to(0), (Runs{{.peer = 0, .mine = 0, .theirs = 3, .length = 1},
                                               {.peer = 0, .mine = 1, .theirs = 0, .length = 3}}));
    EXPECT_EQ(b.intersection.runs_to(1), (Runs{{.peer = 0, .mine = 0, .theirs = 1, .length = 3},
                                               {.peer = 0, .mine = 3, .theirs = 0, .length = 1}}));
    // For a slice, only the padding that mirrors its cells.
    const Between part(block(1), 1, block(4, {.padding = 1, .periodic = true}), 2, {}, {2, 1, 1},
                       true);
    EXPECT_EQ(part.intersection.runs_to(0),
              (Runs{{.peer = 0, .mine = 3, .theirs = 0, .length = 1}}));
    EXPECT_EQ(part.intersection.runs_from(0),
              (Runs{{.peer = 0, .mine = 0, .theirs = 3, .length = 1},
                    {.peer = 1, .mine = 0, .theirs = 1, .length = 1}}));
}

TEST(AxisIntersectionExamples, OfCyclicAndBlockIsOneStridedRunAPair) {
    const Between b(cyclic(4096), 2, block(4096), 2);
    EXPECT_EQ(b.intersection.runs_to(1),
              (Runs{{.peer = 0, .mine = 0, .theirs = 1024, .length = 1024, .my_step = 2},
                    {.peer = 1, .mine = 1, .theirs = 1024, .length = 1024, .my_step = 2}}));
}

// Blocks of 128 move to blocks of 64: one run per pair, repeated every 256 cells.
TEST(AxisIntersectionExamples, OfBlockCyclicAxesStoresOnePeriod) {
    const Between b(block_cyclic(4096, 128), 2, block_cyclic(4096, 64), 2);
    EXPECT_EQ(b.intersection.runs_to(0), (Runs{{.peer = 0,
                                                .mine = 0,
                                                .theirs = 0,
                                                .length = 64,
                                                .repeats = 16,
                                                .my_period = 128,
                                                .their_period = 128},
                                               {.peer = 1,
                                                .mine = 64,
                                                .theirs = 0,
                                                .length = 64,
                                                .repeats = 16,
                                                .my_period = 128,
                                                .their_period = 128}}));
    const Between same(block_cyclic(1000, 3), 7, block_cyclic(1000, 3), 7);
    EXPECT_EQ(same.intersection.runs_to(2),
              (Runs{{.peer = 2, .mine = 0, .theirs = 0, .length = 144}}));
}

TEST(AxisIntersectionExamples, RepeatsWithAnIncompleteLastPeriod) {
    // Blocks 0 1 2 | 3 4 5 | 6 7 8 | 9 10 on two processes move to blocks of 6 and 5.
    const Between b(block_cyclic(11, 3), 2, regular_block(11), 2);
    EXPECT_EQ(b.intersection.runs_to(1), (Runs{{.peer = 0, .mine = 0, .theirs = 3, .length = 3},
                                               {.peer = 1, .mine = 3, .theirs = 3, .length = 2}}));
    // In one section: twice 3 cells, then 2 more at the same distance.
    const Between whole(block_cyclic(14, 3), 2, block(14), 1);
    EXPECT_EQ(whole.intersection.runs_to(0),
              (Runs{{.peer = 0,
                     .mine = 0,
                     .theirs = 0,
                     .length = 3,
                     .repeats = 2,
                     .my_period = 6,
                     .their_period = 3},
                    {.peer = 0, .mine = 12, .theirs = 6, .length = 2},
                    {.peer = 1,
                     .mine = 3,
                     .theirs = 0,
                     .length = 3,
                     .repeats = 2,
                     .my_period = 6,
                     .their_period = 3}}));
}

TEST(AxisIntersectionExamples, ReversesAndStrides) {
    const Between b(block(10), 1, block(5), 1, {9, -1, -2}, {});
    EXPECT_EQ(b.intersection.runs_to(0),
              (Runs{{.peer = 0, .mine = 0, .theirs = 9, .length = 5, .their_step = -2}}));
    EXPECT_EQ(b.intersection.from_slice(), (AxisSlice{9, 5, -2}));
    EXPECT_EQ(b.intersection.to_slice(), (AxisSlice{0, 5, 1}));
    // Whole blocks also repeat in descending order.
    const Between blocks(block_cyclic(16, 4), 2, block(16), 1, {15, -1, -1});
    EXPECT_EQ(blocks.intersection.runs_from(1), (Runs{{.peer = 0,
                                                       .mine = 7,
                                                       .theirs = 0,
                                                       .length = 4,
                                                       .my_step = -1,
                                                       .repeats = 2,
                                                       .my_period = -4,
                                                       .their_period = 8}}));
    // Every second cell of a cyclic axis over two processes lies on one process.
    const Between one(cyclic(1000), 2, block(500), 1, {1, -1, 2});
    EXPECT_EQ(one.intersection.runs_to(0),
              (Runs{{.peer = 1, .mine = 0, .theirs = 0, .length = 500}}));
    EXPECT_TRUE(one.intersection.runs_from(0).empty());
}

// Labels in order: -3 5 7 8 9 100, on processes 1 2 0 2 2 0. Label 7 is on 2 as well: the lowest process sends it, all
// receive it.
TEST(AxisIntersectionExamples, SlicesOrderLabelsBySize) {
    const AxisSpec lists = unstructured({{7, 100}, {-3}, {9, 8, 5, 7}});
    const Between b(lists, 3, block(6), 1, {0, 6, 1});
    EXPECT_EQ(b.intersection.runs_to(0),
              (Runs{{.peer = 0, .mine = 2, .theirs = 0, .length = 2, .my_step = 3},
                    {.peer = 1, .mine = 0, .theirs = 0, .length = 1},
                    {.peer = 2, .mine = 1, .theirs = 2, .length = 1},
                    {.peer = 2, .mine = 3, .theirs = 1, .length = 2, .their_step = -1}}));
    EXPECT_EQ(b.intersection.runs_from(2)[0].elements() + b.intersection.runs_from(2)[1].elements(),
              3);
    const Between back(block(6), 1, lists, 3, {0, 6, 1});
    std::int64_t received = 0;
    for (const AxisRun& run : back.intersection.runs_to(2)) received += run.elements();
    EXPECT_EQ(received, 4);
}

TEST(AxisIntersectionExamples, KeepsContiguousListsTogether) {
    // A process with labels 0, 50 .. 59: the isolated first label must not split the run of the others.
    std::vector<std::int64_t> first{0};
    std::vector<std::int64_t> second;
    for (std::int64_t label = 1; label < 50; ++label) second.push_back(label);
    for (std::int64_t label = 50; label < 60; ++label) first.push_back(label);
    const Between b(unstructured({first, second}, true), 2, block(60), 1);
    EXPECT_EQ(b.intersection.runs_from(0),
              (Runs{{.peer = 0, .mine = 0, .theirs = 0, .length = 1},
                    {.peer = 0, .mine = 1, .theirs = 50, .length = 10}}));
    EXPECT_EQ(b.intersection.runs_from(1),
              (Runs{{.peer = 0, .mine = 0, .theirs = 1, .length = 49}}));
}

TEST(AxisIntersectionExamples, HasNoRunsOfNothing) {
    EXPECT_TRUE(AxisIntersection().runs_to(0).empty());
    EXPECT_TRUE(AxisIntersection().runs_from(0).empty());
    const Between empty(cyclic(0), 3, unstructured({{}, {}}), 2);
    for (int p = 0; p < 2; ++p) EXPECT_TRUE(empty.intersection.runs_to(p).empty());
    for (int p = 0; p < 3; ++p) EXPECT_TRUE(empty.intersection.runs_from(p).empty());
    const Between none(cyclic(9), 3, block(4, {.padding = 2}), 2, {9, -1, 1}, {0, 0, -3}, true);
    for (int p = 0; p < 2; ++p) EXPECT_TRUE(none.intersection.runs_to(p).empty());
    for (int p = 0; p < 3; ++p) EXPECT_TRUE(none.intersection.runs_from(p).empty());
}

// Sizes near the largest integer: no overflow, and no long computation.
TEST(AxisIntersectionExamples, OfHugeAxesIsShort) {
    constexpr std::int64_t huge = (std::int64_t(1) << 60) + 12345;
    const Between b(cyclic(huge), 1000, block(huge), 1000);
    for (const int p : {0, 1, 500, 999}) {
        std::int64_t received = 0;
        const Runs runs = b.intersection.runs_to(p);
        for (const AxisRun& run : runs) received += run.elements();
        EXPECT_EQ(runs.size(), 1000u);
        EXPECT_EQ(received, b.to.axis(0).local_extent(p));
        EXPECT_EQ(b.intersection.runs_from(p).size(), 1000u);
    }
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const Between wide(block_cyclic(most, most), 3, block_cyclic(most, most / 3), 2,
                       {most - 1, -1, -1}, {});
    std::int64_t received = 0;
    for (int p = 0; p < 2; ++p)
        for (const AxisRun& run : wide.intersection.runs_to(p)) received += run.elements();
    EXPECT_EQ(received, most);
    const Between far(cyclic(most), 2, block(2), 1, {0, 2, most - 1}, {});
    EXPECT_EQ(far.intersection.runs_to(0),
              (Runs{{.peer = 0, .mine = 0, .theirs = 0, .length = 2, .their_step = most / 2}}));
}

std::string message_of(const AxisSpec& from, AxisSlice from_slice, const AxisSpec& to,
                       AxisSlice to_slice) {
    try {
        const Between between(from, 2, to, 2, from_slice, to_slice);
    } catch (const LayoutError& error) {
        return error.what();
    }
    return "no such exception";
}

TEST(AxisIntersectionExamples, SaysWhichSliceDoesNotFit) {
    const AxisSpec ten = block(10, {.padding = 1});
    const AxisSpec nine = cyclic(9);
    EXPECT_EQ(message_of(ten, {}, nine, {}),
              "RedistributionSchedule: axis 1 of the target: expected 9 cells, got 10 of axis 0 of "
              "the source");
    EXPECT_EQ(
        message_of(ten, {0, -1, 0}, nine, {}),
        "RedistributionSchedule: axis 0 of the source: expected a slice of step other than 0");
    EXPECT_EQ(
        message_of(ten, {}, nine, {0, -2, 1}),
        "RedistributionSchedule: axis 1 of the target: expected a slice of count >= 0 (or -1, "
        "all), got -2");
    EXPECT_EQ(
        message_of(ten, {11, -1, 1}, nine, {}),
        "RedistributionSchedule: axis 0 of the source: expected a slice that begins at a cell in "
        "[0, 10], got 11");
    EXPECT_EQ(
        message_of(ten, {-1, -1, 1}, nine, {}),
        "RedistributionSchedule: axis 0 of the source: expected a slice that begins at a cell in "
        "[0, 10], got -1");
    EXPECT_EQ(
        message_of(ten, {4, 4, 2}, nine, {}),
        "RedistributionSchedule: axis 0 of the source: expected a slice within the 10 interior "
        "cells, got 4 cells from 4 in steps of 2");
    EXPECT_EQ(message_of(ten, {}, nine, {4, 6, -1}),
              "RedistributionSchedule: axis 1 of the target: expected a slice within the 9 "
              "interior cells, got 6 cells from 4 in steps of -1");
    EXPECT_EQ(
        message_of(unstructured_local(9, 1, {3, 4}), {}, nine, {}),
        "RedistributionSchedule: axis 0 of the source: only the labels of process 1 are known; a "
        "RedistributionPlan collects the others");
    EXPECT_EQ(message_of(ten, {1, -1, 1}, nine, {8, -1, -1}), "no such exception");
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(message_of(ten, {9, -1, least}, nine, {8, 1, least}), "no such exception");
}

} // namespace

} // namespace distview::testing
