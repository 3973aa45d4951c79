// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"
#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Handle = ExchangeHandle<Exec>;

static_assert(!std::is_copy_constructible_v<Handle> && !std::is_copy_assignable_v<Handle>);
static_assert(std::is_nothrow_move_constructible_v<Handle>);
static_assert(std::is_nothrow_move_assignable_v<Handle>);
static_assert(!std::is_copy_constructible_v<PaddingExchangePlan>);
static_assert(std::is_nothrow_move_constructible_v<PaddingExchangePlan>);

constexpr const char* in_flight = "PaddingExchangePlan: an execution is in flight";
constexpr const char* unusable =
    "PaddingExchangePlan: an earlier execution was abandoned or failed";

/// Exchanges by messages, which need no waiting: handles may be finished in any order, and neighbours of a rank that
/// abandoned one complete the exchange. For arrays read in place see test_exchange_handle_direct.cpp.
class ExchangeHandles : public ::testing::Test {
    const TransportSetting m_setting{Transport::message};

protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const ArrayLayout layout = ring(comm);

    NumberedArray make(int round) const {
        NumberedArray array = make_array(comm, layout);
        number(array, round);
        return array;
    }
    /// On a ring of one process, start() fills the padding from the section itself.
    void expect_not_filled_from_others(const NumberedArray& array, int round) const {
        exec.fence();
        if (comm.size() > 1)
            EXPECT_TRUE(padding_is_unfilled(array));
        else
            EXPECT_EQ(find_wrong_number(array, round), "");
    }
    /// A new plan must work, whatever has happened before.
    void expect_healthy(const Communicator& communicator) const {
        PaddingExchangePlan plan(communicator, ring(communicator));
        const NumberedArray array = make_array(communicator, ring(communicator));
        number(array, 77);
        plan.execute(exec, array);
        EXPECT_EQ(find_wrong_number(array, 77), "");
    }
};

TEST_F(ExchangeHandles, FillPaddingWhenFinishedAndNotBefore) {
    PaddingExchangePlan plan(comm, layout);
    for (int round = 1; round < 4; ++round) {
        const NumberedArray a = make(round);
        Handle handle = plan.start(exec, a);
        expect_not_filled_from_others(a, round);
        // The program may compute on inner elements meanwhile.
        a.view()(2, 0) = a.view()(2, 0) + 0.0;
        handle.finish();
        EXPECT_EQ(find_wrong_number(a, round), "");
    }
}

// Profilers show an exchange from begin to end, and its waiting for other ranks.
TEST_F(ExchangeHandles, AreRegionsOfKokkosTools) {
    const NumberedArray array = make(1);
    PaddingExchangePlan plan(comm, layout);
    plan.bind(Exec(), array);
    const KokkosEvents events;
    plan.start(exec, array).finish();
    const std::vector<KokkosEvent> regions = events.regions();
    ASSERT_GE(regions.size(), 3u);
    EXPECT_EQ(regions[0].label, "distview::PaddingExchangePlan::start");
    EXPECT_EQ(regions[1].label, "distview::PaddingExchangePlan::finish");
    for (std::size_t i = 2; i < regions.size(); ++i)
        EXPECT_EQ(regions[i].label, "distview::PaddingExchangePlan::wait");
}

TEST_F(ExchangeHandles, OfSeveralPlansMayBeInFlightTogether) {
    PaddingExchangePlan first(comm, layout);
    PaddingExchangePlan second(comm, layout);
    PaddingExchangePlan third(comm, std::vector<FieldExchange>{{layout}, {layout}});
    for (int round = 1; round < 6; ++round) {
        const NumberedArray a = make(round), b = make(round + 10), c = make(round + 20),
                            d = make(round + 30);
        Handle of_first = first.start(exec, a);
        Handle of_second = second.start(exec, b);
        Handle of_third = third.start(exec, c, d);
        // Every other rank uses another order.
        if ((comm.rank() + round) % 2 == 0) {
            of_third.finish();
            of_first.finish();
            of_second.finish();
        } else {
            of_second.finish();
            of_third.finish();
            of_first.finish();
        }
        EXPECT_EQ(find_wrong_number(a, round), "");
        EXPECT_EQ(find_wrong_number(b, round + 10), "");
        EXPECT_EQ(find_wrong_number(c, round + 20), "");
        EXPECT_EQ(find_wrong_number(d, round + 30), "");
    }
}

TEST_F(ExchangeHandles, RefuseASecondExchangeOfTheirPlan) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1), b = make(2), never_bound = make(3);
    plan.bind(Exec(), a);
    plan.bind(Exec(), b);
    Handle handle = plan.start(exec, a);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError, in_flight);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, b), UsageError, in_flight);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, never_bound), UsageError, in_flight);
    handle.finish();
    EXPECT_EQ(find_wrong_number(a, 1), "");
    plan.execute(exec, b);
    EXPECT_EQ(find_wrong_number(b, 2), "");
}

// A mistake of one rank must not make the others wait. That rank has then made one call more than the others.
TEST_F(ExchangeHandles, RefuseASecondExchangeWithoutCommunication) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1);
    Handle handle = plan.start(exec, a);
    if (comm.rank() == 0) {
        EXPECT_THROW(plan.execute(exec, a), UsageError);
    }
    handle.finish();
    EXPECT_EQ(find_wrong_number(a, 1), "");
    if (comm.rank() != 0) {
        EXPECT_THROW(agree(comm, "afterwards", nullptr), UsageError);
    }
    EXPECT_NO_THROW(agree(comm, "afterwards", nullptr));
}

TEST_F(ExchangeHandles, FinishOnce) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1);
    Handle handle = plan.start(exec, a);
    handle.finish();
    EXPECT_THROW_ON_ALL_RANKS(handle.finish(), UsageError, "ExchangeHandle::finish: called twice");
    number(a, 2);
    plan.execute(exec, a);
    EXPECT_EQ(find_wrong_number(a, 2), "");
}

TEST_F(ExchangeHandles, MayBeMoved) {
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan other(comm, layout);
    const NumberedArray a = make(1), b = make(2);
    Handle first = plan.start(exec, a);
    Handle moved = std::move(first);
    Handle second = other.start(exec, b);
    second.finish();
    // Otherwise nvcc warns that the returned handle is discarded.
    static_cast<void>(second = std::move(moved));
    second.finish();
    EXPECT_EQ(find_wrong_number(a, 1), "");
    EXPECT_EQ(find_wrong_number(b, 2), "");
}

TEST_F(ExchangeHandles, KeepWorkingWhenTheirPlanMovesOrGoes) {
    const NumberedArray a = make(1);
    auto plan = std::make_unique<PaddingExchangePlan>(comm, layout);
    Handle handle = plan->start(exec, a);
    PaddingExchangePlan moved = std::move(*plan);
    plan.reset();
    handle.finish();
    EXPECT_EQ(find_wrong_number(a, 1), "");
    number(a, 2);
    plan = std::make_unique<PaddingExchangePlan>(std::move(moved));
    Handle again = plan->start(exec, a);
    plan.reset();
    again.finish();
    EXPECT_EQ(find_wrong_number(a, 2), "");
}

TEST_F(ExchangeHandles, AbandonedOnAllRanksSpoilThePlanOnly) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, layout);
    const NumberedArray a = make(1), never_bound = make(2);
    {
        const Handle dropped = plan.start(exec, a);
    }
    expect_not_filled_from_others(a, 1);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError, unusable);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, never_bound), UsageError, unusable);
    expect_healthy(mine);
    mine.close();
    expect_healthy(Communicator(parent.get()));
}

TEST_F(ExchangeHandles, AbandonedOnOneRankDoNotHoldUpTheOthers) {
    for (int dropping = 0; dropping < comm.size(); ++dropping) {
        const OwnedComm parent = duplicate_world();
        Communicator mine(parent.get());
        PaddingExchangePlan plan(mine, layout);
        const NumberedArray a = make(1);
        {
            Handle handle = plan.start(exec, a);
            if (mine.rank() != dropping) {
                handle.finish();
                EXPECT_EQ(find_wrong_number(a, 1), "");
            }
        }
        if (mine.rank() == dropping) {
            expect_not_filled_from_others(a, 1);
            EXPECT_THROW(plan.execute(exec, a), UsageError);
        } else {
            // A rank that gets messages, or is far away, may not have learnt of it yet.
            try {
                plan.execute(exec, a);
            } catch (const UsageError&) {
            }
        }
        // Ranks meet collectively for a new set: all learn of it.
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, make(2)), UsageError, unusable);
        expect_healthy(mine);
        mine.close();
        expect_healthy(comm);
    }
}

TEST_F(ExchangeHandles, AbandonedByAnExceptionLeaveNothingToWaitFor) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1);
    const auto fail_in_flight = [&] {
        const Handle handle = plan.start(exec, a);
        throw std::runtime_error("while in flight");
    };
    EXPECT_THROW_ON_ALL_RANKS(fail_in_flight(), std::runtime_error, "while in flight");
    EXPECT_THROW_ON_ALL_RANKS(plan.bind(Exec(), a), UsageError, unusable);
    expect_healthy(comm);
}

/// Messages of 4 MiB: MPI reads the sender's memory only after the receiver has posted its receive.
ArrayLayout long_ring(const Communicator& comm) { return ring(comm, 3, 1 << 18, 2); }

TEST_F(ExchangeHandles, AbandonedWithLongMessagesCloseCleanly) {
    for (const int late : {0, comm.size() - 1}) {
        const OwnedComm parent = duplicate_world();
        Communicator mine(parent.get());
        {
            PaddingExchangePlan plan(mine, long_ring(mine));
            const NumberedArray a = make_array(mine, long_ring(mine));
            number(a, 1);
            const Handle dropped = plan.start(exec, a);
        }
        if (mine.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(150));
        mine.close();
        expect_healthy(comm);
    }
}

TEST_F(ExchangeHandles, AbandonedWithLongMessagesOnOneRankCloseCleanly) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, long_ring(mine));
    const NumberedArray a = make_array(mine, long_ring(mine));
    number(a, 1);
    {
        Handle handle = plan.start(exec, a);
        if (mine.rank() != mine.size() - 1) {
            handle.finish();
            EXPECT_EQ(find_wrong_number(a, 1), "");
        }
    }
    expect_healthy(mine);
    mine.close();
    expect_healthy(comm);
}

// MPI_Finalize, called by the harness's main after the last test, must clean up.
TEST_F(ExchangeHandles, AbandonedAreCleanedUpAtTheEnd) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1);
    {
        const Handle dropped = plan.start(exec, a);
    }
    expect_healthy(comm);
}

TEST_F(ExchangeHandles, RefuseToFinishAfterClose) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, layout);
    const NumberedArray a = make(1);
    Handle handle = plan.start(exec, a);
    mine.close();
    EXPECT_THROW_ON_ALL_RANKS(handle.finish(), UsageError, "closed");
    expect_healthy(comm);
}

} // namespace

} // namespace distview::testing
