// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/core/error.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace distview::testing {

namespace {

using distview::impl::message_count;

TEST(MessageCount, TakesWhatMpiCountsAndNoMore) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    EXPECT_EQ(message_count(0, "test"), 0);
    EXPECT_EQ(message_count(most, "test"), most);
    EXPECT_THROW_ON_ALL_RANKS(message_count(most + 1, "test"), UsageError,
                              "test: a message of 2147483648 bytes exceeds MPI's limit of 2^31-1");
    EXPECT_THROW_ON_ALL_RANKS(message_count(-1, "test"), UsageError, "test: a message of -1");
}

} // namespace

} // namespace distview::testing
