// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unstructured axes are paired by the values of their indices, whether every process knows all
// indices or only its own. For random cases see test_redistribution_plan_any.cpp.
#include "own_labels_fixture.hpp"

#include <distview_testing/assertions.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Lists = std::vector<Labels>;

/// Lists of indices; parameter: whether each process knows only its own.
class ByIndex : public OwnLabels, public ::testing::WithParamInterface<bool> {
protected:
    ArrayLayout listed(const Lists& lists) const {
        if (!GetParam()) return {ProcessGrid{n}, {unstructured(lists)}};
        Labels all;
        for (const Labels& list : lists) all.insert(all.end(), list.begin(), list.end());
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return own(static_cast<std::int64_t>(all.size()), lists[static_cast<std::size_t>(me)]);
    }
    /// Distributes the indices cyclically, from rank `first` on.
    Lists dealt_out(const Labels& indices, int first = 0) const {
        Lists lists(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < indices.size(); ++i)
            lists[(i + static_cast<std::size_t>(first)) % lists.size()].push_back(indices[i]);
        return lists;
    }
    /// The first words of errors: schedules know all indices, plans must ask other ranks for them.
    std::string caller() const {
        return GetParam() ? "RedistributionPlan: " : "RedistributionSchedule: ";
    }
};

INSTANTIATE_TEST_SUITE_P(KnownToAllOrToTheirOwn, ByIndex, ::testing::Bool());

// The source has indices 1, 101, 201, ...; the target lists some of them.
TEST_P(ByIndex, MovesEqualIndices) {
    Labels in_source, in_target;
    for (std::int64_t i = 0; i < 7 * n; ++i) in_source.push_back(100 * i + 1);
    for (std::int64_t i = 7 * n - 1; i > 0; i -= 2) in_target.push_back(100 * i + 1);
    const Line source = make_of(listed(dealt_out(in_source)), square);
    const Line target = make(listed(dealt_out(in_target, n / 2)));
    RedistributionPlan plan(comm, source.layout(), target.layout());
    plan.execute(exec, source, target);
    EXPECT_EQ(wrong(target, square), 0);
    EXPECT_EQ(plan.schedule().elements(), static_cast<std::int64_t>(in_target.size()));
}

TEST_P(ByIndex, MovesCellsOfStructuredAxes) {
    const std::int64_t size = 5 * n;
    Labels some;
    for (std::int64_t i = size - 1; i >= 0; i -= 3) some.push_back(i);
    const ArrayLayout padded(ProcessGrid{n}, {block(size, {.padding = 1, .boundary = 2})});
    const ArrayLayout cycles(ProcessGrid{n}, {block_cyclic(size, 2)});
    const ArrayLayout lists = listed(dealt_out(some));
    for (const ArrayLayout& from : {padded, cycles}) {
        const Line source = make(from), target = make(lists);
        const LocalRange interior = source.interior_range(0);
        for (std::int64_t l = interior.begin; l < interior.end; ++l)
            source.view()(l) = square(from.axis(0).to_global(me, LocalIndex(l)).value());
        RedistributionPlan(comm, from, lists).execute(exec, source, target);
        EXPECT_EQ(wrong(target, square), 0);
    }
    // The way back, from a source that also has indices outside the target.
    Labels more{-7, size, 1000 * size};
    for (std::int64_t i = size - 1; i >= 0; --i) more.push_back(i);
    const Line source = make_of(listed(dealt_out(more, 1)), square), line = make(blocks(size));
    RedistributionPlan(comm, source.layout(), line.layout()).execute(exec, source, line);
    EXPECT_EQ(wrong(line, square), 0);
}

TEST_P(ByIndex, RefusesIndicesThatTheSourceDoesNotHave) {
    Labels in_source, in_target;
    for (std::int64_t i = 0; i < 4 * n; ++i) in_source.push_back(10 * i);
    in_target = in_source;
    in_target.insert(in_target.end(), {25, 15});
    const ArrayLayout source = listed(dealt_out(in_source));
    const std::string rest = " of the source, got 2 others, the lowest is 15; set "
                             "allow_missing_indices to leave these elements unchanged";
    EXPECT_THROW_ON_ALL_RANKS(build(source, listed(dealt_out(in_target))), LayoutError,
                              caller() + "axis 0 of the target: expected only indices of axis 0" +
                                  rest);
    EXPECT_THROW_ON_ALL_RANKS(build(blocks(4), listed(dealt_out({3, 4, -1, 2}))), LayoutError,
                              "got 2 others, the lowest is -1;");
    EXPECT_THROW_ON_ALL_RANKS(build(listed(dealt_out({2, 3, 9})), blocks(4)), LayoutError,
                              "got 2 others, the lowest is 0;");
    EXPECT_THROW_ON_ALL_RANKS(build(listed(dealt_out({5, 6})), listed(dealt_out({6, 7}))),
                              LayoutError, "of the source, got 1 other: 7;");
}

TEST_P(ByIndex, LeavesThemAsTheyAreIfAllowed) {
    Labels in_source, in_target;
    for (std::int64_t i = 0; i < 6 * n; ++i) {
        if (i % 3 != 0) in_source.push_back(10 * i);
        if (i % 2 == 0) in_target.push_back(10 * i);
    }
    const Line source = make_of(listed(dealt_out(in_source)), square);
    const Line target = make_of(listed(dealt_out(in_target)), [](std::int64_t) { return -1.; });
    RedistributionPlan plan(comm, source.layout(), target.layout(),
                            {.allow_missing_indices = true});
    const auto expected = [](std::int64_t index) { return index % 30 == 0 ? -1. : square(index); };
    plan.execute(exec, source, target);
    EXPECT_EQ(wrong(target, expected), 0);
    EXPECT_EQ(plan.schedule().elements(), 2 * n);
    // To a target without an index of the source, and from an empty source.
    const Line other = make_of(listed(dealt_out({-5})), [](std::int64_t) { return 7.; });
    for (const ArrayLayout& from : {source.layout(), listed(dealt_out({}))}) {
        RedistributionPlan nothing(comm, from, other.layout(), {.allow_missing_indices = true});
        nothing.execute(exec, make(from), other);
        EXPECT_EQ(nothing.schedule().elements(), 0);
        EXPECT_EQ(wrong(other, [](std::int64_t) { return 7.; }), 0);
    }
}

// Cell i of a slice is the cell with the i-th smallest index, whatever the values are.
TEST_P(ByIndex, SlicesArePairedByOrder) {
    Labels in_source, in_target;
    for (std::int64_t i = 0; i < 4 * n; ++i) {
        in_source.push_back(100 * i);
        in_target.push_back(7 - i);
    }
    const Line source = make_of(listed(dealt_out(in_source)), square);
    const Line target = make(listed(dealt_out(in_target)));
    RedistributionPlan(comm, source.layout(), target.layout(), {.from_slice = {{0, 4 * n, 1}}})
        .execute(exec, source, target);
    const std::int64_t lowest = 7 - (4 * n - 1);
    EXPECT_EQ(wrong(target, [&](std::int64_t i) { return square(100 * (i - lowest)); }), 0);
}

} // namespace

} // namespace distview::testing
