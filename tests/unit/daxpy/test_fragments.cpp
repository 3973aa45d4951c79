// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas.hpp"
#include "fragments.hpp"

#include <distview_testing/allocations.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using daxpy::Array;
using daxpy::Fragment;

struct Piece {
    std::ptrdiff_t offset = 0;
    std::size_t length = 0;
    friend bool operator==(const Piece&, const Piece&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Piece& piece) {
        return out << piece.length << " from " << piece.offset << " on";
    }
};

/// The begin of each piece of x and of y in its section; both lists of pieces must have the same lengths.
template <class ForEach>
std::vector<std::pair<Piece, Piece>> pieces(const Array& x, const Array& y, ForEach&& for_each) {
    std::vector<std::pair<Piece, Piece>> result;
    for_each([&](const Fragment& part_of_x, const Fragment& part_of_y) {
        result.push_back({{part_of_x.data() - x.view().data(), part_of_x.extent(0)},
                          {part_of_y.data() - y.view().data(), part_of_y.extent(0)}});
    });
    return result;
}

TEST(Fragments, a_section_in_one_piece_is_one) {
    const daxpy::Exec exec;
    const ArrayLayout layout(ProcessGrid{2, 2}, {block_cyclic(5, 1), block_cyclic(13, 3)});
    const Array x(exec, "x", layout, 2); // row 1, 3 with columns 0-2, 6-8, 12
    const Array y(exec, "y", layout, 2);
    const auto found = pieces(x, y, [&](auto&& use) { daxpy::for_each_fragment(x, y, use); });
    EXPECT_EQ(found, (std::vector<std::pair<Piece, Piece>>{{{0, 14}, {0, 14}}}));
}

TEST(Fragments, blocks_are_the_layouts_own) {
    const daxpy::Exec exec;
    const ArrayLayout layout(ProcessGrid{2, 2}, {block_cyclic(5, 1), block_cyclic(13, 3)});
    const Array x(exec, "x", layout, 2);
    const Array y(exec, "y", layout, 2);
    const auto found = pieces(x, y, [&](auto&& use) { daxpy::for_each_block(x, y, use); });
    EXPECT_EQ(found, (std::vector<std::pair<Piece, Piece>>{{{0, 3}, {0, 3}},
                                                           {{3, 3}, {3, 3}},
                                                           {{6, 1}, {6, 1}},
                                                           {{7, 3}, {7, 3}},
                                                           {{10, 3}, {10, 3}},
                                                           {{13, 1}, {13, 1}}}));
}

TEST(Fragments, padding_leaves_rows) {
    const daxpy::Exec exec;
    const ArrayLayout plain(ProcessGrid{3, 3}, {block(9), block(12)});
    const ArrayLayout padded(ProcessGrid{3, 3},
                             {block(9, {.padding = 1}), block(12, {.padding = 2})});
    const Array x(exec, "x", plain, 4);
    const Array y(exec, "y", padded, 4); // process 4 in the middle of the grid: 3 x 4 of 5 x 8
    const std::ptrdiff_t row = 8;
    const std::ptrdiff_t first = row + 2;
    const auto found = pieces(x, y, [&](auto&& use) { daxpy::for_each_fragment(x, y, use); });
    EXPECT_EQ(found, (std::vector<std::pair<Piece, Piece>>{{{0, 4}, {first, 4}},
                                                           {{4, 4}, {first + row, 4}},
                                                           {{8, 4}, {first + 2 * row, 4}}}));
}

TEST(Fragments, none_of_an_empty_section) {
    const daxpy::Exec exec;
    const ArrayLayout layout(ProcessGrid{1, 2}, {block_cyclic(5, 1), block_cyclic(3, 3)});
    const Array x(exec, "x", layout, 1);
    const Array y(exec, "y", layout, 1);
    EXPECT_TRUE(pieces(x, y, [&](auto&& use) { daxpy::for_each_fragment(x, y, use); }).empty());
    EXPECT_TRUE(pieces(x, y, [&](auto&& use) { daxpy::for_each_block(x, y, use); }).empty());
}

TEST(Fragments, wrapping_allocates_nothing) {
    const daxpy::Exec exec;
    const ArrayLayout layout(ProcessGrid{1, 1}, {block_cyclic(50, 1), block_cyclic(40, 2)});
    const Array x(exec, "x", layout, 0);
    const Array y(exec, "y", layout, 0);
    std::size_t elements = 0;
    const AllocationCounts counts = count_allocations([&] {
        daxpy::for_each_block(x, y, [&](const Fragment& part_of_x, const Fragment& part_of_y) {
            elements += part_of_x.extent(0) + part_of_y.extent(0);
        });
    });
    EXPECT_EQ(elements, 4000U);
    EXPECT_EQ(counts.heap + counts.kokkos, 0) << counts.description;
}

TEST(Fragments, the_blas_works_on_the_section) {
    if (!daxpy::have_blas()) GTEST_SKIP() << "built without a BLAS";
    const daxpy::Exec exec;
    const ArrayLayout layout(ProcessGrid{1, 1}, {block_cyclic(7, 1), block_cyclic(11, 2)});
    const Array x(exec, "x", layout, 0);
    const Array y(exec, "y", layout, 0);
    const auto reset = [&] {
        daxpy::set_x(exec, x);
        daxpy::set_y(exec, y);
        exec.fence("distview::testing: the BLAS reads");
    };
    const auto expect_done = [&] {
        for (std::size_t r = 0; r < 7; ++r)
            for (std::size_t i = 0; i < 11; ++i)
                EXPECT_EQ(y.view()(r, i), 10.0 - 2.0 * static_cast<double>(r + i + 2));
    };
    const auto call = [](const Fragment& part_of_x, const Fragment& part_of_y) {
        daxpy::blas_daxpy(-3, part_of_x, part_of_y);
    };
    reset();
    daxpy::for_each_fragment(x, y, call);
    expect_done();
    reset();
    daxpy::for_each_block(x, y, call);
    expect_done();
}

} // namespace

} // namespace distview::testing
