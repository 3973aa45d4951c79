// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redistributions as programs use them; for random cases see test_redistribution_plan_any.cpp.
#include "redistribution_fixture.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

TEST_F(RedistributionPlans, MoveBlocksToBlockCycles) {
    const Matrix a = make_numbered(rows_split(37, 53));
    const Matrix b = make(columns_split(37, 53));
    RedistributionPlan plan(comm, a.layout(), b.layout());
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
}

TEST_F(RedistributionPlans, TransposeAndScale) {
    const Matrix a = make_numbered(rows_split(37, 53));
    const Matrix c = make(columns_split(53, 37));
    RedistributionPlan transpose(comm, a.layout(), c.layout(), {.permutation = {1, 0}});
    transpose.execute(exec, a, c);
    EXPECT_EQ(not_transposed(c), 0);
    transpose.execute(exec, 2., a, 3., c);
    EXPECT_EQ(not_transposed(c, 5), 0);
    // Two factors, of types other than the elements'.
    transpose.execute(exec, 2, a, 0.5, c);
    EXPECT_EQ(not_transposed(c, 4.5), 0);
    transpose.execute(exec, 1, a, 0, c);
    transpose.combine(exec, Minimum{}, a, c);
    EXPECT_EQ(not_transposed(c), 0);
}

// A redistribution and its reverse give the same bits, whatever layout lies between.
TEST_F(RedistributionPlans, ThereAndBackIsTheIdentity) {
    const ArrayLayout from = rows_split(41, 29);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < 41; ++i)
        lists[static_cast<std::size_t>(i * 7 % n)].push_back(40 - i);
    const std::vector<ArrayLayout> others{
        columns_split(41, 29),
        {ProcessGrid{n, 1}, {unstructured(lists), block(29)}},
        {ProcessGrid{n, 1}, {cyclic(41), block(29, {.padding = 2})}}};
    const Matrix a = make(from);
    for_each(a, [](double& value, std::int64_t i, std::int64_t j) {
        value = std::sin(static_cast<double>(29 * i + j));
    });
    for (const ArrayLayout& to : others) {
        const Matrix b = make(to);
        const Matrix back = make(from);
        RedistributionPlan(comm, from, to).execute(exec, a, b);
        RedistributionPlan(comm, to, from).execute(exec, b, back);
        EXPECT_EQ(
            wrong(back, [](std::int64_t i,
                           std::int64_t j) { return std::sin(static_cast<double>(29 * i + j)); }),
            0);
    }
}

// sum over all y * (R x) = sum over all x * (R^T y) for plans of both directions; integers, so sums
// are exact in any order.
TEST_F(RedistributionPlans, PlansOfBothDirectionsAreAdjoint) {
    const ArrayLayout from = rows_split(23, 31), to = columns_split(31, 23);
    const Matrix x = make_numbered(from), y = make(to);
    for_each(y, [](double& value, std::int64_t i, std::int64_t j) {
        value = static_cast<double>((7 * i + 3 * j) % 11);
    });
    const auto dot = [&](const Matrix& a, const Matrix& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.view().extent(0); ++i)
            for (std::size_t j = 0; j < a.view().extent(1); ++j)
                sum += a.view()(i, j) * b.view()(i, j);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.mpi());
        return sum;
    };
    // From a slice of columns to a slice of rows.
    const RedistributionOptions forth{.permutation = {1, 0},
                                      .from_slice = {{0, 23, 1}, {30, 10, -3}},
                                      .to_slice = {{2, 10, 2}, {22, 23, -1}}};
    const RedistributionOptions back{
        .permutation = {1, 0}, .from_slice = forth.to_slice, .to_slice = forth.from_slice};
    const Matrix moved = make(to), returned = make(from);
    RedistributionPlan(comm, from, to, forth).execute(exec, x, moved);
    RedistributionPlan(comm, to, from, back).execute(exec, y, returned);
    EXPECT_GT(dot(y, moved), 0);
    EXPECT_EQ(dot(y, moved), dot(x, returned));
}

// Several arrays of several types are moved together.
TEST_F(RedistributionPlans, TakeManyArrays) {
    const ArrayLayout from = rows_split(19, 12), to = columns_split(19, 12);
    const Matrix a = make_numbered(from), b = make(to);
    const auto u = make_dist_view<int**>(exec, "u", comm, from);
    const auto v = make_dist_view<float**>(exec, "v", comm, to);
    Kokkos::deep_copy(u.view(), 17);
    const TransportSetting setting(distview::impl::on_device<Exec> ? Transport::staged
                                                                   : Transport::message);
    RedistributionPlan plan(comm, from, to);
    for (int round = 0; round < 3; ++round) {
        MpiCounters counters;
        plan.execute(exec, std::tie(a, u), std::tie(b, v));
        const MpiTraffic traffic = counters.stop();
        std::int64_t messages = 0;
        for (const auto& [rank, count] : traffic.sent) messages += count.messages;
        if (round > 0) {
            EXPECT_EQ(messages, static_cast<std::int64_t>(plan.send_peers().size()));
        }
    }
    EXPECT_EQ(not_numbered(b), 0);
    int others = 0;
    for (std::size_t i = 0; i < v.view().extent(0); ++i)
        for (std::size_t j = 0; j < v.view().extent(1); ++j) others += v.view()(i, j) != 17;
    EXPECT_EQ(others, 0);
}

TEST_F(RedistributionPlans, TakeArraysOfTypesKnownAtRunTime) {
    const ArrayLayout from = rows_split(19, 12), to = columns_split(19, 12);
    const Matrix a = make_numbered(from), b = make(to);
    RedistributionPlan plan(comm, from, to);
    plan.execute(exec, AnyDistView(a), AnyDistView(b));
    EXPECT_EQ(not_numbered(b), 0);
    const auto f = make_dist_view<float**>(exec, "f", comm, to);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, AnyDistView(a), AnyDistView(f)), ShapeError,
                              "source 0 and target 0 differ in element type");
    // This also holds if the same arrays are bound for a conversion.
    plan.execute(exec, a, f);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, AnyDistView(a), AnyDistView(f)), ShapeError,
                              "source 0 and target 0 differ in element type");
}

TEST_F(RedistributionPlans, DoNotWriteAReadOnlyViewOfABoundTarget) {
    const ArrayLayout from = rows_split(19, 12), to = columns_split(19, 12);
    const Matrix a = make_numbered(from), b = make(to);
    RedistributionPlan plan(comm, from, to);
    plan.execute(exec, AnyDistView(a), AnyDistView(b));
    Kokkos::deep_copy(exec, b.view(), 0);
    const DistView<const double**> fixed = b;
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, AnyDistView(a), AnyDistView(fixed)), ShapeError,
                              "target 0 is read-only");
    for (std::size_t i = 0; i < b.view().size(); ++i) EXPECT_EQ(b.view().data()[i], 0);
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
}

TEST_F(RedistributionPlans, BindArraysOfTypesKnownAtRunTime) {
    const ArrayLayout from = rows_split(19, 12), to = columns_split(19, 12);
    const Matrix a = make_numbered(from), b = make(to);
    const AnyDistView source(a), target(b);
    RedistributionPlan plan(comm, from, to);
    EXPECT_EQ(plan.describe().find("bound set"), std::string::npos);
    plan.bind(exec, source, target);
    plan.bind(exec, source.section().element, &source, &target);
    plan.execute(exec, source, target);
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
    EXPECT_NE(plan.describe().find("bound set 0 of 2 arrays:"), std::string::npos);
    EXPECT_EQ(plan.describe().find("bound set 1"), std::string::npos);
    EXPECT_EQ(plan.communicator().size(), comm.size());
    EXPECT_TRUE(plan.is_usable());
}

TEST_F(RedistributionPlans, StartWithTypesKnownAtRunTime) {
    const ArrayLayout from = rows_split(19, 12), to = columns_split(19, 12);
    const Matrix a = make_numbered(from), b = make(to);
    const AnyDistView source(a), target(b);
    RedistributionPlan plan(comm, from, to);
    plan.start(exec, source.section().element, &source, &target, [&](auto handle) {
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, source, target), UsageError, "in flight");
        handle.finish();
    });
    EXPECT_EQ(not_numbered(b), 0);
    auto scaled = plan.start_as<double>(exec, 3.0, &source, 2.0, &target);
    scaled.finish();
    EXPECT_EQ(not_numbered(b, 5), 0);
}
TEST_F(RedistributionPlans, CalculateWithTypesFoundOutAtRunTime) {
    const ArrayLayout from = rows_split(19, 12), to = columns_split(19, 12);
    const Matrix a = make_numbered(from), b = make_numbered(to);
    const AnyDistView source(a), target(b);
    RedistributionPlan plan(comm, from, to);
    plan.execute_as<double>(exec, 3.0, &source, 2.0, &target);
    EXPECT_EQ(not_numbered(b, 5), 0);
    plan.combine_as<double>(exec, Minimum{}, &source, &target);
    EXPECT_EQ(not_numbered(b), 0);
    plan.combine_as<double>(exec, Sum{}, &source, &target);
    EXPECT_EQ(not_numbered(b, 2), 0);
    // Arrays of another type are rejected before the first execution, and after they are bound.
    const auto f = make_dist_view<float**>(exec, "f", comm, to);
    const AnyDistView other(f);
    const char* const wrong = "expected sources and targets with the call's element type";
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<double>(exec, Sum{}, &source, &other), ShapeError,
                              wrong);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine_as<std::int64_t>(exec, Sum{}, &source, &target),
                              ShapeError, wrong);
    plan.execute(exec, source, target);
    EXPECT_EQ(not_numbered(b), 0);
}

// Grids over some of the ranks, in any order: from all ranks to the last one, and back.
TEST_F(RedistributionPlans, TakeGridsOfSomeRanks) {
    const ArrayLayout all = rows_split(15, 8);
    const ArrayLayout one(ProcessGrid{1, 1}, {block(15), block(8)});
    const Matrix a = make_numbered(all), back = make(all);
    const bool is_last = comm.rank() == n - 1;
    Matrix gathered;
    if (is_last) gathered = Matrix(exec, "gathered", one, 0);
    const Matrix* const section = is_last ? &gathered : nullptr;
    RedistributionPlan gather(comm, all, one, {.to_ranks = {n - 1}});
    RedistributionPlan scatter(comm, one, all, {.from_ranks = {n - 1}});
    gather.execute(exec, a, section);
    if (is_last) {
        EXPECT_EQ(not_numbered(gathered), 0);
    }
    scatter.execute(exec, section, back);
    EXPECT_EQ(not_numbered(back), 0);
    // A new array that exists on one rank only.
    Matrix other;
    if (is_last) other = Matrix(exec, "other", one, 0);
    for (int round = 0; round < 2; ++round) {
        gather.execute(exec, -1., a, 0., is_last ? &other : nullptr);
        gather.execute(exec, 1., a, 1., section);
    }
    if (is_last) {
        EXPECT_EQ(not_numbered(other, -1), 0);
        EXPECT_EQ(not_numbered(gathered, 3), 0);
    }
    EXPECT_EQ(gather.from_process(), comm.rank());
    EXPECT_EQ(gather.to_process(), is_last ? 0 : -1);
    // A section is missing, or one was passed on a rank outside the grid.
    EXPECT_THROW_ON_ALL_RANKS(
        gather.execute(exec, a, is_last ? nullptr : section), ShapeError,
        "expected target 0 on a rank that is process 0 of its grid, got null");
    const Matrix extra(exec, "extra", one, 0);
    if (n > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            gather.execute(exec, a, &extra), ShapeError,
            "expected null for target 0 on a rank outside its grid, got an array");
    }
    // The same with types known only at run time.
    const AnyDistView any(a);
    const AnyDistView any_other(other);
    const AnyDistView* const part = is_last ? &any_other : nullptr;
    gather.execute(exec, element_type<double>(), &any, part);
    gather.execute_as<double>(exec, 2., &any, 1., part);
    gather.combine_as<double>(exec, Sum{}, &any, part);
    if (is_last) {
        EXPECT_EQ(not_numbered(other, 4), 0);
    }
    const AnyDistView* const missing = nullptr;
    EXPECT_THROW_ON_ALL_RANKS(gather.execute(exec, element_type<double>(), &any, missing),
                              ShapeError,
                              "expected target 0 on a rank that is process 0 of its grid");
}

// A missing section of another element type must not count as the same set.
TEST_F(RedistributionPlans, AskAgainWhereTheTypeOfAMissingSectionChanges) {
    if (n == 1) GTEST_SKIP() << "needs a rank without a section";
    const ArrayLayout one(ProcessGrid{1, 1}, {block(15), block(8)});
    RedistributionPlan plan(comm, one, one, {.from_ranks = {0}, .to_ranks = {n - 1}});
    const bool is_first = comm.rank() == 0, is_last = comm.rank() == n - 1;
    Matrix a, b;
    if (is_first) {
        a = Matrix(exec, "a", one, 0);
        for_each(a, [](double& value, std::int64_t i, std::int64_t j) {
            value = static_cast<double>(1000 * i + j);
        });
    }
    if (is_last) b = Matrix(exec, "b", one, 0);
    const Matrix* const source = is_first ? &a : nullptr;
    const Matrix* const target = is_last ? &b : nullptr;
    plan.execute(exec, source, target);
    const DistView<float**>* const missing = nullptr;
    const auto execute_of_other_type = [&] {
        if (is_last)
            plan.execute(exec, missing, target);
        else
            plan.execute(exec, source, target);
    };
    EXPECT_THROW_ON_ALL_RANKS(execute_of_other_type(), UsageError,
                              "element type of array 0 is float32 on rank");
    plan.execute(exec, source, target);
    if (is_last) {
        EXPECT_EQ(not_numbered(b), 0);
    }
}

// No element moves within one layout: no message is sent.
TEST_F(RedistributionPlans, KnowThatThereIsNothingToDo) {
    const Matrix a = make_numbered(rows_split(15, 8));
    const TransportSetting setting(distview::impl::on_device<Exec> ? Transport::staged
                                                                   : Transport::message);
    RedistributionPlan plan(comm, a.layout(), a.layout());
    EXPECT_TRUE(plan.schedule().is_identity());
    EXPECT_NE(plan.describe().find("all in place"), std::string::npos) << plan.describe();
    EXPECT_TRUE(plan.send_peers().empty() && plan.receive_peers().empty());
    plan.execute(exec, a, a);
    EXPECT_EQ(not_numbered(a), 0);
    plan.execute(exec, 1., a, 1., a); // each element is combined with itself
    EXPECT_EQ(not_numbered(a, 2), 0);
    const Matrix copy = make(a.layout());
    plan.execute(exec, a, copy);
    EXPECT_EQ(not_numbered(copy, 2), 0);
}

TEST_F(RedistributionPlans, OverlapWithOtherWork) {
    const Matrix a = make_numbered(rows_split(37, 53)), b = make(columns_split(37, 53));
    const Matrix c = make(columns_split(37, 53));
    RedistributionPlan first(comm, a.layout(), b.layout()), second(comm, a.layout(), b.layout());
    auto one = first.start(exec, a, b);
    auto other = second.start(exec, -1., a, 0., c);
    one.finish();
    other.finish();
    EXPECT_EQ(not_numbered(b), 0);
    EXPECT_EQ(not_numbered(c, -1), 0);
    EXPECT_THROW(one.finish(), UsageError);
}

TEST_F(RedistributionPlans, SayWhatTheyDo) {
    const Matrix a = make(rows_split(16, 8)), b = make(columns_split(16, 8));
    RedistributionPlan plan(comm, a.layout(), b.layout());
    plan.bind(exec, a, b);
    const std::string text = plan.describe();
    EXPECT_NE(text.find("128 elements"), std::string::npos) << text;
    for (const int peer : plan.receive_peers())
        EXPECT_NE(text.find("from rank " + std::to_string(peer) + ": "), std::string::npos) << text;
}

} // namespace

} // namespace distview::testing
