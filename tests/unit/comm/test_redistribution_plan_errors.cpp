// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong use: every rank gets the same exception at once, no rank hangs, and the library stays usable.
#include "redistribution_fixture.hpp"

#include <distview/core/slice.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/environment.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

class RedistributionErrors : public RedistributionPlans {
protected:
    bool odd() const { return n > 1 && comm.rank() == n - 1; }
    void build(const ArrayLayout& from, const ArrayLayout& to,
               const RedistributionOptions& options = {}) const {
        const RedistributionPlan plan(comm, from, to, options);
    }
};

TEST_F(RedistributionErrors, OfLayouts) {
    const ArrayLayout from = rows_split(16, 8);
    EXPECT_THROW_ON_ALL_RANKS(build(from, rows_split(16, 9)), LayoutError, "9 cells");
    EXPECT_THROW_ON_ALL_RANKS(build(from, ArrayLayout(ProcessGrid{n}, {block(16)})), LayoutError,
                              "expected a source of 1 axes, as many as the target has, got 2");
    EXPECT_THROW_ON_ALL_RANKS(build(from, from, {.permutation = {0, 0}}), LayoutError,
                              "expected a permutation of 2 axes, got (0, 0)");
    EXPECT_THROW_ON_ALL_RANKS(
        build(from, ArrayLayout(ProcessGrid{n + 1, 1}, {block(16), block(8)})), UsageError,
        "expected ranks in [0, " + std::to_string(n) + ")");
    EXPECT_THROW_ON_ALL_RANKS(
        build(from, from, {.from_ranks = std::vector<int>(static_cast<std::size_t>(n), n)}),
        UsageError, n == 1 ? "expected ranks in [0, 1)" : "different ranks");
    EXPECT_THROW_ON_ALL_RANKS(build(from, from, {.to_slice = {{0, 20, 1}, {}}}), LayoutError, "20");
}

TEST_F(RedistributionErrors, OfHugePages) {
    const VariableSetting choice("DISTVIEW_HUGE_PAGES", odd() || n == 1 ? "maybe" : "0");
    EXPECT_THROW_ON_ALL_RANKS(build(rows_split(16, 8), rows_split(16, 8)), UsageError,
                              "DISTVIEW_HUGE_PAGES: expected 0 or 1, got 'maybe'");
}

TEST_F(RedistributionErrors, OfArgumentsThatDiffer) {
    if (n == 1) GTEST_SKIP() << "one rank agrees with itself";
    const ArrayLayout from = rows_split(16, 8);
    const char* const differs = "RedistributionPlan: expected the same arguments on all ranks";
    EXPECT_THROW_ON_ALL_RANKS(build(from, odd() ? columns_split(16, 8) : from), UsageError,
                              differs);
    EXPECT_THROW_ON_ALL_RANKS(
        build(from, from, {.from_slice = {{odd() ? 1 : 0, 5, 1}, {}}, .to_slice = {{0, 5, 1}, {}}}),
        UsageError, differs);
    EXPECT_THROW_ON_ALL_RANKS(build(from, from, {.fill_padding = odd()}), UsageError, differs);
    // Only one rank detects the mistake.
    EXPECT_THROW_ON_ALL_RANKS(build(from, odd() ? rows_split(16, 9) : from), LayoutError,
                              "9 cells");
}

// On a node, where ranks wait for each other, also within executions.
TEST_F(RedistributionErrors, OfFactorsThatDiffer) {
    // Every rank has elements for every other one.
    const Matrix a = make_numbered(rows_split(2 * n, 2 * n));
    const Matrix b = make(ArrayLayout(ProcessGrid{1, n}, {block(2 * n), block(2 * n)}));
    RedistributionPlan plan(comm, a.layout(), b.layout());
    plan.execute(exec, 1.0, a, odd() ? -0.0 : 0.0, b); // the same factors
    EXPECT_EQ(not_numbered(b), 0);
    if (n == 1 || plan.describe().find("direct") == std::string::npos) return;
    std::string error; // late ranks may be missing in it
    try {
        plan.execute(exec, odd() ? 3.0 : 2.0, a, 0.0, b);
    } catch (const UsageError& caught) {
        error = caught.what();
    }
    EXPECT_NE(error.find("execute with factors of hash "), error.npos) << error;
    RedistributionPlan other(comm, a.layout(), b.layout());
    EXPECT_THROW_ON_ALL_RANKS(odd() ? other.combine(exec, Minimum{}, a, b)
                                    : other.combine(exec, Sum{}, a, b),
                              UsageError, text("combine(Minimum), new arrays on rank ", n - 1));
    RedistributionPlan healthy(comm, a.layout(), b.layout());
    healthy.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
}

TEST_F(RedistributionErrors, OfArrays) {
    const Matrix a = make_numbered(rows_split(16, 8)), b = make(columns_split(16, 8));
    RedistributionPlan plan(comm, a.layout(), b.layout());
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, b, a), ShapeError, "source 0 is a 2-d array");
    if (n > 1) {
        EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a, odd() ? a : b), ShapeError,
                                  "target 0 is a 2-d array");
    }
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
}

TEST_F(RedistributionErrors, OfArraysThatShareMemory) {
    const ArrayLayout square = rows_split(4 * n, 4 * n);
    const Matrix a = make_numbered(square);
    RedistributionPlan transpose(comm, square, square, {.permutation = {1, 0}});
    const char* const text = "source 0 and target 0 share memory";
    EXPECT_THROW_ON_ALL_RANKS(transpose.execute(exec, a, a), UsageError, text);
    // The same memory in another DistView, on one rank only.
    const Matrix other = make(square);
    const Matrix guise(square, comm.rank(), odd() || n == 1 ? a.view() : other.view());
    EXPECT_THROW_ON_ALL_RANKS(transpose.execute(exec, a, guise), UsageError, text);
    const Matrix c = make(square);
    EXPECT_THROW_ON_ALL_RANKS(transpose.execute(exec, std::tie(a, a), std::tie(c, c)), UsageError,
                              "targets 0 and 1 share memory");
    transpose.execute(exec, a, c);
    EXPECT_EQ(not_transposed(c), 0);
}

// Slices of one array may lie in each other's gaps, but must not share an element.
TEST_F(RedistributionErrors, OfSlicesOnlyIfTheyShareElements) {
    const Matrix a = make_numbered(rows_split(8 * n, 12));
    const auto move = [&](const std::vector<AxisSlice>& from, const std::vector<AxisSlice>& to) {
        const auto source = slice(a, from), target = slice(a, to);
        RedistributionPlan plan(comm, source.layout(), target.layout());
        plan.execute(exec, source, target);
    };
    const std::int64_t rows = 4 * n;
    move({{0, rows, 2}, {}}, {{1, rows, 2}, {}}); // even rows to odd rows
    EXPECT_EQ(wrong(a, [](std::int64_t i,
                          std::int64_t j) { return static_cast<double>(1000 * (i - i % 2) + j); }),
              0);
    move({{}, {0, 5, 1}}, {{}, {7, 5, 1}}); // columns on the left to columns on the right
    EXPECT_EQ(wrong(a,
                    [](std::int64_t i, std::int64_t j) {
                        return static_cast<double>(1000 * (i - i % 2) + (j < 7 ? j : j - 7));
                    }),
              0);
    const char* const text = "source 0 and target 0 share memory";
    EXPECT_THROW_ON_ALL_RANKS(move({{}, {0, 5, 1}}, {{}, {4, 5, 1}}), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(move({{0, rows, 1}, {}}, {{rows - 1, rows, 1}, {}}), UsageError,
                              text);
}

// The elements of a section with a negative stride lie before its first element.
TEST_F(RedistributionErrors, OfArraysThatShareMemoryBackwards) {
    const ArrayLayout line(ProcessGrid{n}, {block(6 * n)});
    const auto whole = make_dist_view<double*>(exec, "distview::test::line", comm, line);
    AnySection section = AnyDistView(whole).section();
    section.data = static_cast<double*>(section.data) + 5;
    section.strides = {-8};
    const AnyDistView backwards(section, line, comm.rank());
    RedistributionPlan plan(comm, line, line, {.from_slice = {{6 * n - 1, -1, -1}}});
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, backwards, AnyDistView(whole)), UsageError,
                              "source 0 and target 0 share memory");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, AnyDistView(whole), backwards), UsageError,
                              "source 0 and target 0 share memory");
}

// Wrong moves are rejected: arithmetic on opaque elements does not exist.
TEST_F(RedistributionErrors, OfTypesKnownAtRunTime) {
    const ArrayLayout from = rows_split(16, 8), to = columns_split(16, 8);
    const auto of_size = [&](const ArrayLayout& layout, std::int64_t bytes) {
        AnySection section;
        section.element = {ElementKind::opaque, bytes};
        for (int d = 0; d < 2; ++d)
            section.extents.push_back(
                layout.local_extents(comm.rank())[static_cast<std::size_t>(d)]);
        section.strides = AnySection::contiguous_strides(section.extents, bytes);
        auto memory =
            std::make_shared<std::vector<char>>(static_cast<std::size_t>(section.count() * bytes));
        section.data = memory->data();
        section.owner = memory;
        return AnyDistView(section, layout, comm.rank());
    };
    RedistributionPlan plan(comm, from, to);
    for (const std::int64_t bytes : {3, 5, 12, 32})
        EXPECT_THROW_ON_ALL_RANKS(
            plan.execute(exec, of_size(from, bytes), of_size(to, bytes)), ShapeError,
            "expected elements of 1, 2, 4, 8 or 16 bytes, got " + std::to_string(bytes));
    for (const std::int64_t bytes : {1, 2, 4, 8, 16})
        plan.execute(exec, of_size(from, bytes), of_size(to, bytes));
    RedistributionPlan conjugating(comm, from, to, {.conjugate = true});
    EXPECT_THROW_ON_ALL_RANKS(conjugating.execute(exec, of_size(from, 16), of_size(to, 16)),
                              UsageError, "cannot be conjugated");
    const Matrix a = make(from), b = make(to);
    conjugating.execute(exec, a, b);
    EXPECT_THROW_ON_ALL_RANKS(conjugating.execute(exec, AnyDistView(a), AnyDistView(b)), UsageError,
                              "cannot be conjugated");
}

TEST_F(RedistributionErrors, OfSlicesThatDifferBetweenRanks) {
    if (n == 1) GTEST_SKIP() << "one rank agrees with itself";
    const ArrayLayout from = rows_split(16, 8), to = columns_split(8, 8);
    const RedistributionOptions options{.from_slice = {{odd() ? 0 : 1, 8, 1}, {0, 8, 1}}};
    EXPECT_THROW_ON_ALL_RANKS(RedistributionPlan(comm, from, to, options), UsageError,
                              "from_slice");
}

TEST_F(RedistributionErrors, OfElementTypesThatDifferBetweenRanks) {
    if (n == 1) GTEST_SKIP() << "one rank agrees with itself";
    const ArrayLayout from = rows_split(16, 8), to = columns_split(16, 8);
    RedistributionPlan plan(comm, from, to);
    const Matrix a = make(from), b = make(to);
    const DistView<float**> f(exec, "f", from, comm.rank());
    const auto run = [&] { odd() ? plan.execute(exec, f, b) : plan.execute(exec, a, b); };
    EXPECT_THROW_ON_ALL_RANKS(run(), UsageError, "expected the same arguments on all ranks");
}

TEST_F(RedistributionErrors, OfTwoAtATime) {
    const Matrix a = make_numbered(rows_split(16, 8)), b = make(columns_split(16, 8));
    RedistributionPlan plan(comm, a.layout(), b.layout());
    auto handle = plan.start(exec, a, b);
    EXPECT_THROW(plan.execute(exec, a, b), UsageError);
    handle.finish();
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
}

TEST_F(RedistributionErrors, OfAbandonedExecutions) {
    const Matrix a = make_numbered(rows_split(16, 8)), b = make(columns_split(16, 8));
    const TransportSetting setting(Transport::message);
    {
        RedistributionPlan plan(comm, a.layout(), b.layout());
        {
            const auto handle = plan.start(exec, a, b);
        }
        EXPECT_THROW(plan.execute(exec, a, b), UsageError);
    }
    RedistributionPlan plan(comm, a.layout(), b.layout());
    plan.execute(exec, a, b);
    EXPECT_EQ(not_numbered(b), 0);
}

TEST_F(RedistributionErrors, OfTheCommunicator) {
    MPI_Comm world = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    Communicator own(world);
    const Matrix a = make(rows_split(16, 8)), b = make(columns_split(16, 8));
    RedistributionPlan plan(own, a.layout(), b.layout());
    plan.execute(exec, a, b);
    own.close();
    EXPECT_THROW(plan.execute(exec, a, b), UsageError);
    MPI_Comm_free(&world);
}

} // namespace

} // namespace distview::testing
