// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All invalid descriptions of an array, and their error texts.
#include "expect_error.hpp"

#include <distview/core/array_layout.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Expects the error for axis 1 of a 2 x P grid; axis 0 is valid.
void expect_axis_error(int process_count, const AxisSpec& axis, const std::string& reason) {
    expect_error<LayoutError>([&] { ArrayLayout(ProcessGrid{2, process_count}, {block(4), axis}); },
                              "ArrayLayout: axis 1: " + reason);
}

} // namespace

TEST(ArrayLayoutErrors, number_of_axes) {
    expect_error<LayoutError>([] { ArrayLayout(ProcessGrid{2, 2}, {block(4)}); },
                              "ArrayLayout: expected one axis for each of the 2 axes of the "
                              "process grid, got 1");
    expect_error<LayoutError>([] { ArrayLayout(ProcessGrid(), {block(4)}); },
                              "ArrayLayout: expected one axis for each of the 0 axes of the "
                              "process grid, got 1");
}

TEST(ArrayLayoutErrors, negative_sizes) {
    expect_axis_error(3, block(-1), "expected a size >= 0, got -1");
    expect_axis_error(3, regular_block(-7), "expected a size >= 0, got -7");
    expect_axis_error(3, cyclic(-1), "expected a size >= 0, got -1");
    expect_axis_error(3, block_cyclic(-2, 4), "expected a size >= 0, got -2");
}

TEST(ArrayLayoutErrors, block_size_below_one) {
    expect_axis_error(3, block_cyclic(9, 0), "expected a block size >= 1, got 0");
    expect_axis_error(3, block_cyclic(9, -3), "expected a block size >= 1, got -3");
}

TEST(ArrayLayoutErrors, negative_widths) {
    expect_axis_error(3, block(9, {.padding = {-1, 2}}), "expected padding >= 0, got (-1, 2)");
    expect_axis_error(3, block(9, {.padding = {1, -2}}), "expected padding >= 0, got (1, -2)");
    expect_axis_error(3, block(9, {.boundary = -1}),
                      "expected boundary padding >= 0, got (-1, -1)");
    expect_axis_error(2, block_bounds({0, 2, 4}, {}, {{0, 1}, {1, -1}}),
                      "expected padding >= 0, got (1, -1)");
}

TEST(ArrayLayoutErrors, bounds) {
    expect_axis_error(3, block_bounds({0, 2, 4}), "expected 4 block bounds for 3 processes, got 3");
    expect_axis_error(3, block_bounds({}), "expected 4 block bounds for 3 processes, got 0");
    expect_axis_error(2, block_bounds({1, 2, 4}), "expected the first block bound to be 0, got 1");
    expect_axis_error(2, block_bounds({-1, 2, 4}),
                      "expected the first block bound to be 0, got -1");
    expect_axis_error(3, block_bounds({0, 5, 3, 7}),
                      "expected ascending block bounds, got 5 before 3");
    expect_axis_error(1, block_bounds({0, -2}), "expected ascending block bounds, got 0 before -2");
}

TEST(ArrayLayoutErrors, number_of_widths) {
    expect_axis_error(3, block_bounds({0, 2, 4, 6}, {}, {{0, 1}, {1, 0}}),
                      "expected padding widths for each of the 3 processes, got 2");
}

TEST(ArrayLayoutErrors, index_lists) {
    expect_axis_error(3, unstructured({{1}, {2}}),
                      "expected the index lists of 3 processes, got 2");
    expect_axis_error(2, unstructured({{1}, {4, 3, 4}}),
                      "index 4 appears twice in the list of process 1");
    expect_axis_error(2, unstructured({{1, 2}, {3, 2}}, true),
                      "one_to_one is true, but index 2 is on more than one process");
    expect_axis_error(4, unstructured_local(9, 2, {5, 6, 5}),
                      "index 5 appears twice in the list of process 2");
    expect_axis_error(2, unstructured_local(9, 2, {1}), "expected a process in [0, 2), got 2");
    expect_error<LayoutError>([] { unstructured_local(9, -1, {1}); },
                              "unstructured_local: expected a process >= 0, got -1");
    expect_axis_error(2, unstructured_local(2, 0, {1, 2, 3}),
                      "expected a size of at least the 3 listed indices, got 2");
    expect_axis_error(2, unstructured_local(-1, 0, {}),
                      "expected a size of at least the 0 listed indices, got -1");
}

TEST(ArrayLayoutErrors, ghosts) {
    expect_axis_error(2, unstructured({{1, 2}, {2, 1}}, {.ghosts = {1}}),
                      "expected one number of ghosts for each of the 2 processes, got 1");
    expect_axis_error(2, unstructured({{1, 2}, {2}}, {.ghosts = {1, 2}}),
                      "expected a number of ghosts in [0, 1], got 2");
    expect_axis_error(2, unstructured({{1}, {2}}, {.ghosts = {0, -1}}),
                      "expected a number of ghosts in [0, 1], got -1");
    expect_axis_error(2, unstructured({{1, 2}, {2}}, {.ghosts = {1, 1}}),
                      "expected ghosts that some process owns, got index 2 on process 0");
    expect_axis_error(2, unstructured_local(9, 1, {1, 2}, {.ghosts = {0, 1}}),
                      "expected one number of ghosts for each of the 1 processes, got 2");
    UnstructuredSpec promised{-1, true, {{1}, {2, 1}}, -1, false, {0, 1}};
    expect_axis_error(2, {promised}, "expected no ghosts, since one_to_one is true");
}

TEST(ArrayLayoutErrors, more_elements_than_64_bits_count) {
    constexpr std::int64_t large = std::int64_t(1) << 40;
    constexpr std::int64_t larger = std::int64_t(1) << 61;
    expect_error<LayoutError>(
        [] { ArrayLayout(ProcessGrid{1, 1}, {block(large), block(large)}); },
        "ArrayLayout: the product of the axes' sizes exceeds 2^63-1 at axis 1");
    expect_error<LayoutError>(
        [] { ArrayLayout(ProcessGrid{1, 1, 1}, {block(2), block(2), cyclic(larger)}); },
        "ArrayLayout: the product of the axes' sizes exceeds 2^63-1 at axis 2");
    EXPECT_NO_THROW(ArrayLayout(ProcessGrid{1, 1}, {block(7), cyclic(largest / 7)}));
}

// Sizes and widths must be small enough that arithmetic with them does not overflow.
TEST(ArrayLayoutErrors, sizes_and_widths_beyond_2_to_61) {
    const std::string reason = "expected sizes and widths below 2^61, got ";
    expect_axis_error(3, block(largest), reason + "9223372036854775807");
    expect_axis_error(3, block(5, {.padding = {0, largest}, .boundary = 0}),
                      reason + "9223372036854775807");
    expect_axis_error(3, block(5, {.boundary = {std::int64_t(1) << 61, 0}}),
                      reason + "2305843009213693952");
    expect_axis_error(2, block_bounds({0, 5, std::int64_t(1) << 61}),
                      reason + "2305843009213693952");
    expect_axis_error(2, block_bounds({0, 5, 9}, {}, {{0, 1}, {largest, 0}}),
                      reason + "9223372036854775807");
    const ArrayLayout most(ProcessGrid{2}, {block(largest / 4, {.padding = largest / 4})});
    EXPECT_EQ(most.protocol_size(0), largest / 4 * 3);
    EXPECT_EQ(most.axis(0).local_extent(0), largest / 4 * 2 + largest / 8 + 1);
}

TEST(ArrayLayoutErrors, owner) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(4, {.padding = 1}), cyclic(3)});
    const GlobalIndex one[] = {GlobalIndex(0)};
    expect_error<ShapeError>([&] { layout.owner(one); },
                             "ArrayLayout::owner: expected 2 indices, got 1");
    const GlobalIndex beyond[] = {GlobalIndex(4), GlobalIndex(3)};
    expect_error<ShapeError>([&] { layout.owner(beyond); },
                             "ArrayLayout::owner: index 3 of axis 1 is not in [0, 3)");
    const GlobalIndex below[] = {GlobalIndex(-2), GlobalIndex(0)};
    expect_error<ShapeError>([&] { layout.owner(below); },
                             "ArrayLayout::owner: index -2 of axis 0 is not in [-1, 5)");
}

} // namespace distview::testing
