// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of programs with redistributions in flight, and of plans, arrays and communicators in any
// order. With DISTVIEW_TRANSPOSES=1 axes are permuted: processes that share memory then read each
// other's sources, otherwise they write each other's targets.
#include "lifecycle_cases.hpp"

#include <distview/comm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace distview;
using testing::expect, testing::expect_usage_error;
using Exec = Kokkos::DefaultHostExecutionSpace;

bool transposes() { return std::getenv("DISTVIEW_TRANSPOSES") != nullptr; }

ArrayLayout source_layout(const Communicator& comm, std::int64_t columns) {
    return {ProcessGrid{comm.size(), 1}, {block(3 * comm.size()), block(columns)}};
}
ArrayLayout target_layout(const Communicator& comm, std::int64_t columns) {
    if (transposes())
        return {ProcessGrid{comm.size(), 1}, {cyclic(columns), block(3 * comm.size())}};
    return {ProcessGrid{1, comm.size()}, {block(3 * comm.size()), cyclic(columns)}};
}
RedistributionPlan make_plan(const Communicator& comm, std::int64_t columns) {
    RedistributionOptions options;
    if (transposes()) options.permutation = {1, 0};
    return {comm, source_layout(comm, columns), target_layout(comm, columns), options};
}
/// The element of a source row in the target's first column or row.
double& first_of_row(const DistView<double**>& to, int row) {
    const auto i = static_cast<std::size_t>(row);
    return transposes() ? to.view()(0, i) : to.view()(i, 0);
}

/// The objects that a program may still own when it ends.
struct Belongings {
    explicit Belongings(std::int64_t count = 12)
        : comm(MPI_COMM_WORLD), plan(make_plan(comm, count)),
          from(make_dist_view<double**>(Exec(), "from", comm, source_layout(comm, count))),
          to(make_dist_view<double**>(Exec(), "to", comm, target_layout(comm, count))) {
        plan.execute(Exec(), from, to);
    }
    void drop_arrays() { from = to = {}; }

    Communicator comm;
    RedistributionPlan plan;
    DistView<double**> from;
    DistView<double**> to;
};

constexpr std::int64_t many = 300000; // more than MPI sends before a receive is posted

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
        // An array that is read in place may be freed before it has been read.
        expect(std::string_view(error.what()).find("RedistributionPlan: rank 0 has abandoned") !=
                   std::string_view::npos,
               "an error that names the process");
    }
}

// Other processes may still write the target of a process that has abandoned the execution: its
// memory must not be reused for another array.
void abandoned_target_is_kept(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    Belongings belongings(1200);
    const bool gives_up = belongings.comm.rank() == 0;
    constexpr std::size_t count = 100; // much less than a section, so that it fits into any gap
    {
        auto handle = belongings.plan.start(Exec(), belongings.from, belongings.to);
        std::vector<std::shared_ptr<void>> others; // so many that they would fill the gap
        if (gives_up) {
            {
                const auto dropped = std::move(handle);
            }
            belongings.drop_arrays();
            for (int i = 0; i < 1000; ++i) {
                others.push_back(allocate_shared(belongings.comm, count * sizeof(double)));
                std::fill_n(static_cast<double*>(others.back().get()), count, -7.);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (!gives_up) {
            try {
                handle.finish();
            } catch (const UsageError&) { // if in place; messages are delivered
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (const std::shared_ptr<void>& other : others) {
            const auto* const first = static_cast<const double*>(other.get());
            expect(std::count(first, first + count, -7.) == static_cast<std::ptrdiff_t>(count),
                   "memory that nobody else writes");
        }
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
    auto plan = std::make_unique<RedistributionPlan>(make_plan(belongings.comm, 12));
    Kokkos::deep_copy(belongings.from.view(), 3.);
    auto handle = plan->start(Exec(), belongings.from, belongings.to);
    plan.reset();
    handle.finish(); // the handle keeps the objects that it needs
    expect(first_of_row(belongings.to, 0) == 3., "elements that have moved");
}

// The second array reuses the memory of the first: plans must not confuse them.
void arrays_go_before_plans(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    RedistributionPlan plan = make_plan(comm, 12);
    for (int round = 0; round < 50; ++round) {
        const auto from = make_dist_view<double**>(Exec(), "from", comm, source_layout(comm, 12));
        const auto to = make_dist_view<double**>(Exec(), "to", comm, target_layout(comm, 12));
        Kokkos::deep_copy(from.view(), 100.0 * round + comm.rank());
        plan.execute(Exec(), from, to);
        for (int r = 0; r < comm.size(); ++r)
            expect(first_of_row(to, 3 * r) == 100.0 * round + r, "the process's value");
    }
}

void closes_in_flight(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    Belongings belongings;
    auto handle = belongings.plan.start(Exec(), belongings.from, belongings.to);
    belongings.comm.close();
    expect_usage_error([&] { handle.finish(); },
                       "RedistributionPlan: the communicator has been closed");
}

/// With several steps: the second step waits for a process that has left after the first.
void abandons_in_place(int argc, char** argv, bool everywhere) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t size = 120 * comm.size();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(size), block(size)});
    const auto a = make_dist_view<double**>(Exec(), "a", comm, layout);
    RedistributionPlan plan(comm, layout, layout,
                            {.permutation = {1, 0}, .in_place = true, .buffer_bytes = 40000});
    plan.execute(Exec(), a, a);
    {
        auto handle = plan.start(Exec(), a, a);
        if (everywhere || comm.rank() == 0) return;
        try {
            handle.finish();
            expect(false, "an error, since a process does not come to the other steps");
        } catch (const UsageError& error) {
            const std::string_view what = error.what();
            expect(what.find("has abandoned an exchange") != std::string_view::npos,
                   "an error that says so");
        }
    }
    expect_usage_error([&] { plan.execute(Exec(), a, a); },
                       "RedistributionPlan: an earlier execution was abandoned or failed; this "
                       "plan cannot be used again, build a new one");
}

/// The same with combined copies; also for processes that only wait until their data are read.
void abandons_copies(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t n = comm.size();
    std::vector<std::vector<std::int64_t>> lists; // all processes hold row n; one step per copy
    for (std::int64_t p = 0; p < n; ++p) lists.push_back({p, n});
    const ArrayLayout from(ProcessGrid{comm.size(), 1}, {unstructured(lists), block(400)});
    const ArrayLayout to(ProcessGrid{1, comm.size()}, {block(n + 1), cyclic(400)});
    const auto a = make_dist_view<double**>(Exec(), "a", comm, from);
    const auto b = make_dist_view<double**>(Exec(), "b", comm, to);
    const auto value = [](const auto& array, std::size_t i, std::size_t j) {
        const auto index = [&](int axis, std::size_t l) {
            return array.global_index(axis, LocalIndex(static_cast<std::int64_t>(l))).value();
        };
        return static_cast<double>(1000 * index(0, i) + index(1, j));
    };
    for (std::size_t i = 0; i < a.view().extent(0); ++i)
        for (std::size_t j = 0; j < a.view().extent(1); ++j) a.view()(i, j) = value(a, i, j);
    RedistributionPlan plan(comm, from, to);
    plan.combine(Exec(), Sum{}, a, b);
    Kokkos::deep_copy(b.view(), 0.);
    auto handle = plan.start_combine(Exec(), Sum{}, a, b);
    if (comm.rank() == 0) return;
    try {
        handle.finish();
        // finish() may succeed if this process needs no data from processes that skip the other steps.
        int wrong = 0;
        for (std::size_t i = 0; i < b.view().extent(0); ++i)
            for (std::size_t j = 0; j < b.view().extent(1); ++j) {
                const bool is_shared = i + 1 == b.view().extent(0);
                wrong +=
                    b.view()(i, j) != (is_shared ? static_cast<double>(n) : 1.) * value(b, i, j);
            }
        expect(wrong == 0, "an error, or all that was to arrive");
    } catch (const UsageError& error) {
        const std::string_view what = error.what();
        expect(what.find("has abandoned an exchange") != std::string_view::npos,
               "an error that says so");
    }
}

void arrays_go_in_place(int argc, char** argv) {
    const Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t size = 30 * comm.size();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(size), block(size)});
    RedistributionPlan plan(comm, layout, layout,
                            {.permutation = {1, 0}, .in_place = true, .buffer_bytes = 9000});
    for (int round = 0; round < 40; ++round) {
        const auto a = make_dist_view<double**>(Exec(), "a", comm, layout);
        Kokkos::deep_copy(a.view(), round + comm.rank());
        plan.execute(Exec(), a, a);
        for (int r = 0; r < comm.size(); ++r)
            expect(a.view()(0, static_cast<std::size_t>(30 * r)) == round + r,
                   "the process's value");
    }
}

constexpr testing::LifecycleCase cases[] = {
    {"plan_outlives_all", plan_outlives_all},
    {"abandons", [](int argc, char** argv) { abandons(argc, argv, 12, true); }},
    {"abandons_on_one_rank", [](int argc, char** argv) { abandons(argc, argv, 12, false); }},
    {"abandons_long", [](int argc, char** argv) { abandons(argc, argv, many, true); }},
    {"abandons_long_on_one_rank", [](int argc, char** argv) { abandons(argc, argv, many, false); }},
    {"abandoned_target_is_kept", abandoned_target_is_kept},
    {"leaks", leaks},
    {"plan_goes_in_flight", plan_goes_in_flight},
    {"arrays_go_before_plans", arrays_go_before_plans},
    {"closes_in_flight", closes_in_flight},
    {"abandons_in_place", [](int argc, char** argv) { abandons_in_place(argc, argv, true); }},
    {"abandons_in_place_on_one_rank",
     [](int argc, char** argv) { abandons_in_place(argc, argv, false); }},
    {"arrays_go_in_place", arrays_go_in_place},
    {"abandons_copies", abandons_copies},
};

} // namespace

int main(int argc, char** argv) { return distview::testing::run_case(cases, argc, argv); }
