// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace distview::testing {

namespace {

TEST(CommunicatorState, DealsOutTagsAndBeginsAgain) {
    using distview::impl::CommunicatorState;
    CommunicatorState state(MPI_COMM_NULL, {.tag_limit = 6}, distview::impl::own_call_line(0), {});
    std::vector<int> tags;
    for (int i = 0; i < 7; ++i) tags.push_back(state.next_tag());
    EXPECT_EQ(tags, (std::vector<int>{4, 5, 6, 4, 5, 6, 4})); // 0 to 2: NodeMessages; 3: reports
}

TEST(CommunicatorState, ClosesItsUsersOnce) {
    struct User : distview::impl::Closable {
        void leave() noexcept override { ++left; }
        void close(Time) noexcept override {
            EXPECT_EQ(left, 1); // called before any rank waits for this process
            ++closed;
        }
        int left = 0;
        int closed = 0;
    };
    const OwnedComm parent = duplicate_world();
    Communicator comm(parent.get());
    const auto user = std::make_shared<User>();
    distview::impl::state_of(comm)->add(user);
    distview::impl::state_of(comm)->add(std::make_shared<User>()); // destroyed before close()
    comm.close();
    EXPECT_EQ(user->closed, 1);
}

TEST(CommunicatorState, TakesTheDeadlineOfTheEnvironment) {
    const OwnedComm first = duplicate_world();
    ::setenv("DISTVIEW_DEADLINE", "60.5", 1);
    const Communicator comm(first.get());
    ::unsetenv("DISTVIEW_DEADLINE");
    EXPECT_EQ(distview::impl::state_of(comm)->deadline().limit().count(), 60.5);
    const OwnedComm second = duplicate_world();
    EXPECT_FALSE(distview::impl::state_of(Communicator(second.get()))->deadline().is_set());
}

TEST(PlanLines, AreThoseOfReadersOnThisNode) {
    const OwnedComm parent = duplicate_world();
    const Communicator comm(parent.get());
    distview::impl::CommunicatorState& state = *distview::impl::state_of(comm);
    std::vector<int> readers;
    for (int rank = 0; rank < comm.size() + 3; ++rank) readers.push_back(rank); // three far ones
    const distview::impl::PlanLines lines(state, 7, readers);
    ASSERT_ON_ALL_RANKS(lines.ready() != nullptr);
    const distview::impl::SyncLine* line = lines.ready();
    for (std::size_t r = 0; r < readers.size(); ++r)
        EXPECT_EQ(lines.done(r), state.calls().is_near(readers[r]) ? ++line : nullptr) << r;
    EXPECT_EQ(lines.ready()->plan, 7u);
    EXPECT_EQ(line->plan, 7u);
}

// Imitates ranks built with versions of the library that lay out shared memory differently.
TEST(CommunicatorState, GoesByMessagesWhereSharedMemoryHasAnotherLayout) {
    if (world_size() == 1) GTEST_SKIP() << "no neighbour";
    const OwnedComm parent = duplicate_world();
    const Communicator comm(parent.get());
    const Kokkos::DefaultHostExecutionSpace exec;
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(4 * comm.size(), {.padding = 1, .periodic = true})});
    const auto exchange = [&](const char* transport) {
        const auto u = make_dist_view<double*>(exec, "u", comm, layout);
        Kokkos::deep_copy(u.owned(), comm.rank());
        const auto place = distview::impl::state_of(comm)->arena()->find(u.view().data());
        ASSERT_TRUE(place.has_value());
        if (std::string_view(transport) == "message") {
            char* const segment =
                reinterpret_cast<char*>(u.view().data()) - place->offset; // key, then version
            const std::int64_t version = distview::impl::SharedSegment::layout_version + 1;
            std::memcpy(segment + sizeof(std::int64_t), &version, sizeof(version));
        }
        PaddingExchangePlan plan(comm, layout);
        plan.execute(exec, u);
        EXPECT_EQ(u.view()(0), (comm.rank() + comm.size() - 1) % comm.size());
        EXPECT_NE(plan.describe().find(std::string(": ") + transport + ", "), std::string::npos)
            << plan.describe();
    };
    exchange("direct");
    exchange("message");
}

} // namespace

} // namespace distview::testing
