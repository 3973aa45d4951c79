// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong labels that no process can detect alone: all ranks must get the same error text.
#include "own_labels_fixture.hpp"

#include <distview_testing/assertions.hpp>

#include <string>

namespace distview::testing {

namespace {

TEST_F(OwnLabels, ThatAreMissingOrTooMany) {
    const std::int64_t size = 3 * n;
    const std::string of_source = "RedistributionPlan: axis 0 of the source: ";
    Labels labels = every_nth(size);
    if (me == n - 1) labels.pop_back(); // n - 1, its lowest
    EXPECT_THROW_ON_ALL_RANKS(
        build(own(size, labels), blocks(size)), LayoutError,
        of_source + "expected " + std::to_string(size) +
            " different indices on all processes together, the axis size, got " +
            std::to_string(size - 1) + ": no process has index " + std::to_string(n - 1));
    EXPECT_THROW_ON_ALL_RANKS(build(blocks(size), own(size, labels)), LayoutError,
                              "axis 0 of the target: expected " + std::to_string(size));
    // If labels are arbitrary numbers, no process can name the missing one.
    for (std::int64_t& label : labels) label = 1000 * label - 5;
    EXPECT_THROW_ON_ALL_RANKS(build(own(size, labels), blocks(size)), LayoutError,
                              "got " + std::to_string(size - 1));
    EXPECT_THROW_ON_ALL_RANKS(build(own(size, {}), blocks(size)), LayoutError,
                              "got 0: no process has index 0");
    // One label more than the size; for a single process the layout itself throws.
    if (n > 1) {
        labels = every_nth(size);
        if (me == 0) labels.push_back(size);
        EXPECT_THROW_ON_ALL_RANKS(build(own(size, labels), blocks(size)), LayoutError,
                                  "the axis size, got " + std::to_string(size + 1));
    }
    // The communicator is still usable.
    build(own(size, every_nth(size)), blocks(size));
}

TEST_F(OwnLabels, OnSeveralProcessesWhereOneToOneIsPromised) {
    if (n == 1) GTEST_SKIP() << "one process shares with nobody";
    const std::int64_t size = 3 * n;
    Labels labels = every_nth(size);
    if (me == n - 1) labels.push_back(n);
    EXPECT_THROW_ON_ALL_RANKS(
        build(blocks(size), own(size, labels, true)), LayoutError,
        "RedistributionPlan: axis 0 of the target: one_to_one is true, but index " +
            std::to_string(n) + " is on more than one process");
    build(blocks(size), own(size, labels));
}

TEST_F(OwnLabels, KnownElsewhereThanWhereTheProcessIs) {
    if (n == 1) GTEST_SKIP() << "one process is nowhere else";
    const int claimed = me == n - 1 ? 0 : me;
    const ArrayLayout wrong_place(ProcessGrid{n}, {unstructured_local(n, claimed, {me})});
    EXPECT_THROW_ON_ALL_RANKS(build(wrong_place, blocks(n)), LayoutError,
                              "RedistributionPlan: axis 0 of the source: expected the indices of "
                              "this process's coordinate " +
                                  std::to_string(n - 1) + ", got the indices of coordinate 0");
    // The last rank states another size, or all labels.
    EXPECT_THROW_ON_ALL_RANKS(build(own(me == n - 1 ? n + 1 : n, {me}), blocks(n)), UsageError,
                              "expected the same arguments on all ranks");
    const std::vector<Labels> all = [&] {
        std::vector<Labels> lists;
        for (int p = 0; p < n; ++p) lists.push_back({p});
        return lists;
    }();
    const ArrayLayout known(ProcessGrid{n}, {unstructured(all)});
    EXPECT_THROW_ON_ALL_RANKS(build(me == n - 1 ? known : own(n, {me}), blocks(n)), UsageError,
                              "expected the same arguments on all ranks");
}

} // namespace

} // namespace distview::testing
