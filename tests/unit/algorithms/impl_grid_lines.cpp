// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of process grids, and the words that their processes store, for all processes of many grids.
#include <distview/algorithms/impl/grid_lines.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

ProcessGrid any_grid(Random& random) {
    std::vector<int> extents;
    for (std::int64_t n = random.integer(1, 5); n > 0; --n)
        extents.push_back(static_cast<int>(random.integer(1, 5)));
    return ProcessGrid(extents);
}

/// The number of words on a process, as the extent of their axis.
std::int64_t held_words(const ArrayLayout& layout, const impl::GridLines& lines) {
    const Extents extents = layout.local_extents(lines.place * lines.count + lines.line);
    return extents[0] * extents[1] * extents[2];
}

} // namespace

TEST(GridLines, hold_every_process_once) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        const ProcessGrid grid = any_grid(random);
        SCOPED_TRACE(grid.describe());
        for (int axis = 0; axis < grid.rank(); ++axis) {
            std::set<std::pair<int, int>> seen;
            for (int process = 0; process < grid.size(); ++process) {
                const impl::GridLines lines(grid, axis, process);
                EXPECT_EQ(lines.length * lines.count, grid.size());
                EXPECT_EQ(lines.place, grid.coordinates(process)[static_cast<std::size_t>(axis)]);
                EXPECT_EQ(lines.process(lines.line, lines.place), process);
                EXPECT_EQ(lines.by_place()[static_cast<std::size_t>(lines.place * lines.count +
                                                                    lines.line)],
                          process);
                EXPECT_TRUE(lines.line >= 0 && lines.line < lines.count);
                EXPECT_TRUE(seen.emplace(lines.line, lines.place).second);
                // Along a line only the coordinate along the axis differs.
                GridCoordinates first = grid.coordinates(process);
                first[static_cast<std::size_t>(axis)] = 0;
                EXPECT_EQ(lines.process(lines.line, 0), grid.process(first));
            }
        }
    });
}

TEST(LineWords, have_room_for_all_values) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        const ProcessGrid grid = any_grid(random);
        const int axis = static_cast<int>(random.integer(0, grid.rank()));
        const std::int64_t value_bytes = random.pick<std::int64_t>({1, 2, 4, 8, 12, 16, 24, 576});
        std::vector<std::int64_t> values;
        const std::int64_t most = random.chance(0.5) ? 10 : 40000;
        for (int line = 0; line < impl::GridLines(grid, axis, 0).count; ++line)
            values.push_back(random.chance(0.2) ? 0 : random.integer(1, most));
        for (int process = 0; process < grid.size(); ++process) {
            const impl::GridLines lines(grid, axis, process);
            const impl::LineWords words(lines, values, value_bytes);
            const std::int64_t n = values[static_cast<std::size_t>(lines.line)];
            const std::int64_t slices = words.is_sliced() ? lines.length : 1;
            EXPECT_EQ(words.values(), n);
            EXPECT_GE(8 * words.own_words(), n * value_bytes);
            EXPECT_EQ(words.slice_bytes() % 16, 0);
            // Slices are contiguous.
            EXPECT_EQ(words.slice_bytes(), words.slice_values() * value_bytes);
            EXPECT_GE(words.slice_values() * slices, n);
            EXPECT_EQ(held_words(words.own(), lines), words.own_words());
            EXPECT_EQ(held_words(words.everywhere(), lines), words.own_words());
            if (words.is_sliced()) {
                EXPECT_EQ(held_words(words.slices_of_all(), lines), words.all_words());
                EXPECT_EQ(8 * held_words(words.own_slice(), lines), words.slice_bytes());
                EXPECT_EQ(held_words(words.slices_everywhere(), lines), words.own_words());
                EXPECT_EQ(held_words(words.slices_at(0), lines),
                          lines.place == 0 ? words.own_words() : 0);
            } else {
                EXPECT_EQ(held_words(words.of_all(), lines), words.all_words());
                EXPECT_EQ(held_words(words.at_root(0), lines),
                          lines.place == 0 ? words.all_words() : 0);
            }
            // The slices of all places of a line together contain all its values.
            std::int64_t in_slices = 0;
            for (int place = 0; place < lines.length; ++place)
                in_slices +=
                    impl::LineWords(impl::GridLines(grid, axis, lines.process(lines.line, place)),
                                    values, value_bytes)
                        .own_slice_values();
            EXPECT_EQ(in_slices, words.is_sliced() ? n : n * lines.length);
        }
    });
}

} // namespace distview::testing
