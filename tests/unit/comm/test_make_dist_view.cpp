// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "communicators.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DISTVIEW_TEST_SANITIZED_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DISTVIEW_TEST_SANITIZED_HEAP 1
#endif
#endif

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

bool is_last_rank() { return world_rank() == world_size() - 1; }

ArrayLayout rows_over(int process_count, std::int64_t rows_each = 3) {
    return {ProcessGrid{process_count, 1},
            {block(rows_each * process_count, {.padding = 1}), block(5, {.padding = 1})}};
}

TEST(MakeDistView, MakesTheSectionOfThisRankFilledWithZeros) {
    const OwnedComm reversed = reversed_world();
    for (const MPI_Comm mpi : {MPI_COMM_WORLD, reversed.get()}) {
        const Communicator comm(mpi);
        const Exec exec;
        const ArrayLayout layout = rows_over(comm.size());
        const auto a = make_dist_view<double**>(exec, "a", comm, layout);
        exec.fence();
        EXPECT_EQ(a.process(), comm.rank());
        EXPECT_EQ(a.layout(), layout);
        EXPECT_EQ(a.label(), "a");
        EXPECT_EQ(a.view().extent(0), 5u);
        EXPECT_EQ(a.view().extent(1), 7u);
        for (std::size_t i = 0; i < a.view().size(); ++i) EXPECT_EQ(a.view().data()[i], 0.0);
    }
}

TEST(MakeDistView, TakesThePropertiesOfAView) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto a = make_dist_view<float**, Kokkos::LayoutLeft, Kokkos::HostSpace>(
        Exec(), "a", comm, rows_over(comm.size()));
    static_assert(std::is_same_v<decltype(a)::array_layout, Kokkos::LayoutLeft>);
    static_assert(std::is_same_v<decltype(a)::value_type, float>);
    EXPECT_EQ(a.view().stride(0), 1u);
}

TEST(MakeDistView, AllocatesOnceAndAgreesOnce) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout = rows_over(comm.size());
    KokkosEvents events;
    MpiCounters counters;
    const auto a = make_dist_view<double**>(Exec(), "distview::test", comm, layout);
    const MpiTraffic traffic = counters.stop();
    events.stop();
    EXPECT_EQ(labels(events.allocations()), std::vector<std::string>{"distview::test"});
    EXPECT_EQ(traffic.collective_calls(), 0);
    EXPECT_TRUE(traffic.sent.empty());
}

TEST(MakeDistView, MakesSectionsWithoutElements) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size()}, {regular_block(1)});
    const auto a = make_dist_view<double*>(Exec(), "a", comm, layout);
    EXPECT_EQ(a.view().extent(0), comm.rank() == 0 ? 1u : 0u);
}

TEST(MakeDistView, RefusesAGridOfAnotherSize) {
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    EXPECT_THROW_ON_ALL_RANKS(
        make_dist_view<double**>(Exec(), "a", comm, rows_over(n + 1)), UsageError,
        text("make_dist_view: expected a process grid for the ", n, n == 1 ? " rank" : " ranks",
             " of the communicator, got ", n + 1, " x 1 = ", n + 1));
    EXPECT_THROW_ON_ALL_RANKS(
        make_dist_view<double**>(Exec(), "a", comm, rows_over(is_last_rank() ? n + 1 : n)),
        UsageError, "make_dist_view: expected a process grid for the");
}

TEST(MakeDistView, RefusesALayoutWithAnotherNumberOfAxes) {
    const Communicator comm(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS(make_dist_view<double***>(Exec(), "a", comm, rows_over(comm.size())),
                              ShapeError, "expected a layout of 3 axes, got 2");
}

// Only the last section has one column more.
TEST(MakeDistView, RefusesSectionsThatDoNotFitStaticExtents) {
    const Communicator comm(MPI_COMM_WORLD);
    const int n = comm.size();
    std::vector<std::int64_t> bounds;
    for (int p = 0; p <= n; ++p) bounds.push_back(3 * p);
    const auto make = [&] {
        const ArrayLayout layout(ProcessGrid{1, n}, {block(5), block_bounds(bounds)});
        return make_dist_view<double* [3]>(Exec(), "u", comm, layout);
    };
    EXPECT_EQ(make().extent(1), 3 * n);
    ++bounds.back();
    EXPECT_THROW_ON_ALL_RANKS(
        make(), ShapeError,
        text("DistView: expected 4 elements along axis 1 of the section of process ", n - 1,
             ", the view 'u' has 3"));
}

TEST(MakeDistView, MakesStridedSectionsOfDistinctElements) {
    const Communicator comm(MPI_COMM_WORLD);
    const auto a = make_dist_view<double**, Kokkos::LayoutStride, Kokkos::HostSpace>(
        Exec(), "a", comm, rows_over(comm.size()));
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 7; ++j) {
            EXPECT_EQ(a.view()(i, j), 0.0);
            a.view()(i, j) = static_cast<double>(1 + i * 7 + j);
        }
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 7; ++j)
            EXPECT_EQ(a.view()(i, j), static_cast<double>(1 + i * 7 + j));
}

TEST(MakeDistView, RefusesLayoutsThatDiffer) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "nobody to differ from";
    EXPECT_THROW_ON_ALL_RANKS(
        make_dist_view<double**>(Exec(), "a", comm, rows_over(comm.size(), is_last_rank() ? 4 : 3)),
        UsageError,
        text("make_dist_view: expected the same arguments on all ranks, those of rank ",
             comm.size() - 1, " differ from those of rank 0"));
}

// Texts of layouts do not show tables, which may differ all the same.
TEST(MakeDistView, TellsWhichBlockOrLabelDiffers) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "nobody to differ from";
    const auto make = [&](const AxisSpec& axis) {
        make_dist_view<double*>(Exec(), "a", comm, ArrayLayout(ProcessGrid{comm.size()}, {axis}));
    };
    std::vector<std::int64_t> bounds;
    std::vector<std::vector<std::int64_t>> labels;
    for (int p = 0; p < comm.size(); ++p) {
        bounds.push_back(p == 0 ? 0 : 4 * p + 2); // not those of balanced blocks
        labels.push_back({2 * p, 2 * p + 1});
    }
    bounds.push_back(4 * comm.size() + 2);
    const int last = comm.size() - 1;
    const std::string ranks = text(" on rank ", last, ", ");
    auto other_bounds = bounds;
    auto other_labels = labels;
    if (is_last_rank()) {
        ++other_bounds[1];
        std::swap(other_labels[0][0], other_labels[0][1]);
    }
    EXPECT_THROW_ON_ALL_RANKS(make(block_bounds(other_bounds)), UsageError,
                              "layout is axis 0: process 0 has [0, 7), padding (0, 0)" + ranks +
                                  "axis 0: process 0 has [0, 6), padding (0, 0) on rank 0");
    EXPECT_THROW_ON_ALL_RANKS(make(unstructured(other_labels)), UsageError,
                              "layout is axis 0: label 0 of process 0 is 1" + ranks +
                                  "axis 0: label 0 of process 0 is 0 on rank 0");
}

void make_int64_or_int32(const Communicator& comm, bool wide) {
    if (wide)
        make_dist_view<std::int64_t**>(Exec(), "a", comm, rows_over(comm.size()));
    else
        make_dist_view<std::int32_t**>(Exec(), "a", comm, rows_over(comm.size()));
}

void make_float_or_int32(const Communicator& comm, bool floating) {
    if (floating)
        make_dist_view<float**>(Exec(), "a", comm, rows_over(comm.size()));
    else
        make_dist_view<std::int32_t**>(Exec(), "a", comm, rows_over(comm.size()));
}

TEST(MakeDistView, RefusesElementTypesThatDiffer) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "nobody to differ from";
    EXPECT_THROW_ON_ALL_RANKS(make_int64_or_int32(comm, is_last_rank()), UsageError,
                              "make_dist_view: expected the same arguments on all ranks");
    EXPECT_THROW_ON_ALL_RANKS(make_float_or_int32(comm, is_last_rank()), UsageError,
                              "make_dist_view: expected the same arguments on all ranks");
}

#ifndef DISTVIEW_TEST_SANITIZED_HEAP // a sanitizer would end the program
// Only the last section is too large for any memory.
TEST(MakeDistView, TellsAllRanksThatOneIsOutOfMemory) {
    const Communicator comm(MPI_COMM_WORLD);
    std::vector<std::int64_t> bounds;
    for (int p = 0; p < comm.size(); ++p) bounds.push_back(p);
    bounds.push_back(std::int64_t{1} << 55);
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block_bounds(bounds)});
    EXPECT_THROW_ON_ALL_RANKS(make_dist_view<double*>(Exec(), "too large", comm, layout), Error,
                              "");
    EXPECT_NO_THROW(make_dist_view<double**>(Exec(), "a", comm, rows_over(comm.size())));
}
#endif

// On one rank the number of bytes would overflow to 0 in 64 bits.
TEST(MakeDistView, CountsBytesWithoutOverflow) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                             {block(std::int64_t{1} << 31), block(std::int64_t{1} << 30)});
    EXPECT_THROW_ON_ALL_RANKS(make_dist_view<double**>(Exec(), "too large", comm, layout), Error,
                              comm.size() == 1 ? "got one of 2147483648 x 1073741824 elements"
                                               : "");
    const ArrayLayout alone(ProcessGrid{1, 1},
                            {block(std::int64_t{1} << 31), block(std::int64_t{1} << 30)});
    using Array = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
    EXPECT_THROW(Array(Exec(), "too large", alone, 0), Error);
    EXPECT_EQ(allocate_shared(comm, ~std::size_t{0} - 100), nullptr);
}

TEST(MakeDistView, NeedsAnOpenCommunicator) {
    const OwnedComm parent = duplicate_world();
    Communicator comm(parent.get());
    const ArrayLayout layout = rows_over(comm.size());
    comm.close();
    EXPECT_THROW_ON_ALL_RANKS(make_dist_view<double**>(Exec(), "a", comm, layout), UsageError,
                              "Communicator: used after close()");
}

TEST(WrapDistView, IsTheMemoryGiven) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout = rows_over(comm.size());
    const Kokkos::View<double**, Kokkos::HostSpace> section("mine", 5, 7);
    const auto a = wrap_dist_view(comm, layout, section);
    EXPECT_EQ(a.view().data(), section.data());
    EXPECT_EQ(a.process(), comm.rank());
    EXPECT_EQ(a.layout(), layout);
    EXPECT_EQ(a.label(), "mine");
    const auto owner = std::make_shared<int>(3);
    const auto b = wrap_dist_view(comm, layout, section, "b", owner);
    EXPECT_EQ(b.label(), "b");
    EXPECT_EQ(b.owner(), owner);
}

TEST(WrapDistView, RefusesOnAllRanksASectionThatDoesNotFitOnOne) {
    const Communicator comm(MPI_COMM_WORLD);
    const ArrayLayout layout = rows_over(comm.size());
    const Kokkos::View<double**, Kokkos::HostSpace> section("mine", is_last_rank() ? 4 : 5, 7);
    EXPECT_THROW_ON_ALL_RANKS(
        wrap_dist_view(comm, layout, section), ShapeError,
        text("DistView: expected 5 elements along axis 0 of the section of process ",
             comm.size() - 1, ", the view 'mine' has 4"));
    EXPECT_THROW_ON_ALL_RANKS(
        wrap_dist_view(comm, rows_over(is_last_rank() ? comm.size() + 1 : comm.size()), section),
        UsageError, "wrap_dist_view: expected a process grid for the");
}

TEST(WrapDistView, RefusesElementsWithoutMemory) {
    const Communicator comm(MPI_COMM_WORLD);
    const Kokkos::View<double**, Kokkos::HostSpace> memory("mine", 5, 7);
    const Kokkos::View<double**, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        section(is_last_rank() ? nullptr : memory.data(), 5, 7);
    EXPECT_THROW_ON_ALL_RANKS(wrap_dist_view(comm, rows_over(comm.size()), section, "u"),
                              ShapeError,
                              text("expected memory for the 35 elements of the section of process ",
                                   comm.size() - 1, ", the view 'u' has none"));
}

TEST(WrapDistView, RefusesArgumentsThatDiffer) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) GTEST_SKIP() << "nobody to differ from";
    const std::size_t rows = is_last_rank() ? 6 : 5;
    const Kokkos::View<double**, Kokkos::HostSpace> section("mine", rows, 7);
    EXPECT_THROW_ON_ALL_RANKS(
        wrap_dist_view(comm, rows_over(comm.size(), is_last_rank() ? 4 : 3), section), UsageError,
        "wrap_dist_view: expected the same arguments on all ranks");
    const Kokkos::View<float**, Kokkos::HostSpace> floats("mine", 5, 7);
    const Kokkos::View<double**, Kokkos::HostSpace> doubles("mine", 5, 7);
    const auto wrap = [&] {
        if (is_last_rank())
            wrap_dist_view(comm, rows_over(comm.size()), floats);
        else
            wrap_dist_view(comm, rows_over(comm.size()), doubles);
    };
    EXPECT_THROW_ON_ALL_RANKS(wrap(), UsageError,
                              "wrap_dist_view: expected the same arguments on all ranks");
}

} // namespace

} // namespace distview::testing
