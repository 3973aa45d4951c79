// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace distview::testing {

/// The checks common to both kinds of test: exchanges of arrays sent in messages, and of arrays
/// that neighbours read in place.
class PaddingExchangeBehaviour : public ::testing::Test {
protected:
    using Exec = Kokkos::DefaultHostExecutionSpace;
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec = separate_instance<Exec>();
    // Rows in a ring, columns in a ring of one process: messages and local copies, all corners.
    // Four fields fit into one message.
    const ArrayLayout layout{ProcessGrid{comm.size(), 1},
                             {block(6 * comm.size(), {.padding = 2, .periodic = true}),
                              block(28, {.padding = 1, .periodic = true})}};
    // Columns of so many rows that one column is work for several threads.
    const ArrayLayout tall{
        ProcessGrid{1, comm.size()},
        {block(20000), block(4 * comm.size(), {.padding = 1, .periodic = true})}};

    NumberedArray make() const { return make_array(comm, layout); }
    /// Memory shared by the node's processes.
    NumberedArray make_shared() const {
        return make_dist_view<double**>(exec, "distview::test::shared", comm, layout);
    }
};

/// Removes the fences that Kokkos adds because a tool (here the recorder) is listening.
inline std::vector<KokkosEvent> without_those_of_tools(std::vector<KokkosEvent> events) {
    std::erase_if(events, [](const KokkosEvent& event) {
        return event.label.starts_with("Kokkos::Tools::");
    });
    return events;
}

inline std::vector<std::string> sorted(std::vector<std::string> values) {
    std::sort(values.begin(), values.end());
    return values;
}

inline const std::string prefix = "distview::PaddingExchangePlan::";
inline const std::string fence_ready =
    "distview::PaddingExchangePlan: elements are written and packed, others may read";
inline const std::string fence_done =
    "distview::PaddingExchangePlan: others' elements have been read";

/// Counts allocations of all threads: operator new, malloc, and Kokkos's memory.
inline void expect_no_allocations(const Communicator& comm, const ArrayLayout& layout,
                                  const std::vector<NumberedArray>& arrays) {
    const Kokkos::DefaultHostExecutionSpace exec;
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan other(comm, std::vector<FieldExchange>{{layout}, {layout}, {layout}});
    const NumberedArray &a = arrays.at(0), &b = arrays.at(1);
    const NumberedArray &u = arrays.at(2), &v = arrays.at(3), &w = arrays.at(4);
    const auto step = [&] {
        plan.execute(exec, a);
        other.execute(exec, u, v, w);
        auto first = plan.start(exec, b); // alternates between two sets
        auto second = other.start(exec, u, v, w);
        second.finish();
        first.finish();
        plan.bind(exec, a);
        auto in_parts = plan.start(exec, b);
        in_parts.finish(plan.schedule().reads(plan.schedule().inner_cells()));
        in_parts.finish_filling();
        plan.combine(exec, Maximum{}, a);
        other.combine(exec, Maximum{}, u, v, w);
    };
    step();
    const auto steps = [&] {
        for (int i = 0; i < 50; ++i) step();
    };
    const AllocationCounts counts = count_heap_allocations(steps);
    EXPECT_EQ(counts.heap, 0) << counts.description;
    const AllocationCounts watched = count_allocations(steps);
    EXPECT_EQ(watched.kokkos, 0) << watched.description;
    // Kokkos copies the labels of kernels that several threads run if a listener is attached.
    if (exec.concurrency() == 1) {
        EXPECT_EQ(watched.heap, 0) << watched.description;
    }
}

// Kernels and fences carry the instance's number; only Kokkos itself fences all instances.
inline void expect_two_fences_an_exchange(const Communicator& comm, const ArrayLayout& layout,
                                          const NumberedArray& a) {
    const auto exec = separate_instance<Kokkos::DefaultHostExecutionSpace>();
    PaddingExchangePlan plan(comm, layout);
    KokkosEvents events;
    plan.execute(exec, a);
    auto handle = plan.start(exec, a);
    const std::size_t fences_before_finish = without_those_of_tools(events.fences()).size();
    handle.finish();
    events.stop();

    const std::vector<KokkosEvent> fences = without_those_of_tools(events.fences());
    EXPECT_EQ(labels(fences),
              (std::vector<std::string>{fence_ready, fence_done, fence_ready, fence_done}));
    EXPECT_EQ(fences_before_finish, 3u);

    KokkosEvents of_combine;
    plan.combine(exec, Sum{}, a);
    of_combine.stop();
    for (const KokkosEvents* all : {&events, &of_combine}) {
        EXPECT_FALSE(all->kernels().empty());
        EXPECT_EQ(labels(escapes_from(exec, *all)), std::vector<std::string>());
    }
}

/// make(exec) returns an array of `layout` large enough that its kernels are work for several threads.
template <class Make>
void expect_given_instance(const Communicator& comm, const ArrayLayout& layout, const Make& make) {
    const auto exchange = [&](const Kokkos::DefaultHostExecutionSpace& exec) {
        PaddingExchangePlan plan(comm, layout);
        const NumberedArray a = make(exec);
        plan.execute(exec, a);
        auto handle = plan.start(exec, a);
        handle.finish(plan.schedule().reads({a.interior_range(0), a.interior_range(1)}));
        handle.finish();
        plan.combine(exec, Sum{}, a);
    };
    expect_threads_of_given_instance<Kokkos::DefaultHostExecutionSpace>({prefix}, exchange);
}

template <class Make>
void expect_all_labelled(const Communicator& comm, const ArrayLayout& layout, const Make& make) {
    const Kokkos::DefaultHostExecutionSpace exec;
    KokkosEvents events;
    PaddingExchangePlan plan(comm, layout);
    const NumberedArray a = make();
    plan.execute(exec, a);
    plan.execute(exec, a);
    plan.combine(exec, Sum{}, a);
    events.stop();
    const auto others = labelled_otherwise(events.all(), {"distview::", "Kokkos::"});
    EXPECT_TRUE(others.empty()) << describe(others);
    KokkosEvents of_execute;
    plan.execute(exec, a);
    plan.combine(exec, Sum{}, a);
    of_execute.stop();
    const auto not_ours =
        labelled_otherwise(without_those_of_tools(of_execute.all()), {"distview::"});
    EXPECT_TRUE(not_ours.empty()) << describe(not_ours);
}

} // namespace distview::testing
