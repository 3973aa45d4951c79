// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an exchange does beside filling padding: allocations, kernels, fences, messages, labels.
#include "communicators.hpp"
#include "numbered_array.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

class PaddingExchangeBehaviour : public ::testing::Test {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    // Rows in a ring, columns in a ring of one process: messages and local copies, all corners.
    const ArrayLayout layout{ProcessGrid{comm.size(), 1},
                             {block(6 * comm.size(), {.padding = 2, .periodic = true}),
                              block(40, {.padding = 1, .periodic = true})}};

    NumberedArray make() const { return make_array(comm, layout); }
};

// Any thread of the process, operator new and malloc, and Kokkos's memory.
TEST_F(PaddingExchangeBehaviour, AllocatesNothingOnceASetIsBound) {
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan other(comm, std::vector<FieldExchange>{{layout}, {layout}, {layout}});
    const NumberedArray a = make(), b = make(), u = make(), v = make(), w = make();
    const auto step = [&] {
        plan.execute(exec, a);
        other.execute(exec, u, v, w);
        auto first = plan.start(exec, b); // two sets by turns
        auto second = other.start(exec, u, v, w);
        second.finish();
        first.finish();
        plan.bind(a);
    };
    step();
    const auto steps = [&] {
        for (int i = 0; i < 50; ++i) step();
    };
    const AllocationCounts counts = count_heap_allocations(steps);
    EXPECT_EQ(counts.heap, 0) << counts.description;
    const AllocationCounts watched = count_allocations(steps);
    EXPECT_EQ(watched.kokkos, 0) << watched.description;
    // For a listener Kokkos copies the labels of kernels that several threads run.
    if (exec.concurrency() == 1) {
        EXPECT_EQ(watched.heap, 0) << watched.description;
    }
}

// The same counters see what would be wrong.
TEST_F(PaddingExchangeBehaviour, PlantedAllocationsAreSeen) {
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

/// Without the fences that Kokkos adds because a tool, here the recorder, is listening.
std::vector<KokkosEvent> without_those_of_tools(std::vector<KokkosEvent> events) {
    std::erase_if(events, [](const KokkosEvent& event) {
        return event.label.starts_with("Kokkos::Tools::");
    });
    return events;
}

std::vector<std::string> sorted(std::vector<std::string> values) {
    std::sort(values.begin(), values.end());
    return values;
}

TEST_F(PaddingExchangeBehaviour, RunsAKernelForPackingOneForLocalCopiesAndOneAMessage) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), b = make(), c = make();
    plan.execute(exec, a, b, c);
    KokkosEvents events;
    plan.execute(exec, a, b, c);
    events.stop();

    const std::string prefix = "distview::PaddingExchangePlan::";
    std::vector<std::string> expected{prefix + "copy_local"};
    if (!plan.send_peers().empty()) expected.push_back(prefix + "pack");
    expected.insert(expected.end(), plan.receive_peers().size(), prefix + "unpack");
    EXPECT_EQ(sorted(labels(events.kernels())), sorted(expected)) << describe(events.all());
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.all());
    EXPECT_TRUE(events.allocations().empty()) << describe(events.all());
}

// Kernels and fences carry the instance's number; a fence of all instances would be Kokkos's own.
TEST_F(PaddingExchangeBehaviour, UsesTheGivenInstanceAndFencesNoOther) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make();
    KokkosEvents events;
    plan.execute(exec, a);
    auto handle = plan.start(exec, a);
    const std::size_t fences_before_finish = without_those_of_tools(events.fences()).size();
    handle.finish();
    events.stop();

    const std::vector<KokkosEvent> fences = without_those_of_tools(events.fences());
    EXPECT_EQ(labels(fences),
              (std::vector<std::string>{
                  "distview::PaddingExchangePlan: messages are packed, MPI may read",
                  "distview::PaddingExchangePlan: padding is filled",
                  "distview::PaddingExchangePlan: messages are packed, MPI may read",
                  "distview::PaddingExchangePlan: padding is filled"}));
    EXPECT_EQ(fences_before_finish, 3u);
    for (const auto& event : events.kernels()) EXPECT_EQ(event.device_id, device_id_of(exec));
    for (const auto& event : fences) EXPECT_EQ(event.device_id, device_id_of(exec));
}

TEST_F(PaddingExchangeBehaviour, LabelsEverything) {
    KokkosEvents events;
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a(exec, "distview::test::a", layout, comm.rank());
    plan.execute(exec, a);
    plan.execute(exec, a);
    events.stop();
    const auto others = labelled_otherwise(events.all(), {"distview::", "Kokkos::"});
    EXPECT_TRUE(others.empty()) << describe(others);
    KokkosEvents of_execute;
    plan.execute(exec, a);
    of_execute.stop();
    const auto not_ours =
        labelled_otherwise(without_those_of_tools(of_execute.all()), {"distview::"});
    EXPECT_TRUE(not_ours.empty()) << describe(not_ours);
}

TEST_F(PaddingExchangeBehaviour, SendsOneMessageANeighbourHoweverManyFields) {
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make(), b = make(), c = make(), d = make();
    plan.bind(a);
    plan.bind(a, b, c, d);
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
        // Every region is a multiple of 16 bytes here, so that nothing is added.
        EXPECT_EQ(one.sent.at(message.peer).bytes, message.elements * 8);
        EXPECT_EQ(four.sent.at(message.peer).bytes, message.elements * 32);
    }
    EXPECT_EQ(four.received, four.sent); // a ring is symmetric
    EXPECT_EQ(one.collective_calls() + four.collective_calls(), 0);
}

TEST_F(PaddingExchangeBehaviour, PlansCostOneAgreementAndNoMessages) {
    MpiCounters counters;
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make();
    plan.bind(a);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.collectives, (std::map<std::string, std::int64_t>{{"MPI_Allreduce", 2}}));
    EXPECT_TRUE(traffic.sent.empty());
    EXPECT_TRUE(traffic.received.empty());
}

} // namespace

} // namespace distview::testing
