// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sets of arrays that a plan remembers.
#include "communicators.hpp"
#include "impl_meetings.hpp"
#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Arrays are sent in messages, read in place, or borrowed and packed for other ranks.
enum class Way { messages, in_place, packed };

/// The number of agreements for a binding: one on the new set and the waits for others, one on the
/// binding.
constexpr std::int64_t agreements = 2;

class Bindings : public ::testing::TestWithParam<Way> {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const ArrayLayout layout = ring(comm);

    void SetUp() override {
        if (GetParam() == Way::messages) m_setting.emplace(Transport::message);
        if (GetParam() == Way::in_place && !is_possible(comm, Transport::direct))
            GTEST_SKIP() << "no memory that can be shared";
    }
    static bool in_place() { return GetParam() == Way::in_place; }

    NumberedArray make(int round) const { return make(round, comm); }
    NumberedArray make(int round, const Communicator& communicator) const {
        NumberedArray array = make_array(communicator, layout);
        if (in_place()) array = make_dist_view<double**>(exec, "array", communicator, layout);
        exec.fence();
        number(array, round);
        return array;
    }
    std::optional<TransportSetting> m_setting;
    /// The agreements made by an execute(): none if the set was bound.
    template <class... Arrays>
    std::int64_t agreements_of_execute(PaddingExchangePlan& plan, const Arrays&... arrays) const {
        return meetings_of(comm, [&] { plan.execute(exec, arrays...); });
    }
};

TEST_P(Bindings, AreMadeOnceForASet) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1), b = make(2);
    EXPECT_EQ(agreements_of_execute(plan, a), agreements);
    const std::size_t bytes = plan.workspace_bytes();
    EXPECT_EQ(agreements_of_execute(plan, a), 0);
    const NumberedArray copy = a;
    EXPECT_EQ(agreements_of_execute(plan, copy), 0);
    EXPECT_EQ(plan.workspace_bytes(), bytes);
    // Other arrays, more arrays, and another order each make a new set.
    EXPECT_EQ(agreements_of_execute(plan, b), agreements);
    EXPECT_EQ(agreements_of_execute(plan, a, b), agreements);
    EXPECT_EQ(agreements_of_execute(plan, b, a), agreements);
    EXPECT_EQ(plan.workspace_bytes() == 0, comm.size() == 1 || GetParam() == Way::in_place);
    EXPECT_GE(plan.workspace_bytes(), 4 * bytes);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(agreements_of_execute(plan, a), 0);
        EXPECT_EQ(agreements_of_execute(plan, b), 0);
        EXPECT_EQ(agreements_of_execute(plan, b, a), 0);
    }
}

TEST_P(Bindings, OfTwoAlternatingArraysStay) {
    PaddingExchangePlan plan(comm, layout);
    NumberedArray now = make(0), next = make(0);
    for (int step = 0; step < 20; ++step) {
        number(now, step);
        EXPECT_EQ(agreements_of_execute(plan, now), step < 2 ? agreements : 0);
        EXPECT_EQ(find_wrong_number(now, step), "");
        std::swap(now, next);
    }
}

TEST_P(Bindings, AheadOfTimeSaveTheFirstExecuteTheWork) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1);
    plan.bind(Exec(), a);
    EXPECT_EQ(agreements_of_execute(plan, a), 0);
    EXPECT_EQ(find_wrong_number(a, 1), "");
}

TEST_P(Bindings, AreMadeAgainOnceManyOthersHaveCome) {
    PaddingExchangePlan plan(comm, layout);
    std::vector<NumberedArray> arrays;
    for (int i = 0; i < 70; ++i) arrays.push_back(make(i));
    plan.execute(exec, arrays[0]);
    const std::size_t bytes = plan.workspace_bytes();
    for (int turn = 0; turn < 2; ++turn)
        for (int i = 0; i < 70; ++i) {
            const NumberedArray& array = arrays[static_cast<std::size_t>(i)];
            number(array, i + turn);
            plan.execute(exec, array);
            EXPECT_EQ(find_wrong_number(array, i + turn), "");
            EXPECT_LE(plan.workspace_bytes(), 32 * bytes);
        }
    // The last 32 sets are known, the set before them is not.
    for (std::size_t i = 38; i < 70; ++i) EXPECT_EQ(agreements_of_execute(plan, arrays[i]), 0) << i;
    EXPECT_EQ(agreements_of_execute(plan, arrays[37]), agreements);
}

TEST_P(Bindings, ThatWereUsedLatelyStay) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray constant = make(1);
    plan.execute(exec, constant);
    for (int i = 0; i < 100; ++i) {
        plan.execute(exec, make(i));
        EXPECT_EQ(agreements_of_execute(plan, constant), 0);
    }
}

TEST_P(Bindings, OfAnExchangeInFlightStay) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(1);
    auto handle = plan.start(exec, a);
    std::vector<NumberedArray> others;
    for (int i = 0; i < 40; ++i) {
        others.push_back(make(2));
        plan.bind(Exec(), others.back());
    }
    handle.finish();
    EXPECT_EQ(find_wrong_number(a, 1), "");
}

// A rank that has already waited for its readers must drop the same set as the others.
TEST_P(Bindings, AreDroppedAlikeWhereSomeRanksHaveWaitedForReaders) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray first = make(1);
    plan.start(exec, first).finish_filling();
    if (comm.rank() == 0) plan.wait_for_readers();
    std::vector<NumberedArray> others;
    for (int i = 0; i < 32; ++i) {
        others.push_back(make(i));
        plan.bind(Exec(), others.back());
    }
    for (const std::size_t i : {std::size_t{31}, std::size_t{0}}) {
        plan.execute(exec, others[i]);
        EXPECT_EQ(find_wrong_number(others[i], static_cast<int>(i)), "");
    }
}

// A new array reuses the address of a destroyed one, but only on some ranks: on the others the
// memory is still in use.
TEST_P(Bindings, DoNotMistakeAnArrayForOneThatWasThereBefore) {
    PaddingExchangePlan plan(comm, layout);
    const Extents extents = layout.local_extents(comm.rank());
    const auto size = static_cast<std::size_t>(extents[0] * extents[1]);
    const auto memory = std::make_unique<double[]>(size);
    const auto other_memory = std::make_unique<double[]>(size);
    for (int round = 0; round < 10; ++round) {
        const bool at_same_address = (comm.rank() + round / 2) % 2 == 0;
        double* const place = round % 2 == 0 || at_same_address ? memory.get() : other_memory.get();
        using View = NumberedArray::view_type;
        const NumberedArray array(layout, comm.rank(),
                                  View(place, static_cast<std::size_t>(extents[0]),
                                       static_cast<std::size_t>(extents[1])));
        number(array, round);
        EXPECT_EQ(agreements_of_execute(plan, array), agreements);
        EXPECT_EQ(find_wrong_number(array, round), "");
    }
}

// The same with memory from an allocator that reuses freed memory.
TEST_P(Bindings, DoNotMistakeANewAllocationForAFreedOne) {
    PaddingExchangePlan plan(comm, layout);
    std::vector<NumberedArray> kept; // on odd ranks some memory is not freed, so it is not reused
    for (int round = 0; round < 40; ++round) {
        const NumberedArray array = make(round);
        if (comm.rank() % 2 == 1 && round % 3 != 0) kept.push_back(array);
        plan.execute(exec, array);
        EXPECT_EQ(find_wrong_number(array, round), "");
    }
}

TEST_P(Bindings, MoveWithThePlan) {
    const NumberedArray a = make(1);
    PaddingExchangePlan plan(comm, layout);
    plan.execute(exec, a);
    PaddingExchangePlan moved = std::move(plan);
    EXPECT_EQ(agreements_of_execute(moved, a), 0);
    PaddingExchangePlan assigned(comm, layout);
    assigned.execute(exec, a);
    assigned = std::move(moved);
    number(a, 5);
    EXPECT_EQ(agreements_of_execute(assigned, a), 0);
    EXPECT_EQ(find_wrong_number(a, 5), "");
}

TEST_P(Bindings, MayOutliveTheirArraysAndCommunicator) {
    OwnedComm parent = duplicate_world();
    std::unique_ptr<PaddingExchangePlan> plan;
    {
        const Communicator mine(parent.get());
        plan = std::make_unique<PaddingExchangePlan>(mine, layout);
        const NumberedArray a = make(1, mine);
        plan->execute(exec, a);
        EXPECT_EQ(find_wrong_number(a, 1), "");
    }
    parent.free();
    EXPECT_EQ(plan->schedule().layout(), layout);
    EXPECT_EQ(plan->send_peers().size(), comm.size() == 1 ? 0u : comm.size() == 2 ? 1u : 2u);
    plan.reset();
}

TEST_P(Bindings, LeaveNothingBehind) {
    const MpiHandles before = live_mpi_handles();
    for (int i = 0; i < 1000; ++i) {
        PaddingExchangePlan plan(comm, layout);
        const NumberedArray a = make(i);
        plan.execute(exec, a);
        if (i == 0) {
            const auto messages = plan.send_peers().size() + plan.receive_peers().size();
            EXPECT_EQ(live_mpi_handles().requests - before.requests,
                      GetParam() == Way::messages ? static_cast<std::int64_t>(messages) : 0);
        }
        if (i % 100 == 0) {
            EXPECT_EQ(find_wrong_number(a, i), "");
        }
    }
    EXPECT_EQ(live_mpi_handles(), before) << describe(live_mpi_handles());
}

INSTANTIATE_TEST_SUITE_P(Messages, Bindings, ::testing::Values(Way::messages));
INSTANTIATE_TEST_SUITE_P(InPlace, Bindings, ::testing::Values(Way::in_place));
INSTANTIATE_TEST_SUITE_P(Packed, Bindings, ::testing::Values(Way::packed));

} // namespace

} // namespace distview::testing
