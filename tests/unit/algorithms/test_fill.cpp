// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/fill.hpp>

#include <gtest/gtest.h>

namespace distview::testing {

namespace {

/// Expects value(global) in the cells and `before` in all other elements.
template <class View, class T, class Value>
void expect_cells(const Exec& exec, const View& array, Cells cells, T before, Value&& value) {
    constexpr int rank = View::rank();
    auto host = to_host(exec, array);
    for_each_cell<rank>(array.layout(), array.process(), cells,
                        [&](const auto& local, const auto& global) {
                            EXPECT_EQ(element(host.view(), local), value(global));
                            element(host.view(), local) = before;
                        });
    Position<rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d)
        end[d] = array.layout().local_extents(array.process())[d];
    for_each_position(Position<rank>{}, end, [&](const Position<rank>& at) {
        EXPECT_EQ(element(host.view(), at), before) << "written outside of the cells";
    });
}

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
void check_fill(Random& random, std::int64_t limit) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit);
    SCOPED_TRACE(layout.describe());
    const auto array = make_section<T, Rank, Layout>(layout);
    for (const Cells cells : {Cells::interior, Cells::owned}) {
        set_section(exec, array, [](const auto&) { return T(-7); });
        fill(exec, array, T(3), cells);
        expect_cells(exec, array, cells, T(-7), [](const auto&) { return T(3); });

        set_section(exec, array, [](const auto&) { return T(-7); });
        fill_with(exec, array, Encoded<T>(), cells);
        expect_cells(exec, array, cells, T(-7), encoded<T, std::size_t{Rank}>);
    }
}

} // namespace

TEST(Fill, double_in_any_order_of_axes) {
    for_each_case(40, [](Random& random, std::uint64_t) {
        check_fill<double, 2>(random, 20);
        check_fill<double, 2, Kokkos::LayoutLeft>(random, 20);
        check_fill<double, 3, Kokkos::LayoutStride>(random, 8);
    });
}
TEST(Fill, other_types_and_ranks) {
    for_each_case(20, [](Random& random, std::uint64_t) {
        check_fill<double, 0>(random, 1);
        check_fill<float, 1>(random, 100);
        check_fill<int, 2>(random, 20);
        check_fill<std::int64_t, 3>(random, 8);
        check_fill<Kokkos::complex<double>, 2>(random, 20);
        check_fill<double, 6>(random, 3);
    });
}

TEST(Fill, interior_is_the_default) {
    const Exec exec;
    int n_ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const ArrayLayout layout(ProcessGrid{n_ranks}, {block(4 * n_ranks, {.padding = 2})});
    const auto array = make_section<double, 1>(layout);
    set_section(exec, array, [](const auto&) { return -1.0; });
    fill(exec, array, 5.0);
    expect_cells(exec, array, Cells::interior, -1.0, [](const auto&) { return 5.0; });
    fill_with(exec, array, Encoded<double>());
    expect_cells(exec, array, Cells::interior, -1.0, encoded<double, 1>);
}

} // namespace distview::testing
