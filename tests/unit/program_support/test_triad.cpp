// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "caches.hpp"
#include "triad.hpp"

#include <distview/comm/collectives.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>

namespace distview::testing {

namespace {

class StreamBytes : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};

    /// Counts machines by their names; the tests on two hosts make two names.
    std::int64_t machines() const {
        std::array<char, MPI_MAX_PROCESSOR_NAME> own{};
        int length = 0;
        MPI_Get_processor_name(own.data(), &length);
        std::set<std::string> names;
        for (const auto& name : all_gather(world, own)) names.insert(name.data());
        return static_cast<std::int64_t>(names.size());
    }
};

/// C libraries report no caches for many processors (glibc on Arm): the arrays of a triad must still not be empty.
TEST_F(StreamBytes, are_more_than_a_cache_on_every_machine) {
    EXPECT_GE(program::last_level_cache_bytes(), 0);
    const std::int64_t bytes = program::stream_bytes(world);
    EXPECT_GE(bytes, 4 * program::last_level_cache_bytes());
    EXPECT_GE(bytes, std::int64_t{1} << 20);
    EXPECT_EQ(program::stream_bytes(world, bytes + 8), bytes + 8);
}

TEST_F(StreamBytes, are_four_times_the_caches_of_all_machines) {
    const std::int64_t cache = program::last_level_cache_bytes();
    const std::int64_t assumed = cache > 0 ? cache : std::int64_t{64} << 20;
    const std::int64_t largest = all_reduce(world, ReduceOperation::max, assumed);
    EXPECT_EQ(program::stream_bytes(world), 4 * largest * machines());
}

} // namespace

} // namespace distview::testing
