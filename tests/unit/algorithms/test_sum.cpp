// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms/sum.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

namespace distview::testing {

namespace {

template <class Number>
Number conjugate(const Number& a) {
    if constexpr (requires { a.imag(); })
        return Number(a.real(), -a.imag());
    else
        return a;
}

/// Integers of both signs, computed from the global position: their sums are exact in any order.
template <class T, std::size_t Rank>
T whole_number(const std::array<std::int64_t, Rank>& g) {
    std::int64_t value = 3;
    for (const std::int64_t i : g) value = value * 31 + i;
    value = ((value % 101) + 101) % 101;
    if constexpr (std::is_unsigned_v<T>)
        return static_cast<T>(value);
    else if constexpr (requires(T z) { z.real(); })
        return T(static_cast<typename T::value_type>(value - 50),
                 static_cast<typename T::value_type>(value % 7 - 3));
    else
        return static_cast<T>(value - 50);
}

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
void check_sum_and_dot(Random& random, std::int64_t limit) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit, true);
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<T, Rank, Layout>(layout);
    const auto y = make_section<T, Rank>(layout);
    for (const Cells cells : {Cells::interior, Cells::owned}) {
        // Elements outside the cells must not count.
        set_cells(exec, x, cells, whole_number<T, std::size_t{Rank}>, T(77));
        set_cells(
            exec, y, cells, [](const auto& g) { return static_cast<T>(whole_number<T>(g) + T(1)); },
            T(77));
        SumType<T> total(0);
        SumType<T> product(0);
        for_each_cell_of_all<Rank>(layout, cells, [&](int, const auto& g) {
            const SumType<T> a(whole_number<T>(g));
            const SumType<T> b(whole_number<T>(g) + T(1));
            total += a;
            product += conjugate(a) * b;
        });
        EXPECT_EQ(sum(exec, comm, x, cells), total);
        EXPECT_EQ(dot(exec, comm, x, y, cells), product);
    }
}

} // namespace

TEST(Sum, double_of_any_layout) {
    for_each_case(30, [](Random& random, std::uint64_t) {
        check_sum_and_dot<double, 1>(random, 300);
        check_sum_and_dot<double, 2>(random, 40);
        check_sum_and_dot<double, 2, Kokkos::LayoutLeft>(random, 20);
        check_sum_and_dot<double, 2, Kokkos::LayoutStride>(random, 20);
        check_sum_and_dot<double, 3>(random, 10);
    });
}
TEST(Sum, other_types) {
    for_each_case(15, [](Random& random, std::uint64_t) {
        check_sum_and_dot<float, 2>(random, 20);
        check_sum_and_dot<int, 2>(random, 20);
        check_sum_and_dot<std::int64_t, 1>(random, 100);
        check_sum_and_dot<std::uint32_t, 1>(random, 100);
        check_sum_and_dot<signed char, 1>(random, 100);
        check_sum_and_dot<Kokkos::complex<double>, 2>(random, 20);
        check_sum_and_dot<std::complex<float>, 1>(random, 100);
    });
}
TEST(Sum, other_ranks) {
    for_each_case(10, [](Random& random, std::uint64_t) {
        check_sum_and_dot<double, 0>(random, 1);
        check_sum_and_dot<double, 4>(random, 5);
        check_sum_and_dot<double, 6>(random, 3);
    });
}

// The device's code with one thread per cell gives the same result on host threads.
TEST(CellReduction, adds_up_every_cell) {
    for_each_case(20, [](Random& random, std::uint64_t) {
        const Exec exec;
        const ArrayLayout layout = random_layout(random, 2, 20);
        const auto x = make_section<double, 2, Kokkos::LayoutLeft>(layout);
        set_cells(exec, x, Cells::interior, whole_number<double, 2>, 77.0);
        double expected = 0;
        for_each_cell<2>(layout, x.process(), Cells::interior,
                         [&](const auto&, const auto& g) { expected += whole_number<double>(g); });

        using Reduction =
            distview::impl::SumReduction<Array<double, 2, Kokkos::LayoutLeft>::view_type>;
        double total = -1;
        const auto launch = [&]<class Walk>(const Walk& walk) {
            static_assert(std::is_same_v<typename Walk::index_type, int> ||
                          std::is_same_v<typename Walk::index_type, std::int64_t>);
            Kokkos::parallel_reduce(
                "distview::testing::cells", distview::impl::cell_policy<int>(exec, walk.count()),
                distview::impl::CellReduction<Walk, Reduction, int>{walk, Reduction(x.view())},
                total);
        };
        distview::impl::with_cell_walk<Reduction, true>(
            "CellReduction", x, distview::impl::cell_box(x, Cells::interior), launch);
        EXPECT_EQ(total, expected);
    });
}

TEST(Sum, of_no_cells_is_zero) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 2>({ProcessGrid{comm.size(), 1}, {block(0), block(5)}});
    EXPECT_EQ(sum(exec, comm, x), 0.0);
    EXPECT_EQ(dot(exec, comm, x, x), 0.0);
}

TEST(Sum, more_ranks_than_cells) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<int, 1>({ProcessGrid{comm.size()}, {block(1, {.padding = 0})}});
    set_section(exec, x, [](const auto&) { return 5; });
    EXPECT_EQ(sum(exec, comm, x), 5);
    EXPECT_EQ(dot(exec, comm, x, x), 25);
}

TEST(Sum, boundary_padding_of_a_periodic_axis_counts_twice) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>(
        {ProcessGrid{comm.size()}, {block(8 * comm.size(), {.padding = 1, .periodic = true})}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    EXPECT_EQ(sum(exec, comm, x), 8.0 * comm.size());
    EXPECT_EQ(sum(exec, comm, x, Cells::owned), 8.0 * comm.size() + 2);
}

TEST(Sum, const_views_and_other_padding) {
    const Exec exec;
    const Communicator comm = world();
    const ProcessGrid grid{comm.size()};
    const auto x = make_section<double, 1>({grid, {block(20, {.padding = 2, .boundary = 1})}});
    const auto y = make_section<double, 1>({grid, {block(20, {.padding = 0, .boundary = 3})}});
    set_cells(exec, x, Cells::interior, [](const auto& g) { return double(g[0]); }, 1e9);
    set_cells(exec, y, Cells::interior, [](const auto& g) { return double(g[0]); }, 1e9);
    const Array<const double, 1> cx = x;
    EXPECT_EQ(sum(exec, comm, cx), 190.0);
    EXPECT_EQ(dot(exec, comm, cx, y), 2470.0); // sum of i^2, i < 20
    EXPECT_EQ(dot(exec, comm, y, cx), 2470.0);
}

TEST(Sum, floats_add_up_in_double) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<float, 1>({ProcessGrid{comm.size()}, {block(100'000)}});
    set_section(exec, x, [](const auto&) { return 16777217.f * 3; });
    EXPECT_EQ(sum(exec, comm, x), 100'000 * double(16777217.f * 3));
}

TEST(Sum, integers_are_exact_modulo_2_64) {
    const Exec exec;
    const Communicator comm = world();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto x = make_section<std::int64_t, 1>({ProcessGrid{comm.size()}, {block(4)}});
    set_cells(
        exec, x, Cells::interior,
        [](const auto& g) {
            return g[0] == 0 ? most : g[0] == 1 ? 5 : g[0] == 2 ? -7 : 0;
        },
        std::int64_t{0});
    EXPECT_EQ(sum(exec, comm, x), most - 2);
    const auto y = make_section<int, 1>({ProcessGrid{comm.size()}, {block(3)}});
    set_section(exec, y, [](const auto&) { return std::numeric_limits<int>::min(); });
    EXPECT_EQ(sum(exec, comm, y), -3 * (std::int64_t{1} << 31));
    // 3 * 2^62 modulo 2^64
    EXPECT_EQ(dot(exec, comm, y, y), -(std::int64_t{1} << 62));
}

TEST(Sum, nan_stays) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(50)}});
    set_cells(
        exec, x, Cells::interior,
        [](const auto& g) { return g[0] == 33 ? std::numeric_limits<double>::quiet_NaN() : 1.0; },
        0.0);
    EXPECT_TRUE(std::isnan(sum(exec, comm, x)));
    EXPECT_TRUE(std::isnan(dot(exec, comm, x, x)));
}

TEST(Sum, takes_one_collective_call) {
    const Exec exec;
    const Communicator comm = world();
    const auto x = make_section<double, 1>({ProcessGrid{comm.size()}, {block(50)}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    MpiCounters counters;
    const double total = sum(exec, comm, x);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(total, 50.0);
    EXPECT_EQ(traffic.collective_calls(), 1);
    EXPECT_EQ(traffic.sent_total().messages, 0);
}

TEST(Sum, wrong_use_throws_on_all_ranks) {
    const Exec exec;
    const Communicator comm = world();
    const ProcessGrid grid{comm.size()};
    const auto x = make_section<double, 1>({grid, {block(8)}});
    set_section(exec, x, [](const auto&) { return 1.0; });
    if (comm.size() > 1) {
        const auto small = make_section<double, 1>({ProcessGrid{1}, {block(8)}});
        EXPECT_THROW_ON_ALL_RANKS(sum(exec, comm, small), UsageError,
                                  "sum: expected the section of process 0 of");

        // Only the last rank passes another array.
        const bool last = comm.rank() == comm.size() - 1;
        const auto other = make_section<double, 1>({grid, {last ? block(9) : block(8)}});
        EXPECT_THROW_ON_ALL_RANKS(sum(exec, comm, other), UsageError,
                                  "sum: expected the same arguments on all ranks");
        EXPECT_THROW_ON_ALL_RANKS(sum(exec, comm, x, last ? Cells::owned : Cells::interior),
                                  UsageError, "sum: expected the same arguments on all ranks");

        // Only the processes next to the moved bound have different cells.
        std::vector<std::int64_t> bounds{0};
        for (int p = 1; p <= comm.size(); ++p) bounds.push_back(p == comm.size() ? 8 : 0);
        const auto moved = make_section<double, 1>({grid, {block_bounds(bounds)}});
        EXPECT_THROW_ON_ALL_RANKS(dot(exec, comm, x, moved), ShapeError,
                                  "dot: expected arrays with the same interior cells");
        EXPECT_THROW_ON_ALL_RANKS(dot(exec, comm, x, moved), ShapeError,
                                  "to align them: RedistributionPlan(comm, layout of");
    }
    const auto longer = make_section<double, 1>({grid, {block(9)}});
    EXPECT_THROW_ON_ALL_RANKS(dot(exec, comm, x, longer), ShapeError,
                              "dot: expected arrays with the same interior cells");
    EXPECT_THROW_ON_ALL_RANKS(dot(exec, comm, x, longer), ShapeError,
                              "no redistribution aligns them: their extents differ");
    EXPECT_EQ(sum(exec, comm, x), 8.0) << "usable after errors";
}

} // namespace distview::testing
