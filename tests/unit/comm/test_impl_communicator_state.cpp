// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/communicator_state.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace distview::testing {

namespace {

TEST(CommunicatorState, DealsOutTagsAndBeginsAgain) {
    distview::impl::CommunicatorState state(MPI_COMM_NULL, 0, 1, 2, false);
    std::vector<int> tags;
    for (int i = 0; i < 7; ++i) tags.push_back(state.next_tag());
    EXPECT_EQ(tags, (std::vector<int>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(CommunicatorState, ClosesItsUsersOnce) {
    struct User : distview::impl::Closable {
        void leave() noexcept override { ++left; }
        void close() noexcept override {
            EXPECT_EQ(left, 1); // before anybody waits for this process
            ++closed;
        }
        int left = 0;
        int closed = 0;
    };
    const OwnedComm parent = duplicate_world();
    Communicator comm(parent.get());
    const auto user = std::make_shared<User>();
    comm.state()->add(user);
    comm.state()->add(std::make_shared<User>()); // gone before close()
    comm.close();
    EXPECT_EQ(user->closed, 1);
}

} // namespace

} // namespace distview::testing
