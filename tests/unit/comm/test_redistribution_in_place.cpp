// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Redistribution in place: typical uses, the memory held in addition to the arrays, and rejected arguments.
#include "communicators.hpp"
#include "redistribution_fixture.hpp"

#include <distview/core/slice.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

class RedistributionInPlace : public RedistributionPlans {
protected:
    /// A grid that is as square as possible.
    ProcessGrid grid() const {
        int rows = 1;
        for (int r = 1; r * r <= n; ++r)
            if (n % r == 0) rows = r;
        return {rows, n / rows};
    }
    ArrayLayout square(std::int64_t size) const {
        return {grid(), {block_cyclic(size, 7), block_cyclic(size, 5)}};
    }
    static bool says(const RedistributionPlan& plan, const std::string& text) {
        return plan.describe().find(text) != std::string::npos;
    }
};

TEST_F(RedistributionInPlace, TransposesASquare) {
    const Matrix a = make_numbered(square(100));
    RedistributionPlan plan(comm, a.layout(), a.layout(),
                            {.permutation = {1, 0}, .in_place = true});
    plan.execute(exec, a, a);
    EXPECT_EQ(not_transposed(a), 0);
    plan.execute(exec, 2., a, 0., a);
    EXPECT_EQ(not_numbered(a, 2), 0);
    EXPECT_TRUE(says(plan, "elements change places in 1 round ")) << plan.describe();
}

TEST_F(RedistributionInPlace, TakesAsManyRoundsAsTheBufferDemands) {
    constexpr std::int64_t size = 400; // 1.28 MB over all ranks
    const Matrix a = make_numbered(square(size));
    for (const std::int64_t bytes : {200000, 65536, 20000}) {
        RedistributionPlan plan(comm, a.layout(), a.layout(),
                                {.permutation = {1, 0}, .in_place = true, .buffer_bytes = bytes});
        plan.execute(exec, a, a);
        EXPECT_EQ(not_transposed(a), 0) << bytes;
        plan.execute(exec, a, a);
        EXPECT_EQ(not_numbered(a), 0) << bytes;
        EXPECT_LE(plan.workspace_bytes(), static_cast<std::size_t>(bytes));
        EXPECT_FALSE(n > 1 && bytes < 60000 && says(plan, "in 1 round ")) << plan.describe();
    }
}

/// Makes each fence of the library on this process take 180 ms.
class SlowFences {
public:
    SlowFences() {
        Kokkos::Tools::Experimental::set_begin_fence_callback(
            [](const char* label, std::uint32_t, std::uint64_t*) {
                if (std::string_view(label).starts_with("distview::"))
                    std::this_thread::sleep_for(std::chrono::milliseconds(180));
            });
    }
    ~SlowFences() { Kokkos::Tools::Experimental::set_callbacks(m_before); }

private:
    Kokkos::Tools::Experimental::EventSet m_before = Kokkos::Tools::Experimental::get_callbacks();
};

// Each round takes less time than the deadline, all rounds together more.
TEST_F(RedistributionInPlace, TakesLongerThanADeadlineInManyRounds) {
    if (n != 3) GTEST_SKIP() << "takes a quarter of a minute: once";
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds deadline(3);
    const OwnedComm duplicate = duplicate_world();
    Communicator slow(duplicate.get());
    const ArrayLayout layout = square(260);
    const auto a = make_dist_view<double**, Kokkos::HostSpace>(exec, "a", slow, layout);
    RedistributionPlan plan(slow, layout, layout,
                            {.permutation = {1, 0}, .in_place = true, .buffer_bytes = 20000});
    plan.bind(exec, a, a);
    slow.set_deadline(deadline);
    const Clock::time_point began = Clock::now();
    {
        std::optional<SlowFences> fences;
        if (comm.rank() == 0) fences.emplace();
        EXPECT_NO_THROW(plan.execute(exec, a, a));
    }
    EXPECT_GT(Clock::now() - began, 1.5 * deadline);
}

TEST_F(RedistributionInPlace, TurnsALineAround) {
    const ArrayLayout line(ProcessGrid{n}, {block_cyclic(97, 4)});
    const auto a = make_dist_view<double*>(exec, "distview::test::line", comm, line);
    const LocalRange own = a.interior_range(0);
    for (std::int64_t i = own.begin; i < own.end; ++i)
        a.view()(i) = static_cast<double>(a.global_index(0, LocalIndex(i)).value());
    RedistributionPlan plan(comm, line, line, {.from_slice = {{96, -1, -1}}, .in_place = true});
    plan.execute(exec, a, a);
    int wrong = 0;
    for (std::int64_t i = own.begin; i < own.end; ++i)
        wrong += a.view()(i) != static_cast<double>(96 - a.global_index(0, LocalIndex(i)).value());
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(says(plan, "change places")) << plan.describe();
}

// A block layout becomes cyclic in the same memory, and a block layout again.
TEST_F(RedistributionInPlace, GoesToAnotherLayoutOfTheSameMemory) {
    const std::int64_t rows = 8 * n;
    const ArrayLayout blocks(ProcessGrid{n, 1}, {block(rows), block(6)});
    const ArrayLayout cycles(ProcessGrid{n, 1}, {cyclic(rows), block(6)});
    const Matrix a = make_numbered(blocks);
    const Matrix b(cycles, comm.rank(), a.view());
    const Matrix expected = make(cycles);
    RedistributionPlan(comm, blocks, cycles).execute(exec, a, expected);
    RedistributionPlan there(comm, blocks, cycles, {.in_place = true});
    RedistributionPlan back(comm, cycles, blocks, {.in_place = true});
    there.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
    EXPECT_EQ(not_numbered(expected), 0);
    back.execute(exec, b, a);
    EXPECT_EQ(not_numbered(a), 0);
    if (n > 1) {
        EXPECT_TRUE(says(there, "are packed before anything is overwritten")) << there.describe();
    }
}

TEST_F(RedistributionInPlace, TransposesWhatIsNoSquare) {
    const ArrayLayout tall(ProcessGrid{n, 1}, {block(8 * n), block(6)});
    const ArrayLayout wide(ProcessGrid{1, n}, {block(6), block(8 * n)});
    const Matrix a = make_numbered(tall);
    const Matrix b(wide, comm.rank(), Matrix::view_type(a.view().data(), 6, 8));
    RedistributionPlan plan(comm, tall, wide, {.permutation = {1, 0}, .in_place = true});
    plan.execute(exec, a, b);
    EXPECT_EQ(not_transposed(b), 0);
}

// The transposed matrix with the other order of axes has the same memory: no buffer is needed.
TEST_F(RedistributionInPlace, HoldsNothingForWhatStaysInPlace) {
    using Left = DistView<double**, Kokkos::LayoutLeft>;
    const ArrayLayout rows = rows_split(6 * n, 10);
    const ArrayLayout columns(ProcessGrid{1, n}, {block(10), block(6 * n)});
    const Matrix a = make_numbered(rows);
    const Left b(columns, comm.rank(), Left::view_type(a.view().data(), 10, 6));
    RedistributionPlan plan(comm, rows, columns,
                            {.permutation = {1, 0}, .in_place = true, .buffer_bytes = 1});
    plan.execute(exec, 3., a, 0., b);
    EXPECT_EQ(not_numbered(a, 3), 0);
    EXPECT_EQ(plan.workspace_bytes(), 0u);
}

TEST_F(RedistributionInPlace, ExchangesTwoArrays) {
    const ArrayLayout layout = square(30);
    const Matrix a = make_numbered(layout), b = make(layout);
    Kokkos::deep_copy(b.view(), -1.);
    RedistributionPlan plan(comm, layout, layout, {.permutation = {1, 0}, .in_place = true});
    plan.execute(exec, std::tie(a, b), std::tie(b, a));
    EXPECT_EQ(not_transposed(b), 0);
    EXPECT_EQ(wrong(a, [](std::int64_t, std::int64_t) { return -1.; }), 0);
}

TEST_F(RedistributionInPlace, ShiftsRowsOntoEachOther) {
    const Matrix a = make_numbered(rows_split(5 * n, 7));
    const std::int64_t rows = 5 * n;
    const auto from = slice(a, {{0, rows - 2, 1}, {}}), to = slice(a, {{2, rows - 2, 1}, {}});
    RedistributionPlan plan(comm, from.layout(), to.layout(), {.in_place = true});
    plan.execute(exec, from, to);
    EXPECT_EQ(wrong(a,
                    [](std::int64_t i, std::int64_t j) {
                        return static_cast<double>(1000 * (i < 2 ? i : i - 2) + j);
                    }),
              0);
}

TEST_F(RedistributionInPlace, CostsNothingWhereNothingIsShared) {
    const Matrix a = make_numbered(rows_split(16, 8)), b = make(columns_split(16, 8));
    RedistributionPlan plan(comm, a.layout(), b.layout(), {.in_place = true, .buffer_bytes = 1});
    RedistributionPlan ordinary(comm, a.layout(), b.layout());
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
    plan.execute(exec, 1., a, 1., b);
    ordinary.execute(exec, a, b);
    EXPECT_EQ(plan.workspace_bytes(), ordinary.workspace_bytes());
    EXPECT_FALSE(says(plan, "in place:")) << plan.describe();
}

TEST_F(RedistributionInPlace, SaysHowMuchItNeeds) {
    const std::int64_t rows = 8 * n;
    const ArrayLayout blocks(ProcessGrid{n}, {block(rows)});
    const ArrayLayout cycles(ProcessGrid{n}, {cyclic(rows)});
    const auto a = make_dist_view<double*>(exec, "distview::test::line", comm, blocks);
    const DistView<double*> b(cycles, comm.rank(), a.view());
    RedistributionOptions options{.in_place = true, .buffer_bytes = 10};
    RedistributionPlan small(comm, blocks, cycles, options);
    if (n == 1)
        small.execute(exec, a, b); // no element moves
    else
        EXPECT_THROW_ON_ALL_RANKS(small.execute(exec, a, b), UsageError,
                                  "in place, expected buffer_bytes of at least ");
    options.buffer_bytes = -1;
    EXPECT_THROW_ON_ALL_RANKS(RedistributionPlan(comm, blocks, cycles, options), UsageError,
                              "expected buffer_bytes of at least 0, got -1");
    options.buffer_bytes = comm.rank() == 0 ? 100 : 200;
    if (n > 1) {
        EXPECT_THROW_ON_ALL_RANKS(RedistributionPlan(comm, blocks, cycles, options), UsageError,
                                  "expected the same arguments on all ranks");
    }
    // A transposition would need more than 256 rounds.
    const Matrix c = make_numbered(square(200));
    RedistributionPlan tiny(comm, c.layout(), c.layout(),
                            {.permutation = {1, 0}, .in_place = true, .buffer_bytes = 64});
    EXPECT_THROW_ON_ALL_RANKS(tiny.execute(exec, c, c), UsageError, "expected buffer_bytes");
    EXPECT_EQ(not_numbered(c), 0) << "what is refused was not begun";
}

TEST_F(RedistributionInPlace, RefusesWhatReadsTheTarget) {
    const Matrix a = make_numbered(square(40)), b = make(square(40));
    RedistributionPlan plan(comm, a.layout(), a.layout(),
                            {.permutation = {1, 0}, .in_place = true});
    const char* const refused = "old values of a target cannot be kept";
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, 1., a, 1., a), UsageError, refused);
    plan.execute(exec, a, a); // bound now
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, 1., a, 1., a), UsageError, refused);
    EXPECT_THROW_ON_ALL_RANKS(plan.combine(exec, Sum{}, a, a), UsageError, refused);
    plan.combine(exec, Sum{}, a, b);
    plan.execute(exec, a, a);
    EXPECT_EQ(not_numbered(a), 0);
    EXPECT_EQ(not_numbered(b), 0);
}

// Even and odd columns of one array have no byte in common: the slices do not share memory, and combining is allowed.
TEST_F(RedistributionInPlace, IsNotNeededForSlicesBetweenEachOther) {
    const Matrix a = make_numbered({grid(), {block(30), block(30)}});
    const auto even = slice(a, {{}, {0, -1, 2}});
    const auto odd = slice(a, {{}, {1, -1, 2}});
    RedistributionPlan plan(comm, even.layout(), odd.layout());
    plan.execute(exec, even, odd);
    plan.combine(exec, Sum{}, even, odd);
    EXPECT_EQ(wrong(a,
                    [](std::int64_t i, std::int64_t j) {
                        return static_cast<double>((1000 * i + j - j % 2) * (1 + j % 2));
                    }),
              0);
}

TEST_F(RedistributionInPlace, IsToBeAskedFor) {
    const Matrix a = make_numbered(square(40));
    RedistributionPlan plan(comm, a.layout(), a.layout(), {.permutation = {1, 0}});
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a, a), UsageError,
                              "source 0 and target 0 share memory: elements could be overwritten "
                              "before they are read; to redistribute in place, build the plan with "
                              "in_place");
    if (n > 1) {
        const auto build = [&] {
            return RedistributionPlan(comm, a.layout(), a.layout(),
                                      {.permutation = {1, 0}, .in_place = comm.rank() > 0});
        };
        EXPECT_THROW_ON_ALL_RANKS(build(), UsageError, "expected the same arguments on all ranks");
    }
}

class RedistributionInPlaceOver : public RedistributionInPlace,
                                  public ::testing::WithParamInterface<TransportChoice> {
protected:
    const TransportSetting setting{GetParam()};
    void SetUp() override {
        if (!is_possible(comm, GetParam())) GTEST_SKIP() << "not possible here";
    }
};

TEST_P(RedistributionInPlaceOver, AllocatesNothingOnceASetIsBound) {
    const Matrix a = make(square(60));
    const ArrayLayout blocks(ProcessGrid{n, 1}, {block(8 * n), block(6)});
    const ArrayLayout cycles(ProcessGrid{n, 1}, {cyclic(8 * n), block(6)});
    const Matrix b = make(blocks);
    const Matrix c(cycles, comm.rank(), b.view());
    RedistributionPlan transpose(comm, a.layout(), a.layout(),
                                 {.permutation = {1, 0}, .in_place = true, .buffer_bytes = 8192});
    RedistributionPlan deal(comm, blocks, cycles, {.in_place = true});
    const auto step = [&] {
        transpose.execute(exec, a, a);
        transpose.execute(exec, 2., a, 0., a);
        deal.execute(exec, b, c);
        auto handle = transpose.start(exec, a, a);
        handle.finish();
    };
    step();
    const AllocationCounts counts = count_heap_allocations([&] {
        for (int round = 0; round < 3; ++round) step();
    });
    EXPECT_EQ(counts.heap, 0) << counts.description;
}

// The sum of all allocations, freed or not, is far smaller than the array.
TEST_P(RedistributionInPlaceOver, HoldsLittleBesideTheArray) {
    const std::int64_t size = 600 * grid().extent(1);
    const ArrayLayout layout(grid(), {block(size), block(size)});
    const Matrix a = make_numbered(layout);
    const auto section = static_cast<std::int64_t>(a.view().size() * sizeof(double));
    constexpr std::int64_t bytes = 160000;
    RedistributionPlan plan(comm, layout, layout,
                            {.permutation = {1, 0}, .in_place = true, .buffer_bytes = bytes});
    const AllocationCounts counts = count_allocations([&] {
        plan.execute(exec, a, a);
        plan.execute(exec, a, a);
    });
    EXPECT_EQ(not_numbered(a), 0);
    EXPECT_EQ(counts.kokkos, 0) << counts.description;
    EXPECT_LE(plan.workspace_bytes(), static_cast<std::size_t>(bytes));
    if (section > 2'000'000) {
        EXPECT_LT(counts.heap_bytes, section / 2) << counts.description;
    }
}

INSTANTIATE_TEST_SUITE_P(Over, RedistributionInPlaceOver,
                         ::testing::Values(TransportChoice(), TransportChoice(Transport::direct),
                                           TransportChoice(Transport::message)),
                         [](const auto& choice) { return name_of(choice.param); });

} // namespace

} // namespace distview::testing
