// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans in which kernels of some ranks run on a device, and those of other ranks on the host. Two
// programs are built from this file, one with the mock device; start_by_rank starts them together.
#include "transports.hpp"

#include <distview/comm/gather_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Host = Kokkos::HostSpace;

/// Even and odd ranks independently use memory that other ranks of the node map, or private memory.
class RanksOfBothKinds : public ::testing::TestWithParam<int> {
protected:
    template <class Data>
    DistView<Data, Host> make(const ArrayLayout& layout) const {
        const auto shared = make_dist_view<Data>(exec, "shared", comm, layout); // collective
        const bool is_shared = (GetParam() >> (comm.rank() % 2)) % 2 == 1;
        return is_shared ? shared : DistView<Data, Host>(exec, "own", layout, comm.rank());
    }
    template <class Visit>
    static void for_each(const DistView<double*, Host>& array, Visit&& visit) {
        for (std::size_t i = 0; i < array.view().extent(0); ++i)
            visit(array.view()(i), index(array, 0, i));
    }
    template <class Visit>
    static void for_each(const DistView<double**, Host>& array, Visit&& visit) {
        for (std::size_t i = 0; i < array.view().extent(0); ++i)
            for (std::size_t j = 0; j < array.view().extent(1); ++j)
                visit(array.view()(i, j), index(array, 0, i) * 4099 + index(array, 1, j));
    }
    template <class Data>
    static void number(const DistView<Data, Host>& array) {
        for_each(array, [](double& element, std::int64_t g) { element = static_cast<double>(g); });
    }

    const Communicator comm{MPI_COMM_WORLD};
    const Kokkos::DefaultHostExecutionSpace exec{};

private:
    template <class Data>
    static std::int64_t index(const DistView<Data, Host>& array, int d, std::size_t i) {
        return array.global_index(d, LocalIndex(static_cast<std::int64_t>(i))).value();
    }
};

TEST_P(RanksOfBothKinds, FillAndCombinePadding) {
    const std::int64_t n = comm.size();
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(5 * n, {.padding = 1, .periodic = true})});
    const auto u = make<double*>(layout);
    PaddingExchangePlan plan(comm, layout);
    for (int round = 0; round < 2; ++round) {
        for_each(u, [](double& element, std::int64_t) { element = -1; });
        Kokkos::deep_copy(u.owned(), static_cast<double>(comm.rank()));
        plan.execute(exec, u);
        EXPECT_EQ(u.view()(0), static_cast<double>((comm.rank() + n - 1) % n));
        EXPECT_EQ(u.view()(6), static_cast<double>((comm.rank() + 1) % n));
        u.view()(0) = 100;
        u.view()(6) = 200;
        plan.combine(exec, Sum{}, u);
        EXPECT_EQ(u.view()(1), comm.rank() + 200.0);
        EXPECT_EQ(u.view()(3), comm.rank());
        EXPECT_EQ(u.view()(5), comm.rank() + 100.0);
    }
    const std::vector<char> staged =
        on_all_ranks(comm, plan.describe().find(": staged, ") != std::string::npos);
    EXPECT_EQ(std::count(staged.begin(), staged.end(), char{1}), 1) << "ranks with a device";
}

// Borrowed arrays larger than the buffers in which ranks of the host pack elements at once.
TEST_P(RanksOfBothKinds, Redistribute) {
    const std::int64_t n = 1800;
    const ArrayLayout rows(ProcessGrid{comm.size(), 1}, {block(n), block(n)});
    for (const ArrayLayout& to :
         {ArrayLayout(ProcessGrid{1, comm.size()}, {block(n), block(n)}),
          ArrayLayout(ProcessGrid{comm.size(), 1}, {block_cyclic(n, 1), block(n)})}) {
        const auto source = make<double**>(rows);
        const auto target = make<double**>(to);
        RedistributionPlan plan(comm, rows, to);
        number(source);
        for (int round = 0; round < 2; ++round) {
            for_each(target, [](double& element, std::int64_t) { element = -1; });
            plan.execute(exec, source, target);
            std::int64_t wrong = 0;
            for_each(target, [&](double element, std::int64_t g) {
                wrong += element == static_cast<double>(g) ? 0 : 1;
            });
            EXPECT_EQ(wrong, 0);
        }
    }
}

TEST_P(RanksOfBothKinds, RedistributeInPlaceOnTheHostAlone) {
    const ArrayLayout from(ProcessGrid{comm.size()}, {block(6 * comm.size())});
    const ArrayLayout to(ProcessGrid{comm.size()}, {cyclic(6 * comm.size())});
    const auto source = make<double*>(from);
    const auto apart = make<double*>(to);
    const DistView<double*, Host> same(to, comm.rank(), source.view());
    const bool is_device = distview::impl::on_device<Kokkos::DefaultHostExecutionSpace>;
    RedistributionPlan plan(comm, from, to, {.in_place = true});
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, source, is_device ? apart : same), UsageError,
                              "expected host memory on all ranks to redistribute in place");
    number(source);
    plan.execute(exec, source, apart);
    for_each(apart,
             [](double element, std::int64_t g) { EXPECT_EQ(element, static_cast<double>(g)); });
}

TEST_P(RanksOfBothKinds, GatherAndCombineElements) {
    const std::int64_t n = comm.size();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(6 * n)});
    const auto u = make<double*>(layout);
    number(u);
    std::vector<std::int64_t> thirds;
    for (std::int64_t i = 0; i < 2 * n; ++i)
        thirds.push_back(3 * ((2 * comm.rank() + i) % (2 * n)));
    const Kokkos::View<double*, Host> values("values", thirds.size());
    GatherPlan plan(comm, layout, IndexList(thirds));
    plan.execute(exec, u, values);
    for (std::size_t i = 0; i < thirds.size(); ++i)
        EXPECT_EQ(values(i), static_cast<double>(thirds[i]));
    plan.combine(exec, Sum{}, values, u);
    for_each(u, [&](double element, std::int64_t g) {
        EXPECT_EQ(element, static_cast<double>(g % 3 == 0 ? g * (n + 1) : g)) << g;
    });
}

INSTANTIATE_TEST_SUITE_P(Mapped, RanksOfBothKinds, ::testing::Range(0, 4));

} // namespace

} // namespace distview::testing
