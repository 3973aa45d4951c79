// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More than 2^31 elements, in single messages of more than 2 GiB: needs 18 GiB of memory, so it
// runs only with the long tests.
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Bytes = DistView<std::uint8_t*>;

std::uint8_t number(std::int64_t i) {
    return static_cast<std::uint8_t>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 56);
}

/// Moves every rank's block to its neighbour, and checks it.
void expect_all_moved(TransportChoice choice, std::int64_t block_bytes) {
    const TransportSetting setting(choice);
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    const ArrayLayout layout(ProcessGrid{n}, {block(block_bytes * n)});
    std::vector<int> ranks;
    for (int p = 0; p < n; ++p) ranks.push_back((p + 1) % n);

    const Bytes a = make_dist_view<std::uint8_t*>(Exec(), "a", comm, layout);
    // Rank r is process r - 1 of the target's grid.
    const int process = (comm.rank() + n - 1) % n;
    const Bytes b(Exec(), "b", layout, process);
    const std::int64_t first = block_bytes * comm.rank();
    for (std::int64_t i = 0; i < block_bytes; ++i)
        a.view()(static_cast<std::size_t>(i)) = number(first + i);
    RedistributionPlan plan(comm, layout, layout, {.to_ranks = ranks});
    EXPECT_EQ(plan.schedule().wire_elements(), n > 1 ? block_bytes * n : 0);
    plan.execute(Exec(), a, b);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < block_bytes; ++i)
        wrong += b.view()(static_cast<std::size_t>(i)) != number(block_bytes * process + i);
    EXPECT_EQ(wrong, 0);
}

constexpr std::int64_t more_than_2_gib = (std::int64_t{1} << 31) + 4097;

TEST(RedistributionPlanBig, MessagesOfMoreThan2GiB) {
    if (!std::getenv("DISTVIEW_LONG_MESSAGES")) GTEST_SKIP() << "one of the long tests";
    expect_all_moved(Transport::message, more_than_2_gib);
}

TEST(RedistributionPlanBig, MoreThan2GiBInPlace) {
    if (!std::getenv("DISTVIEW_LONG_MESSAGES")) GTEST_SKIP() << "one of the long tests";
    expect_all_moved({}, more_than_2_gib);
}

// The same with small arrays, on any machine.
TEST(RedistributionPlanBig, LittleOnes) {
    expect_all_moved(Transport::message, 100003);
    expect_all_moved({}, 100003);
}

} // namespace

} // namespace distview::testing
