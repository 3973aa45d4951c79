// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The side effects of an exchange of arrays that neighbours read in place.
#include "exchange_behaviour.hpp"

#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

class InPlaceExchangeBehaviour : public PaddingExchangeBehaviour {
protected:
    void SetUp() override {
        if (!is_possible(comm, Transport::direct)) GTEST_SKIP() << "no memory that can be shared";
    }
};

TEST_F(InPlaceExchangeBehaviour, AllocatesNothingOnceASetIsBound) {
    expect_no_allocations(
        comm, layout, {make_shared(), make_shared(), make_shared(), make_shared(), make_shared()});
}

TEST_F(InPlaceExchangeBehaviour, RunsAKernelForLocalCopiesAndOneANeighbour) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_shared(), b = make_shared(), c = make_shared();
    plan.execute(exec, a, b, c);
    KokkosEvents events;
    plan.execute(exec, a, b, c);
    events.stop();

    std::vector<std::string> expected{prefix + "copy_local"};
    expected.insert(expected.end(), plan.receive_peers().size(), prefix + "unpack");
    EXPECT_EQ(sorted(labels(events.kernels())), sorted(expected)) << describe(events.all());
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.all());
    EXPECT_TRUE(events.allocations().empty()) << describe(events.all());
}

// Along an axis of labels known only to their owners, no rank knows the extents of another rank's section.
TEST_F(InPlaceExchangeBehaviour, FillsFieldsOfWhichNobodyKnowsOthersExtents) {
    const std::int64_t rows = 1000, columns_each = 500;
    std::vector<std::int64_t> labels(columns_each);
    std::iota(labels.begin(), labels.end(), columns_each * comm.rank());
    const ArrayLayout layout_of_own(
        ProcessGrid{1, comm.size()},
        {block(rows, {.padding = 1, .periodic = true}),
         unstructured_local(columns_each * comm.size(), comm.rank(), labels)});
    PaddingExchangePlan plan(comm, layout_of_own);
    const NumberedArray a = make_dist_view<double**>(exec, "a", comm, layout_of_own);
    const NumberedArray b = make_dist_view<double**>(exec, "b", comm, layout_of_own);
    for (int round = 1; round < 3; ++round) {
        number(a, round);
        number(b, round + 1);
        plan.execute(exec, a, b);
        EXPECT_EQ(find_wrong_number(a, round), "");
        EXPECT_EQ(find_wrong_number(b, round + 1), "");
    }
}

TEST_F(InPlaceExchangeBehaviour, UsesTheGivenInstanceAndFencesNoOther) {
    expect_two_fences_an_exchange(comm, layout, make_shared());
}

TEST_F(InPlaceExchangeBehaviour, RunsKernelsOnTheThreadsOfTheGivenInstance) {
    expect_given_instance(comm, tall, [&](const Exec& given) {
        return make_dist_view<double**>(given, "distview::test::tall", comm, tall);
    });
}

// One kernel per region, because several regions may contribute to one element.
TEST_F(InPlaceExchangeBehaviour, CombinesWithAKernelARegion) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_shared();
    plan.combine(exec, Sum{}, a);
    int regions = 0;
    plan.schedule().for_each_outgoing([&](const PaddingRegion&) { ++regions; });
    KokkosEvents events;
    MpiCounters counters;
    plan.combine(exec, Sum{}, a);
    const MpiTraffic traffic = counters.stop();
    events.stop();
    EXPECT_EQ(labels(events.kernels()),
              std::vector<std::string>(static_cast<std::size_t>(regions), prefix + "combine"));
    EXPECT_EQ(labels(without_those_of_tools(events.fences())),
              (std::vector<std::string>{fence_ready, fence_done}));
    EXPECT_TRUE(traffic.sent.empty());
    EXPECT_TRUE(events.allocations().empty()) << describe(events.all());
}

TEST_F(InPlaceExchangeBehaviour, LabelsEverything) {
    expect_all_labelled(comm, layout, [&] { return make_shared(); });
}

TEST_F(InPlaceExchangeBehaviour, SendsNoMessagesAtAll) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make_shared(), b = make_shared();
    plan.bind(Kokkos::DefaultHostExecutionSpace(), a, b);
    plan.combine(exec, Maximum{}, a, b);
    MpiCounters counters;
    for (int round = 0; round < 20; ++round) {
        plan.execute(exec, a, b);
        plan.start(exec, a, b).finish_filling();
        plan.wait_for_readers();
        plan.combine(exec, Maximum{}, a, b);
    }
    const MpiTraffic traffic = counters.stop();
    EXPECT_TRUE(traffic.sent.empty());
    EXPECT_TRUE(traffic.received.empty());
    EXPECT_EQ(traffic.collective_calls(), 0);
    EXPECT_TRUE(traffic.one_sided.empty());
}

// One rank's array is not shared: that rank packs it for the others.
TEST_F(InPlaceExchangeBehaviour, SendsNoMessagesFromArraysThatAreNotShared) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray shared = make_shared();
    const bool is_odd_one = comm.rank() == comm.size() - 1;
    const NumberedArray a = is_odd_one ? make() : shared;
    plan.bind(Kokkos::DefaultHostExecutionSpace(), a);
    MpiCounters counters;
    plan.execute(exec, a);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.sent_total().messages, 0);
    EXPECT_EQ(traffic.received_total().messages, 0);
}

} // namespace

} // namespace distview::testing
