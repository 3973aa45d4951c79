// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.hpp"
#include "row_moves.hpp"
#include "textbook.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

Dense random_matrix(Random& random, std::size_t rows, std::size_t columns) {
    Dense matrix{rows, columns};
    for (double& element : matrix.elements) element = random.unit() - 0.5;
    return matrix;
}

/// Small sizes, sizes of a few tiles, and sometimes a size large enough for threads.
std::size_t random_size(Random& random) {
    return static_cast<std::size_t>(random.integer(0, random.chance(0.2) ? 160 : 20));
}

TEST(KernelsTest, products_of_any_extents_have_the_bits_of_three_loops) {
    for_each_case(60, [](Random& random, std::uint64_t) {
        const std::size_t rows = random_size(random), columns = random_size(random);
        const std::size_t width = random_size(random);
        // Parts of wider matrices; elements outside these parts must not change.
        Dense c = random_matrix(random, rows + 3, columns + 4);
        Dense l = random_matrix(random, rows, width + 2);
        Dense u = random_matrix(random, width, columns + 1);
        Dense expected = c;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                for (std::size_t k = 0; k < width; ++k)
                    expected(i + 2, j + 3) =
                        hpl::minus_product(expected(i + 2, j + 3), l(i, k + 1), u(k, j + 1));
        Dense by_blas = c;
        const auto of = [&](Dense& whole) {
            return hpl::part_of(whole.block(), {2, rows + 2}, {3, columns + 3});
        };
        const hpl::Block left = hpl::part_of(l.block(), {0, rows}, {1, width + 1});
        const hpl::Block right = hpl::part_of(u.block(), {0, width}, {1, columns + 1});
        hpl::subtract_product(hpl::Exec(), of(c), left, right);
        EXPECT_EQ(c.elements, expected.elements) << rows << ' ' << columns << ' ' << width;
        if (!hpl::have_blas()) return;
        hpl::blas_subtract_product(hpl::Exec(), of(by_blas), left, right);
        for (std::size_t i = 0; i < c.elements.size(); ++i)
            EXPECT_NEAR(by_blas.elements[i], expected.elements[i], 1e-13);
    });
}

TEST(KernelsTest, panels_have_the_bits_and_pivots_of_the_textbook) {
    for_each_case(60, [](Random& random, std::uint64_t) {
        const std::size_t columns = random_size(random);
        const std::size_t rows = columns + random_size(random);
        Dense panel = random_matrix(random, rows, columns);
        // Few different values, so that candidates are equal: the first must be chosen.
        if (random.chance(0.4))
            for (double& element : panel.elements) element = element < 0 ? -1 : 1 + element / 1024;
        Dense expected = panel;
        const Dense original = panel;
        const auto expected_pivots = factorise_by_the_textbook(expected, columns);
        std::vector<std::int64_t> pivots(columns);
        hpl::factorise_panel(hpl::Exec(), panel.block(), pivots);
        if (std::find(pivots.begin(), pivots.end(), hpl::no_pivot) != pivots.end()) return;
        EXPECT_EQ(pivots, expected_pivots);
        EXPECT_EQ(panel.elements, expected.elements) << rows << ' ' << columns;
        EXPECT_LE(factor_error(original, panel, pivots), 1e-11);
    });
}

TEST(KernelsTest, of_equal_candidates_the_first_one_is_the_pivot) {
    Dense panel{4, 2};
    panel.elements = {1, 0, -4, 1, 4, 3, 2, 4};
    std::vector<std::int64_t> pivots(2);
    hpl::factorise_panel(hpl::Exec(), panel.block(), pivots);
    // Column 1 then has 0.25, 4 and 4.5 below its first element.
    EXPECT_EQ(pivots, (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(panel.elements,
              (std::vector<double>{-4, 1, -0.5, 4.5, -1, 4 / 4.5, -0.25, 0.25 / 4.5}));
}

TEST(KernelsTest, a_column_of_zeros_has_no_pivot) {
    for (const std::size_t zero : {0U, 5U, 8U, 11U}) {
        Dense panel{13, 12};
        for (std::size_t i = 0; i < 12; ++i) panel(i, i) = i == zero ? 0 : 1;
        std::vector<std::int64_t> pivots(12);
        hpl::factorise_panel(hpl::Exec(), panel.block(), pivots);
        for (std::size_t k = 0; k < zero; ++k) EXPECT_EQ(pivots[k], static_cast<std::int64_t>(k));
        EXPECT_EQ(pivots[zero], hpl::no_pivot);
    }
}

TEST(RowMovesTest, are_the_swaps_one_after_the_other) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        const std::int64_t n = random.integer(1, 30), begin = random.integer(0, n);
        const std::int64_t end = random.integer(begin, n) + 1;
        std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
        std::iota(rows.begin(), rows.end(), 0);
        std::vector<std::int64_t> pivots;
        for (std::int64_t k = begin; k < end; ++k) {
            pivots.push_back(random.integer(k, n));
            std::swap(rows[static_cast<std::size_t>(k)],
                      rows[static_cast<std::size_t>(pivots.back())]);
        }
        const hpl::RowMoves moves = hpl::row_moves(begin, pivots);
        EXPECT_EQ(moves.into_block,
                  std::vector<std::int64_t>(rows.begin() + begin, rows.begin() + end));
        std::vector<hpl::RowMoves::Move> expected;
        for (std::int64_t to = end; to < n; ++to)
            if (const std::int64_t from = rows[static_cast<std::size_t>(to)]; from != to)
                expected.push_back({from, to});
        EXPECT_EQ(moves.out_of_block, expected);
    });
}

TEST(RowMovesTest, every_process_wants_the_block_and_its_own_rows) {
    const ArrayLayout ab(ProcessGrid{2, 3}, {block_cyclic(12, 2), block_cyclic(13, 2)});
    // Rows 4, 6 and 11 become the first rows of the block and the panel; rows 2 and 3 move out.
    const ArrayLayout wanted =
        hpl::layout_of_moved_rows(ab, {.into_block = {6, 11}, .out_of_block = {{2, 6}, {3, 11}}});
    ASSERT_EQ(wanted.axis(0).local_extent(0), 2);
    ASSERT_EQ(wanted.axis(0).local_extent(1), 4);
    for (int p = 0; p < 2; ++p) {
        EXPECT_EQ(wanted.axis(0).to_global(p, LocalIndex(0)), 6);
        EXPECT_EQ(wanted.axis(0).to_global(p, LocalIndex(1)), 11);
    }
    EXPECT_EQ(wanted.axis(0).to_global(1, LocalIndex(2)), 2); // to row 6, in block 3
    EXPECT_EQ(wanted.axis(0).to_global(1, LocalIndex(3)), 3); // to row 11, in block 5
    for (int q = 0; q < 3; ++q)
        EXPECT_EQ(wanted.axis(1).local_extent(q), ab.axis(1).local_extent(q));
}

} // namespace

} // namespace distview::testing
