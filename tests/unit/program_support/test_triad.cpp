// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "caches.hpp"
#include "triad.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace distview::testing {

namespace {

/// C libraries tell no caches of many processors (glibc's of Arm): arrays of a triad must not be empty there.
TEST(StreamBytes, are_more_than_a_cache_on_every_machine) {
    EXPECT_GE(program::last_level_cache_bytes(), 0);
    EXPECT_GE(program::stream_bytes(), 4 * program::last_level_cache_bytes());
    EXPECT_GE(program::stream_bytes(), std::int64_t{1} << 20);
    const std::int64_t more = program::stream_bytes() + 8;
    EXPECT_EQ(program::stream_bytes(more), more);
}

} // namespace

} // namespace distview::testing
