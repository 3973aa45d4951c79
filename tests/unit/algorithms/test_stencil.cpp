// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plate_model.hpp"
#include "sections.hpp"

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using Plate = DistView<std::int64_t**, Kokkos::HostSpace>;

/// Forces a transport for plans built during its lifetime; the same on all ranks.
class ForcedTransport {
public:
    explicit ForcedTransport(const char* name) { ::setenv("DISTVIEW_TRANSPORT", name, 1); }
    ~ForcedTransport() { ::unsetenv("DISTVIEW_TRANSPORT"); }
    ForcedTransport(const ForcedTransport&) = delete;
    ForcedTransport& operator=(const ForcedTransport&) = delete;
};

/// The number of cells that differ from the model after `steps` steps. Ranks are late at random, so
/// that both code paths of apply_stencil() are used.
int count_wrong_after(Random& random, const Communicator& comm, int steps) {
    const HostExec exec;
    const std::vector<int> grid = random_process_grid(random, comm.size(), 2);
    Model model{random.integer(2 * grid[0], 2 * grid[0] + 12),
                random.integer(2 * grid[1], 2 * grid[1] + 12),
                {random.chance(0.5), random.chance(0.5)},
                {}};
    const auto axis = [&](std::int64_t n, bool periodic) {
        return block(n, {.padding = Widths(2, 1), .boundary = Widths(2, 1), .periodic = periodic});
    };
    const ArrayLayout layout(
        ProcessGrid(std::span<const int>(grid)),
        {axis(model.rows, model.periodic[0]), axis(model.columns, model.periodic[1])});
    for (std::int64_t i = 0; i < model.rows; ++i)
        for (std::int64_t j = 0; j < model.columns; ++j) model.cells.push_back(first_value(i, j));

    auto now = make_dist_view<std::int64_t**, Kokkos::HostSpace>(exec, "now", comm, layout);
    auto next = make_dist_view<std::int64_t**, Kokkos::HostSpace>(exec, "next", comm, layout);
    for_each_global(exec, now, [&](GlobalIndex i, GlobalIndex j) {
        now.view()(now.local_index(0, i).value(), now.local_index(1, j).value()) =
            first_value(i.value(), j.value());
    });
    PaddingExchangePlan plan(comm, layout);
    for (int step = 0; step < steps; ++step) {
        Random own(static_cast<std::uint64_t>(comm.rank()), static_cast<std::uint64_t>(step));
        if (own.chance(0.2)) std::this_thread::sleep_for(std::chrono::microseconds(300));
        const Rule<Plate::view_type> rule{now.view(), next.view()};
        apply_stencil(exec, plan, next, rule, now);
        std::swap(now, next);
        model.step();
    }
    return count_wrong_cells(now, model);
}

void expect_model_steps(std::uint64_t cases) {
    const Communicator comm = world();
    for_each_case(cases, [&](Random& random, std::uint64_t) {
        EXPECT_EQ(count_wrong_after(random, comm, 12), 0);
    });
}

TEST(ApplyStencil, StepsAsOneProcessWould) { expect_model_steps(60); }

TEST(ApplyStencil, StepsAlikeWithMessages) {
    const ForcedTransport transport("message");
    expect_model_steps(60);
}

// A late neighbour has not begun when the others compute their inner cells.
TEST(ApplyStencil, ComputesEveryCellOnceHoweverLateTheNeighbours) {
    const HostExec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                             {block(5 * comm.size(), {.padding = 1, .periodic = true}),
                              block(6, {.padding = 1, .periodic = true})});
    const auto from = make_dist_view<double**, Kokkos::HostSpace>(exec, "from", comm, layout);
    const auto to = make_dist_view<double**, Kokkos::HostSpace>(exec, "to", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    plan.bind(Kokkos::DefaultHostExecutionSpace(), from);
    for (int late = 0; late < comm.size(); ++late) {
        if (comm.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        apply_stencil(exec, plan, to, [&](int i, int j) { to.view()(i, j) += 1.0; }, from);
    }
    int wrong = 0;
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 8; ++j) {
            const bool inside = i >= 1 && i < 6 && j >= 1 && j < 7;
            wrong += to.view()(i, j) != (inside ? comm.size() : 0.0);
        }
    EXPECT_EQ(wrong, 0);
}

TEST(ApplyStencil, WantsCellsOfThePlansLayout) {
    const HostExec exec;
    const Communicator comm = world();
    const auto layout_of = [&](std::int64_t n) {
        return ArrayLayout(ProcessGrid{comm.size()}, {block(n * comm.size(), {.padding = 1})});
    };
    const auto from = make_dist_view<double*, Kokkos::HostSpace>(exec, "from", comm, layout_of(4));
    const auto to = make_dist_view<double*, Kokkos::HostSpace>(exec, "to", comm, layout_of(5));
    PaddingExchangePlan plan(comm, layout_of(4));
    EXPECT_THROW_ON_ALL_RANKS(apply_stencil(
                                  exec, plan, to, [](int) {}, from),
                              ShapeError,
                              "apply_stencil: expected an array of the plan's layout, got a ");
}

TEST(ApplyStencil, WritesNoArrayThatItExchanges) {
    const HostExec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(4 * comm.size(), {.padding = 1})});
    const auto u = make_dist_view<double*, Kokkos::HostSpace>(exec, "u", comm, layout);
    const auto k = make_dist_view<double*, Kokkos::HostSpace>(exec, "k", comm, layout);
    for (const bool is_deep : {false, true}) {
        PaddingExchangePlan plan(comm, layout);
        const auto step = [&] {
            if (is_deep)
                apply_stencil(exec, "step", plan, Reach{1}, u, [](int) {}, k, u);
            else
                apply_stencil(exec, plan, u, [](int) {}, k, u);
        };
        EXPECT_THROW_ON_ALL_RANKS(step(), UsageError,
                                  "apply_stencil: expected an array to write that is none of those "
                                  "to exchange, got 'u' as both");
    }
}

// The others finish, or learn that this rank has abandoned the exchange; none may wait for it.
TEST(ApplyStencil, RefusedOnOneRankKeepsNobodyWaiting) {
    const HostExec exec;
    const Communicator comm = world();
    const auto layout_of = [&](std::int64_t n) {
        return ArrayLayout(ProcessGrid{comm.size()},
                           {block(n * comm.size(), {.padding = 1, .periodic = true})});
    };
    const auto make = [&](std::int64_t n) {
        return make_dist_view<double*, Kokkos::HostSpace>(exec, "array", comm, layout_of(n));
    };
    const auto from = make(4), right = make(4), wrong = make(5);
    for (const bool messages : {false, true}) {
        std::optional<ForcedTransport> transport;
        if (messages) transport.emplace("message");
        PaddingExchangePlan plan(comm, layout_of(4));
        plan.bind(Kokkos::DefaultHostExecutionSpace(), from);
        const bool refused = comm.rank() == 0;
        std::string what = "finished";
        try {
            apply_stencil(exec, plan, refused ? wrong : right, [](int) {}, from);
        } catch (const ShapeError&) {
            what = "refused";
        } catch (const UsageError& error) {
            what = error.what();
        }
        if (refused)
            EXPECT_EQ(what, "refused");
        else
            EXPECT_TRUE(what == "finished" ||
                        what.find("has abandoned an exchange") != std::string::npos)
                << what;
        MPI_Barrier(comm.mpi()); // no rank may build the next plan while others use this one
    }
}

} // namespace

} // namespace distview::testing
