// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computing during an exchange: on inner cells before any other rank has begun, on outer cells as
// soon as their neighbours have arrived, and with several plans at once.
#include "field_fixture.hpp"
#include "stencil_kernel.hpp"
#include "transports.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;
using Left = Kokkos::LayoutLeft;
using Strided = Kokkos::LayoutStride;
using Value = std::uint64_t;

/// Overlaps exchanges of random arrays of one geometry.
template <class View>
void overlap(Random& random, const Worlds& worlds, const std::vector<TransportChoice>& choices,
             Delays& delays) {
    const Communicator& comm = random.chance(0.5) ? worlds.reversed_comm : worlds.forward_comm;
    GeometryLimits limits = limits_for(View::rank());
    limits.valid_only = true;
    const ArrayGeometry geometry =
        random_geometry(random, random_process_grid(random, comm.size(), View::rank()), limits);
    const ArrayLayout layout = geometry.layout();
    TestField<View> from(geometry, layout, comm, random, Memory::arena);
    TestField<View> at_once(geometry, layout, comm, random, Memory::arena);
    TestField<View> in_parts(geometry, layout, comm, random, Memory::arena);
    const Exec exec;
    for (const TransportChoice choice : choices) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        PaddingExchangePlan plan(comm, layout, geometry.options());
        const PaddingExchangeSchedule& schedule = plan.schedule();
        const auto compute = [&](const LocalBox& cells, const TestField<View>& to) {
            add_neighbours(schedule, geometry.stencil, cells, from.view(), to.view());
        };
        at_once.fill(9);
        in_parts.fill(9);

        from.fill(1);
        plan.execute(exec, from.view());
        compute(schedule.inner_cells(), at_once);
        for (const LocalBox& box : schedule.outer_cells()) compute(box, at_once);

        from.fill(1); // sets the padding to poison values again
        delays.delay(300);
        auto exchange = plan.start(exec, from.view());
        exec.fence();
        compute(schedule.inner_cells(), in_parts);
        std::vector<LocalBox> outer = schedule.outer_cells();
        random.shuffle(outer);
        for (const LocalBox& box : outer) {
            exchange.finish(schedule.reads(box));
            compute(box, in_parts);
        }
        exchange.finish();
        EXPECT_EQ(from.find_flaw(1), "") << geometry.describe();
        EXPECT_TRUE(at_once.bytes() == in_parts.bytes()) << geometry.describe();
    }
}

TEST(PaddingExchangeOverlap, ComputesWhatExecuteAndOneKernelDo) {
    const Worlds worlds;
    const std::vector<TransportChoice> choices = possible_transports(worlds.forward_comm);
    Delays delays(world_rank());
    for_each_case(60, [&](Random& random, std::uint64_t) {
        switch (random.integer(0, 4)) {
        case 0: overlap<DistView<Value*>>(random, worlds, choices, delays); break;
        case 1: overlap<DistView<Value**, Left, Host>>(random, worlds, choices, delays); break;
        case 2: overlap<DistView<Value**, Strided, Host>>(random, worlds, choices, delays); break;
        default: overlap<DistView<Value***>>(random, worlds, choices, delays);
        }
    });
}

constexpr std::int64_t each = 10;
ArrayLayout ring_of(const Communicator& comm) {
    return {ProcessGrid{comm.size()},
            {block(each * comm.size(), {.padding = 2, .periodic = true})}};
}

// The last rank begins only after all others have reported that they have done all work that does
// not need it. If a rank waits for it too early, it waits forever.
TEST(PaddingExchangeOverlap, WaitsForNobodyItDoesNotRead) {
    if (distview::impl::on_device<Kokkos::DefaultHostExecutionSpace>)
        GTEST_SKIP() << "on a device one kernel fills all, once all neighbours have come";
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    const int late = n - 1;
    const ArrayLayout layout = ring_of(comm);
    const auto u = make_dist_view<Value*>(Exec(), "u", comm, layout);
    const auto v = make_dist_view<Value*>(Exec(), "v", comm, layout);
    for (const TransportChoice choice : possible_transports(comm)) {
        SCOPED_TRACE("transport " + name_of(choice));
        const TransportSetting setting(choice);
        PaddingExchangePlan plan(comm, layout);
        plan.bind(Exec(), u);
        const PaddingExchangeSchedule& schedule = plan.schedule();
        for (std::int64_t i = 0; i < each + 4; ++i)
            u.view()(i) = i < 2 || i >= each + 2 ? 0 : Value(comm.rank() * each + i - 1);
        if (comm.rank() == late)
            for (int other = 0; other < late; ++other)
                MPI_Recv(nullptr, 0, MPI_CHAR, other, 0, comm.mpi(), MPI_STATUS_IGNORE);

        auto exchange = plan.start(Exec(), u);
        add_neighbours(schedule, Stencil::box, schedule.inner_cells(), u, v);
        const std::vector<LocalBox> outer = schedule.outer_cells();
        EXPECT_EQ(outer.size(), n == 1 ? 0u : 2u);
        const auto finish = [&](std::size_t side) {
            if (outer.size() != 2) return;
            exchange.finish(schedule.reads(outer[side]));
            add_neighbours(schedule, Stencil::box, outer[side], u, v);
        };
        // Rank r reads from r - 1 on its low side and from r + 1 on its high side.
        const bool low_first = comm.rank() != 0;
        const bool one_is_late = comm.rank() == 0 || comm.rank() == late - 1;
        const bool both_are_late = n == 2;
        if (!both_are_late) finish(low_first ? 0 : 1);
        if (!one_is_late) finish(low_first ? 1 : 0);
        if (comm.rank() != late) MPI_Send(nullptr, 0, MPI_CHAR, late, 0, comm.mpi());
        if (both_are_late) finish(low_first ? 0 : 1);
        if (one_is_late) finish(low_first ? 1 : 0);
        exchange.finish();

        const auto number = [&](std::int64_t global) {
            return static_cast<Value>((global + n * each) % (n * each) + 1);
        };
        for (std::int64_t i = 0; i < each; ++i) {
            Value expected = 0;
            for (std::int64_t k = -2; k <= 2; ++k) {
                Position offset{};
                offset[0] = k;
                expected += value_of<Value>(offset, 5) * number(comm.rank() * each + i + k);
            }
            EXPECT_EQ(v.view()(i + 2), expected);
        }
    }
}

// Each rank fills the arrays in a different order. finish() also waits until the others have read,
// which they do in their finish(): rounds with finish() therefore use one order on all ranks.
TEST(PaddingExchangeOverlap, KeepsSeveralPlansInFlight) {
    const Worlds worlds;
    const Communicator& comm = worlds.forward_comm;
    const std::vector<TransportChoice> choices = possible_transports(comm);
    Delays delays(world_rank());
    for_each_case(40, [&](Random& random, std::uint64_t i) {
        Random of_rank(campaign_seed() + 1 + static_cast<unsigned>(comm.rank()), i);
        std::vector<TestField<DistView<Value**>>> fields;
        std::vector<PaddingExchangePlan> plans;
        for (int p = 0; p < 4; ++p) {
            GeometryLimits limits = limits_for(2);
            limits.valid_only = true;
            const ArrayGeometry geometry =
                random_geometry(random, random_process_grid(random, comm.size(), 2), limits);
            const TransportSetting setting(random.pick(choices));
            plans.emplace_back(comm, geometry.layout(), geometry.options());
            fields.emplace_back(geometry, geometry.layout(), comm, random, Memory::arena);
        }
        for (std::uint64_t round = 1; round <= 3; ++round) {
            std::vector<std::pair<std::size_t, ExchangeHandle<Exec>>> in_flight;
            for (std::size_t p = 0; p < plans.size(); ++p) {
                fields[p].fill(round * 10 + p);
                delays.delay(200);
                in_flight.emplace_back(p, plans[p].start(Exec(), fields[p].view()));
            }
            if (round == 1) {
                random.shuffle(in_flight);
                for (auto& [p, handle] : in_flight) handle.finish();
            } else {
                of_rank.shuffle(in_flight);
                for (auto& [p, handle] : in_flight) {
                    handle.finish_filling();
                    EXPECT_EQ(fields[p].find_flaw(round * 10 + p), "");
                    delays.delay(200);
                }
            }
            for (std::size_t p = 0; p < plans.size(); ++p) {
                plans[p].wait_for_readers();
                EXPECT_EQ(fields[p].find_flaw(round * 10 + p), "") << "plan " << p;
            }
        }
    });
}

} // namespace

} // namespace distview::testing
