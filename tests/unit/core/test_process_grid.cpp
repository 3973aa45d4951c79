// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect_error.hpp"
#include "random_layouts.hpp"

#include <distview/core/process_grid.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace distview::testing {

namespace {

std::vector<int> extents_of(const ProcessGrid& grid) {
    std::vector<int> extents;
    for (int axis = 0; axis < grid.rank(); ++axis) extents.push_back(grid.extent(axis));
    return extents;
}

/// All factorisations of `count` into `axis_count` descending factors of at most `most`.
void list_factorisations(int count, int axis_count, int most, std::vector<int>& begun,
                         std::vector<std::vector<int>>& found) {
    if (axis_count == 0) {
        if (count == 1) found.push_back(begun);
        return;
    }
    for (int factor = 1; factor <= std::min(count, most); ++factor) {
        if (count % factor != 0) continue;
        begun.push_back(factor);
        list_factorisations(count / factor, axis_count - 1, factor, begun, found);
        begun.pop_back();
    }
}

/// The factorisation whose largest factor is smallest, then the second largest, and so on.
std::vector<int> closest_to_a_cube(int count, int axis_count) {
    std::vector<std::vector<int>> found;
    std::vector<int> begun;
    list_factorisations(count, axis_count, count, begun, found);
    return *std::min_element(found.begin(), found.end());
}

} // namespace

// 2 x 3, specification of index maps 3.5:
//
//     0 1 2
//     3 4 5
TEST(ProcessGrid, numbers_processes_in_c_order) {
    const ProcessGrid grid{2, 3};
    EXPECT_EQ(grid.rank(), 2);
    EXPECT_EQ(grid.size(), 6);
    EXPECT_EQ(grid.extent(0), 2);
    EXPECT_EQ(grid.extent(1), 3);
    EXPECT_EQ(grid.coordinates(4), (GridCoordinates{1, 1}));
    EXPECT_EQ(grid.coordinates(2), (GridCoordinates{0, 2}));
    EXPECT_EQ(grid.coordinates(3), (GridCoordinates{1, 0}));
    EXPECT_EQ(grid.process({1, 1}), 4);
    EXPECT_EQ(grid.process({1, 2}), 5);
}

TEST(ProcessGrid, without_axes_has_one_process) {
    for (const ProcessGrid& grid : {ProcessGrid(), ProcessGrid(std::span<const int>())}) {
        EXPECT_EQ(grid.rank(), 0);
        EXPECT_EQ(grid.size(), 1);
        EXPECT_EQ(grid.coordinates(0), GridCoordinates{});
        EXPECT_EQ(grid.process({}), 0);
        EXPECT_EQ(grid.describe(), "1");
    }
}

TEST(ProcessGrid, maps_every_process_of_random_grids_like_nested_loops) {
    for_each_case(500, [](Random& random, std::uint64_t) {
        std::vector<int> extents;
        for (std::int64_t axis = random.integer(0, 9); axis > 0; --axis)
            extents.push_back(static_cast<int>(random.integer(1, 4)));
        const ProcessGrid grid(extents);
        ASSERT_EQ(extents_of(grid), extents);

        GridCoordinates expected{};
        for (int p = 0; p < grid.size(); ++p) {
            ASSERT_EQ(grid.coordinates(p), expected);
            ASSERT_EQ(grid.process(expected), p);
            for (std::size_t axis = extents.size(); axis-- > 0;) {
                if (++expected[axis] < extents[axis]) break;
                expected[axis] = 0;
            }
        }
        ASSERT_EQ(expected, GridCoordinates{}) << "size() is not the number of coordinates";
    });
}

TEST(ProcessGrid, has_up_to_2147483647_processes) {
    constexpr int most = std::numeric_limits<int>::max();
    const ProcessGrid line{most};
    EXPECT_EQ(line.size(), most);
    EXPECT_EQ(line.coordinates(most - 1)[0], most - 1);

    const ProcessGrid plane{46340, 46341};
    EXPECT_EQ(plane.size(), 2147441940);
    EXPECT_EQ(plane.coordinates(2147441939), (GridCoordinates{46339, 46340}));
    EXPECT_EQ(plane.process({46339, 46340}), 2147441939);
}

TEST(ProcessGrid, describes_itself) {
    EXPECT_EQ((ProcessGrid{2, 3}).describe(), "2 x 3");
    EXPECT_EQ((ProcessGrid{7}).describe(), "7");
    EXPECT_EQ((ProcessGrid{1, 1, 4}).describe(), "1 x 1 x 4");
}

TEST(ProcessGrid, is_equal_when_all_extents_are) {
    EXPECT_EQ((ProcessGrid{2, 3}), ProcessGrid({2, 3}));
    EXPECT_EQ((ProcessGrid{2, 3}), ProcessGrid(std::vector<int>{2, 3}));
    EXPECT_NE((ProcessGrid{2, 3}), (ProcessGrid{3, 2}));
    EXPECT_NE((ProcessGrid{6}), (ProcessGrid{6, 1}));
    EXPECT_NE(ProcessGrid(), (ProcessGrid{1}));
}

TEST(ProcessGrid, refuses_grids_that_cannot_be) {
    expect_error<LayoutError>([] { ProcessGrid{2, 0, 3}; },
                              "ProcessGrid: expected at least 1 process along every axis, got "
                              "(2, 0, 3)");
    expect_error<LayoutError>([] { ProcessGrid{-1}; },
                              "ProcessGrid: expected at least 1 process along every axis, got "
                              "(-1)");
    expect_error<LayoutError>([] { ProcessGrid{1, 1, 1, 1, 1, 1, 1, 1, 1}; },
                              "ProcessGrid: expected at most 8 axes, got 9");
    expect_error<LayoutError>([] { ProcessGrid{46341, 46341}; },
                              "ProcessGrid: (46341, 46341) has more than 2147483647 processes");
    // The product of these exceeds 64 bits as well.
    constexpr int most = std::numeric_limits<int>::max();
    expect_error<LayoutError>([] { ProcessGrid{most, most, most}; },
                              "ProcessGrid: (2147483647, 2147483647, 2147483647) has more than "
                              "2147483647 processes");
}

TEST(ProcessGridBalanced, known_grids) {
    struct Case {
        int process_count;
        int rank;
        std::vector<int> extents;
    };
    const Case cases[] = {{1, 0, {}},
                          {1, 1, {1}},
                          {1, 3, {1, 1, 1}},
                          {4, 2, {2, 2}},
                          {6, 2, {3, 2}},
                          {7, 2, {7, 1}},
                          {7, 3, {7, 1, 1}},
                          {12, 1, {12}},
                          {12, 2, {4, 3}},
                          {12, 3, {3, 2, 2}},
                          {16, 2, {4, 4}},
                          {16, 3, {4, 2, 2}},
                          {30, 3, {5, 3, 2}},
                          {36, 2, {6, 6}},
                          {64, 3, {4, 4, 4}},
                          {72, 2, {9, 8}},
                          {72, 3, {6, 4, 3}},
                          {256, 8, {2, 2, 2, 2, 2, 2, 2, 2}},
                          {2147483647, 2, {2147483647, 1}},
                          {1073741824, 2, {32768, 32768}},
                          {2147395600, 2, {46340, 46340}},
                          {1000000, 2, {1000, 1000}}};
    for (const Case& c : cases)
        EXPECT_EQ(extents_of(ProcessGrid::balanced(c.process_count, c.rank)), c.extents)
            << c.process_count << " processes over " << c.rank << " axes";
}

TEST(ProcessGridBalanced, is_the_factorisation_closest_to_a_cube) {
    for (int count = 1; count <= 400; ++count)
        for (int rank = 1; rank <= 4; ++rank)
            ASSERT_EQ(extents_of(ProcessGrid::balanced(count, rank)),
                      closest_to_a_cube(count, rank))
                << count << " processes over " << rank << " axes";
}

TEST(ProcessGridBalanced, keeps_its_promises_for_large_counts) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        // Products of small primes have the most factorisations.
        std::int64_t count = 1;
        for (const std::int64_t most = std::numeric_limits<int>::max();;) {
            const std::int64_t factor = random.integer(1, 20);
            if (count * factor > most) break;
            count *= factor;
        }
        const int rank = static_cast<int>(random.integer(1, max_rank + 1));
        const ProcessGrid grid = ProcessGrid::balanced(static_cast<int>(count), rank);
        const std::vector<int> extents = extents_of(grid);
        ASSERT_EQ(grid.rank(), rank);
        ASSERT_EQ(grid.size(), count);
        ASSERT_TRUE(std::is_sorted(extents.rbegin(), extents.rend())) << grid.describe();
    });
}

TEST(ProcessGridBalanced, refuses_what_has_no_grid) {
    expect_error<LayoutError>([] { ProcessGrid::balanced(0, 2); },
                              "ProcessGrid::balanced: expected at least 1 process and 0 to 8 axes, "
                              "got 0 processes and 2 axes");
    expect_error<LayoutError>([] { ProcessGrid::balanced(4, -1); },
                              "ProcessGrid::balanced: expected at least 1 process and 0 to 8 axes, "
                              "got 4 processes and -1 axes");
    expect_error<LayoutError>([] { ProcessGrid::balanced(4, 9); },
                              "ProcessGrid::balanced: expected at least 1 process and 0 to 8 axes, "
                              "got 4 processes and 9 axes");
    expect_error<LayoutError>([] { ProcessGrid::balanced(4, 0); },
                              "ProcessGrid::balanced: a grid without axes has 1 process, got 4");
}

} // namespace distview::testing
