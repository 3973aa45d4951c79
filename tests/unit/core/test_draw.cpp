// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares whole texts, as users read them.
#include "random_layouts.hpp"

#include <distview/core/draw.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace distview::testing {

// A 1-d array with padding: the example of the header.
TEST(Draw, one_padded_axis) {
    const ArrayLayout layout(ProcessGrid{2}, {block(4, {.padding = 1})});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 2
  axis 0: block, 4 elements over 2 processes, padding (1, 1), boundary padding (1, 1)

who owns what
  element | -1  0  1  2  3  4
  process |  0  0  0  1  1  1

sections: (communication padding), [boundary padding]
  process 0 at (0), section (4)
    element | -1   0   1   2
    process | [0]  0   0  (1)
  process 1 at (1), section (4)
    element |  1   2   3   4
    process | (0)  1   1  [1])");
}

// Low and high widths differ; periodic; the corner is a copy.
TEST(Draw, two_axes_padded_and_periodic) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(3, {.padding = {0, 1}, .boundary = 0}),
                                                 block(4, {.padding = {2, 1}, .periodic = true})});
    EXPECT_EQ(draw(layout), R"(2-d array over a process grid of 2 x 2
  axis 0: block, 3 elements over 2 processes, padding (0, 1)
  axis 1: block, 4 elements over 2 processes, padding (2, 1), boundary padding (2, 1), periodic

who owns what (rows: axis 0, columns: axis 1)
    | -2 -1  0  1  2  3  4
  --+---------------------
  0 |  0  0  0  0  1  1  1
  1 |  0  0  0  0  1  1  1
  2 |  2  2  2  2  3  3  3

sections: (communication padding), [boundary padding]
  process 0 at (0, 0), section (3, 5)
      | -2  -1   0   1   2
    --+--------------------
    0 | [0] [0]  0   0  (1)
    1 | [0] [0]  0   0  (1)
    2 | (2) (2) (2) (2) (3)
  process 1 at (0, 1), section (3, 5)
      |  0   1   2   3   4
    --+--------------------
    0 | (0) (0)  1   1  [1]
    1 | (0) (0)  1   1  [1]
    2 | (2) (2) (3) (3) (3)
  process 2 at (1, 0), section (1, 5)
      | -2  -1   0   1   2
    --+--------------------
    2 | [2] [2]  2   2  (3)
  process 3 at (1, 1), section (1, 5)
      |  0   1   2   3   4
    --+--------------------
    2 | (2) (2)  3   3  [3])");
}

// Without padding the sections are a table.
TEST(Draw, block_cyclic_axis) {
    const ArrayLayout layout(ProcessGrid{4}, {block_cyclic(13, 2)});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 4
  axis 0: block-cyclic, 13 elements in blocks of 2 over 4 processes

who owns what
  element |  0  1  2  3  4  5  6  7  8  9 10 11 12
  process |  0  0  1  1  2  2  3  3  0  0  1  1  2

what each process holds
  process  at   section  axis 0
        0  (0)  (4)      [0, 2), [8, 10)
        1  (1)  (4)      [2, 4), [10, 12)
        2  (2)  (3)      [4, 6), [12, 13)
        3  (3)  (2)      [6, 8)
  each owns 2 to 4 elements)");
}

// The map lists labels in ascending order, the table in the section's order.
TEST(Draw, unstructured_axis_with_a_shared_label) {
    const ArrayLayout layout(ProcessGrid{3}, {unstructured({{7, -3, 100}, {}, {9, 8, 7}})});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 3
  axis 0: unstructured, 5 elements over 3 processes

who owns what; +: on higher processes too
  element |  -3   7   8   9 100
  process |   0  0+   2   2   0

what each process holds
  process  at   section  axis 0
        0  (0)  (3)      7, -3, 100
        1  (1)  (0)      none
        2  (2)  (3)      9, 8, 7
  each owns 0 to 3 elements)");
}

TEST(Draw, empty_sections) {
    const ArrayLayout layout(ProcessGrid{2, 3}, {block_bounds({0, 0, 2}), block_cyclic(7, 2)});
    EXPECT_EQ(draw(layout), R"(2-d array over a process grid of 2 x 3
  axis 0: irregular block, 2 elements over 2 processes
  axis 1: block-cyclic, 7 elements in blocks of 2 over 3 processes

who owns what (rows: axis 0, columns: axis 1)
    | 0 1 2 3 4 5 6
  --+--------------
  0 | 3 3 4 4 5 5 3
  1 | 3 3 4 4 5 5 3

what each process holds
  process  at      section  axis 0  axis 1
        0  (0, 0)  (0, 3)   none    [0, 2), [6, 7)
        1  (0, 1)  (0, 2)   none    [2, 4)
        2  (0, 2)  (0, 2)   none    [4, 6)
        3  (1, 0)  (2, 3)   [0, 2)  [0, 2), [6, 7)
        4  (1, 1)  (2, 2)   [0, 2)  [2, 4)
        5  (1, 2)  (2, 2)   [0, 2)  [4, 6)
  each owns 0 to 6 elements)");
}

// An empty section beside padding.
TEST(Draw, empty_section_beside_padding) {
    const ArrayLayout layout(ProcessGrid{3},
                             {block_bounds({0, 2, 2, 5}, {.boundary = 1}, {0, 0, 0})});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 3
  axis 0: irregular block, 5 elements over 3 processes, boundary padding (1, 1)

who owns what
  element | -1  0  1  2  3  4  5
  process |  0  0  0  2  2  2  2

sections: (communication padding), [boundary padding]
  process 0 at (0), section (3)
    element | -1   0   1
    process | [0]  0   0
  process 1 at (1), section (0)
  process 2 at (2), section (4)
    element |  2   3   4   5
    process |  2   2   2  [2])");
}

// A map of 64 elements is drawn and needs several lines; one of 65 is not drawn.
TEST(Draw, longest_map) {
    const ArrayLayout layout(ProcessGrid{4}, {cyclic(64)});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 4
  axis 0: cyclic, 64 elements over 4 processes

who owns what
  element |  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
  process |  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1

  element | 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
  process |  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3

  element | 60 61 62 63
  process |  0  1  2  3

what each process holds
  process  at   section  axis 0
        0  (0)  (16)     0, 4, .., 60
        1  (1)  (16)     1, 5, .., 61
        2  (2)  (16)     2, 6, .., 62
        3  (3)  (16)     3, 7, .., 63
  each owns 16 elements)");
}

TEST(Draw, table_of_a_long_axis) {
    const ArrayLayout layout(ProcessGrid{2}, {block(65, {.padding = {2, 1}, .boundary = 0})});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 2
  axis 0: block, 65 elements over 2 processes, padding (2, 1)

what each process holds; +: copies of neighbours' elements
  process  at   section  axis 0
        0  (0)  (34)     [0, 33)+1
        1  (1)  (34)     2+[33, 65)
  each owns 32 to 33 elements)");
}

TEST(Draw, table_of_two_axes) {
    const ArrayLayout layout(ProcessGrid{2, 3},
                             {block(180, {.padding = 1}), block_cyclic(360, 16)});
    EXPECT_EQ(draw(layout), R"(2-d array over a process grid of 2 x 3
  axis 0: block, 180 elements over 2 processes, padding (1, 1), boundary padding (1, 1)
  axis 1: block-cyclic, 360 elements in blocks of 16 over 3 processes

what each process holds; +: copies of neighbours' elements
  process  at      section    axis 0       axis 1
        0  (0, 0)  (92, 128)  [-1, 90)+1   [0, 16), [48, 64), .., [336, 352)
        1  (0, 1)  (92, 120)  [-1, 90)+1   [16, 32), [64, 80), .., [352, 360)
        2  (0, 2)  (92, 112)  [-1, 90)+1   [32, 48), [80, 96), .., [320, 336)
        3  (1, 0)  (92, 128)  1+[90, 181)  [0, 16), [48, 64), .., [336, 352)
        4  (1, 1)  (92, 120)  1+[90, 181)  [16, 32), [64, 80), .., [352, 360)
        5  (1, 2)  (92, 112)  1+[90, 181)  [32, 48), [80, 96), .., [320, 336)
  each owns 10192 to 11648 elements)");
}

// More than 16 processes: a map if the array is small, and a table that omits the middle.
TEST(Draw, many_processes_of_a_small_array) {
    const ArrayLayout layout(ProcessGrid{17}, {block(17, {.padding = 1, .boundary = 0})});
    EXPECT_EQ(draw(layout), R"(1-d array over a process grid of 17
  axis 0: block, 17 elements over 17 processes, padding (1, 1)

who owns what
  element |  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16
  process |  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16

what each process holds; +: copies of neighbours' elements
  process  at    section  axis 0
        0  (0)   (2)      [0, 1)+1
        1  (1)   (3)      1+[1, 2)+1
        2  (2)   (3)      1+[2, 3)+1
        3  (3)   (3)      1+[3, 4)+1
        4  (4)   (3)      1+[4, 5)+1
        5  (5)   (3)      1+[5, 6)+1
        6  (6)   (3)      1+[6, 7)+1
        7  (7)   (3)      1+[7, 8)+1
      ...
        9  (9)   (3)      1+[9, 10)+1
       10  (10)  (3)      1+[10, 11)+1
       11  (11)  (3)      1+[11, 12)+1
       12  (12)  (3)      1+[12, 13)+1
       13  (13)  (3)      1+[13, 14)+1
       14  (14)  (3)      1+[14, 15)+1
       15  (15)  (3)      1+[15, 16)+1
       16  (16)  (2)      1+[16, 17)
  each owns 1 element)");
}

TEST(Draw, three_axes) {
    const ArrayLayout layout(ProcessGrid{2, 2, 1},
                             {block(1000, {.padding = 2}), cyclic(55), block(4)});
    EXPECT_EQ(draw(layout), R"(3-d array over a process grid of 2 x 2 x 1
  axis 0: block, 1000 elements over 2 processes, padding (2, 2), boundary padding (2, 2)
  axis 1: cyclic, 55 elements over 2 processes
  axis 2: block, 4 elements over 1 process

what each process holds; +: copies of neighbours' elements
  process  at         section       axis 0         axis 1        axis 2
        0  (0, 0, 0)  (504, 28, 4)  [-2, 500)+2    0, 2, .., 54  [0, 4)
        1  (0, 1, 0)  (504, 27, 4)  [-2, 500)+2    1, 3, .., 53  [0, 4)
        2  (1, 0, 0)  (504, 28, 4)  2+[500, 1002)  0, 2, .., 54  [0, 4)
        3  (1, 1, 0)  (504, 27, 4)  2+[500, 1002)  1, 3, .., 53  [0, 4)
  each owns 54216 to 56224 elements)");
}

TEST(Draw, labels_known_to_one_process) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(6), unstructured_local(12, 1, {5, 4, 8})});
    EXPECT_EQ(draw(layout), R"(2-d array over a process grid of 2 x 2
  axis 0: block, 6 elements over 2 processes
  axis 1: unstructured, 12 elements over 2 processes

what each process holds; ?: not known here
  process  at      section  axis 0  axis 1
        0  (0, 0)  (3, ?)   [0, 3)  ?
        1  (0, 1)  (3, 3)   [0, 3)  5, 4, 8
        2  (1, 0)  (3, ?)   [3, 6)  ?
        3  (1, 1)  (3, 3)   [3, 6)  5, 4, 8)");
}

TEST(Draw, no_elements) {
    const ArrayLayout layout(ProcessGrid{2, 1}, {block(0), block(3)});
    EXPECT_EQ(draw(layout), R"(2-d array over a process grid of 2 x 1
  axis 0: block, 0 elements over 2 processes
  axis 1: block, 3 elements over 1 process

what each process holds
  process  at      section  axis 0  axis 1
        0  (0, 0)  (0, 3)   none    [0, 3)
        1  (1, 0)  (0, 3)   none    [0, 3)
  each owns 0 elements)");
}

// Other axes may have any size.
TEST(Draw, no_elements_of_long_axes) {
    const std::int64_t size = std::int64_t{1} << 40;
    const ProcessGrid grid{1, 1, 1};
    for (const ArrayLayout& layout : {ArrayLayout(grid, {block(size), block(size), block(0)}),
                                      ArrayLayout(grid, {block(0), block(size), block(size)})}) {
        const std::string picture = draw(layout);
        EXPECT_TRUE(picture.ends_with("\n  each owns 0 elements")) << picture;
    }
}

TEST(Draw, padding_around_the_end) {
    const std::string picture = draw(
        ArrayLayout(ProcessGrid{3}, {block(3, {.padding = 2, .boundary = 0, .periodic = true})}));
    EXPECT_NE(picture.find("    element | -1   0   1   2   3\n"
                           "    process | (2) (0)  1  (2) (0)\n"),
              std::string::npos)
        << picture;
}

// Padding wider than the boundary padding: positions beyond the array's end have no owner.
TEST(Draw, padding_beyond_the_end) {
    const ArrayLayout layout(ProcessGrid{3}, {block(3, {.padding = 2, .boundary = 0})});
    const std::string picture = draw(layout);
    EXPECT_NE(picture.find("  process 1 at (1), section (5)\n"
                           "    element | -1   0   1   2   3\n"
                           "    process | (-) (0)  1  (2) (-)\n"),
              std::string::npos)
        << picture;
}

TEST(Draw, no_axes) {
    const ArrayLayout layout;
    EXPECT_EQ(draw(layout), R"(0-d array over a process grid of 1

its one element belongs to process 0)");
}

// Layouts of one axis that fit in a line: the numbers in the map must be the owners.
TEST(Draw, map_shows_the_owners) {
    for_each_case(300, [](Random& random, std::uint64_t) {
        const int process_count = static_cast<int>(random.integer(1, 6));
        AxisSpec axis = cyclic(random.integer(1, 26));
        if (random.chance(0.5)) {
            auto sizes = random_block_sizes(random, process_count, 4);
            sizes[0] += 1;
            axis = block_bounds(bounds_of_sizes(sizes), {.boundary = random_widths(random, 2)},
                                random_matched_paddings(random, sizes));
        } else if (random.chance(0.5)) {
            axis = unstructured(random_labels(random, process_count, random.integer(1, 21)));
        }
        const ArrayLayout layout(ProcessGrid{process_count}, {axis});
        const std::string text = draw(layout);
        std::istringstream lines(text.substr(text.find("who owns what")));
        std::string line;
        std::getline(lines, line);
        std::getline(lines, line);
        std::istringstream elements(line.substr(line.find('|') + 1));
        std::getline(lines, line);
        std::istringstream processes(line.substr(line.find('|') + 1));
        std::int64_t element = 0;
        std::int64_t count = 0;
        for (int process = 0; elements >> element && processes >> process; ++count) {
            const GlobalIndex index[] = {GlobalIndex(element)};
            ASSERT_EQ(process, layout.owner(index)) << text;
        }
        ASSERT_EQ(count, layout.protocol_size(0)) << text;
        ASSERT_EQ(text, draw(ArrayLayout(ProcessGrid{process_count}, {axis})));
    });
}

TEST(Draw, lines_are_short_and_end_without_blanks) {
    for (const int size : {1, 9, 10, 31, 32, 33, 64, 65, 1000}) {
        for (const int processes : {1, 3, 11, 17}) {
            const ArrayLayout one(ProcessGrid{processes}, {block(size, {.padding = 1})});
            const ArrayLayout two(ProcessGrid{processes, 1},
                                  {block(size, {.padding = 2}), cyclic(32)});
            for (const ArrayLayout& layout : {one, two}) {
                std::istringstream lines(draw(layout));
                for (std::string line; std::getline(lines, line);) {
                    EXPECT_LE(line.size(), 110U) << line;
                    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
                }
                EXPECT_NE(draw(layout).back(), '\n');
            }
        }
    }
}

TEST(Draw, ghosts) {
    const ArrayLayout small(ProcessGrid{2}, {unstructured({{4, 1, 2}, {2}}, {.ghosts = {1, 0}})});
    EXPECT_EQ(draw(small), R"(1-d array over a process grid of 2
  axis 0: unstructured, 3 elements over 2 processes, 1 ghost

who owns what
  element | 1 2 4
  process | 0 1 0

sections: (communication padding, ghosts), [boundary padding]
  process 0 at (0), section (3)
    element |  4   1   2
    process |  0   0  (1)
  process 1 at (1), section (1)
    element |  2
    process |  1)");
    const ArrayLayout large(
        ProcessGrid{2, 1, 1},
        {unstructured({{4, 1, 2}, {2}}, {.ghosts = {1, 0}}), block(1), block(1)});
    EXPECT_NE(draw(large).find("what each process holds; +: copies of neighbours' elements\n"
                               "  process  at         section    axis 0  axis 1  axis 2\n"
                               "        0  (0, 0, 0)  (3, 1, 1)  4, 1+1  [0, 1)  [0, 1)\n"
                               "        1  (1, 0, 0)  (1, 1, 1)  2       [0, 1)  [0, 1)\n"
                               "  each owns 1 to 2 elements"),
              std::string::npos)
        << draw(large);
}

} // namespace distview::testing
