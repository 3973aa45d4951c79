// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise functions and reductions of several arrays that differ in padding, types and order of axes in memory.
#include "axis_fixture.hpp"

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview/algorithms/transform_reduce.hpp>
#include <distview/core/slice.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <variant>

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

/// Layouts of the same cells.
std::vector<ArrayLayout> random_layouts(Random& random, int n_dims, std::int64_t limit, Cells cells,
                                        int count) {
    const ProcessGrid grid(random_process_grid(random, world().size(), n_dims));
    std::vector<AxisSpec> axes;
    for (int d = 0; d < n_dims; ++d)
        axes.push_back(random_axis(random, grid.extent(d), limit, true));
    std::vector<ArrayLayout> layouts;
    const bool same = random.chance(0.3);
    for (int i = 0; i < count; ++i) {
        std::vector<AxisSpec> others;
        for (const AxisSpec& axis : axes)
            others.push_back(same ? axis : with_other_padding(random, axis, cells == Cells::owned));
        layouts.emplace_back(grid, others);
    }
    return layouts;
}

/// Small numbers that differ between arrays and between positions.
template <std::size_t Rank>
std::int64_t value_of(const std::array<std::int64_t, Rank>& g, int array) {
    std::int64_t value = 17 * array + 3;
    for (const std::int64_t i : g) value = (value * 31 + i + 40) % 1009;
    return value - 500;
}

struct Combine {
    KOKKOS_FUNCTION double operator()(float a, std::int64_t b, double c) const {
        return 2.0 * static_cast<double>(a) + static_cast<double>(b) * c;
    }
};
double combined(std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<double>(2 * a + b * c);
}
struct AddTo {
    KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
};
struct Product2 {
    KOKKOS_FUNCTION std::int64_t operator()(std::int64_t a, std::int32_t b) const { return a * b; }
};
struct Difference {
    KOKKOS_FUNCTION std::int64_t operator()(std::int64_t a, std::int32_t b) const { return a - b; }
};
struct IsLess {
    KOKKOS_FUNCTION bool operator()(std::int64_t a, std::int32_t b) const { return a < b; }
};
struct IsBelow {
    double bound;
    KOKKOS_FUNCTION bool operator()(double a) const { return a < bound; }
};

template <int Rank, class A, class B, class C, class To>
void check_transform(Random& random, std::int64_t limit) {
    const Exec exec;
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    const auto layouts = random_layouts(random, Rank, limit, cells, 4);
    SCOPED_TRACE(layouts[0].describe() + "\n" + layouts[3].describe());
    const auto a = make_section<float, Rank, A>(layouts[0]);
    const auto b = make_section<std::int64_t, Rank, B>(layouts[1]);
    const auto c = make_section<double, Rank, C>(layouts[2]);
    const auto to = make_section<double, Rank, To>(layouts[3]);
    set_cells(exec, a, cells, [](const auto& g) { return float(value_of(g, 0)); }, 1e9f);
    set_cells(exec, b, cells, [](const auto& g) { return value_of(g, 1); }, 1000000);
    set_cells(exec, c, cells, [](const auto& g) { return double(value_of(g, 2)); }, 1e9);
    set_section(exec, to, [](const auto&) { return -0.5; });

    transform(exec, cells, to, Combine(), Array<const float, Rank, A>(a), b, c);

    auto host = to_host(exec, to);
    for_each_cell<Rank>(to.layout(), to.process(), cells, [&](const auto& local, const auto& g) {
        EXPECT_EQ(element(host.view(), local),
                  combined(value_of(g, 0), value_of(g, 1), value_of(g, 2)));
        element(host.view(), local) = -0.5;
    });
    Position<Rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d)
        end[d] = to.layout().local_extents(to.process())[d];
    for_each_position(Position<Rank>{}, end, [&](const Position<Rank>& at) {
        EXPECT_EQ(element(host.view(), at), -0.5) << "written outside of the cells";
    });
}

template <int Rank, class A, class B>
void check_reductions(Random& random, std::int64_t limit) {
    const Exec exec;
    const Cells cells = random.chance(0.5) ? Cells::interior : Cells::owned;
    const auto layouts = random_layouts(random, Rank, limit, cells, 2);
    SCOPED_TRACE(layouts[0].describe() + "\n" + layouts[1].describe());
    const Communicator comm = communicator_of(layouts[0]);
    const auto a = make_section<std::int64_t, Rank, A>(layouts[0]);
    const auto b = make_section<std::int32_t, Rank, B>(layouts[1]);
    set_cells(exec, a, cells, [](const auto& g) { return value_of(g, 0); }, 1 << 30);
    set_cells(exec, b, cells, [](const auto& g) { return std::int32_t(value_of(g, 1)); }, 1 << 20);
    std::int64_t expected_sum = 0;
    std::int64_t expected_most = std::numeric_limits<std::int64_t>::lowest();
    for_each_cell_of_all<Rank>(layouts[0], cells, [&](int, const auto& g) {
        expected_sum += value_of(g, 0) * value_of(g, 1);
        expected_most = std::max(expected_most, value_of(g, 0) - value_of(g, 1));
    });
    std::int64_t total = 99; // the initial value must not count
    std::int64_t most = 99;
    transform_reduce(exec, comm, cells, total, Product2(), a, b);
    transform_reduce(exec, comm, cells, Kokkos::Max<std::int64_t>(most), Difference(), a, b);
    EXPECT_EQ(total, expected_sum);
    EXPECT_EQ(most, expected_most);

    std::int64_t n_cells = 0;
    std::int64_t n_less = 0;
    for_each_cell_of_all<Rank>(layouts[0], Cells::interior, [&](int, const auto& g) {
        ++n_cells;
        n_less += value_of(g, 0) < value_of(g, 1) ? 1 : 0;
    });
    set_cells(exec, a, Cells::interior, [](const auto& g) { return value_of(g, 0); }, -100000);
    set_cells(
        exec, b, Cells::interior, [](const auto& g) { return std::int32_t(value_of(g, 1)); },
        100000);
    EXPECT_EQ(count_if(exec, comm, IsLess(), a, b), n_less);
    EXPECT_EQ(any_of(exec, comm, IsLess(), a, b), n_less > 0);
    EXPECT_EQ(all_of(exec, comm, IsLess(), a, b), n_less == n_cells);
}

} // namespace

TEST(Transform, of_three_arrays_of_any_layout) {
    for_each_case(campaign_cases(60), [](Random& random, std::uint64_t) {
        check_transform<1, Kokkos::LayoutRight, Kokkos::LayoutLeft, Kokkos::LayoutStride,
                        Kokkos::LayoutRight>(random, 60);
        check_transform<2, Kokkos::LayoutRight, Kokkos::LayoutRight, Kokkos::LayoutRight,
                        Kokkos::LayoutRight>(random, 15);
        check_transform<3, Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride,
                        Kokkos::LayoutLeft>(random, 8);
    });
}

TEST(Transform, the_target_may_be_a_source) {
    const Exec exec;
    const ArrayLayout layout(ProcessGrid{world().size(), 1},
                             {block(40, {.padding = 1}), block(9, {.padding = 2})});
    const auto u = make_section<double, 2>(layout);
    set_cells(exec, u, Cells::interior, [](const auto& g) { return double(value_of(g, 0)); }, 7);
    transform(exec, u, AddTo(), u, u);
    const auto host = to_host(exec, u);
    for_each_cell<2>(layout, u.process(), Cells::interior, [&](const auto& at, const auto& g) {
        EXPECT_EQ(element(host.view(), at), 2.0 * double(value_of(g, 0)));
    });
}

TEST(Transform, spreads_an_axis_of_one_cell_over_the_others) {
    for_each_case(campaign_cases(40), [](Random& random, std::uint64_t) {
        const Exec exec;
        const ArrayLayout layout = random_layout(random, 3, 8, true);
        const int axis = static_cast<int>(random.integer(0, 3));
        const auto small = reduced_layout(layout, axis, AxisResult::everywhere);
        SCOPED_TRACE(layout.describe() + "\n" + small.describe());
        const auto u = make_section<double, 3>(layout);
        const auto m = make_section<double, 3, Kokkos::LayoutLeft>(small);
        set_cells(
            exec, u, Cells::interior, [](const auto& g) { return double(value_of(g, 0)); }, 7.0);
        set_cells(
            exec, m, Cells::interior, [](const auto& g) { return double(value_of(g, 1)); }, 7.0);
        transform(exec, u, AddTo(), u, m);
        const auto host = to_host(exec, u);
        for_each_cell<3>(layout, u.process(), Cells::interior, [&](const auto& at, const auto& g) {
            auto in_small = g;
            in_small[static_cast<std::size_t>(axis)] = 0;
            EXPECT_EQ(element(host.view(), at), double(value_of(g, 0) + value_of(in_small, 1)));
        });
    });
}

TEST(Transform, names_both_layouts_and_the_plan_that_aligns_them) {
    const Exec exec;
    const int n_ranks = world().size();
    if (n_ranks == 1) return;
    const auto u = make_section<double, 1>({ProcessGrid{n_ranks}, {block(40)}});
    const auto v = make_section<double, 1>({ProcessGrid{n_ranks}, {cyclic(40)}});
    const auto w = make_section<double, 1>({ProcessGrid{n_ranks}, {block(41)}});
    const auto m = make_section<double, 1>({ProcessGrid{n_ranks}, {block(1)}});
    const auto message = [&](const auto& from) {
        try {
            transform(exec, u, AddTo(), u, from);
        } catch (const ShapeError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    const std::string cyclic_text = message(v);
    EXPECT_NE(cyclic_text.find(u.layout().describe()), std::string::npos) << cyclic_text;
    EXPECT_NE(cyclic_text.find(v.layout().describe()), std::string::npos) << cyclic_text;
    EXPECT_NE(cyclic_text.find("RedistributionPlan(comm, layout of"), std::string::npos)
        << cyclic_text;
    EXPECT_NE(message(w).find("their extents differ"), std::string::npos) << message(w);
    if (world().rank() == 0)
        EXPECT_EQ(message(m), "no error");
    else
        EXPECT_NE(message(m).find("AxisResult::everywhere"), std::string::npos) << message(m);
}

TEST(Transform, is_one_labelled_kernel) {
    const Exec exec;
    const auto u = make_section<double, 2>({ProcessGrid{world().size(), 1}, {block(40), block(9)}});
    const KokkosEvents events;
    transform(exec, u, AddTo(), u, u);
    ASSERT_EQ(events.kernels().size(), 1u);
    EXPECT_EQ(events.kernels()[0].label, "distview::transform");
}

TEST(TransformReduce, and_predicates_of_two_arrays_of_any_layout) {
    for_each_case(campaign_cases(40), [](Random& random, std::uint64_t) {
        check_reductions<1, Kokkos::LayoutRight, Kokkos::LayoutLeft>(random, 60);
        check_reductions<2, Kokkos::LayoutStride, Kokkos::LayoutRight>(random, 15);
        check_reductions<3, Kokkos::LayoutLeft, Kokkos::LayoutLeft>(random, 7);
    });
}

TEST(TransformReduce, of_no_cells_is_neutral) {
    const Exec exec;
    const Communicator comm = world();
    const auto u = make_section<double, 1>({ProcessGrid{comm.size()}, {block(0)}});
    double total = 3;
    double least = 3;
    transform_reduce(exec, comm, total, AddTo(), u, u);
    transform_reduce(exec, comm, Kokkos::Min<double>(least), AddTo(), u, u);
    EXPECT_EQ(total, 0);
    EXPECT_EQ(least, Kokkos::reduction_identity<double>::min());
    EXPECT_EQ(count_if(exec, comm, IsBelow{1}, u), 0);
    EXPECT_FALSE(any_of(exec, comm, IsBelow{1}, u));
    EXPECT_TRUE(all_of(exec, comm, IsBelow{1}, u));
}

// Otherwise the order of writes would determine the result.
TEST(Transform, refuses_slices_that_overlap) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(2 * comm.size()), block(6)});
    const auto u = make_section<double, 2>(layout);
    set_cells(exec, u, Cells::interior, [](const auto& g) { return double(g[1]); }, 0.0);
    const AxisSlice all{0, -1};
    const auto first = slice(u, {all, {0, 1}});
    const auto left = slice(u, {all, {0, 5}});
    const auto right = slice(u, {all, {1, 5}});
    const char* const expected =
        "expected written cells that do not overlap other cells that are read";
    EXPECT_THROW_ON_ALL_RANKS(transform(exec, u, AddTo(), u, first), UsageError, expected);
    EXPECT_THROW_ON_ALL_RANKS(transform(exec, right, AddTo(), right, left), UsageError, expected);
    EXPECT_THROW_ON_ALL_RANKS(copy(exec, left, right), UsageError, expected);
    EXPECT_THROW_ON_ALL_RANKS(axpby(exec, 1, left, 2, right), UsageError, expected);
    // Permitted: cells in each other's gaps, and identical cells.
    const auto even = slice(u, {all, {0, 3, 2}});
    const auto odd = slice(u, {all, {1, 3, 2}});
    transform(exec, even, AddTo(), even, odd);
    copy(exec, even, odd);
    copy(exec, left, left);
    axpby(exec, 2, right, 1, right);
    transform(exec, u, AddTo(), u, u);
    const auto host = to_host(exec, u);
    for_each_cell<2>(layout, u.process(), Cells::interior, [&](const auto& local, const auto& g) {
        const double pair = double(4 * (g[1] / 2) + 1);
        EXPECT_EQ(element(host.view(), local), g[1] == 0 ? 2 * pair : 6 * pair);
    });
}

TEST(TransformReduce, is_repeatable) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(50000)});
    const auto u = make_section<double, 1>(layout);
    set_cells(exec, u, Cells::interior, [](const auto& g) { return 1.0 / double(g[0] + 1); }, 0.0);
    double first = 0;
    transform_reduce(exec, comm, first, AddTo(), u, u);
    for (int time = 0; time < 3; ++time) {
        double again = 0;
        transform_reduce(exec, comm, again, AddTo(), u, u);
        EXPECT_TRUE(bits_equal(again, first));
    }
    EXPECT_NEAR(first, 2 * sum(exec, comm, u), 1e-11);
}

TEST(TransformReduce, differences_between_ranks_are_errors_of_all) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) return;
    const auto u = make_section<double, 1>({ProcessGrid{comm.size()}, {block(40)}});
    const auto v = make_section<double, 1>({ProcessGrid{comm.size()}, {cyclic(40)}});
    double total = 0;
    EXPECT_THROW_ON_ALL_RANKS(
        transform_reduce(exec, comm, total, AddTo(), u, comm.rank() == 1 ? v : u), ShapeError,
        "to align them: RedistributionPlan(comm, layout of");
}

} // namespace distview::testing
