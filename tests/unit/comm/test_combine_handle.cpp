// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The life cycle of a combination in flight, and its wrong use. For results see
// test_padding_exchange_combine.cpp.
#include "communicators.hpp"
#include "numbered_array.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Handle = decltype(std::declval<PaddingExchangePlan&>().start_combine(
    Exec(), Sum{}, std::declval<const NumberedArray&>()));

static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);
static_assert(std::is_nothrow_move_constructible_v<Handle>);

constexpr const char* in_flight = "PaddingExchangePlan: an execution is in flight";
constexpr const char* unusable =
    "PaddingExchangePlan: an earlier execution was abandoned or failed";

/// Parameter: whether arrays lie in shared memory, or in Kokkos' memory, so that padding is sent in messages.
class CombineHandles : public ::testing::TestWithParam<bool> {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const ArrayLayout layout = ring(comm);

    /// All elements are 1, so after a combination an element's value is one plus the number of its copies.
    NumberedArray make_ones() const {
        NumberedArray array = make_array(comm, layout);
        if (GetParam()) array = make_dist_view<double**>(exec, "array", comm, layout);
        Kokkos::deep_copy(exec, array.view(), 1.0);
        exec.fence();
        return array;
    }
    static bool is_combined(const NumberedArray& array) {
        // Rows: padding, 4 owned rows of which the outer two have one copy each, padding.
        const double expected[] = {1, 2, 1, 1, 2, 1};
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 3; ++j)
                if (array.view()(i, j) != expected[i]) return false;
        return true;
    }
};

TEST_P(CombineHandles, CombineWhenFinishedAndNotBefore) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_ones();
    auto handle = plan.start_combine(exec, Sum{}, a);
    exec.fence();
    for (int i = 0; i < 6; ++i) EXPECT_EQ(a.view()(i, 0), 1);
    handle.finish();
    EXPECT_TRUE(is_combined(a));
}

TEST_P(CombineHandles, FinishOnce) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_ones();
    auto handle = plan.start_combine(exec, Sum{}, a);
    handle.finish();
    EXPECT_THROW_ON_ALL_RANKS(handle.finish(), UsageError, "ExchangeHandle::finish: called twice");
    EXPECT_TRUE(is_combined(a));
}

TEST_P(CombineHandles, RefuseAnyOtherExchangeOfTheirPlan) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_ones(), b = make_ones();
    auto filling = plan.start(exec, b);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine(exec, Sum{}, a), UsageError, in_flight);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine(exec, Sum{}, b), UsageError, in_flight);
    filling.finish();
    auto combining = plan.start_combine(exec, Sum{}, a);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine(exec, Sum{}, a), UsageError, in_flight);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError, in_flight);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, b), UsageError, in_flight);
    combining.finish();
    EXPECT_TRUE(is_combined(a));
    plan.combine(exec, Sum{}, b);
    EXPECT_TRUE(is_combined(b));
}

TEST_P(CombineHandles, MayBeMoved) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_ones();
    auto first = plan.start_combine(exec, Sum{}, a);
    auto moved = std::move(first);
    moved.finish();
    EXPECT_TRUE(is_combined(a));
}

TEST_P(CombineHandles, KeepWorkingWhenTheirPlanGoes) {
    const NumberedArray a = make_ones();
    auto plan = std::make_unique<PaddingExchangePlan>(comm, layout);
    auto handle = plan->start_combine(exec, Sum{}, a);
    plan.reset();
    handle.finish();
    EXPECT_TRUE(is_combined(a));
}

TEST_P(CombineHandles, AbandonedSpoilThePlanOnly) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, layout);
    const NumberedArray a = make_ones(), never_bound = make_ones();
    {
        const auto dropped = plan.start_combine(exec, Sum{}, a);
    }
    EXPECT_THROW_ON_ALL_RANKS(plan.combine(exec, Sum{}, a), UsageError, unusable);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError, unusable);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, never_bound), UsageError, unusable);
    PaddingExchangePlan healthy(mine, layout);
    healthy.combine(exec, Sum{}, never_bound);
    EXPECT_TRUE(is_combined(never_bound));
    mine.close();
}

// The last rank passes another operation. Its neighbours wait for it, and it for them.
TEST_P(CombineHandles, CompareTheirOperationsOnANode) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, layout);
    const NumberedArray a = make_ones(), b = make_ones();
    const int last = mine.size() - 1;
    plan.combine(exec, Sum{}, a);
    EXPECT_TRUE(is_combined(a));
    if (last > 0 && plan.describe().find("direct") != std::string::npos) {
        std::string error;
        try {
            if (mine.rank() == last)
                plan.combine(exec, Maximum{}, a);
            else
                plan.combine(exec, Sum{}, a);
        } catch (const UsageError& caught) {
            error = caught.what();
        }
        // Other ranks get right values, or an error if a rank that they wait for has got it.
        const bool is_neighbour = mine.rank() >= last - 1 || mine.rank() == 0;
        const auto names = [&](const char* call) { return error.find(call) != error.npos; };
        if (is_neighbour) {
            EXPECT_TRUE(names("combine(Sum), set 0 on rank")) << error;
            EXPECT_TRUE(names(text("combine(Maximum), set 0 on rank ", last).c_str())) << error;
        }
        PaddingExchangePlan healthy(mine, layout);
        healthy.combine(exec, Sum{}, b);
        EXPECT_TRUE(is_combined(b));
    }
    mine.close();
}

TEST_P(CombineHandles, RefuseToFinishAfterClose) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, layout);
    const NumberedArray a = make_ones();
    auto handle = plan.start_combine(exec, Sum{}, a);
    mine.close();
    EXPECT_THROW_ON_ALL_RANKS(handle.finish(), UsageError, "closed");
}

// All padding must have been read after a fill before elements are combined, and the reverse.
TEST_P(CombineHandles, TakeTurnsWithExchangesOfTheSameArrays) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_ones();
    for (int round = 0; round < 50; ++round) {
        number(a, round);
        plan.start(exec, a).finish_filling();
        EXPECT_EQ(find_wrong_number(a, round), "");
        plan.combine(
            exec, [](double here, double incoming) { return here == incoming ? -1 : 1e9; }, a);
        // Every copy was equal to its element.
        for (int j = 0; j < 3; ++j) {
            EXPECT_EQ(a.view()(1, j), -1);
            EXPECT_EQ(a.view()(4, j), -1);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(InMessages, CombineHandles, ::testing::Values(false));
INSTANTIATE_TEST_SUITE_P(InPlace, CombineHandles, ::testing::Values(true));

} // namespace

} // namespace distview::testing
