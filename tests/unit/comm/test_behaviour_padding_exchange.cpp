// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The side effects of an exchange: allocations, kernels, fences, messages, labels. Covers messages,
// and borrowed arrays, which their owner packs into shared memory; for other arrays see
// test_behaviour_padding_exchange_in_place.cpp.
#include "exchange_behaviour.hpp"

#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

class MessageExchangeBehaviour : public PaddingExchangeBehaviour {
    const TransportSetting m_setting{Transport::message};
};
class BorrowedExchangeBehaviour : public PaddingExchangeBehaviour {
protected:
    /// Whether an array after number() and an exchange equals the result of an exchange by messages.
    bool is_as_by_messages(const NumberedArray& array, int round) const {
        const TransportSetting messages(Transport::message);
        const NumberedArray other = make();
        number(other, round);
        PaddingExchangePlan(comm, layout).execute(exec, other);
        const auto a = array.view(), b = other.view();
        bool is_same = true;
        for (std::size_t i = 0; i < a.extent(0); ++i)
            for (std::size_t j = 0; j < a.extent(1); ++j) is_same = is_same && a(i, j) == b(i, j);
        return is_same;
    }
};

TEST_F(BorrowedExchangeBehaviour, AllocatesNothingOnceASetIsBound) {
    expect_no_allocations(comm, layout, {make(), make_shared(), make(), make_shared(), make()});
}

TEST_F(BorrowedExchangeBehaviour, RunsAKernelForPackingAndSendsNoMessages) {
    if (!is_possible(comm, Transport::direct)) GTEST_SKIP() << "no shared memory";
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), b = make_shared();
    number(a, 3);
    number(b, 4);
    plan.execute(exec, a, b);
    KokkosEvents events;
    MpiCounters counters;
    plan.execute(exec, a, b);
    const MpiTraffic traffic = counters.stop();
    events.stop();
    std::vector<std::string> expected{prefix + "copy_local"};
    if (!plan.send_peers().empty()) expected.push_back(prefix + "pack");
    expected.insert(expected.end(), plan.receive_peers().size(), prefix + "unpack");
    EXPECT_EQ(sorted(labels(events.kernels())), sorted(expected)) << describe(events.all());
    EXPECT_TRUE(traffic.sent.empty());
    EXPECT_TRUE(is_as_by_messages(a, 3) && is_as_by_messages(b, 4));
    const std::string text = plan.describe();
    EXPECT_EQ(text.find(" bytes, packed by that rank") != std::string::npos, comm.size() > 1)
        << text;
    EXPECT_EQ(text.find(": message"), std::string::npos) << text;
}

TEST_F(MessageExchangeBehaviour, AllocatesNothingOnceASetIsBound) {
    expect_no_allocations(comm, layout, {make(), make(), make(), make(), make()});
}

// Shows that the counters above would detect allocations.
TEST_F(MessageExchangeBehaviour, PlantedAllocationsAreSeen) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), never_bound = make();
    plan.execute(exec, a);
    int last = -1;
    const AllocationCounts of_heap = count_heap_allocations([&] {
        plan.execute(exec, a);
        const std::vector<int> planted(100, comm.rank());
        plan.execute(exec, a);
        last = planted[99];
    });
    EXPECT_EQ(last, comm.rank());
    EXPECT_EQ(of_heap.heap, 1);
    const AllocationCounts of_kokkos = count_allocations([&] {
        plan.execute(exec, a);
        const Kokkos::View<int*, Kokkos::HostSpace> planted("distview::test::planted", 10);
    });
    EXPECT_EQ(of_kokkos.kokkos, 1);
    const AllocationCounts of_binding =
        count_heap_allocations([&] { plan.execute(exec, never_bound); });
    EXPECT_GT(of_binding.heap, 0);
}

TEST_F(MessageExchangeBehaviour, RunsAKernelForPackingOneForLocalCopiesAndOneAMessage) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), b = make(), c = make();
    plan.execute(exec, a, b, c);
    KokkosEvents events;
    plan.execute(exec, a, b, c);
    events.stop();

    std::vector<std::string> expected{prefix + "copy_local"};
    const std::size_t messages = plan.send_peers().size();
    expected.insert(expected.end(), std::min<std::size_t>(messages, 1), prefix + "pack");
    expected.insert(expected.end(), plan.receive_peers().size(), prefix + "unpack");
    EXPECT_EQ(sorted(labels(events.kernels())), sorted(expected)) << describe(events.all());
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.all());
    EXPECT_TRUE(events.allocations().empty()) << describe(events.all());
}

TEST_F(MessageExchangeBehaviour, UsesTheGivenInstanceAndFencesNoOther) {
    expect_two_fences_an_exchange(comm, layout, make());
}

TEST_F(MessageExchangeBehaviour, RunsKernelsOnTheThreadsOfTheGivenInstance) {
    expect_given_instance(comm, tall, [&](const Exec& given) {
        return NumberedArray(given, "distview::test::tall", tall, comm.rank());
    });
}

TEST_F(MessageExchangeBehaviour, LabelsEverything) {
    expect_all_labelled(comm, layout, [&] {
        return NumberedArray(exec, "distview::test::a", layout, comm.rank());
    });
}

TEST_F(MessageExchangeBehaviour, SendsOneMessageANeighbourForSeveralFields) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), b = make(), c = make(), d = make();
    plan.bind(Kokkos::DefaultHostExecutionSpace(), a);
    plan.bind(Kokkos::DefaultHostExecutionSpace(), a, b, c, d);
    const auto traffic_of = [](auto&& execute) {
        MpiCounters counters;
        execute();
        return counters.stop();
    };
    const MpiTraffic one = traffic_of([&] { plan.execute(exec, a); });
    const MpiTraffic four = traffic_of([&] { plan.execute(exec, a, b, c, d); });
    EXPECT_EQ(one.sent.size(), plan.schedule().sends().size());
    for (const auto& message : plan.schedule().sends()) {
        EXPECT_EQ(one.sent.at(message.peer).messages, 1);
        EXPECT_EQ(four.sent.at(message.peer).messages, 1);
        // Every region is a multiple of 16 bytes here, so messages need no padding bytes.
        EXPECT_EQ(one.sent.at(message.peer).bytes, message.elements * 8);
        EXPECT_EQ(four.sent.at(message.peer).bytes, message.elements * 32);
    }
    EXPECT_EQ(four.received, four.sent); // a ring is symmetric
    EXPECT_EQ(one.collective_calls() + four.collective_calls(), 0);
}

TEST_F(MessageExchangeBehaviour, PlansCostOneAgreementAndNoMessages) {
    MpiCounters counters;
    const PaddingExchangePlan plan(comm, layout);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.collective_calls(), 0);
    EXPECT_TRUE(traffic.sent.empty());
    EXPECT_TRUE(traffic.received.empty());
}

// Every neighbour learns where to read, and answers whether it can.
TEST_F(MessageExchangeBehaviour, SetsCostTwoAgreementsAndTwoSmallMessagesANeighbour) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), b = make();
    for (int time = 0; time < 2; ++time) {
        MpiCounters counters;
        plan.bind(Kokkos::DefaultHostExecutionSpace(), a, b);
        const MpiTraffic traffic = counters.stop();
        const bool is_new = time == 0;
        EXPECT_EQ(traffic.collective_calls(), 0);
        EXPECT_EQ(std::ssize(traffic.sent), is_new ? std::ssize(plan.send_peers()) : 0);
        for (const auto& [peer, count] : traffic.sent) {
            EXPECT_EQ(count.messages, 2);
            EXPECT_LE(count.bytes, 640); // an offer of two arrays: some 30 numbers and 15 each
        }
        EXPECT_EQ(traffic.received, traffic.sent);
    }
}

} // namespace

} // namespace distview::testing
