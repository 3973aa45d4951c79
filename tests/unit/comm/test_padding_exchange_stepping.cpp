// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ExchangeHandle::finish_filling: steps between two arrays with one synchronisation per step, and
// the end of a plan that others still read.
#include "stencil_kernel.hpp"
#include "transports.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>

#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Value = std::uint64_t;

/// The reference: one step of the same rule on the whole ring of n x n cells. Reads `low` cells
/// before and `high` cells after each cell along each axis.
std::vector<Value> stepped(const std::vector<Value>& u, std::int64_t n, Widths read) {
    std::vector<Value> v(u.size());
    const auto at = [n](std::int64_t i, std::int64_t j) {
        return static_cast<std::size_t>((i + n) % n * n + (j + n) % n);
    };
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = -read.low; k <= read.high; ++k)
                for (std::int64_t l = -read.low; l <= read.high; ++l) {
                    Position offset{};
                    offset[0] = k;
                    offset[1] = l;
                    v[at(i, j)] += value_of<Value>(offset, 5) * u[at(i + k, j + l)];
                }
    return v;
}

// From one array to the other and back with one synchronisation per step. Ranks drift apart as far
// as it allows.
void step_between_two_arrays(const Communicator& comm, Widths read) {
    constexpr std::int64_t n = 24;
    Random random(campaign_seed(), 3);
    for (const TransportChoice choice : possible_transports(comm)) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        Delays delays(comm.rank());
        const std::vector<int> grid = random_process_grid(random, comm.size(), 2);
        const BlockOptions ring{.padding = read, .periodic = true};
        const ArrayLayout layout(ProcessGrid{grid[0], grid[1]}, {block(n, ring), block(n, ring)});
        auto u = make_dist_view<Value**>(Exec(), "u", comm, layout);
        auto v = make_dist_view<Value**>(Exec(), "v", comm, layout);
        PaddingExchangePlan plan(comm, layout);
        const PaddingExchangeSchedule& schedule = plan.schedule();

        const auto each_owned = [&](const auto& visit) {
            for_each_position(LocalBox{u.interior_range(0), u.interior_range(1)}, 2,
                              [&](const Position& at) {
                                  const std::int64_t row = u.global_index(0, LocalIndex(at[0]));
                                  const std::int64_t column = u.global_index(1, LocalIndex(at[1]));
                                  visit(at, static_cast<std::size_t>(row * n + column));
                              });
        };
        std::vector<Value> model(n * n);
        for (std::size_t i = 0; i < model.size(); ++i) model[i] = i * i + 1;
        each_owned([&](const Position& at, std::size_t i) { u.view()(at[0], at[1]) = model[i]; });

        std::int64_t wrong = 0;
        for (int step = 0; step < 200; ++step) {
            delays.delay(300);
            auto exchange = plan.start(Exec(), u);
            const bool overlapped = delays.chance(0.5);
            if (overlapped) add_neighbours(schedule, Stencil::box, schedule.inner_cells(), u, v);
            exchange.finish_filling();
            delays.delay(100);
            if (!overlapped) add_neighbours(schedule, Stencil::box, schedule.inner_cells(), u, v);
            for (const LocalBox& box : schedule.outer_cells())
                add_neighbours(schedule, Stencil::box, box, u, v);
            std::swap(u, v);
            model = stepped(model, n, read);
            each_owned([&](const Position& at, std::size_t i) {
                wrong += u.view()(at[0], at[1]) != model[i];
            });
        }
        plan.wait_for_readers();
        EXPECT_EQ(wrong, 0);
    }
}

TEST(PaddingExchangeStepping, BetweenTwoArrays) {
    step_between_two_arrays(Communicator(MPI_COMM_WORLD), Widths(1, 1));
}

// The ranks that read from a rank are not those from which it reads, so its own needs do not delay it.
TEST(PaddingExchangeStepping, BetweenTwoArraysThatAreReadOnOneSide) {
    step_between_two_arrays(Communicator(MPI_COMM_WORLD), Widths(1, 0));
}

constexpr std::int64_t each = 10;
ArrayLayout ring_of(const Communicator& comm) {
    return {ProcessGrid{comm.size()},
            {block(each * comm.size(), {.padding = 2, .periodic = true})}};
}

// If a plan is destroyed before others have read, its arrays and lines stay until they have.
TEST(PaddingExchangeStepping, LeavesAPlanToItsReaders) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout = ring_of(comm);
    for (const TransportChoice choice : possible_transports(comm)) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        for (int late = 0; late < comm.size(); ++late) {
            const auto u = make_dist_view<Value*>(Exec(), "u", comm, layout);
            const std::int64_t all = each * comm.size();
            const auto value = [&](std::int64_t i) {
                return static_cast<Value>((comm.rank() * each + i - 2 + all) % all);
            };
            const auto is_filled = [&] {
                for (std::int64_t i = 0; i < each + 4; ++i)
                    if (u.view()(i) != value(i)) return false;
                return true;
            };
            for (std::int64_t i = 2; i < each + 2; ++i) u.view()(i) = value(i);
            {
                PaddingExchangePlan plan(comm, layout);
                plan.bind(Exec(), u);
                auto exchange = plan.start(Exec(), u);
                if (comm.rank() == late) usleep(2000);
                exchange.finish_filling();
                EXPECT_TRUE(is_filled());
            }
            for (const std::int64_t i : {0, 1, 12, 13}) u.view()(i) = ~Value();
            // The lines of other plans would reuse memory that is released too early.
            PaddingExchangePlan next(comm, layout);
            next.execute(Exec(), u);
            EXPECT_TRUE(is_filled());
        }
    }
}

// They must not be kept until the communicator closes: programs may make a plan in each step.
TEST(PaddingExchangeStepping, PlansThatHaveBeenReadAreNotKept) {
    const Communicator comm(MPI_COMM_WORLD);
    for (const TransportChoice choice : possible_transports(comm)) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        const ArrayLayout layout(ProcessGrid{comm.size()},
                                 {block(12 * comm.size(), {.padding = 1, .periodic = true})});
        const auto u = make_dist_view<Value*>(Exec(), "u", comm, layout);
        const auto requests_of_last = [&](int plans) {
            for (int i = 1; i < plans; ++i) {
                PaddingExchangePlan plan(comm, layout);
                plan.start(Exec(), u).finish_filling();
            }
            barrier(comm);
            PaddingExchangePlan last(comm, layout);
            last.bind(Exec(), u);
            const std::int64_t requests = live_mpi_handles().requests;
            last.execute(Exec(), u);
            return requests;
        };
        const std::int64_t of_one = requests_of_last(1);
        EXPECT_EQ(requests_of_last(20), of_one);
    }
}

} // namespace

} // namespace distview::testing
