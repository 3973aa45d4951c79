// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout_checks.hpp"
#include "random_layouts.hpp"

#include <distview/core/array_layout.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

/// A small axis of any kind, with padding that every neighbour can fill, and its global indices.
struct RandomAxis {
    AxisSpec spec = block(0);
    std::vector<std::int64_t> globals;
};

RandomAxis random_axis(Random& random, int process_count, std::int64_t most) {
    RandomAxis axis;
    std::int64_t size = 0;
    switch (random.integer(0, 5)) {
    case 0:
    case 1: {
        const auto sizes = random_block_sizes(random, process_count, most / process_count + 1);
        const Widths boundary = random_widths(random, 2);
        axis.spec = block_bounds(bounds_of_sizes(sizes), {.boundary = boundary},
                                 random_matched_paddings(random, sizes));
        axis.globals = indices_with(boundary, bounds_of_sizes(sizes).back());
        return axis;
    }
    case 2:
        size = random.integer(0, most + 1);
        axis.spec = random.chance(0.5) ? block(size) : regular_block(size);
        break;
    case 3:
        size = random.integer(0, most + 1);
        axis.spec = random.chance(0.5) ? cyclic(size) : block_cyclic(size, random.integer(1, 6));
        break;
    default: {
        const auto lists = random_labels(random, process_count, random.integer(0, most + 1));
        for (const auto& list : lists)
            axis.globals.insert(axis.globals.end(), list.begin(), list.end());
        axis.spec = unstructured(lists, random.chance(0.5));
        return axis;
    }
    }
    for (std::int64_t g = 0; g < size; ++g) axis.globals.push_back(g);
    return axis;
}

/// Steps through all indices below the extents, the last axis fastest; false after the last one.
bool advance(std::vector<std::int64_t>& index, const Extents& extents) {
    for (std::size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < extents[axis]) return true;
        index[axis] = 0;
    }
    return false;
}

} // namespace

TEST(ArrayLayout, without_axes_is_one_element) {
    for (const ArrayLayout& layout : {ArrayLayout(), ArrayLayout(ProcessGrid(), {})}) {
        EXPECT_EQ(layout.rank(), 0);
        EXPECT_EQ(layout.size(), 1);
        EXPECT_EQ(layout.process_count(), 1);
        EXPECT_EQ(layout.owner({}), 0);
        EXPECT_EQ(layout.local_extents(0), (Extents{1, 1, 1, 1, 1, 1, 1, 1}));
        EXPECT_TRUE(layout.tables().empty());
        EXPECT_EQ(layout, ArrayLayout());
    }
}

// Specification of index maps, 3.5: axis 0 block-cyclic in blocks of 2 over 2 processes, axis 1 in
// the blocks 0 | 1..5 | 6 7 over 3.
TEST(ArrayLayout, known_vector_of_two_axes) {
    const ArrayLayout layout(ProcessGrid{2, 3}, {block_cyclic(7, 2), block_bounds({0, 1, 6, 8})});
    const GlobalIndex index[] = {GlobalIndex(5), GlobalIndex(6)};
    EXPECT_EQ(layout.owner(index), 2);
    EXPECT_EQ(layout.axis(0).to_local(0, GlobalIndex(5)), 3);
    EXPECT_EQ(layout.axis(1).to_local(2, GlobalIndex(6)), 0);

    EXPECT_EQ(layout.rank(), 2);
    EXPECT_EQ(layout.size(), 56);
    EXPECT_EQ(layout.extent(0), 7);
    EXPECT_EQ(layout.extent(1), 8);
    EXPECT_EQ(layout.process_count(), 6);
    EXPECT_EQ(layout.grid(), (ProcessGrid{2, 3}));
    EXPECT_EQ(layout.coordinates(4), (GridCoordinates{1, 1}));
    EXPECT_EQ(layout.local_extents(2), (Extents{4, 2, 1, 1, 1, 1, 1, 1}));
    EXPECT_EQ(layout.local_extents(4), (Extents{3, 5, 1, 1, 1, 1, 1, 1}));
}

// The example of the class comment.
TEST(ArrayLayout, sizes_count_the_interior_and_extents_of_sections_all_padding) {
    const ArrayLayout layout(ProcessGrid{2, 3}, {block(180, {.padding = 1}),
                                                 block(360, {.padding = 1, .periodic = true})});
    EXPECT_EQ(layout.extent(0), 180);
    EXPECT_EQ(layout.extent(1), 360);
    EXPECT_EQ(layout.size(), 180 * 360);
    EXPECT_EQ(layout.protocol_size(0), 182);
    EXPECT_EQ(layout.protocol_size(1), 362);
    EXPECT_FALSE(layout.axis(0).periodic());
    EXPECT_TRUE(layout.axis(1).periodic());
    for (int p = 0; p < 6; ++p)
        EXPECT_EQ(layout.local_extents(p), (Extents{92, 122, 1, 1, 1, 1, 1, 1})) << p;
}

TEST(ArrayLayout, boundary_padding_is_as_wide_as_padding_unless_given) {
    const ProcessGrid grid{2};
    EXPECT_EQ(ArrayLayout(grid, {block(8, {.padding = {2, 1}})}).axis(0).as_block().boundary(),
              Widths(2, 1));
    EXPECT_EQ(ArrayLayout(grid, {block(8, {.padding = 2, .boundary = 0})}).protocol_size(0), 8);
    EXPECT_EQ(ArrayLayout(grid, {block(8, {.boundary = Widths(3, 4)})}).protocol_size(0), 15);
    // One process has no communication padding, but the boundary padding stays.
    const ArrayLayout one(ProcessGrid{1}, {block(8, {.padding = {2, 1}})});
    EXPECT_EQ(one.axis(0).communication_padding(0), Widths());
    EXPECT_EQ(one.local_extents(0)[0], 11);
}

TEST(ArrayLayout, has_up_to_8_axes) {
    const std::vector<AxisSpec> axes(8, block(3));
    const ArrayLayout layout(ProcessGrid{2, 2, 2, 2, 2, 2, 2, 2}, axes);
    EXPECT_EQ(layout.rank(), 8);
    EXPECT_EQ(layout.size(), 6561);
    EXPECT_EQ(layout.process_count(), 256);
    EXPECT_EQ(layout.local_extents(1), (Extents{2, 2, 2, 2, 2, 2, 2, 1}));
    std::vector<GlobalIndex> index(8, GlobalIndex(0));
    index[6] = GlobalIndex(2);
    EXPECT_EQ(layout.owner(index), 2);
    index[0] = GlobalIndex(2);
    EXPECT_EQ(layout.owner(index), 130);
}

TEST(ArrayLayout, an_unknown_label_has_no_owner) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(4), unstructured({{5, -1}, {7}})});
    const GlobalIndex known[] = {GlobalIndex(3), GlobalIndex(-1)};
    const GlobalIndex unknown[] = {GlobalIndex(3), GlobalIndex(0)};
    EXPECT_EQ(layout.owner(known), 2);
    EXPECT_EQ(layout.owner(unknown), -1);
}

TEST(ArrayLayout, is_as_large_as_64_bits_count) {
    constexpr std::int64_t large = std::int64_t(1) << 40;
    const ArrayLayout layout(ProcessGrid{1000, 3}, {block(large), cyclic(1 << 22)});
    EXPECT_EQ(layout.size(), std::int64_t(1) << 62);
    const GlobalIndex last[] = {GlobalIndex(large - 1), GlobalIndex((1 << 22) - 1)};
    EXPECT_EQ(layout.owner(last), 999 * 3);
    // A product with a factor 0 is 0, in any order of factors.
    EXPECT_EQ(ArrayLayout(ProcessGrid{1, 1, 1}, {block(0), block(large), block(large)}).size(), 0);
    EXPECT_EQ(ArrayLayout(ProcessGrid{1, 1, 1}, {block(large), block(large), block(0)}).size(), 0);
}

TEST(ArrayLayout, copies_outlive_the_original_and_read_the_same_tables) {
    auto original = std::make_unique<ArrayLayout>(
        ProcessGrid{3, 2},
        std::vector<AxisSpec>{block_bounds({0, 5, 5, 9}, {}, {{0, 2}, {2, 1}, {1, 0}}),
                              unstructured({{7, -3}, {100}})});
    const ArrayLayout copy = *original;
    EXPECT_EQ(copy.tables().data(), original->tables().data());
    original.reset();
    EXPECT_EQ(copy.axis(0).owner(GlobalIndex(5)), 2);
    EXPECT_EQ(copy.axis(0).communication_padding(1), Widths(2, 1));
    EXPECT_EQ(copy.axis(1).owner(GlobalIndex(100)), 1);
}

// For any internal form that ArrayLayout selects: random narrow widths are often equal, and random
// bounds often balanced or regular.
TEST(ArrayLayout, random_blocks_are_as_described) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 5));
        const auto sizes = random_block_sizes(random, process_count, 2);
        const Widths boundary = random_widths(random, 2);
        std::vector<Widths> paddings;
        for (int p = 0; p < process_count; ++p) paddings.push_back(random_widths(random, 1));
        const ArrayLayout by_process(
            ProcessGrid{process_count},
            {block_bounds(bounds_of_sizes(sizes), {.boundary = boundary}, paddings)});
        ASSERT_EQ(find_difference(by_process.axis(0), block_sections(sizes, paddings, boundary)),
                  "")
            << by_process.describe();

        const std::vector<Widths> alike(paddings.size(), paddings.front());
        const ArrayLayout uniform(
            ProcessGrid{process_count},
            {block_bounds(bounds_of_sizes(sizes), {.padding = alike[0], .boundary = boundary})});
        ASSERT_EQ(find_difference(uniform.axis(0), block_sections(sizes, alike, boundary)), "")
            << uniform.describe();
        ASSERT_EQ(by_process == uniform,
                  find_difference(uniform.axis(0), block_sections(sizes, paddings, boundary)) == "")
            << by_process.describe() << '\n'
            << uniform.describe();
    });
}

// Every process of random grids over 0 to 4 axes of any kind, simulated in one process: section by
// section, element by element. A process owns an element exactly if it lies in the owned ranges;
// the count shows that every element of the array is owned once.
TEST(ArrayLayout, every_element_of_random_arrays_is_owned_once) {
    for_each_case(3000, [](Random& random, std::uint64_t) {
        const auto rank = static_cast<std::size_t>(random.integer(0, 5));
        const std::int64_t most = rank < 2 ? 30 : rank == 2 ? 12 : 5;
        std::vector<int> grid_extents;
        std::vector<AxisSpec> specs;
        std::vector<std::map<std::int64_t, std::size_t>> positions; // for every global index
        std::size_t element_count = 1;
        for (std::size_t d = 0; d < rank; ++d) {
            grid_extents.push_back(static_cast<int>(random.integer(1, rank < 3 ? 6 : 4)));
            RandomAxis axis = random_axis(random, grid_extents.back(), most);
            specs.push_back(std::move(axis.spec));
            positions.emplace_back();
            for (const std::int64_t g : axis.globals)
                positions.back().emplace(g, positions.back().size());
            element_count *= axis.globals.size();
        }
        const ArrayLayout layout(ProcessGrid(grid_extents), specs);
        std::int64_t protocol_count = 1;
        for (std::size_t d = 0; d < rank; ++d)
            protocol_count *= layout.protocol_size(static_cast<int>(d));
        ASSERT_EQ(protocol_count, static_cast<std::int64_t>(element_count));

        std::vector<int> times_owned(element_count, 0);
        for (int p = 0; p < layout.process_count(); ++p) {
            const GridCoordinates at = layout.coordinates(p);
            const Extents extents = layout.local_extents(p);
            if (std::count(extents.begin(), extents.end(), 0) > 0) continue;
            std::vector<std::int64_t> local(rank, 0);
            do {
                std::vector<GlobalIndex> global;
                bool owned = true;
                std::size_t number = 0;
                for (std::size_t d = 0; d < rank; ++d) {
                    const AxisLayout& axis = layout.axis(static_cast<int>(d));
                    const LocalIndex l(local[d]);
                    global.push_back(axis.to_global(at[d], l));
                    owned = owned && axis.owned_local(at[d]).contains(l);
                    number = number * positions[d].size() + positions[d].at(global.back());
                }
                ASSERT_EQ(layout.owner(global) == p, owned) << layout.describe();
                times_owned[number] += owned;
            } while (advance(local, extents));
        }
        ASSERT_EQ(std::count(times_owned.begin(), times_owned.end(), 1),
                  static_cast<std::ptrdiff_t>(element_count))
            << layout.describe();
    });
}

} // namespace distview::testing
