// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_option.hpp"

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

std::string refusal(const std::string& value, int ranks, int axes = 2) {
    try {
        program::grid_of_option(value, ranks, axes);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(GridOption, takes_rows_and_columns) {
    EXPECT_EQ(program::grid_of_option("3x2", 6), (ProcessGrid{3, 2}));
    EXPECT_EQ(program::grid_of_option("1x6", 6), (ProcessGrid{1, 6}));
    EXPECT_EQ(program::grid_of_option("", 6), (ProcessGrid{3, 2}));
    EXPECT_EQ(program::grid_of_option("", 1), (ProcessGrid{1, 1}));
}
TEST(GridOption, grids_of_are_all_and_balanced_first) {
    using program::grids_of;
    EXPECT_EQ(grids_of(6, 2), (std::vector<ProcessGrid>{{3, 2}, {2, 3}, {6, 1}, {1, 6}}));
    EXPECT_EQ(grids_of(1, 3), (std::vector<ProcessGrid>{{1, 1, 1}}));
    EXPECT_EQ(grids_of(4, 1), (std::vector<ProcessGrid>{ProcessGrid{4}}));
    for (int ranks = 1; ranks <= 72; ++ranks)
        for (int axes = 1; axes <= 3; ++axes)
            EXPECT_EQ(grids_of(ranks, axes).front(), ProcessGrid::balanced(ranks, axes));
    EXPECT_EQ(grids_of(72, 3).size(), 60u); // C(5, 2) ways to split 2^3, C(4, 2) to split 3^2
}
TEST(GridOption, leaves_every_process_a_cell_if_a_grid_does) {
    using Cells = std::vector<std::int64_t>;
    EXPECT_EQ(program::grid_of_option("", 6, 2, Cells{300, 300}), (ProcessGrid{3, 2}));
    EXPECT_EQ(program::grid_of_option("", 6, 2, Cells{2, 300}), (ProcessGrid{2, 3}));
    EXPECT_EQ(program::grid_of_option("", 6, 2, Cells{1, 300}), (ProcessGrid{1, 6}));
    EXPECT_EQ(program::grid_of_option("", 12, 3, Cells{2, 1, 9}), (ProcessGrid{2, 1, 6}));
    // No grid does: the layout refuses such a grid later.
    EXPECT_EQ(program::grid_of_option("", 6, 2, Cells{2, 2}), (ProcessGrid{3, 2}));
    EXPECT_EQ(program::grid_of_option("6x1", 6, 2, Cells{2, 300}), (ProcessGrid{6, 1}));
}
TEST(GridOption, takes_three_axes) {
    EXPECT_EQ(program::grid_of_option("3x2x1", 6, 3), (ProcessGrid{3, 2, 1}));
    EXPECT_EQ(program::grid_of_option("", 1, 3), (ProcessGrid{1, 1, 1}));
    EXPECT_EQ(refusal("3x2", 6, 3),
              "--grid: expected PxQxR, processes along the three axes such as "
              "3x2x1, got '3x2'");
    EXPECT_EQ(refusal("2x2x2", 6, 3),
              "--grid: expected a grid of 6 processes, one for each rank, got 2x2x2");
    EXPECT_NE(refusal("65536x65536x65537", 6, 3), "accepted");
}

TEST(GridOption, says_what_is_wrong) {
    EXPECT_EQ(refusal("2x2", 6),
              "--grid: expected a grid of 6 processes, one for each rank, got 2x2");
    EXPECT_EQ(refusal("3", 3), "--grid: expected PxQ, rows and columns of processes such as 3x2, "
                               "got '3'");
    for (const char* value : {"0x3", "-1x-3", "3x", "x3", "3x1x1", "3x1 ", " 3x1", "+3x1", "3x+1",
                              "3x 1", "3X1", "99999999999x1", "65536x65537"})
        EXPECT_NE(refusal(value, 3), "accepted") << value;
}

} // namespace

} // namespace distview::testing
