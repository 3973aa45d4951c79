// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redistributions of borrowed arrays larger than the shared memory through which other ranks of the node read them: in
// several rounds, together with arrays of make_dist_view(), over every transport.
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class Value>
using Array = DistView<Value**, Kokkos::LayoutRight, Kokkos::HostSpace>;

class BorrowedRedistribution : public ::testing::TestWithParam<TransportChoice> {
protected:
    template <class Value>
    Array<Value> make(const ArrayLayout& layout, bool borrowed) const {
        // Collective, even if this rank uses the other array.
        const auto shared = make_dist_view<Value**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, "shared", comm, layout);
        return borrowed ? Array<Value>(exec, "borrowed", layout, comm.rank()) : shared;
    }
    template <class Value, class Visit>
    static void for_each(const Array<Value>& array, Visit&& visit) {
        for (std::size_t i = 0; i < array.view().extent(0); ++i)
            for (std::size_t j = 0; j < array.view().extent(1); ++j)
                visit(array.view()(i, j),
                      array.global_index(0, LocalIndex(static_cast<std::int64_t>(i))).value(),
                      array.global_index(1, LocalIndex(static_cast<std::int64_t>(j))).value());
    }
    template <class Value>
    static void set(const Array<Value>& array, std::int64_t salt) {
        for_each(array, [&](Value& value, std::int64_t i, std::int64_t j) {
            value = number<Value>(i, j, salt);
        });
    }
    template <class Value>
    static std::int64_t count_wrong(const Array<Value>& transposed, std::int64_t salt) {
        std::int64_t wrong = 0;
        for_each(transposed, [&](const Value& value, std::int64_t i, std::int64_t j) {
            wrong += value == number<Value>(j, i, salt) ? 0 : 1;
        });
        return wrong;
    }
    template <class Value>
    static Value number(std::int64_t i, std::int64_t j, std::int64_t salt) {
        return static_cast<Value>((i * 4099 + j * 3 + salt) % 16'000'000);
    }

    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const std::int64_t n = 1500; ///< a matrix of 18 MB

private:
    const TransportSetting m_setting{GetParam()};
};

// One matrix is borrowed on all ranks, the other one on some ranks.
TEST_P(BorrowedRedistribution, GoesInRounds) {
    const int ranks = comm.size();
    const ArrayLayout blocks(ProcessGrid{ranks, 1}, {block(n), block(n)});
    for (const ArrayLayout& to :
         {blocks, ArrayLayout(ProcessGrid{1, ranks}, {block(n), block_cyclic(n, 7)}),
          ArrayLayout(ProcessGrid{ranks, 1}, {block_cyclic(n, 1), block(n)})}) {
        const auto a = make<double>(blocks, true);
        const auto b = make<float>(blocks, comm.rank() % 2 == 1);
        const auto c = make<double>(to, true);
        const auto d = make<float>(to, comm.rank() % 2 == 0);
        RedistributionPlan plan(comm, blocks, to, {.permutation = {1, 0}});
        for (std::int64_t salt = 0; salt < 2; ++salt) {
            set(a, salt);
            set(b, salt + 5);
            plan.execute(exec, std::tie(a, b), std::tie(c, d));
            EXPECT_EQ(count_wrong(c, salt), 0);
            EXPECT_EQ(count_wrong(d, salt + 5), 0);
        }
        if (GetParam() == Transport::message || ranks == 1) continue;
        const std::string text = plan.describe();
        EXPECT_NE(text.find(" bytes, packed by that rank in "), std::string::npos) << text;
        if (ranks < 5) {
            EXPECT_EQ(text.find(" in 1 round"), std::string::npos) << text;
        }
        EXPECT_EQ(text.find(": message"), std::string::npos) << text;
        EXPECT_LE(plan.workspace_bytes(), std::size_t{5} << 20);
    }
}

// Abandons it between rounds or before the first: ranks that read from the abandoning rank must get
// an error.
TEST_P(BorrowedRedistribution, IsAbandoned) {
    if (GetParam() == Transport::message || comm.size() == 1) GTEST_SKIP() << "nobody reads";
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    const ArrayLayout blocks(ProcessGrid{mine.size(), 1}, {block(n), block(n)});
    const auto a = make<double>(blocks, true);
    const auto c = make<double>(blocks, true);
    set(a, 1);
    {
        RedistributionPlan plan(mine, blocks, blocks, {.permutation = {1, 0}});
        plan.bind(exec, a, c);
        if (mine.rank() == mine.size() / 2) {
            const auto dropped = plan.start(exec, a, c);
        } else {
            // A rank that had read everything before completes, and gets the error in its next execution.
            try {
                plan.execute(exec, a, c);
                EXPECT_EQ(count_wrong(c, 1), 0);
            } catch (const UsageError&) {
            }
            EXPECT_THROW(plan.execute(exec, a, c), UsageError);
        }
    }
    mine.close();
}

INSTANTIATE_TEST_SUITE_P(Over, BorrowedRedistribution,
                         ::testing::Values(TransportChoice(), TransportChoice(Transport::direct),
                                           TransportChoice(Transport::message)),
                         [](const auto& choice) { return name_of(choice.param); });

} // namespace

} // namespace distview::testing
