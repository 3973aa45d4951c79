// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The side effects of a redistribution: memory, kernels, fences, messages.
#include "communicators.hpp"
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/kokkos_events.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Matrix = DistView<double**>;

class RedistributionBehaviour : public ::testing::TestWithParam<TransportChoice> {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec = separate_instance<Exec>();
    const int n = comm.size();
    const ArrayLayout from{ProcessGrid{n, 1}, {block_cyclic(60, 5), block(40)}};
    const ArrayLayout to{ProcessGrid{1, n}, {block(40), block_cyclic(60, 7)}};
    const ArrayLayout other{ProcessGrid{1, n}, {block(60), block_cyclic(40, 3)}};
    const RedistributionOptions transposed{.permutation = {1, 0}};
    const TransportSetting setting{GetParam()};

    void SetUp() override {
        if (!is_possible(comm, GetParam())) GTEST_SKIP() << "not possible here";
    }
    Matrix make(const ArrayLayout& layout) const {
        return make_dist_view<double**>(exec, "distview::test::matrix", comm, layout);
    }
    void expect_no_allocations(const RedistributionOptions& options,
                               const ArrayLayout& target) const {
        const Matrix a = make(from), b = make(from), c = make(target), d = make(target);
        const auto f = make_dist_view<float**>(exec, "distview::test::matrix", comm, target);
        RedistributionPlan plan(comm, from, target, options);
        const auto step = [&] {
            plan.execute(exec, a, c);
            plan.execute(exec, 2., b, -1., d);
            plan.execute(exec, a, f);
            plan.combine(exec, Sum{}, a, c);
            plan.execute(exec, std::tie(a, b), std::tie(c, d));
            auto handle = plan.start(exec, b, d);
            handle.finish();
        };
        step();
        const AllocationCounts counts = count_heap_allocations([&] {
            for (int round = 0; round < 3; ++round) step();
        });
        EXPECT_EQ(counts.heap, 0) << counts.description;
    }
};

/// If axes are permuted, processes that share memory read each other's sources; otherwise they
/// write each other's targets here.
TEST_P(RedistributionBehaviour, AllocatesNothingOnceASetIsBound) {
    for (const bool transposes : {true, false}) {
        SCOPED_TRACE(transposes);
        expect_no_allocations(transposes ? transposed : RedistributionOptions{},
                              transposes ? to : other);
    }
}

// With several steps: all processes hold row n, and each of them contributes.
TEST_P(RedistributionBehaviour, AllocatesNothingBetweenSteps) {
    std::vector<std::vector<std::int64_t>> lists;
    for (int p = 0; p < n; ++p) lists.push_back({p, n});
    const ArrayLayout rows(ProcessGrid{n, 1}, {unstructured(lists), block(20)});
    const ArrayLayout columns(ProcessGrid{1, n}, {block(n + 1), cyclic(20)});
    const Matrix a = make(rows), b = make(columns), c = make(columns);
    RedistributionPlan plan(comm, rows, columns);
    const auto step = [&] {
        plan.combine(exec, Sum{}, a, b);
        plan.execute(exec, 2., a, 1., c);
        auto handle = plan.start_combine(exec, Maximum{}, a, c);
        handle.finish();
    };
    step();
    const std::size_t held = plan.workspace_bytes();
    const AllocationCounts counts = count_heap_allocations([&] {
        for (int round = 0; round < 3; ++round) step();
    });
    EXPECT_EQ(counts.heap, 0) << counts.description;
    EXPECT_EQ(plan.workspace_bytes(), held);
}

TEST_P(RedistributionBehaviour, WritesInPlaceInOneKernel) {
    const Matrix a = make(from), c = make(other);
    RedistributionPlan plan(comm, from, other);
    plan.execute(exec, a, c);
    const bool in_place = GetParam() != Transport::message;
    const std::string text = plan.describe();
    EXPECT_EQ(text.find("written in place") != std::string::npos, in_place && n > 1) << text;
    KokkosEvents events;
    plan.execute(exec, a, c);
    events.stop();
    if (in_place && n > 1) {
        EXPECT_EQ(events.kernels().size(), 1u) << describe(events.all());
    }
    EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>());
}

// If a rank stops writing to the targets of other ranks, they must get an error instead of old elements.
TEST_P(RedistributionBehaviour, FailsWhereAWriterGivesUp) {
    if (n == 1) return;
    const OwnedComm duplicate = duplicate_world();
    const Communicator ranks(duplicate.get());
    const auto a = make_dist_view<double**>(exec, "a", ranks, from);
    const auto c = make_dist_view<double**>(exec, "c", ranks, other);
    RedistributionPlan plan(ranks, from, other);
    plan.execute(exec, a, c);
    auto handle = plan.start(exec, a, c);
    if (ranks.rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // meanwhile the others write
        const auto given_up = std::move(handle);
    } else if (GetParam() == Transport::message) {
        EXPECT_NO_THROW(handle.finish()); // messages were sent by start()
    } else {
        EXPECT_THROW(handle.finish(), UsageError);
    }
}

TEST_P(RedistributionBehaviour, RunsAKernelForEachProcessThatElementsComeFrom) {
    const Matrix a = make(from), c = make(to);
    RedistributionPlan plan(comm, from, to, transposed);
    plan.execute(exec, a, c);
    KokkosEvents events;
    MpiCounters counters;
    plan.execute(exec, a, c);
    const MpiTraffic traffic = counters.stop();
    events.stop();
    std::size_t moves = 0, packs = 0;
    for (const KokkosEvent& event : events.kernels()) {
        moves += event.label == "distview::RedistributionPlan::move" ||
                 event.label == "distview::RedistributionPlan::move_local";
        packs += event.label == "distview::RedistributionPlan::pack";
    }
    const bool packed = GetParam() == Transport::message;
    const std::size_t own = plan.schedule().local_elements(comm.rank()) > 0 ? 1 : 0;
    EXPECT_EQ(moves, plan.receive_peers().size() + own) << describe(events.all());
    EXPECT_EQ(packs, packed && !plan.send_peers().empty() ? 1u : 0u) << describe(events.all());
    EXPECT_EQ(events.kernels().size(), moves + packs);
    EXPECT_TRUE(events.deep_copies().empty() && events.allocations().empty())
        << describe(events.all());
    std::vector<std::string> fences;
    for (const KokkosEvent& event : events.fences())
        if (!event.label.starts_with("Kokkos::Tools::")) fences.push_back(event.label);
    EXPECT_EQ(fences,
              (std::vector<std::string>{
                  "distview::RedistributionPlan: elements are written and packed, others may read",
                  "distview::RedistributionPlan: others' elements have been read"}));
    EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>());
    EXPECT_EQ(traffic.sent.size(),
              GetParam() == Transport::message ? plan.send_peers().size() : 0u);
    EXPECT_EQ(traffic.collective_calls(), 0);
}

TEST_P(RedistributionBehaviour, RunsKernelsOnTheThreadsOfTheGivenInstance) {
    // 2 MiB between each pair of processes: one thread would run smaller work.
    const std::int64_t size = 512 * n;
    const ArrayLayout rows{ProcessGrid{n, 1}, {block_cyclic(size, 5), block(size)}};
    const ArrayLayout columns{ProcessGrid{1, n}, {block(size), block_cyclic(size, 7)}};
    for (const RedistributionOptions& options : {transposed, RedistributionOptions{}})
        expect_threads_of_given_instance<Exec>(
            {"distview::RedistributionPlan::"}, [&](const Exec& given) {
                const auto a = make_dist_view<double**>(given, "a", comm, rows);
                const auto c = make_dist_view<double**>(given, "c", comm, columns);
                RedistributionPlan plan(comm, rows, columns, options);
                plan.execute(given, a, c);
                for (const double alpha : {1., 2.}) plan.execute(given, alpha, a, 0., c);
                plan.combine(given, Sum{}, a, c);
            });
}

std::string name_of_case(const ::testing::TestParamInfo<TransportChoice>& info) {
    return name_of(info.param);
}
INSTANTIATE_TEST_SUITE_P(Over, RedistributionBehaviour,
                         ::testing::Values(TransportChoice(), TransportChoice(Transport::direct),
                                           TransportChoice(Transport::message)),
                         name_of_case);

} // namespace

} // namespace distview::testing
