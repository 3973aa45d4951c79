// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids on made-up nodes. Oracle: padding cells whose owner is on another node, counted cell by cell with owner().
#include <distview/comm/grid_placement.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Ints = std::vector<int>;

/// Counts cells of communication and periodic padding of two axes whose owner is on another node.
std::int64_t cells_from_other_nodes(const ArrayLayout& layout, const Ints& ranks,
                                    const Ints& nodes) {
    const auto node_of = [&](int process) {
        return nodes[static_cast<std::size_t>(ranks[static_cast<std::size_t>(process)])];
    };
    std::int64_t cells = 0;
    for (int p = 0; p < layout.process_count(); ++p) {
        const GridCoordinates at = layout.coordinates(p);
        const auto wrapped = [&](int d, std::int64_t l) {
            const BlockLayout& axis = layout.axis(d).as_block();
            const std::int64_t g = axis.to_global(at[static_cast<std::size_t>(d)], LocalIndex(l));
            return GlobalIndex(axis.periodic() ? (g + axis.size()) % axis.size() : g);
        };
        const Extents extents = layout.local_extents(p);
        for (std::int64_t i = 0; i < extents[0]; ++i)
            for (std::int64_t j = 0; j < extents[1]; ++j)
                cells +=
                    node_of(layout.owner(std::array{wrapped(0, i), wrapped(1, j)})) != node_of(p);
    }
    return cells;
}

/// Whether the processes of each node form a box of the grid, all boxes of one shape.
bool are_boxes(const ProcessGrid& grid, const Ints& nodes) {
    std::map<int, std::vector<GridCoordinates>> places;
    for (int p = 0; p < grid.size(); ++p)
        places[nodes[static_cast<std::size_t>(p)]].push_back(grid.coordinates(p));
    std::set<std::array<int, 2>> shapes;
    for (const auto& [node, all] : places) {
        std::array<int, 2> shape{};
        for (std::size_t d = 0; d < 2; ++d) {
            const auto [least, most] = std::minmax_element(
                all.begin(), all.end(), [d](const auto& a, const auto& b) { return a[d] < b[d]; });
            shape[d] = (*most)[d] - (*least)[d] + 1;
        }
        if (shape[0] * shape[1] != static_cast<int>(all.size())) return false;
        shapes.insert(shape);
    }
    return shapes.size() == 1;
}

/// The least count over all grids and all assignments of nodes to boxes of one shape.
std::int64_t least_of_all(const Ints& nodes, const std::vector<AxisSpec>& axes) {
    std::int64_t least = -1;
    for (const Ints& extents : all_process_grids(static_cast<int>(nodes.size()), 2)) {
        const ArrayLayout layout(ProcessGrid(extents), axes);
        Ints in_order(nodes.size());
        std::iota(in_order.begin(), in_order.end(), 0);
        Ints places = nodes;
        std::sort(places.begin(), places.end());
        do {
            if (!are_boxes(layout.grid(), places)) continue;
            const std::int64_t cells = cells_from_other_nodes(layout, in_order, places);
            if (least < 0 || cells < least) least = cells;
        } while (std::next_permutation(places.begin(), places.end()));
    }
    return least;
}

std::vector<AxisSpec> plane(std::int64_t rows, std::int64_t columns, bool periodic = false) {
    return {block(rows, {.padding = 1}), block(columns, {.padding = 1, .periodic = periodic})};
}

void expect_each_once(const Ints& ranks) {
    Ints sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], static_cast<int>(i));
}

} // namespace

TEST(GridPlacement, GivesEachNodeABox) {
    Ints nodes;
    for (int rank = 0; rank < 16; ++rank) nodes.push_back(rank / 4);
    const GridPlacement placed = place_on_nodes(nodes, plane(64, 64));
    EXPECT_EQ(placed.grid, ProcessGrid({4, 4}));
    // Two cuts between the boxes of nodes, two cells deep, and eight corner cells where sections meet at the cuts.
    EXPECT_EQ(placed.between_nodes,
              cells_from_other_nodes({placed.grid, plane(64, 64)}, placed.ranks, nodes));
    for (const int corner : {0, 2, 8, 10}) {
        const auto node = [&](int p) { return placed.ranks[static_cast<std::size_t>(p)] / 4; };
        EXPECT_EQ(node(corner), node(corner + 1));
        EXPECT_EQ(node(corner), node(corner + 4));
        EXPECT_EQ(node(corner), node(corner + 5));
    }
    EXPECT_LT(placed.between_nodes, placed.between_nodes_of_balanced);
    EXPECT_EQ(placed.describe(), "4 x 4 processes: an exchange moves " +
                                     std::to_string(placed.between_nodes) +
                                     " elements between nodes instead of " +
                                     std::to_string(placed.between_nodes_of_balanced) +
                                     " with 4 x 4 processes in rank order");
}

TEST(GridPlacement, KeepsTheOrderOfOneNode) {
    const GridPlacement placed = place_on_nodes(Ints(12, 5), plane(100, 10));
    EXPECT_EQ(placed.grid, ProcessGrid::balanced(12, 2));
    EXPECT_EQ(placed.between_nodes, 0);
    for (int p = 0; p < 12; ++p) EXPECT_EQ(placed.ranks[static_cast<std::size_t>(p)], p);
}

TEST(GridPlacement, SplitsLongArraysAlongTheirLength) {
    const GridPlacement placed = place_on_nodes(Ints{0, 0, 1, 1, 2, 2, 3, 3}, plane(8, 8000));
    EXPECT_EQ(placed.grid.extent(1) % 4, 0);
    EXPECT_EQ(placed.between_nodes, least_of_all({0, 0, 1, 1, 2, 2, 3, 3}, plane(8, 8000)));
}

// Nodes with equally many ranks, in contiguous or alternating order.
TEST(GridPlacement, IsTheBestOfAllBoxesForNodesOfOneSize) {
    const std::vector<Ints> settings{{0, 0, 1, 1},       {0, 1, 0, 1},
                                     {0, 0, 0, 1, 1, 1}, {2, 1, 0, 2, 1, 0},
                                     {0, 0, 1, 1, 2, 2}, {0, 1, 0, 1, 1, 0, 1, 0}};
    for (const Ints& nodes : settings)
        for (const bool periodic : {false, true})
            for (const auto& [rows, columns] :
                 {std::pair{16, 16}, std::pair{8, 24}, std::pair{30, 9}}) {
                const auto axes = plane(rows, columns, periodic);
                const GridPlacement placed = place_on_nodes(nodes, axes);
                expect_each_once(placed.ranks);
                EXPECT_EQ(placed.between_nodes, least_of_all(nodes, axes))
                    << nodes.size() << " ranks, " << rows << " x " << columns;
            }
}

TEST(GridPlacement, CountsWhatGoesBetweenNodes) {
    int gains = 0;
    for_each_case(200, [&](Random& random, std::uint64_t) {
        Ints nodes(static_cast<std::size_t>(random.integer(1, 25)));
        const std::int64_t most = random.integer(1, 6);
        for (int& node : nodes) node = static_cast<int>(7 * random.integer(0, most) - 9);
        if (random.chance(0.5)) std::sort(nodes.begin(), nodes.end());
        const auto axes = plane(random.integer(25, 60), random.integer(25, 60), random.chance(0.5));
        const GridPlacement placed = place_on_nodes(nodes, axes);
        expect_each_once(placed.ranks);
        EXPECT_EQ(placed.grid.size(), static_cast<int>(nodes.size()));
        EXPECT_EQ(placed.between_nodes,
                  cells_from_other_nodes({placed.grid, axes}, placed.ranks, nodes));
        Ints in_order(nodes.size());
        std::iota(in_order.begin(), in_order.end(), 0);
        const ArrayLayout balanced(ProcessGrid::balanced(static_cast<int>(nodes.size()), 2), axes);
        EXPECT_EQ(placed.between_nodes_of_balanced,
                  cells_from_other_nodes(balanced, in_order, nodes));
        EXPECT_LE(placed.between_nodes, placed.between_nodes_of_balanced);
        gains += placed.between_nodes < placed.between_nodes_of_balanced;
    });
    EXPECT_GT(gains, 50);
}

TEST(GridPlacement, TakesGridsThatSuitTheAxes) {
    const std::vector<AxisSpec> columns{block(6, {.padding = 1}),
                                        block_bounds({0, 10, 20, 30, 40}, {.padding = 1})};
    const GridPlacement placed = place_on_nodes(Ints{0, 0, 1, 1}, columns);
    EXPECT_EQ(placed.grid, ProcessGrid({1, 4}));
    EXPECT_EQ(placed.between_nodes_of_balanced, -1);
    EXPECT_EQ(placed.describe(), "1 x 4 processes: an exchange moves " +
                                     std::to_string(placed.between_nodes) +
                                     " elements between nodes");
    const std::vector<AxisSpec> given{block_bounds({0, 10, 40}, {.padding = 1}), cyclic(9)};
    EXPECT_EQ(place_on_nodes(Ints{0, 1, 0, 1}, given).grid, ProcessGrid({2, 2}));
}

// Padding of 5 is wider than half of the short axis.
TEST(GridPlacement, CountsWhatComesFromBehindTheNeighbour) {
    const std::vector<AxisSpec> narrow{block(6, {.padding = 5, .periodic = true}),
                                       block(40, {.padding = 1})};
    const GridPlacement placed = place_on_nodes(Ints{0, 0, 1, 1}, narrow);
    EXPECT_EQ(placed.grid, ProcessGrid({1, 4}));
    const ArrayLayout layout(ProcessGrid{2, 2}, narrow);
    EXPECT_EQ(placed.between_nodes_of_balanced,
              cells_from_other_nodes(layout, {0, 1, 2, 3}, {0, 0, 1, 1}));
}

TEST(GridPlacement, SaysWhatDoesNotFit) {
    EXPECT_THROW(place_on_nodes(Ints{}, plane(8, 8)), LayoutError);
    const std::vector<AxisSpec> thirds{block_bounds({0, 2, 4, 6})};
    EXPECT_THROW(place_on_nodes(Ints{0, 0, 1, 1}, thirds), LayoutError);
    EXPECT_THROW(place_on_nodes(Ints{0, 1}, {}), LayoutError);
    EXPECT_EQ(place_on_nodes(Ints{3}, {}).grid, ProcessGrid());
}

} // namespace distview::testing
