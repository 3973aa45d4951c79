// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/grid_placement.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace distview::testing {

TEST(RankOrder, RanksOfThisMachineAreOnOneNode) {
    const Communicator comm(MPI_COMM_WORLD);
    EXPECT_EQ(nodes_of_ranks(comm), std::vector<int>(static_cast<std::size_t>(comm.size()), 0));
}

TEST(RankOrder, PlacesRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    std::vector<int> ranks; // 0 2 4 ... 1 3 5
    for (int first : {0, 1})
        for (int rank = first; rank < n; rank += 2) ranks.push_back(rank);
    const OwnedComm made(order_ranks(comm, ranks));
    int place = -1;
    MPI_Comm_rank(made.get(), &place);
    EXPECT_EQ(ranks[static_cast<std::size_t>(place)], comm.rank());
    EXPECT_EQ(Communicator(made.get()).rank(), place);
}

// Imitates a program; made-up nodes consist of every other rank.
TEST(RankOrder, ExchangesPaddingOnThePlacedGrid) {
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    std::vector<int> nodes;
    for (int rank = 0; rank < n; ++rank) nodes.push_back(rank % 2);
    const std::vector<AxisSpec> axes{block(24, {.padding = 1}), block(18, {.padding = 1})};
    const GridPlacement placed = place_on_nodes(nodes, axes);
    const OwnedComm made(order_ranks(comm, placed.ranks));
    const Communicator ordered(made.get());
    const ArrayLayout layout(placed.grid, axes);
    const Kokkos::DefaultHostExecutionSpace exec;
    const auto u = make_dist_view<double**, Kokkos::HostSpace>(exec, "u", ordered, layout);
    const LocalRange rows = u.owned_range(0);
    const LocalRange columns = u.owned_range(1);
    for (auto i = rows.begin; i < rows.end; ++i)
        for (auto j = columns.begin; j < columns.end; ++j)
            u.view()(i.value(), j.value()) =
                100.0 * static_cast<double>(u.global_index(0, i).value()) +
                static_cast<double>(u.global_index(1, j).value());
    PaddingExchangePlan(ordered, layout).execute(exec, u);
    for (std::int64_t i = 0; i < u.view().extent_int(0); ++i)
        for (std::int64_t j = 0; j < u.view().extent_int(1); ++j)
            EXPECT_EQ(u.view()(i, j),
                      100.0 * static_cast<double>(u.global_index(0, LocalIndex(i)).value()) +
                          static_cast<double>(u.global_index(1, LocalIndex(j)).value()));
}

TEST(RankOrder, RefusesWhatIsNoOrder) {
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    std::vector<int> ranks(static_cast<std::size_t>(n));
    std::iota(ranks.begin(), ranks.end(), 0);
    auto more = ranks;
    more.push_back(0);
    EXPECT_THROW_ON_ALL_RANKS(order_ranks(comm, more), UsageError,
                              "order_ranks: expected " + std::to_string(n) + " ranks, got " +
                                  std::to_string(n + 1));
    auto beyond = ranks;
    if (comm.rank() == n - 1) beyond.back() = n;
    EXPECT_THROW_ON_ALL_RANKS(order_ranks(comm, beyond), UsageError, "expected ranks in [0, ");
    if (n == 1) return;
    auto twice = ranks;
    twice.back() = 0;
    EXPECT_THROW_ON_ALL_RANKS(order_ranks(comm, twice), UsageError,
                              "expected each rank once, got 0 in places 0 and ");
    auto other = ranks;
    if (comm.rank() == 1) std::swap(other[0], other[1]);
    EXPECT_THROW_ON_ALL_RANKS(order_ranks(comm, other), UsageError, "order is ");
}

} // namespace distview::testing
