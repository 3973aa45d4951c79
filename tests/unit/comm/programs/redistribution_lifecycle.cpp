// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of programs with redistributions begun and not ended, and of plans, arrays and communicators in any
// order.
#include "lifecycle_cases.hpp"

#include <distview/comm.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

namespace {

using namespace distview;
using testing::expect, testing::expect_usage_error;
using Exec = Kokkos::DefaultHostExecutionSpace;

ArrayLayout rows(const Communicator& comm, std::int64_t columns) {
    return {ProcessGrid{comm.size(), 1}, {block(3 * comm.size()), block(columns)}};
}
ArrayLayout columns(const Communicator& comm, std::int64_t columns) {
    return {ProcessGrid{1, comm.size()}, {block(3 * comm.size()), cyclic(columns)}};
}

/// What a program may have lying around when it ends.
struct Belongings {
    explicit Belongings(std::int64_t count = 12)
        : comm(MPI_COMM_WORLD), plan(comm, rows(comm, count), columns(comm, count)),
          from(make_dist_view<double**>(Exec(), comm, rows(comm, count), "from")),
          to(make_dist_view<double**>(Exec(), comm, columns(comm, count), "to")) {
        plan.execute(Exec(), from, to);
    }
    void drop_arrays() { from = to = {}; }

    Communicator comm;
    RedistributionPlan plan;
    DistView<double**> from;
    DistView<double**> to;
};

constexpr std::int64_t many = 300000; // more than MPI sends without being received

std::unique_ptr<Belongings> global_belongings; // destroyed after main, hence after MPI_Finalize

void plan_outlives_all(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    global_belongings = std::make_unique<Belongings>();
    global_belongings->drop_arrays();
}

void abandons(int argc, char** argv, std::int64_t count, bool everywhere) {
    const Runtime runtime(argc, argv);
    Belongings belongings(count);
    auto handle = belongings.plan.start(Exec(), belongings.from, belongings.to);
    if (everywhere || belongings.comm.rank() == 0) return;
    try {
        handle.finish();
    } catch (const UsageError& error) {
        // What is read in place may be gone before it has been read.
        expect(std::string_view(error.what()).find("RedistributionPlan: process 0 has abandoned") !=
                   std::string_view::npos,
               "an error that names the process");
    }
}

void leaks(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    global_belongings = std::make_unique<Belongings>();
    static auto* handle = new auto(global_belongings->plan.start(
        Exec(), global_belongings->from, global_belongings->to)); // no leak to a sanitizer
    static_cast<void>(handle);
    global_belongings->drop_arrays();
}

void plan_goes_in_flight(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Belongings belongings;
    auto plan = std::make_unique<RedistributionPlan>(belongings.comm, belongings.from.layout(),
                                                     belongings.to.layout());
    Kokkos::deep_copy(belongings.from.view(), 3.);
    auto handle = plan->start(Exec(), belongings.from, belongings.to);
    plan.reset();
    handle.finish(); // the handle keeps what it needs
    expect(belongings.to.view()(0, 0) == 3., "elements that have moved");
}

// In the same memory: plans must not take one array for the other.
void arrays_go_before_plans(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    RedistributionPlan plan(comm, rows(comm, 12), columns(comm, 12));
    for (int round = 0; round < 50; ++round) {
        const auto from = make_dist_view<double**>(Exec(), comm, rows(comm, 12), "from");
        const auto to = make_dist_view<double**>(Exec(), comm, columns(comm, 12), "to");
        Kokkos::deep_copy(from.view(), 100.0 * round + comm.rank());
        plan.execute(Exec(), from, to);
        for (int r = 0; r < comm.size(); ++r)
            expect(to.view()(static_cast<std::size_t>(3 * r), 0) == 100.0 * round + r,
                   "the process's value");
    }
}

void closes_in_flight(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    Belongings belongings;
    auto handle = belongings.plan.start(Exec(), belongings.from, belongings.to);
    belongings.comm.close();
    expect_usage_error([&] { handle.finish(); },
                       "RedistributionHandle::finish: the communicator has been closed");
}

constexpr testing::LifecycleCase cases[] = {
    {"plan_outlives_all", plan_outlives_all},
    {"abandons", [](int argc, char** argv) { abandons(argc, argv, 12, true); }},
    {"abandons_on_one_rank", [](int argc, char** argv) { abandons(argc, argv, 12, false); }},
    {"abandons_long", [](int argc, char** argv) { abandons(argc, argv, many, true); }},
    {"abandons_long_on_one_rank", [](int argc, char** argv) { abandons(argc, argv, many, false); }},
    {"leaks", leaks},
    {"plan_goes_in_flight", plan_goes_in_flight},
    {"arrays_go_before_plans", arrays_go_before_plans},
    {"closes_in_flight", closes_in_flight},
};

} // namespace

int main(int argc, char** argv) { return distview::testing::run_case(cases, argc, argv); }
