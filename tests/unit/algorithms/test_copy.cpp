// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace distview::testing {

namespace {

/// An axis with the same cells and different padding; `keep_boundary` keeps the boundary padding.
AxisSpec with_other_padding(Random& random, const AxisSpec& axis, bool keep_boundary) {
    AxisSpec other = axis;
    if (auto* block = std::get_if<BlockSpec>(&other.value)) {
        block->options.padding = {random.integer(0, 4), random.integer(0, 4)};
        if (!keep_boundary)
            block->options.boundary = Widths{random.integer(0, 4), random.integer(0, 4)};
    }
    return other;
}

struct TwoLayouts {
    ArrayLayout first;
    ArrayLayout second;
};

TwoLayouts random_layouts(Random& random, int n_dims, std::int64_t limit, Cells cells) {
    int n_ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const ProcessGrid grid(random_process_grid(random, n_ranks, n_dims));
    std::vector<AxisSpec> first;
    std::vector<AxisSpec> second;
    for (int d = 0; d < n_dims; ++d) {
        first.push_back(random_axis(random, grid.extent(d), limit, true));
        second.push_back(with_other_padding(random, first.back(), cells == Cells::owned));
    }
    return {{grid, first}, {grid, second}};
}

/// Calls check(first's element, second's element, destination's former element) for each cell of
/// two arrays, and expects -1 in all other elements of the second.
template <class First, class Second, class Check>
void compare_cells(const Exec& exec, const First& first, const Second& second, Cells cells,
                   Check&& check) {
    constexpr int rank = First::rank();
    const auto first_host = to_host(exec, first);
    auto second_host = to_host(exec, second);
    std::vector<Position<rank>> at_first;
    for_each_cell<rank>(first.layout(), first.process(), cells,
                        [&](const auto& local, const auto&) { at_first.push_back(local); });
    std::size_t i = 0;
    for_each_cell<rank>(second.layout(), second.process(), cells,
                        [&](const auto& local, const auto& global) {
                            ASSERT_LT(i, at_first.size());
                            check(element(first_host.view(), at_first[i++]),
                                  element(second_host.view(), local), global);
                            element(second_host.view(), local) = -1;
                        });
    EXPECT_EQ(i, at_first.size());
    Position<rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d)
        end[d] = second.layout().local_extents(second.process())[d];
    for_each_position(Position<rank>{}, end, [&](const Position<rank>& at) {
        EXPECT_EQ(element(second_host.view(), at), -1) << "written outside of the cells";
    });
}

template <int Rank, class FirstLayout, class SecondLayout>
void check_copy(Random& random, std::int64_t limit) {
    const Exec exec;
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    const auto [from, to] = random_layouts(random, Rank, limit, cells);
    SCOPED_TRACE(from.describe() + "\n" + to.describe());
    const auto source = make_section<float, Rank, FirstLayout>(from);
    const auto destination = make_section<double, Rank, SecondLayout>(to);
    set_cells(exec, source, cells, encoded<float, std::size_t{Rank}>, 0.f);
    set_section(exec, destination, [](const auto&) { return -1.0; });
    copy(exec, Array<const float, Rank, FirstLayout>(source), destination, cells);
    compare_cells(exec, source, destination, cells, [](float a, double b, const auto&) {
        EXPECT_GT(a, 0.f);
        EXPECT_EQ(static_cast<double>(a), b);
    });
}

} // namespace

TEST(Copy, between_paddings_types_and_orders_of_axes) {
    for_each_case(40, [](Random& random, std::uint64_t) {
        check_copy<1, Kokkos::LayoutRight, Kokkos::LayoutRight>(random, 100);
        check_copy<2, Kokkos::LayoutRight, Kokkos::LayoutLeft>(random, 15);
        check_copy<3, Kokkos::LayoutStride, Kokkos::LayoutRight>(random, 8);
    });
}

TEST(Copy, an_array_without_axes) {
    const Exec exec;
    const auto source = make_section<double, 0>(ArrayLayout());
    const auto destination = make_section<double, 0>(ArrayLayout());
    fill(exec, source, 4.0);
    fill(exec, destination, 1.0);
    copy(exec, source, destination);
    const auto copied = to_host(exec, destination);
    EXPECT_EQ(copied.view()(), 4.0);
}

TEST(Copy, refuses_arrays_with_other_cells) {
    const Exec exec;
    int n_ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const ProcessGrid grid{n_ranks};
    const auto refuses = [&](const AxisSpec& a, const AxisSpec& b, Cells cells) {
        const auto source = make_section<double, 1>({grid, {a}});
        const auto destination = make_section<double, 1>({grid, {b}});
        EXPECT_THROW(copy(exec, source, destination, cells), ShapeError);
    };
    refuses(block(8 * n_ranks), block(8 * n_ranks + 1), Cells::interior);
    refuses(block(8 * n_ranks), cyclic(8 * n_ranks), Cells::interior);
    if (n_ranks > 1) {
        std::vector<std::int64_t> bounds{0};
        for (int p = 1; p < n_ranks; ++p) bounds.push_back(8 * p - (p == 1 ? 1 : 0));
        bounds.push_back(8 * n_ranks);
        const auto source = make_section<double, 1>({grid, {block(8 * n_ranks)}});
        const auto destination = make_section<double, 1>({grid, {block_bounds(bounds)}});
        // A local check: only the two processes next to the moved bound have different cells.
        if (source.process() < 2) {
            EXPECT_THROW(copy(exec, source, destination), ShapeError);
        } else {
            EXPECT_NO_THROW(copy(exec, source, destination));
        }
        refuses(block_cyclic(8 * n_ranks, 2), cyclic(8 * n_ranks), Cells::interior);
    }
    std::vector<std::vector<std::int64_t>> labels(static_cast<std::size_t>(n_ranks));
    for (int p = 0; p < n_ranks; ++p) labels[static_cast<std::size_t>(p)] = {10 * p, 10 * p + 1};
    auto turned = labels;
    for (auto& list : turned) std::swap(list[0], list[1]);
    refuses(unstructured(labels), unstructured(turned), Cells::interior);

    const auto narrow = make_section<double, 1>({grid, {block(8, {.boundary = Widths(1)})}});
    const auto wide = make_section<double, 1>({grid, {block(8, {.boundary = Widths(2)})}});
    set_section(exec, narrow, [](const auto&) { return 0.0; });
    EXPECT_NO_THROW(copy(exec, narrow, wide, Cells::interior));
    if (narrow.process() == 0) {
        EXPECT_THROW(copy(exec, narrow, wide, Cells::owned), ShapeError);
    }
}

TEST(Copy, says_what_it_was_given) {
    const Exec exec;
    const Communicator self(MPI_COMM_SELF);
    const ArrayLayout blocks(ProcessGrid{1}, {block(8)});
    const ArrayLayout dealt(ProcessGrid{1}, {cyclic(8)});
    const Array<double, 1> a(exec, "a", blocks, 0);
    const Array<double, 1> b(exec, "b", dealt, 0);
    try {
        copy(exec, a, b);
        ADD_FAILURE() << "nothing thrown";
    } catch (const ShapeError& error) {
        EXPECT_STREQ(error.what(),
                     "copy: expected arrays with the same interior cells, got process 0 of a 1-d "
                     "array over a process grid of 1\n  axis 0: cyclic, 8 elements over 1 process"
                     "\nand process 0 of a 1-d array over a process grid of 1\n  axis 0: block, 8 "
                     "elements over 1 process"
                     "\nto align them: RedistributionPlan(comm, layout of 'a', layout of 'b')"
                     ".execute(exec, 'a', an array of the second layout)");
    }
    // Following the advice in the message works.
    fill(exec, a, 3.0);
    const Array<double, 1> aligned(exec, "aligned", dealt, 0);
    RedistributionPlan(self, blocks, dealt).execute(exec, a, aligned);
    copy(exec, aligned, b);
    EXPECT_EQ(sum(exec, self, b), 24.0);
}

namespace {

template <class T, int Rank, class LayoutX, class LayoutY>
void check_axpby(Random& random, std::int64_t limit) {
    const Exec exec;
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    const auto [x_layout, y_layout] = random_layouts(random, Rank, limit, cells);
    SCOPED_TRACE(x_layout.describe() + "\n" + y_layout.describe());
    const auto x = make_section<T, Rank, LayoutX>(x_layout);
    const auto y = make_section<T, Rank, LayoutY>(y_layout);
    const auto ready = [&] {
        // Small integers: every product and sum below is exact.
        set_cells(exec, x, cells, [](const auto& g) { return T(1 + (g[0] & 15)); }, T(-1));
        set_cells(exec, y, cells, [](const auto& g) { return T(2 + (g[0] & 7)); }, T(-1));
    };
    const auto old_y = [](const auto& g) { return T(2 + (g[0] & 7)); };

    ready();
    axpby(exec, T(3), x, T(2), y, cells);
    compare_cells(exec, x, y, cells, [&](T a, T b, const auto& global) {
        EXPECT_EQ(b, T(3) * a + T(2) * old_y(global));
    });
    ready();
    axpby(exec, T(-2), x, T(1), y, cells);
    compare_cells(exec, x, y, cells,
                  [&](T a, T b, const auto& global) { EXPECT_EQ(b, T(-2) * a + old_y(global)); });
    ready();
    scale(exec, T(5), y, cells);
    compare_cells(exec, x, y, cells,
                  [&](T, T b, const auto& global) { EXPECT_EQ(b, T(5) * old_y(global)); });
    // With beta = 0, y may contain anything.
    ready();
    set_cells(
        exec, y, cells,
        [](const auto&) {
            return std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN()
                                                         : T(99);
        },
        T(-1));
    axpby(exec, T(4), x, T(0), y, cells);
    compare_cells(exec, x, y, cells, [&](T a, T b, const auto&) { EXPECT_EQ(b, T(4) * a); });
}

} // namespace

TEST(Axpby, types_and_orders_of_axes) {
    for_each_case(30, [](Random& random, std::uint64_t) {
        check_axpby<double, 1, Kokkos::LayoutRight, Kokkos::LayoutRight>(random, 100);
        check_axpby<float, 2, Kokkos::LayoutLeft, Kokkos::LayoutRight>(random, 15);
        check_axpby<int, 3, Kokkos::LayoutRight, Kokkos::LayoutStride>(random, 6);
    });
}

TEST(Axpby, complex_and_in_place) {
    using Complex = Kokkos::complex<double>;
    const Exec exec;
    const auto y = make_section<Complex, 1>({ProcessGrid{1}, {block(5)}});
    fill(exec, y, Complex(1, 2));
    axpby(exec, Complex(0, 1), y, Complex(2), y); // (2 + i)(1 + 2i) = 5i
    const auto sum = to_host(exec, y);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(sum.view()(i), Complex(0, 5));
    scale(exec, Complex(0, 1), y);
    const auto scaled = to_host(exec, y);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(scaled.view()(i), Complex(-5, 0));
}

TEST(Axpby, scale_keeps_infinities) {
    const Exec exec;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto y = make_section<double, 1>({ProcessGrid{1}, {block(3)}});
    fill(exec, y, infinity);
    scale(exec, 2.0, y);
    const auto scaled = to_host(exec, y);
    EXPECT_EQ(scaled.view()(1), infinity);
}

TEST(Axpby, refuses_arrays_with_other_cells) {
    const Exec exec;
    const auto x = make_section<double, 1>({ProcessGrid{1}, {block(8)}});
    const auto y = make_section<double, 1>({ProcessGrid{1}, {block(9)}});
    EXPECT_THROW_ON_ALL_RANKS(axpby(exec, 1.0, x, 1.0, y), ShapeError,
                              "no redistribution aligns them: their extents differ");
    const auto z = make_section<double, 1>({ProcessGrid{1}, {cyclic(8)}});
    EXPECT_THROW_ON_ALL_RANKS(axpby(exec, 1.0, x, 1.0, z), ShapeError,
                              "to align them: RedistributionPlan(comm, layout of");
}

} // namespace distview::testing
