// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/axpby.hpp>

#include <gtest/gtest.h>

#include <array>

namespace distview::testing {

namespace {

using Strided = Kokkos::View<double***, Kokkos::LayoutStride, Kokkos::HostSpace>;

Strided strided(std::array<std::size_t, 3> extents, std::array<std::size_t, 3> strides) {
    static double memory[1000];
    return Strided(memory, Kokkos::LayoutStride(extents[0], strides[0], extents[1], strides[1],
                                                extents[2], strides[2]));
}

bool all_flat(const Strided& view) {
    impl::CellBox<3> box;
    for (std::size_t d = 0; d < 3; ++d) box.end[d] = static_cast<std::int64_t>(view.extent(d));
    return impl::is_flat(view, box);
}

TEST(FlatCells, in_any_order_of_axes) {
    EXPECT_TRUE(all_flat(strided({2, 3, 4}, {12, 4, 1})));
    EXPECT_TRUE(all_flat(strided({2, 3, 4}, {1, 2, 6})));
    EXPECT_TRUE(all_flat(strided({2, 3, 4}, {3, 1, 6})));
    EXPECT_TRUE(all_flat(strided({2, 1, 4}, {4, 77, 1}))); // no step occurs along axis 1
    EXPECT_TRUE(all_flat(strided({1, 1, 1}, {9, 9, 9})));
}

TEST(FlatCells, not_with_gaps_or_overlaps) {
    EXPECT_FALSE(all_flat(strided({2, 3, 4}, {13, 4, 1})));
    EXPECT_FALSE(all_flat(strided({2, 3, 4}, {15, 5, 1})));
    EXPECT_FALSE(all_flat(strided({2, 3, 4}, {24, 8, 2})));
    EXPECT_FALSE(all_flat(strided({2, 1, 2}, {3, 1, 0}))); // 4 cells, a span of 4, 2 addresses
    EXPECT_FALSE(all_flat(strided({2, 2, 1}, {1, 1, 1})));
}

TEST(FlatCells, a_box_within_a_section) {
    const Strided view = strided({4, 5, 6}, {30, 6, 1});
    impl::CellBox<3> rows{{1, 0, 0}, {3, 5, 6}};
    EXPECT_TRUE(impl::is_flat(view, rows));
    EXPECT_EQ(impl::flat_cells(view, rows).data(), &view(1, 0, 0));
    EXPECT_EQ(impl::flat_cells(view, rows).extent(0), 60U);
    EXPECT_EQ(impl::flat_cells(view, rows, impl::Shift<3>{{-1, 0, 0}}).data(), &view(0, 0, 0));
    EXPECT_TRUE(impl::is_flat(view, impl::CellBox<3>{{2, 1, 0}, {3, 4, 6}}));
    EXPECT_FALSE(impl::is_flat(view, impl::CellBox<3>{{1, 1, 0}, {3, 4, 6}}));
    EXPECT_FALSE(impl::is_flat(view, impl::CellBox<3>{{1, 0, 0}, {3, 5, 5}}));
}

TEST(FlatCells, two_views_of_the_same_order) {
    const impl::CellBox<3> box{{0, 0, 0}, {2, 3, 4}};
    const impl::CellBox<3> plane{{0, 0, 0}, {2, 1, 4}};
    EXPECT_TRUE(
        impl::same_strides(strided({2, 3, 4}, {12, 4, 1}), strided({2, 3, 4}, {12, 4, 1}), box));
    EXPECT_FALSE(
        impl::same_strides(strided({2, 3, 4}, {12, 4, 1}), strided({2, 3, 4}, {1, 2, 6}), box));
    EXPECT_TRUE(
        impl::same_strides(strided({2, 1, 4}, {4, 7, 1}), strided({2, 1, 4}, {4, 1, 1}), plane));
}

/// y += 2 x between sections whose cells are rows of memory, in equal or different orders.
template <class LayoutX, class LayoutY>
void check_sum(const ArrayLayout& x_layout, const ArrayLayout& y_layout) {
    const Exec exec;
    const auto x = make_section<double, 3, LayoutX>(x_layout);
    const auto y = make_section<double, 3, LayoutY>(y_layout);
    set_cells(exec, x, Cells::interior, encoded<double, std::size_t{3}>, -1.0);
    set_cells(exec, y, Cells::interior, encoded<double, std::size_t{3}>, -1.0);
    axpby(exec, 2.0, x, 1.0, y);
    const auto y_host = to_host(exec, y);
    Position<3> end{};
    for (std::size_t d = 0; d < 3; ++d) end[d] = y_layout.local_extents(y.process())[d];
    auto left = y_host.view();
    for_each_cell<3>(y_layout, y.process(), Cells::interior,
                     [&](const auto& local, const auto& global) {
                         EXPECT_EQ(element(left, local), 3.0 * (encoded<double, 3>(global)));
                         element(left, local) = -1;
                     });
    for_each_position(Position<3>{}, end,
                      [&](const auto& at) { EXPECT_EQ(element(left, at), -1.0); });
}

TEST(FlatCells, sums_of_flat_and_padded_sections) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const ProcessGrid grid{ranks, 1, 1};
    const BlockOptions padded{.padding = 2, .boundary = Widths(0)};
    const ArrayLayout plain(grid, {block_cyclic(19, 2), block(3), block(2)});
    const ArrayLayout flat_box(grid, {block(19, padded), block(3), block(2)});
    const ArrayLayout flat_plain(grid, {block(19), block(3), block(2)});
    check_sum<Kokkos::LayoutRight, Kokkos::LayoutRight>(plain, plain);
    check_sum<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(plain, plain);
    check_sum<Kokkos::LayoutLeft, Kokkos::LayoutRight>(plain, plain);
    check_sum<Kokkos::LayoutStride, Kokkos::LayoutRight>(plain, plain);
    check_sum<Kokkos::LayoutRight, Kokkos::LayoutRight>(flat_box, flat_plain);
    check_sum<Kokkos::LayoutRight, Kokkos::LayoutRight>(flat_plain, flat_box);
    check_sum<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(flat_plain, flat_box);
}

} // namespace

} // namespace distview::testing
