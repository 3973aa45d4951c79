// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans and handles after a move: every call of the moved-from object is an error, and the moved-to object works.
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

void expect_moved_from(const std::vector<std::function<void()>>& calls, const std::string& begin) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        try {
            calls[i]();
            ADD_FAILURE() << "call " << i << ": nothing thrown";
        } catch (const UsageError& error) {
            const std::string what = error.what();
            EXPECT_TRUE(what.starts_with(begin)) << "call " << i << ": " << what;
            EXPECT_NE(what.find("has been moved from"), std::string::npos)
                << "call " << i << ": " << what;
        }
    }
}

// Arrays and layouts are handles: a move copies them.
TEST(MovedFrom, ArraysStayWhatTheyWere) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    ArrayLayout layout(ProcessGrid{comm.size()}, {block(8 * comm.size())});
    const ArrayLayout moved_layout = std::move(layout);
    // NOLINTBEGIN(bugprone-use-after-move)
    EXPECT_EQ(layout, moved_layout);
    auto u = make_dist_view<double*>(exec, "u", comm, layout);
    AnyDistView any = u;
    Kokkos::deep_copy(exec, u.view(), 1.0);
    const auto moved = std::move(u);
    const AnyDistView moved_any = std::move(any);
    EXPECT_EQ(u.view().data(), moved.view().data());
    EXPECT_EQ(u.extent(0), 8 * comm.size());
    EXPECT_EQ(u.identity(), moved.identity());
    EXPECT_EQ(any.section().data, moved_any.section().data);
    EXPECT_EQ(any.section().extents, moved_any.section().extents);
    RedistributionPlan plan(comm, layout, layout);
    auto target = make_dist_view<double*>(exec, "target", comm, layout);
    plan.execute(exec, any, AnyDistView(target));
    for (std::size_t i = 0; i < target.view().extent(0); ++i) EXPECT_EQ(target.view()(i), 1.0);
    // NOLINTEND(bugprone-use-after-move)
}

TEST(MovedFrom, PaddingExchangePlan) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(8 * comm.size(), {.padding = 1, .periodic = true})});
    const auto u = make_dist_view<double*>(exec, "u", comm, layout);
    const std::array<AnyDistView, 1> any{u};
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan kept = std::move(plan);
    // NOLINTBEGIN(bugprone-use-after-move)
    expect_moved_from(
        {[&] { plan.bind(exec, u); }, [&] { plan.bind(exec); }, [&] { plan.bind(exec, any); },
         [&] { plan.execute(exec, u); }, [&] { plan.execute(exec, any); },
         [&] { static_cast<void>(plan.start(exec, u)); },
         [&] { static_cast<void>(plan.start(exec, any)); }, [&] { plan.combine(exec, Sum{}, u); },
         [&] { static_cast<void>(plan.start_combine(exec, Sum{}, u)); },
         [&] { plan.wait_for_readers(); }, [&] { plan.schedule(); }, [&] { plan.inner_cells(); },
         [&] { plan.outer_cells(); }, [&] { plan.send_peers(); }, [&] { plan.receive_peers(); },
         [&] { plan.workspace_bytes(); }, [&] { plan.describe(); }},
        "PaddingExchangePlan: ");
    auto handle = kept.start(exec, u);
    auto taken = std::move(handle);
    expect_moved_from({[&] { handle.finish(); }, [&] { handle.finish_filling(); },
                       [&] { static_cast<void>(handle.can_finish()); },
                       [&] { handle.finish(LocalBox{}); }},
                      "ExchangeHandle::");
    taken.finish();
    auto combination = kept.start_combine(exec, Sum{}, u);
    auto taken_combination = std::move(combination);
    expect_moved_from({[&] { combination.finish(); }}, "ExchangeHandle::finish");
    // NOLINTEND(bugprone-use-after-move)
    taken_combination.finish();
    kept.execute(exec, u);
}

TEST(MovedFrom, RedistributionPlan) {
    const Exec exec;
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(8 * comm.size())});
    const auto a = make_dist_view<double*>(exec, "a", comm, layout);
    const auto b = make_dist_view<double*>(exec, "b", comm, layout);
    const AnyDistView any_a = a;
    const AnyDistView any_b = b;
    RedistributionPlan plan(comm, layout, layout);
    RedistributionPlan kept = std::move(plan);
    // NOLINTBEGIN(bugprone-use-after-move)
    expect_moved_from(
        {[&] { plan.bind(exec, a, b); }, [&] { plan.bind(exec, any_a, any_b); },
         [&] { plan.execute(exec, a, b); }, [&] { plan.execute(exec, 2.0, a, 1.0, b); },
         [&] { plan.execute(exec, any_a, any_b); },
         [&] { plan.execute_as<double>(exec, 1.0, &any_a, 0.0, &any_b); },
         [&] { plan.combine(exec, Sum{}, a, b); },
         [&] { static_cast<void>(plan.start(exec, a, b)); }, [&] { plan.schedule(); },
         [&] { plan.from_process(); }, [&] { plan.to_process(); }, [&] { plan.send_peers(); },
         [&] { plan.receive_peers(); }, [&] { plan.workspace_bytes(); }, [&] { plan.describe(); },
         [&] { plan.communicator(); }, [&] { plan.is_usable(); }},
        "RedistributionPlan: ");
    auto handle = kept.start(exec, a, b);
    auto taken = std::move(handle);
    expect_moved_from({[&] { handle.finish(); }, [&] { static_cast<void>(handle.can_finish()); }},
                      "ExchangeHandle::");
    // NOLINTEND(bugprone-use-after-move)
    taken.finish();
    kept.execute(exec, a, b);
}

} // namespace

} // namespace distview::testing
