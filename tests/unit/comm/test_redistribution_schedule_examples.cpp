// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_schedule.hpp>
#include <distview/core/text.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Message = RedistributionSchedule::Message;

TEST(RedistributionScheduleExamples, OfArraysWithoutAxesMovesTheirElement) {
    const RedistributionSchedule schedule{ArrayLayout(), ArrayLayout()};
    EXPECT_EQ(schedule.elements(), 1);
    EXPECT_EQ(schedule.receives(0), (std::vector<Message>{{0, 1}}));
    EXPECT_EQ(schedule.sends(0), (std::vector<Message>{{0, 1}}));
    EXPECT_TRUE(schedule.is_identity());
    int pieces = 0;
    schedule.for_each_piece(0, 0, [&](const RedistributionPiece& piece) {
        ++pieces;
        EXPECT_EQ(piece.elements, 1);
    });
    EXPECT_EQ(pieces, 1);
}

// A transposed slice: B(2:, :) = A(:, ::2)^T, A on 1 x 2, B on 2 x 1 processes.
//
//     A   0: columns 0 1 2   1: columns 3 4 5        B   0: rows 0 1 2   1: rows 3 4
//
// Column 0 becomes row 2 on process 0; columns 2 and 4 (on processes 0 and 1) become rows 3 and 4 on process 1.
TEST(RedistributionScheduleExamples, TransposesASlice) {
    const ArrayLayout a(ProcessGrid{1, 2}, {block(4), block(6)});
    const ArrayLayout b(ProcessGrid{2, 1}, {block(5, {.padding = 1}), block(4)});
    RedistributionOptions options;
    options.permutation = {1, 0};
    options.from_slice = {{}, {0, -1, 2}};
    options.to_slice = {{2, -1, 1}, {}};
    const RedistributionSchedule schedule(a, b, options);
    EXPECT_EQ(schedule.elements(), 12);
    EXPECT_EQ(schedule.wire_elements(), 4);
    EXPECT_EQ(schedule.local_elements(1), 4);
    EXPECT_EQ(schedule.receives(0), (std::vector<Message>{{0, 4}}));
    EXPECT_EQ(schedule.receives(1), (std::vector<Message>{{0, 4}, {1, 4}}));
    EXPECT_EQ(schedule.sends(1), (std::vector<Message>{{1, 4}}));
    int pieces = 0;
    schedule.for_each_piece(1, 1, [&](const RedistributionPiece& piece) {
        ++pieces;
        // Row 4 of B has position 2, after the copy of row 2 and row 3; column 4 of A has position 1, after column 3.
        EXPECT_EQ(piece.to_begin[0], 2);
        EXPECT_EQ(piece.to_begin[1], 0);
        EXPECT_EQ(piece.from_begin[0], 0);
        EXPECT_EQ(piece.from_begin[1], 1);
        EXPECT_EQ(piece.length[0], 1);
        EXPECT_EQ(piece.length[1], 4);
    });
    EXPECT_EQ(pieces, 1);
}

TEST(RedistributionScheduleExamples, KnowsWhenNothingMoves) {
    const ArrayLayout a(ProcessGrid{2, 2}, {block(10, {.padding = 1}), block_cyclic(9, 2)});
    const ArrayLayout same(ProcessGrid{2, 2}, {block(10, {.padding = 1}), block_cyclic(9, 2)});
    const ArrayLayout other(ProcessGrid{2, 2}, {block(10), block_cyclic(9, 2)});
    EXPECT_TRUE(RedistributionSchedule(a, same).is_identity());
    // The same owners, but other positions.
    EXPECT_FALSE(RedistributionSchedule(a, other).is_identity());
    EXPECT_EQ(RedistributionSchedule(a, other).wire_elements(), 0);
    EXPECT_FALSE(RedistributionSchedule(a, same, {.fill_padding = true}).is_identity());
    EXPECT_TRUE(RedistributionSchedule(other, other, {.fill_padding = true}).is_identity());
    RedistributionOptions part;
    part.from_slice = part.to_slice = {{2, 3, 2}, {}};
    EXPECT_TRUE(RedistributionSchedule(a, same, part).is_identity());
    part.to_slice = {{3, 3, 2}, {}};
    EXPECT_FALSE(RedistributionSchedule(a, same, part).is_identity());
    const ArrayLayout square(ProcessGrid{2, 2}, {block(10), block(10)});
    EXPECT_FALSE(RedistributionSchedule(square, square, {.permutation = {1, 0}}).is_identity());
    const ArrayLayout shared(ProcessGrid{2}, {unstructured({{4, 2}, {2, 3}})});
    EXPECT_FALSE(RedistributionSchedule(shared, shared).is_identity());
    const ArrayLayout alone(ProcessGrid{2}, {unstructured({{4, 2}, {3}})});
    EXPECT_TRUE(RedistributionSchedule(alone, alone).is_identity());
}

template <class ErrorType, class Function>
std::string message_of(Function&& function) {
    try {
        function();
    } catch (const ErrorType& error) {
        return error.what();
    }
    return "no such exception";
}

std::string refusal(const ArrayLayout& from, const ArrayLayout& to,
                    const RedistributionOptions& options) {
    return message_of<LayoutError>([&] { RedistributionSchedule(from, to, options); });
}

TEST(RedistributionScheduleExamples, SaysWhatDoesNotFit) {
    const ArrayLayout a(ProcessGrid{2, 1}, {block(8), cyclic(6)});
    const ArrayLayout b(ProcessGrid{1, 3}, {block(6), cyclic(8)});
    EXPECT_EQ(
        refusal(a, ArrayLayout(ProcessGrid{2}, {block(48)}), {}),
        "RedistributionSchedule: expected a source of 1 axes, as many as the target has, got 2");
    EXPECT_EQ(refusal(a, b, {}), "RedistributionSchedule: axis 0 of the target: expected 6 cells, "
                                 "got 8 of axis 0 of the source");
    EXPECT_EQ(refusal(a, b, {.permutation = {1, 0}}), "no such exception");
    EXPECT_EQ(
        refusal(a, a, {.permutation = {1, 0}}),
        "RedistributionSchedule: axis 0 of the target: expected 8 cells, got 6 of axis 1 of the "
        "source");
    for (const std::vector<int>& wrong : {std::vector{0}, {1, 1}, {0, 2}, {-1, 0}, {0, 1, 2}})
        EXPECT_EQ(refusal(a, b, {.permutation = wrong}),
                  "RedistributionSchedule: expected a permutation of 2 axes, got " +
                      tuple_text(wrong));
    EXPECT_EQ(refusal(a, b, {.permutation = {1, 0}, .from_slice = {{}}}),
              "RedistributionSchedule: expected slices of the source's 2 axes, got 1");
    EXPECT_EQ(refusal(a, b, {.permutation = {1, 0}, .to_slice = {{}, {}, {}}}),
              "RedistributionSchedule: expected slices of the target's 2 axes, got 3");
    EXPECT_EQ(
        refusal(a, b, {.permutation = {1, 0}, .from_slice = {{}, {0, 7, 1}}}),
        "RedistributionSchedule: axis 1 of the source: expected a slice within the 6 interior "
        "cells, got 7 cells from 0 in steps of 1");
}

TEST(RedistributionScheduleExamples, SaysWhichProcessIsNone) {
    const ArrayLayout a(ProcessGrid{2, 1}, {block(8), cyclic(6)});
    const ArrayLayout b(ProcessGrid{1, 3}, {block(8), cyclic(6)});
    const RedistributionSchedule schedule(a, b);
    EXPECT_EQ(message_of<UsageError>([&] { schedule.receives(3); }),
              "RedistributionSchedule: expected a process of the target in [0, 3), got 3");
    EXPECT_EQ(message_of<UsageError>([&] { schedule.sends(-1); }),
              "RedistributionSchedule: expected a process of the source in [0, 2), got -1");
    const auto ignore = [](const RedistributionPiece&) {};
    EXPECT_EQ(message_of<UsageError>([&] { schedule.for_each_piece(0, 2, ignore); }),
              "RedistributionSchedule: expected a process of the source in [0, 2), got 2");
    EXPECT_EQ(
        message_of<UsageError>([&] { schedule.for_each_piece(schedule.runs_from(0), 3, ignore); }),
        "RedistributionSchedule: expected a process of the target in [0, 3), got 3");
    EXPECT_EQ(schedule.local_elements(2), 0); // the rank is in the target's grid only
    EXPECT_EQ(message_of<UsageError>([&] { schedule.local_elements(3); }),
              "RedistributionSchedule: expected a rank that is a process of the source or the "
              "target, got 3");
}

TEST(RedistributionScheduleExamples, DescribesItself) {
    const ArrayLayout a(ProcessGrid{1, 2}, {block(4), block(6)});
    const ArrayLayout b(ProcessGrid{2, 1}, {block(6, {.padding = 1}), block(4)});
    EXPECT_EQ(RedistributionSchedule(a, a).describe(),
              "24 elements from 1 x 2 to 1 x 2 processes, all in place");
    RedistributionOptions options{.permutation = {1, 0}, .fill_padding = true};
    EXPECT_EQ(RedistributionSchedule(a, b, options).describe(),
              "24 elements from 1 x 2 to 2 x 1 processes, to 32 places, 8 of them for other "
              "processes\n"
              "  axis 0 from axis 1: 6 cells\n"
              "  axis 1 from axis 0: 4 cells");
    options = {.permutation = {1, 0},
               .from_slice = {{0, 1, 1}, {5, 3, -2}},
               .to_slice = {{0, 3, 1}, {2, 1, 1}}};
    EXPECT_EQ(RedistributionSchedule(a, b, options).describe(),
              "3 elements from 1 x 2 to 2 x 1 processes, 2 of them for other processes\n"
              "  axis 0 from axis 1: 3 cells, 5 to 1 in steps of -2 become 0 to 2 in steps of 1\n"
              "  axis 1 from axis 0: 1 cell, 0 to 0 in steps of 1 become 2 to 2 in steps of 1");
}

} // namespace

} // namespace distview::testing
