// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong use: every rank gets the same exception at once, no rank hangs, and the library stays usable.
#include "communicators.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/environment.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;

constexpr const char* differs = "PaddingExchangePlan: expected the same arguments on all ranks";

class PaddingExchangeErrors : public ::testing::Test {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const int n = comm.size();

    /// True on the last rank of several.
    bool odd() const { return n > 1 && comm.rank() == n - 1; }

    ArrayLayout columns(const AxisSpec& columns, const AxisSpec& rows = block(6)) const {
        return {ProcessGrid{1, n}, {rows, columns}};
    }
    ArrayLayout usual() const { return columns(block(4 * n, {.padding = 1})); }

    void build(const ArrayLayout& layout, const PaddingExchangeOptions& options = {}) const {
        const PaddingExchangePlan plan(comm, layout, options);
    }
    /// The last rank passes `other`.
    void build_with_odd_one(const ArrayLayout& layout, const ArrayLayout& other,
                            const PaddingExchangeOptions& options = {},
                            const PaddingExchangeOptions& other_options = {}) const {
        build(odd() ? other : layout, odd() ? other_options : options);
    }
    void expect_difference(const ArrayLayout& layout, const ArrayLayout& other) const {
        EXPECT_THROW_ON_ALL_RANKS(build_with_odd_one(layout, other), UsageError, differs)
            << layout.describe() << " and " << other.describe();
    }

    /// After every error the communicator must serve a plan as before.
    void TearDown() override {
        const auto a = make(usual());
        Kokkos::deep_copy(a.view(), -1.0);
        for (auto j = a.owned_range(1).begin; j < a.owned_range(1).end; ++j)
            a.view()(2, j.value()) = static_cast<double>(a.global_index(1, j));
        PaddingExchangePlan plan(comm, usual());
        plan.execute(exec, a);
        for (LocalIndex j(0); j < static_cast<std::int64_t>(a.view().extent(1)); ++j)
            EXPECT_EQ(a.view()(2, j.value()), static_cast<double>(a.global_index(1, j)));
    }

    DistView<double**> make(const ArrayLayout& layout) const {
        return {exec, "a", layout, comm.rank()};
    }
};

TEST_F(PaddingExchangeErrors, GridOfAnotherSize) {
    const ArrayLayout larger(ProcessGrid{1, n + 1}, {block(6), block(30)});
    EXPECT_THROW_ON_ALL_RANKS(build(larger), UsageError,
                              text("PaddingExchangePlan: expected a process grid for the ", n,
                                   n == 1 ? " rank" : " ranks", " of the communicator, got 1 x ",
                                   n + 1, " = ", n + 1));
    if (n == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(build_with_odd_one(usual(), larger), UsageError,
                              text("= ", n + 1, " [rank ", n - 1, " of ", n, ']'));
}

TEST_F(PaddingExchangeErrors, MoreThanThePaddingOfOneProcess) {
    if (n == 1) return;
    // Only the last process has too few elements.
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < n; ++p) bounds.push_back(bounds.back() + 4);
    std::vector<Widths> paddings(static_cast<std::size_t>(n), Widths(2));
    paddings.back().low = 1;
    EXPECT_THROW_ON_ALL_RANKS(
        build(columns(block_bounds(bounds, {.boundary = Widths(0)}, paddings)),
              {.widths = std::vector{Widths(0), Widths(2, 0)}}),
        LayoutError,
        text("PaddingExchangeSchedule: cannot fill 2 elements on the low side of axis 1, the "
             "section "
             "of process (0, ",
             n - 1, ") has a padding of 1 [rank ", n - 1, " of ", n, ']'));
}

TEST_F(PaddingExchangeErrors, NegativeSizesAndWidths) {
    const auto build_in_agreement = [&](std::int64_t size, std::int64_t width) {
        agree_on(comm, "main", [&] { columns(block(size, {.padding = width})); });
    };
    EXPECT_THROW_ON_ALL_RANKS(build_in_agreement(-1, 1), LayoutError,
                              "expected a size >= 0, got -1");
    EXPECT_THROW_ON_ALL_RANKS(build_in_agreement(9, -2), LayoutError,
                              "expected padding >= 0, got (-2, -2)");
    PaddingExchangeOptions options;
    options.widths = std::vector{Widths(0), Widths(-1, 0)};
    EXPECT_THROW_ON_ALL_RANKS(build(usual(), options), LayoutError,
                              "expected widths >= 0 along axis 1, got (-1, 0)");
    if (n == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(build_in_agreement(odd() ? -1 : 9, 1), LayoutError,
                              text("got -1 [rank ", n - 1, " of ", n, ']'));
    EXPECT_THROW_ON_ALL_RANKS(build_with_odd_one(usual(), usual(), {}, options), LayoutError,
                              "expected widths >= 0 along axis 1, got (-1, 0)");
}

TEST_F(PaddingExchangeErrors, WidthsThatDoNotFitTheLayout) {
    PaddingExchangeOptions options;
    options.widths = std::vector{Widths(0)};
    EXPECT_THROW_ON_ALL_RANKS(build(usual(), options), LayoutError,
                              "expected widths for the array's 2 axes, got 1");
    const ArrayLayout periodic = columns(block(4 * n, {.padding = 1, .periodic = true}));
    options.widths = std::vector{Widths(0), Widths(1, 2)};
    EXPECT_THROW_ON_ALL_RANKS(build(periodic, options), LayoutError,
                              "cannot fill 2 elements on the high side of axis 1");
}

TEST_F(PaddingExchangeErrors, LayoutsThatDifferOnOneRank) {
    if (n == 1) GTEST_SKIP() << "nobody to differ from";
    const ArrayLayout layout = usual();
    expect_difference(layout, columns(block(4 * n + 1, {.padding = 1})));
    expect_difference(layout, columns(block(4 * n, {.padding = 1}), block(7)));
    expect_difference(layout, columns(block(4 * n, {.padding = 2})));
    expect_difference(layout, columns(block(4 * n, {.padding = {1, 0}, .boundary = Widths(1)})));
    expect_difference(layout, columns(block(4 * n, {.padding = 1, .boundary = Widths(0)})));
    expect_difference(layout, columns(block(4 * n, {.padding = 1, .periodic = true})));
    expect_difference(layout, columns(cyclic(4 * n + 2)));
    expect_difference(columns(cyclic(4 * n)), columns(block_cyclic(4 * n, 2)));
    expect_difference(columns(block_cyclic(8 * n, 2)), columns(block_cyclic(8 * n, 3)));
    if (n > 2) // with two processes both layouts give the first one more
        expect_difference(columns(block(4 * n + 1)), columns(regular_block(4 * n + 1)));
    expect_difference(layout, ArrayLayout(ProcessGrid{n}, {block(4 * n, {.padding = 1})}));
    expect_difference(layout, ArrayLayout(ProcessGrid{n, 1}, {block(4 * n), block(6)}));
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < n; ++p) bounds.push_back(bounds.back() + (p % 2 == 0 ? 3 : 5));
    std::vector<std::int64_t> other_bounds = bounds;
    ++other_bounds[1];
    expect_difference(columns(block_bounds(bounds)), columns(block_bounds(other_bounds)));
    std::vector<Widths> paddings(static_cast<std::size_t>(n), Widths(1));
    std::vector<Widths> other_paddings = paddings;
    other_paddings[1].low = 2;
    expect_difference(columns(block_bounds(bounds, {.boundary = Widths(1)}, paddings)),
                      columns(block_bounds(bounds, {.boundary = Widths(1)}, other_paddings)));
}

TEST_F(PaddingExchangeErrors, OptionsThatDifferOnOneRank) {
    if (n == 1) GTEST_SKIP() << "nobody to differ from";
    const ArrayLayout layout = usual();
    PaddingExchangeOptions faces;
    faces.stencil = Stencil::faces;
    EXPECT_THROW_ON_ALL_RANKS(build_with_odd_one(layout, layout, {}, faces), UsageError, differs);
    PaddingExchangeOptions low;
    low.widths = std::vector{Widths(0), Widths(1, 0)};
    EXPECT_THROW_ON_ALL_RANKS(build_with_odd_one(layout, layout, {}, low), UsageError, differs);
    PaddingExchangeOptions high;
    high.widths = std::vector{Widths(0), Widths(0, 1)};
    EXPECT_THROW_ON_ALL_RANKS(build_with_odd_one(layout, layout, low, high), UsageError, differs);
}

TEST_F(PaddingExchangeErrors, FieldsThatDifferOnOneRank) {
    using Fields = std::vector<FieldExchange>;
    const ArrayLayout wide = columns(block(8 * n, {.padding = 2}));
    const auto build_fields = [&](const Fields& fields) { PaddingExchangePlan(comm, fields); };
    EXPECT_THROW_ON_ALL_RANKS(build_fields({}), UsageError,
                              "PaddingExchangePlan: expected at least one field");
    if (n == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(build_fields(odd() ? Fields{} : Fields{{usual()}}), UsageError,
                              "PaddingExchangePlan: expected at least one field");
    EXPECT_THROW_ON_ALL_RANKS(
        build_fields(odd() ? Fields{{usual()}} : Fields{{usual()}, {usual()}}), UsageError,
        differs);
    EXPECT_THROW_ON_ALL_RANKS(
        build_fields(odd() ? Fields{{wide}, {usual()}} : Fields{{usual()}, {wide}}), UsageError,
        differs);
}

TEST_F(PaddingExchangeErrors, TransportsThatAreNotThere) {
    const auto build_over = [this](const char* transport) {
        const VariableSetting required("DISTVIEW_TRANSPORT", transport);
        build(usual());
    };
    EXPECT_THROW_ON_ALL_RANKS(build_over("ipc"), UsageError,
                              "DISTVIEW_TRANSPORT: 'ipc' is not available here, only 'direct' "
                              "and 'message' are");
    EXPECT_THROW_ON_ALL_RANKS(build_over("carrier pigeon"), UsageError, "got 'carrier pigeon'");
    EXPECT_NO_THROW(build_over("message"));
    if (n == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(build_over(odd() ? "ipc" : "message"), UsageError,
                              text("'direct' and 'message' are [rank ", n - 1, " of ", n, ']'));
    EXPECT_THROW_ON_ALL_RANKS(build_over(odd() ? "direct" : "message"), UsageError, differs);
}

TEST_F(PaddingExchangeErrors, HugePagesOrNot) {
    const VariableSetting choice("DISTVIEW_HUGE_PAGES", odd() || n == 1 ? "maybe" : "0");
    EXPECT_THROW_ON_ALL_RANKS(build(usual()), UsageError,
                              "DISTVIEW_HUGE_PAGES: expected 0 or 1, got 'maybe'");
}

TEST_F(PaddingExchangeErrors, ArraysOfAnotherLayout) {
    PaddingExchangePlan plan(comm, usual());
    const auto fits = make(usual());
    const auto other = make(columns(block(4 * n, {.padding = 2})));
    // An array with sections of the same size as the plan's, but another layout.
    const auto same_extents =
        make(columns(block(4 * n, {.padding = 1}), block(6, {.periodic = true})));
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, other), ShapeError,
                              "PaddingExchangePlan: field 0 is a 2-d array");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, same_extents), ShapeError, "field 0 is a");
    EXPECT_THROW_ON_ALL_RANKS(plan.bind(Exec(), fits, other), ShapeError, "field 1 is a 2-d array");
    EXPECT_NO_THROW(plan.execute(exec, fits));
    if (n == 1) return;
    const auto mixed = odd() ? other : make(usual());
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, mixed), ShapeError,
                              text("[rank ", n - 1, " of ", n, ']'));
    EXPECT_NO_THROW(plan.execute(exec, fits));
}

TEST_F(PaddingExchangeErrors, SectionsOfAnotherProcess) {
    if (n == 1) GTEST_SKIP() << "there is no other process";
    const ArrayLayout layout = columns(block(4 * n, {.padding = 1, .periodic = true}));
    PaddingExchangePlan plan(comm, layout);
    const int shifted = (comm.rank() + 1) % n;
    const DistView<double**> wrong(exec, "a", layout, shifted);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, wrong), ShapeError,
                              "PaddingExchangePlan: field 0: expected the section of process 0, "
                              "got the section of process 1");
    const DistView<double**> odd_one(exec, "a", layout, odd() ? 0 : comm.rank());
    EXPECT_THROW_ON_ALL_RANKS(
        plan.execute(exec, odd_one), ShapeError,
        text("expected the section of process ", n - 1, ", got the section of process 0"));
}

template <class... Data>
void execute_with(const Communicator& comm, const ArrayLayout& layout) {
    const Exec exec;
    PaddingExchangePlan plan(comm, layout);
    plan.execute(exec, DistView<Data>(exec, "field", layout, comm.rank())...);
}

struct Pair {
    std::int32_t values[2];
};

TEST_F(PaddingExchangeErrors, ElementTypesThatDifferOnOneRank) {
    if (n == 1) GTEST_SKIP() << "nobody to differ from";
    const ArrayLayout layout = usual();
    const auto run = [&](auto usual_call, auto odd_call) {
        if (odd())
            odd_call(comm, layout);
        else
            usual_call(comm, layout);
    };
    EXPECT_THROW_ON_ALL_RANKS(run(execute_with<double**>, execute_with<float**>), UsageError,
                              differs);
    EXPECT_THROW_ON_ALL_RANKS(run(execute_with<std::int32_t**>, execute_with<float**>), UsageError,
                              differs);
    EXPECT_THROW_ON_ALL_RANKS(run(execute_with<double**>, execute_with<Pair**>), UsageError,
                              differs);
    EXPECT_THROW_ON_ALL_RANKS(run(execute_with<std::int32_t**>, execute_with<std::uint32_t**>),
                              UsageError, differs);
    EXPECT_THROW_ON_ALL_RANKS(run(execute_with<double**, float**>, execute_with<float**, double**>),
                              UsageError, differs);
}

TEST_F(PaddingExchangeErrors, NumbersOfArraysThatDifferOnOneRank) {
    if (n == 1) GTEST_SKIP() << "nobody to differ from";
    PaddingExchangePlan plan(comm, usual());
    const auto a = make(usual());
    const auto b = make(usual());
    const auto execute = [&] {
        if (odd())
            plan.execute(exec, a);
        else
            plan.execute(exec, a, b);
    };
    EXPECT_THROW_ON_ALL_RANKS(execute(), UsageError, differs);
    EXPECT_NO_THROW(plan.execute(exec, a, b));
}

TEST_F(PaddingExchangeErrors, CheckingModesThatDifferOnOneRank) {
    if (n == 1) GTEST_SKIP() << "nobody to differ from";
    PaddingExchangePlan plan(comm, usual());
    const auto a = make(usual());
    if (odd()) set_check(Check::padding);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, a), UsageError, "DISTVIEW_CHECK");
    set_check(Check::nothing);
    EXPECT_NO_THROW(plan.execute(exec, a));
}

TEST_F(PaddingExchangeErrors, NumbersOfArraysThatAreNotThePlans) {
    PaddingExchangePlan one(comm, usual());
    EXPECT_THROW_ON_ALL_RANKS(one.bind(Exec()), UsageError,
                              "PaddingExchangePlan: expected at least 1 field, got 0");
    PaddingExchangePlan two(comm, std::vector<FieldExchange>{{usual()}, {usual()}});
    const auto a = make(usual());
    EXPECT_THROW_ON_ALL_RANKS(two.execute(exec, a), UsageError,
                              "PaddingExchangePlan: expected 2 fields, got 1");
    EXPECT_THROW_ON_ALL_RANKS(two.bind(Exec(), a, a, a), UsageError, "expected 2 fields, got 3");
    EXPECT_NO_THROW(two.execute(exec, a, make(usual())));
}

TEST_F(PaddingExchangeErrors, ArraysInAnotherOrderThanTheFields) {
    const ArrayLayout wide = columns(block(8 * n, {.padding = 2}));
    PaddingExchangePlan plan(comm, std::vector<FieldExchange>{{usual()}, {wide}});
    const auto a = make(usual());
    const auto b = make(wide);
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, b, a), ShapeError, "field 0 is a");
    EXPECT_NO_THROW(plan.execute(exec, a, b));
}

TEST_F(PaddingExchangeErrors, ArraysThatWereNeverMade) {
    PaddingExchangePlan plan(comm, usual());
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, DistView<double**>()), ShapeError, "field 0 is a");
}

TEST_F(PaddingExchangeErrors, ClosedCommunicators) {
    const OwnedComm parent = duplicate_world();
    Communicator mine(parent.get());
    PaddingExchangePlan plan(mine, usual());
    const auto bound = make(usual());
    const auto unbound = make(usual());
    plan.execute(exec, bound);
    mine.close();
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, bound), UsageError, "closed");
    EXPECT_THROW_ON_ALL_RANKS(plan.execute(exec, unbound), UsageError, "used after close()");
    EXPECT_THROW_ON_ALL_RANKS(PaddingExchangePlan(mine, usual()), UsageError, "used after close()");
}

// Labels known only to their own processes: a process's rows are padded from the same rows of the process next to it.
TEST_F(PaddingExchangeErrors, ProcessesSideBySideListTheSameIndices) {
    if (n % 2 != 0) return;
    const auto layout_of = [&](const std::vector<std::int64_t>& labels, int known) {
        return ArrayLayout(ProcessGrid{n / 2, 2}, {unstructured_local(n, known, labels),
                                                   block(4, {.padding = 1, .periodic = true})});
    };
    const int at = comm.rank() / 2;
    const ArrayLayout same = layout_of({2 * at + 1, 2 * at}, at);
    PaddingExchangePlan plan(comm, same);
    const DistView<double**, Host> array(exec, "array", same, comm.rank());
    Kokkos::deep_copy(array.view(), comm.rank() % 2);
    plan.execute(exec, array);
    EXPECT_EQ(array.view()(1, 0), 1 - comm.rank() % 2);
    const std::string text = "expected processes with the same coordinate along axis 0 to list "
                             "the same indices, got different lists on ranks ";
    const std::vector<std::int64_t> turned{2 * at, 2 * at + 1};
    EXPECT_THROW_ON_ALL_RANKS(build(odd() ? layout_of(turned, at) : same), LayoutError, text);
    EXPECT_THROW_ON_ALL_RANKS(build(odd() ? layout_of({2 * at}, at) : same), LayoutError, text);
    if (n > 2) {
        EXPECT_THROW_ON_ALL_RANKS(build(odd() ? layout_of({0, 1}, 0) : same), LayoutError,
                                  "PaddingExchangePlan: axis 0 of the array: expected the indices");
    }
}

} // namespace

} // namespace distview::testing
