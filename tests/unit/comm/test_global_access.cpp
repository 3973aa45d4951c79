// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_oracle.hpp"
#include "transports.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

class GlobalAccesses : public ::testing::Test {
protected:
    Exec exec{};
    Communicator comm{MPI_COMM_WORLD};
    int n = comm.size();
    ArrayLayout layout{ProcessGrid{n}, {block(10 * n)}};
    DistView<std::int64_t*> u = make_dist_view<std::int64_t*>(exec, "u", comm, layout);
};

// Owners computed by multiplication must equal those by division, also at ends of blocks, where
// rounding shows.
TEST(EvenBlocks, HaveTheOwnersOfTheirAxis) {
    const auto compare = [](const BlockLayout& blocks, std::int64_t index) {
        const AxisLayout axis(blocks);
        ASSERT_TRUE(distview::impl::EvenBlocks::describes(axis));
        const bool is_there = axis.global_range().contains(GlobalIndex(index));
        ASSERT_EQ(distview::impl::EvenBlocks(axis).owner(index),
                  is_there ? axis.owner(GlobalIndex(index)) : -1)
            << index << " of " << blocks.size() << " on " << blocks.grid_size();
    };
    for (const BlockSplit split : {BlockSplit::balanced, BlockSplit::regular}) {
        EXPECT_FALSE(distview::impl::EvenBlocks::describes(
            AxisLayout(BlockLayout(std::int64_t{1} << 31, 3, split))));
        for (int processes = 1; processes <= 20; ++processes)
            for (std::int64_t size = 1; size <= 70; ++size)
                for (std::int64_t index = -4; index < size + 6; ++index)
                    compare(BlockLayout(size, processes, split, {}, {2, 3}), index);
        for_each_case(2000, [&](Random& random, std::uint64_t) {
            const std::int64_t size = (std::int64_t{1} << random.integer(2, 32)) - 1;
            const BlockLayout blocks(size - random.integer(0, size / 2),
                                     static_cast<int>(random.integer(1, 100000)), split);
            const std::int64_t index = random.integer(0, blocks.size());
            const GlobalRange block = blocks.interior(blocks.owner(GlobalIndex(index)));
            for (const std::int64_t i : {index, block.begin.value(), block.end.value() - 1})
                compare(blocks, i);
        });
    }
}

// Each rank reads all elements, for any layout.
TEST_F(GlobalAccesses, ReadWhatOwnersWrote) {
    const auto hosts = hosts_of(comm);
    for_each_case(30, [&](Random& random, std::uint64_t) {
        const std::vector<int> grid = random_process_grid(random, n, 2);
        std::vector<AxisSpec> axes;
        for (const int parts : grid)
            axes.push_back(random_axis_spec(random, parts, random_extent(random, 12, parts)));
        const ArrayLayout drawn(ProcessGrid(grid), axes);
        SCOPED_TRACE(drawn.describe());
        const auto array = make_dist_view<std::int64_t**>(exec, "array", comm, drawn);
        for (std::size_t i = 0; i < array.view().extent(0); ++i)
            for (std::size_t j = 0; j < array.view().extent(1); ++j)
                array.view()(i, j) =
                    static_cast<std::int64_t>(1000 * i + j) + 1000000 * comm.rank();
        GlobalAccess access(exec, comm, array);
        const auto at = access.elements();
        access.fence(exec);
        const auto indices = [&](int d) {
            std::vector<std::int64_t> result;
            const AxisLayout& axis = drawn.axis(d);
            if (axis.type() == DistType::unstructured)
                result.assign(axis.as_unstructured().all_labels(),
                              axis.as_unstructured().all_labels() + axis.size());
            else
                for (std::int64_t i = axis.global_range().begin.value();
                     i < axis.global_range().end.value(); ++i)
                    result.push_back(i);
            return result;
        };
        std::int64_t wrong = 0;
        for (const std::int64_t i : indices(0))
            for (const std::int64_t j : indices(1)) {
                const GlobalIndex index[] = {GlobalIndex(i), GlobalIndex(j)};
                const int owner = drawn.owner(index);
                if (owner < 0) continue;
                const bool near = hosts[static_cast<std::size_t>(owner)] ==
                                  hosts[static_cast<std::size_t>(comm.rank())];
                wrong += at.reaches(i, j) == near ? 0 : 1;
                if (!near) continue;
                const GridCoordinates p = drawn.coordinates(owner);
                const std::int64_t expected =
                    1000 * drawn.axis(0).to_local(p[0], index[0]).value() +
                    drawn.axis(1).to_local(p[1], index[1]).value() + 1000000 * owner;
                wrong += at(i, j) == expected ? 0 : 1;
            }
        EXPECT_EQ(wrong, 0);
        access.fence(exec);
    });
}

// Uses the elements of ranks on this host only, whatever lies on other hosts.
TEST_F(GlobalAccesses, AddTogetherAndStoreApart) {
    Kokkos::deep_copy(u.view(), 0);
    GlobalAccess access(exec, comm, u);
    access.fence(exec); // all ranks have set their elements to 0
    const auto at = access.elements();
    const int ranks = n;
    const std::vector<int> hosts = hosts_of(comm);
    const auto is_near = [&](int rank) {
        return hosts[static_cast<std::size_t>(rank)] ==
               hosts[static_cast<std::size_t>(comm.rank())];
    };
    std::uint64_t near_ranks = 0; // one bit each
    int near_count = 0;
    for (int rank = 0; rank < n; ++rank)
        if (is_near(rank)) {
            near_ranks |= std::uint64_t{1} << rank;
            ++near_count;
        }
    for (int round = 0; round < 200; ++round)
        Kokkos::parallel_for(
            "add", Kokkos::RangePolicy<Exec>(exec, 0, 10 * n), KOKKOS_LAMBDA(int i) {
                const int index = (i * 7) % (10 * ranks);
                if (near_ranks >> (index / 10) & 1) at.add(i + 1, index);
            });
    access.fence(exec);
    for (int i = 0; i < 10; ++i) {
        const std::int64_t global = 10 * comm.rank() + i;
        std::int64_t expected = 0;
        for (int k = 0; k < 10 * n; ++k)
            if (k * 7 % (10 * n) == global) expected += 200 * (k + 1) * near_count;
        EXPECT_EQ(u.view()(i), expected);
    }
    access.fence(exec);
    // Each rank writes the elements of the next rank on its host.
    int next = (comm.rank() + 1) % n;
    while (!is_near(next)) next = (next + 1) % n;
    for (int i = 0; i < 10; ++i) at.store(-(10 * next + i), 10 * next + i);
    access.fence(exec);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(u.view()(i), -(10 * comm.rank() + i));
    access.fence(exec);
}

// Kokkos would use a lock for these additions, and each process has a separate lock.
TEST_F(GlobalAccesses, AddComplexNumbersTogether) {
    const ArrayLayout one(ProcessGrid{n}, {block(n)});
    const auto z = make_dist_view<Kokkos::complex<double>*>(exec, "z", comm, one);
    const auto hosts = hosts_of(comm);
    const int host = hosts[static_cast<std::size_t>(comm.rank())];
    GlobalAccess access(exec, comm, z);
    const auto at = access.elements();
    constexpr int count = 200000;
    for (int k = 0; k < count; ++k) at.add({1, -0.25}, host); // element of the host's lowest rank
    access.fence(exec);
    const auto ranks =
        static_cast<double>(comm.rank() == host ? std::count(hosts.begin(), hosts.end(), host) : 0);
    EXPECT_EQ(z.view()(0).real(), count * ranks);
    EXPECT_EQ(z.view()(0).imag(), -0.25 * count * ranks);
    access.fence(exec);
}

TEST_F(GlobalAccesses, ElementsThatAreNotThereAreAnErrorOfAllRanks) {
    GlobalAccess access(exec, comm, u);
    const auto at = access.elements();
    if (comm.rank() == n - 1) {
        EXPECT_EQ(at(10 * n), 0);
    }
    EXPECT_THROW_ON_ALL_RANKS(
        access.fence(exec), UsageError,
        text("a kernel accessed element (", 10 * n, ") of 'u', which has no known owner"));
    access.fence(exec); // reported once
    if (n == 1) return;
    const TransportSetting setting(Transport::message);
    GlobalAccess apart(exec, comm, u);
    const auto own_only = apart.elements();
    EXPECT_TRUE(own_only.reaches(10 * comm.rank()));
    if (comm.rank() == 0) {
        own_only.store(3, 10 * n - 1);
    }
    EXPECT_THROW_ON_ALL_RANKS(
        apart.fence(exec), UsageError,
        text("whose owner, process ", n - 1,
             ", is on another node or has it in memory that others cannot map; "
             "call get_elements()"));
    const ArrayLayout other(ProcessGrid{n}, {cyclic(10 * n + comm.rank())});
    const auto different = DistView<std::int64_t*>(exec, "different", other, comm.rank());
    EXPECT_THROW_ON_ALL_RANKS(GlobalAccess(exec, comm, different), UsageError, "layout");
    if (n % 2 != 0) return;
    const int beside = comm.rank() % 2;
    const ArrayLayout crossed(
        ProcessGrid{n / 2, 2},
        {unstructured_local(n, comm.rank() / 2, {comm.rank() - beside, comm.rank() - beside + 1}),
         block(4)});
    const ArrayLayout unlike(
        ProcessGrid{n / 2, 2},
        {unstructured_local(n, comm.rank() / 2, {comm.rank(), comm.rank() + 1 - 2 * beside}),
         block(4)});
    const auto alike = make_dist_view<std::int64_t**>(exec, "alike", comm, crossed);
    GlobalAccess(exec, comm, alike).fence(exec);
    const auto turned = make_dist_view<std::int64_t**>(exec, "turned", comm, unlike);
    EXPECT_THROW_ON_ALL_RANKS(GlobalAccess(exec, comm, turned), LayoutError,
                              "expected processes with the same coordinate along axis 0 to list "
                              "the same indices");
}

} // namespace

} // namespace distview::testing
