// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions by functors of the program: several results of any Kokkos reducers in one pass.
#include "sections.hpp"

#include <distview/algorithms/reduce.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace distview::testing {

namespace {

// The functors add a cell's value to a sum, a greatest value, and the least value with its position along axis 0.

using Least = Kokkos::MinLoc<std::int64_t, std::int64_t, Kokkos::HostSpace>;

struct TakeIn1 {
    Array<std::int64_t, 1>::view_type view;
    KOKKOS_FUNCTION void operator()(int i, std::int64_t& sum, std::int64_t& greatest,
                                    Least::value_type& least) const {
        sum += view(i);
        greatest = Kokkos::max(greatest, view(i));
        if (view(i) < least.val) least = {view(i), i};
    }
};
struct TakeIn2 {
    Array<std::int64_t, 2, Kokkos::LayoutStride>::view_type view;
    KOKKOS_FUNCTION void operator()(int i, int j, std::int64_t& sum, std::int64_t& greatest,
                                    Least::value_type& least) const {
        sum += view(i, j);
        greatest = Kokkos::max(greatest, view(i, j));
        if (view(i, j) < least.val) least = {view(i, j), i};
    }
};
struct TakeIn3 {
    Array<std::int64_t, 3, Kokkos::LayoutLeft>::view_type view;
    KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                                    std::int64_t& sum, std::int64_t& greatest,
                                    Least::value_type& least) const {
        sum += view(i, j, k);
        greatest = Kokkos::max(greatest, view(i, j, k));
        if (view(i, j, k) < least.val) least = {view(i, j, k), i};
    }
};

struct AddUp {
    Array<double, 1>::view_type view;
    KOKKOS_FUNCTION void operator()(int i, double& sum) const { sum += view(i); }
};
template <class T>
struct CountCells {
    KOKKOS_FUNCTION void operator()(int, T& count) const { count += 1; }
};
struct SetBoth {
    KOKKOS_FUNCTION void operator()(int, double& a, double& b) const { a = b = 7; }
};

/// All values differ, and have no order.
template <std::size_t Rank>
std::int64_t value_of(const std::array<std::int64_t, Rank>& g) {
    std::int64_t value = 1;
    for (const std::int64_t i : g) value = value * 1009 + i + 50;
    return value % 1000003 - 500000;
}

template <int Rank, class Layout, class Functor>
void check(Random& random, std::int64_t limit) {
    const Exec exec;
    const ArrayLayout layout = random_layout(random, Rank, limit);
    SCOPED_TRACE(layout.describe());
    const Communicator comm = communicator_of(layout);
    const auto x = make_section<std::int64_t, Rank, Layout>(layout);
    for (const Cells cells : {Cells::interior, Cells::owned}) {
        // Elements outside the cells must not count.
        set_cells(
            exec, x, cells, [](const auto& g) { return value_of(g); },
            std::numeric_limits<std::int64_t>::max() / 2);
        std::int64_t expected_sum = 0;
        std::int64_t expected_greatest = std::numeric_limits<std::int64_t>::lowest();
        std::int64_t expected_least = std::numeric_limits<std::int64_t>::max();
        for_each_cell_of_all<Rank>(layout, cells, [&](int, const auto& g) {
            expected_sum += value_of(g);
            expected_greatest = std::max(expected_greatest, value_of(g));
            expected_least = std::min(expected_least, value_of(g));
        });
        std::int64_t total = 99; // the initial value must not count
        std::int64_t greatest = 99;
        Least::value_type least{};
        reduce(exec, comm, x, cells, Functor{x.view()}, total, Kokkos::Max<std::int64_t>(greatest),
               Least(least));
        EXPECT_EQ(total, expected_sum);
        EXPECT_EQ(greatest, expected_greatest);
        EXPECT_EQ(least.val, expected_least);
    }
}

} // namespace

TEST(Reduce, several_results_of_any_layout) {
    for_each_case(30, [](Random& random, std::uint64_t) {
        check<1, Kokkos::LayoutRight, TakeIn1>(random, 300);
        check<2, Kokkos::LayoutStride, TakeIn2>(random, 40);
        check<3, Kokkos::LayoutLeft, TakeIn3>(random, 10);
    });
}

// Partial sums of doubles are combined in one fixed order: the bits are the same each time.
TEST(Reduce, is_repeatable) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(100000)});
    const auto x = make_section<double, 1>(layout);
    set_cells(exec, x, Cells::interior, [](const auto& g) { return 1.0 / double(g[0] + 1); }, 0.0);
    double first = 0;
    for (int time = 0; time < 5; ++time) {
        double total = 0;
        reduce(exec, comm, x, AddUp{x.view()}, total);
        if (time == 0) first = total;
        EXPECT_EQ(total, first);
    }
    EXPECT_NEAR(first, sum(exec, comm, x), 1e-12);
}

TEST(Reduce, of_no_cells_is_neutral) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(0)});
    const auto x = make_section<double, 1>(layout);
    double total = 3;
    double most = 3;
    reduce(exec, comm, x, SetBoth(), total, Kokkos::Max<double>(most));
    EXPECT_EQ(total, 0);
    EXPECT_EQ(most, Kokkos::reduction_identity<double>::max());
}

TEST(Reduce, results_that_differ_between_ranks_are_an_error_of_all) {
    const Exec exec;
    const Communicator comm = world();
    if (comm.size() == 1) return;
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(100)});
    const auto x = make_section<double, 1>(layout);
    double total = 0;
    float small = 0;
    const auto call = [&] {
        if (comm.rank() == 1)
            reduce(exec, comm, x, CountCells<float>(), small);
        else
            reduce(exec, comm, x, CountCells<double>(), total);
    };
    EXPECT_THROW_ON_ALL_RANKS(call(), UsageError,
                              "size of the results is 4 bytes on rank 1, 8 bytes on rank 0");
}

TEST(Reduce, is_one_kernel) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(100 * comm.size())});
    const auto x = make_section<double, 1>(layout);
    double total = 0;
    const KokkosEvents events;
    reduce(exec, comm, x, CountCells<double>(), total);
    ASSERT_EQ(events.kernels().size(), 1u);
    EXPECT_EQ(events.kernels()[0].label, "distview::reduce");
    EXPECT_EQ(total, 100.0 * comm.size());
}

} // namespace distview::testing
