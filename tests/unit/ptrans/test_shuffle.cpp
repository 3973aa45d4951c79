// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shuffle.hpp"

#include <distview/comm/collectives.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace distview::testing {

namespace {

TEST(ShuffleTest, every_rank_has_one_place) {
    for (int n = 1; n < 20; ++n)
        for (int trial = 0; trial < 5; ++trial) {
            std::vector<int> sorted = ptrans::rank_permutation(1, trial, n);
            std::sort(sorted.begin(), sorted.end());
            std::vector<int> all(static_cast<std::size_t>(n));
            std::iota(all.begin(), all.end(), 0);
            EXPECT_EQ(sorted, all);
        }
}

TEST(ShuffleTest, depends_on_seed_and_trial_only) {
    std::set<std::vector<int>> seen;
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        for (int trial = 0; trial < 3; ++trial) {
            const auto permutation = ptrans::rank_permutation(seed, trial, 12);
            EXPECT_EQ(permutation, ptrans::rank_permutation(seed, trial, 12));
            seen.insert(permutation);
        }
    EXPECT_EQ(seen.size(), 9U);
}

TEST(ShuffleTest, all_orders_come_up) {
    std::set<std::vector<int>> seen;
    for (int trial = 0; trial < 200; ++trial) seen.insert(ptrans::rank_permutation(1, trial, 4));
    EXPECT_EQ(seen.size(), 24U);
}

TEST(ShuffleTest, ranks_come_in_that_order_and_leave_nothing) {
    const Communicator world(MPI_COMM_WORLD);
    const MpiHandles before = live_mpi_handles();
    for (int trial = 0; trial < 4; ++trial) {
        const auto permutation = ptrans::rank_permutation(7, trial, world.size());
        ptrans::ShuffledRanks shuffled(world, permutation);
        EXPECT_EQ(all_gather(shuffled.communicator(), world.rank()), permutation);
        shuffled.close();
    }
    EXPECT_EQ(live_mpi_handles(), before) << describe(live_mpi_handles());
}

} // namespace

} // namespace distview::testing
