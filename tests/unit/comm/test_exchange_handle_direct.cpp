// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges of arrays that neighbours read in place: no message reports the end of a rank, so a
// rank that leaves must notify the ranks that wait for it.
#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr const char* unusable =
    "PaddingExchangePlan: an earlier execution was abandoned or failed";

class DirectExchangeHandles : public ::testing::TestWithParam<TransportChoice> {
protected:
    void SetUp() override {
        if (!is_possible(comm, GetParam())) GTEST_SKIP() << "not possible here";
        m_setting.emplace(GetParam());
    }

    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const ArrayLayout layout = ring(comm);

    NumberedArray make(int round, const Communicator& communicator) const {
        const NumberedArray array = make_dist_view<double**>(exec, "array", communicator, layout);
        exec.fence();
        number(array, round);
        return array;
    }
    void expect_healthy(const Communicator& communicator) const {
        PaddingExchangePlan plan(communicator, layout);
        const NumberedArray array = make(77, communicator);
        plan.execute(exec, array);
        EXPECT_EQ(find_wrong_number(array, 77), "");
    }

    /// Rank `dropping` calls start() and abandons the exchange. All other ranks must learn of it by
    /// an exception in this exchange or one of the next, and none may wait forever.
    template <class Start>
    void expect_all_learn(int dropping, const Start& start) const {
        bool has_learnt = false;
        {
            auto handle = start();
            if (comm.rank() == dropping) {
                has_learnt = true;
            } else {
                try {
                    handle.finish();
                } catch (const UsageError& error) {
                    expect_names_the_culprit(error);
                    has_learnt = true;
                }
            }
        }
        // The news spreads by one rank in each direction per exchange. All ranks make the same calls.
        for (int i = 0; i < comm.size(); ++i) {
            try {
                start().finish();
            } catch (const UsageError& error) {
                if (!has_learnt) expect_names_the_culprit(error);
                has_learnt = true;
            }
        }
        EXPECT_TRUE(has_learnt) << "rank " << comm.rank();
        EXPECT_THROW_ON_ALL_RANKS(start().finish(), UsageError, unusable);
    }

private:
    static void expect_names_the_culprit(const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("has abandoned an exchange"), std::string::npos)
            << error.what();
    }
    std::optional<TransportSetting> m_setting;
};

TEST_P(DirectExchangeHandles, AbandonedOnOneRankAreNoticedByAll) {
    for (int dropping = 0; dropping < comm.size(); ++dropping) {
        const OwnedComm parent = duplicate_world();
        Communicator mine(parent.get());
        PaddingExchangePlan plan(mine, layout);
        const NumberedArray a = make(1, mine);
        plan.bind(Exec(), a);
        expect_all_learn(dropping, [&] { return plan.start(exec, a); });
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, make(2, mine)), UsageError, unusable);
        expect_healthy(mine);
        mine.close();
        expect_healthy(comm);
    }
}

TEST_P(DirectExchangeHandles, AbandonedCombinationsAreNoticedByAll) {
    for (int dropping = 0; dropping < comm.size(); ++dropping) {
        PaddingExchangePlan plan(comm, layout);
        const NumberedArray a = make(1, comm);
        plan.execute(exec, a);
        plan.combine(exec, Maximum{}, a);
        expect_all_learn(dropping, [&] { return plan.start_combine(exec, Maximum{}, a); });
        expect_healthy(comm);
    }
}

// The waiting ranks are asleep by then.
TEST_P(DirectExchangeHandles, AbandonedLateWakeWhoWaits) {
    const int dropping = comm.size() / 2;
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1, comm);
    plan.bind(Exec(), a);
    expect_all_learn(dropping, [&] {
        auto handle = plan.start(exec, a);
        if (comm.rank() == dropping) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return handle;
    });
    expect_healthy(comm);
}

TEST_P(DirectExchangeHandles, OutliveTheirPlan) {
    const NumberedArray a = make(1, comm);
    auto plan = std::make_unique<PaddingExchangePlan>(comm, layout);
    auto handle = plan->start(exec, a);
    PaddingExchangePlan moved = std::move(*plan);
    plan.reset();
    handle.finish();
    EXPECT_EQ(find_wrong_number(a, 1), "");
    number(a, 2);
    moved.execute(exec, a);
    EXPECT_EQ(find_wrong_number(a, 2), "");
}

TEST_P(DirectExchangeHandles, RefuseToFinishAfterClose) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, layout);
    const NumberedArray a = make(1, mine);
    auto handle = plan.start(exec, a);
    mine.close();
    EXPECT_THROW_ON_ALL_RANKS(handle.finish(), UsageError, "closed");
    expect_healthy(comm);
}

// Handle, array, plan and communicator are destroyed in every order that the language allows.
TEST_P(DirectExchangeHandles, DoNotMindInWhichOrderThingsGo) {
    for (int order = 0; order < 3; ++order) {
        const OwnedComm parent = duplicate_world();
        auto mine = std::make_unique<Communicator>(parent.get());
        auto plan = std::make_unique<PaddingExchangePlan>(*mine, layout);
        auto a = std::make_unique<NumberedArray>(make(1, *mine));
        plan->execute(exec, *a);
        EXPECT_EQ(find_wrong_number(*a, 1), "");
        if (order == 0) {
            a.reset();
            mine.reset();
            plan.reset();
        } else if (order == 1) {
            mine->close();
            plan.reset();
            number(*a, 2); // the memory outlives the communicator
            a.reset();
        } else {
            plan.reset();
            mine.reset();
            number(*a, 2);
        }
        expect_healthy(comm);
    }
}

// More sets than a plan keeps; the next array reuses the memory of the last one.
TEST_P(DirectExchangeHandles, TakeNewArraysAgainAndAgain) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray kept = make(0, comm);
    for (int round = 1; round < 80; ++round) {
        const NumberedArray a = make(round, comm);
        plan.execute(exec, a);
        EXPECT_EQ(find_wrong_number(a, round), "");
        number(kept, round);
        auto handle = plan.start(exec, kept);
        if (round % 3 == 0)
            handle.finish();
        else
            handle.finish_filling();
        EXPECT_EQ(find_wrong_number(kept, round), "");
        plan.wait_for_readers();
    }
}

// MPI_Finalize, called by the harness's main after the last test, must clean up.
TEST_P(DirectExchangeHandles, AbandonedAreCleanedUpAtTheEnd) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1, comm);
    {
        const auto dropped = plan.start(exec, a);
    }
    expect_healthy(comm);
}

INSTANTIATE_TEST_SUITE_P(Direct, DirectExchangeHandles,
                         ::testing::Values(TransportChoice(Transport::direct)));

} // namespace

} // namespace distview::testing
