// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_oracle.hpp"
#include "transports.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/section_access.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

class SectionAccesses : public ::testing::Test {
protected:
    Exec exec{};
    Communicator comm{MPI_COMM_WORLD};
    int n = comm.size();
    ArrayLayout layout{ProcessGrid{n}, {block(10 * n, {.padding = 1})}};
};

/// A number that encodes the process and the position of element (i, j).
std::int64_t element(int process, std::int64_t i, std::int64_t j) {
    return 1000000 * process + 1000 * i + j;
}

TEST_F(SectionAccesses, ReadWhatTheNodesRanksWrote) {
    const std::vector<int> hosts = hosts_of(comm);
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
                array.view()(i, j) = element(comm.rank(), static_cast<std::int64_t>(i),
                                             static_cast<std::int64_t>(j));
        const SectionAccess access(comm, array);
        barrier(comm);
        std::int64_t wrong = 0;
        for (int p = 0; p < n; ++p) {
            const Extents extents = drawn.local_extents(p);
            const bool near =
                hosts[static_cast<std::size_t>(p)] == hosts[static_cast<std::size_t>(comm.rank())];
            EXPECT_EQ(access.reaches(p), near || extents[0] * extents[1] == 0);
            if (!access.reaches(p)) {
                EXPECT_THROW(access.section(p), UsageError);
                continue;
            }
            const AnySection section = access.section(p);
            EXPECT_EQ(section.extents, (std::vector<std::int64_t>{extents[0], extents[1]}));
            EXPECT_TRUE(section.read_only);
            EXPECT_EQ(section.element, element_type<std::int64_t>());
            for (std::int64_t i = 0; i < extents[0]; ++i)
                for (std::int64_t j = 0; j < extents[1]; ++j) {
                    const char* const at = static_cast<const char*>(section.data) +
                                           i * section.strides[0] + j * section.strides[1];
                    wrong += *reinterpret_cast<const std::int64_t*>(at) != element(p, i, j);
                }
        }
        EXPECT_EQ(wrong, 0);
        for (int rank = 0; rank < n; ++rank) {
            bool all = true;
            for (int p = 0; p < n; ++p) {
                const Extents extents = drawn.local_extents(p);
                all = all &&
                      (extents[0] * extents[1] == 0 ||
                       hosts[static_cast<std::size_t>(p)] == hosts[static_cast<std::size_t>(rank)]);
            }
            EXPECT_EQ(access.reaches_all(rank), all);
        }
        EXPECT_FALSE(access.reaches_all(n) || access.reaches_all(-1) || access.reaches(n));
        barrier(comm);
    });
}

TEST_F(SectionAccesses, ThatAreMovedFromReachWhatTheyDid) {
    const auto array = make_dist_view<double*>(exec, "array", comm, layout);
    SectionAccess access(comm, array);
    const SectionAccess moved = std::move(access);
    EXPECT_TRUE(moved.reaches(comm.rank()));
    EXPECT_TRUE(access.reaches(comm.rank())); // NOLINT(bugprone-use-after-move)
}

// Wrapped memory can only be reached on its own rank; so can all memory if messages are required.
TEST_F(SectionAccesses, ReachNoMoreThanOtherCalls) {
    const Kokkos::View<double*> memory(
        "memory", static_cast<std::size_t>(layout.local_extents(comm.rank())[0]));
    const SectionAccess wrapped(comm, wrap_dist_view(comm, layout, memory, "wrapped"));
    const auto array = make_dist_view<double*>(exec, "array", comm, layout);
    const TransportSetting setting(Transport::message);
    const SectionAccess apart(comm, array);
    for (const SectionAccess& access : {wrapped, apart}) {
        for (int p = 0; p < n; ++p) EXPECT_EQ(access.reaches(p), p == comm.rank());
        EXPECT_EQ(access.reaches_all(0), n == 1);
    }
    EXPECT_EQ(wrapped.section(comm.rank()).data, memory.data());
}

// Each rank knows only its own labels, one label more than the rank before.
TEST_F(SectionAccesses, ReadAsManyElementsAsOthersHave) {
    std::vector<std::int64_t> labels(static_cast<std::size_t>(comm.rank()));
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i] = 100 * comm.rank() + std::ssize(labels);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] -= static_cast<std::int64_t>(i);
    const ArrayLayout known(ProcessGrid{n},
                            {unstructured_local(n * (n - 1) / 2, comm.rank(), labels)});
    const auto array = make_dist_view<std::int64_t*>(exec, "array", comm, known);
    for (std::size_t i = 0; i < labels.size(); ++i) array.view()(i) = 2 * labels[i];
    const std::vector<int> hosts = hosts_of(comm);
    const SectionAccess access(comm, array);
    barrier(comm);
    for (int p = 0; p < n; ++p) {
        const bool near =
            hosts[static_cast<std::size_t>(p)] == hosts[static_cast<std::size_t>(comm.rank())];
        if (p > 0) {
            EXPECT_EQ(access.reaches(p), near);
        }
        if (!access.reaches(p)) continue;
        const AnySection section = access.section(p);
        ASSERT_EQ(section.extents, std::vector<std::int64_t>{p});
        for (int i = 0; i < p; ++i)
            EXPECT_EQ(static_cast<const std::int64_t*>(section.data)[i], 2 * (100 * p + p - i));
    }
    barrier(comm);
}

TEST_F(SectionAccesses, MistakesAreErrorsOfAllRanks) {
    if (n == 1) return;
    const ArrayLayout other(ProcessGrid{n}, {cyclic(10 * n + comm.rank())});
    const DistView<double*> different(exec, "different", other, comm.rank());
    EXPECT_THROW_ON_ALL_RANKS(SectionAccess(comm, different), UsageError, "layout");
    const DistView<double*> of_next(exec, "of the next rank", layout, (comm.rank() + 1) % n);
    EXPECT_THROW_ON_ALL_RANKS(SectionAccess(comm, of_next), ShapeError,
                              "SectionAccess: expected the section of process");
    const auto u = make_dist_view<double*>(exec, "u", comm, layout);
    const auto v = make_dist_view<double*>(exec, "v", comm, layout);
    EXPECT_THROW_ON_ALL_RANKS(
        SectionAccess(comm, comm.rank() == n - 1 ? v : u), UsageError,
        "SectionAccess: expected the same arrays, in the same order, on all ranks");
    const auto integers = make_dist_view<std::int64_t*>(exec, "integers", comm, layout);
    EXPECT_THROW_ON_ALL_RANKS(
        SectionAccess(comm, comm.rank() == n - 1 ? AnyDistView(integers) : AnyDistView(u)),
        UsageError, text("element type is int64 on rank ", n - 1, ", float64 on rank 0"));
}

} // namespace

} // namespace distview::testing
