// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect_error.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/slice.hpp>
#include <distview/core/valid_padding.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace distview {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

ValidPadding depths(Widths axis0, Widths axis1, bool has_corners = true) {
    ValidPadding result;
    result.set_depth(0, axis0);
    result.set_depth(1, axis1);
    result.set_corners(has_corners);
    return result;
}

TEST(ValidPadding, BeginsWithNone) {
    const ValidPadding none;
    EXPECT_EQ(none.deepest(), Widths(0));
    EXPECT_FALSE(none.has_corners());
    EXPECT_TRUE(none.reaches(ValidPadding()));
    EXPECT_FALSE(none.reaches(depths(1, 0, false)));
}

TEST(ValidPadding, ReachesWhatIsNowhereDeeper) {
    const ValidPadding valid = depths({2, 1}, {0, 3});
    EXPECT_EQ(valid.depth(0), Widths(2, 1));
    EXPECT_EQ(valid.depth(1), Widths(0, 3));
    EXPECT_EQ(valid.deepest(), Widths(2, 3));
    EXPECT_TRUE(valid.reaches(depths({2, 1}, {0, 3})));
    EXPECT_TRUE(valid.reaches(depths({1, 0}, {0, 2}, false)));
    EXPECT_FALSE(valid.reaches(depths({3, 1}, {0, 3})));
    EXPECT_FALSE(valid.reaches(depths({2, 2}, {0, 3})));
    EXPECT_FALSE(valid.reaches(depths({2, 1}, {1, 3})));
    EXPECT_FALSE(valid.reaches(depths({2, 1}, {0, 4})));
}

TEST(ValidPadding, WithoutCornersReachesNothingThatHasThem) {
    EXPECT_FALSE(depths(2, 2, false).reaches(depths(1, 1)));
    EXPECT_TRUE(depths(2, 2, false).reaches(depths(1, 1, false)));
}

TEST(ValidPadding, IsLimitedSideBySide) {
    EXPECT_EQ(depths({2, 1}, {0, 3}).limited_to({1, 2}), depths({1, 1}, {0, 2}));
    EXPECT_EQ(depths({2, 1}, {0, 3}).limited_to(0), depths(0, 0));
}

TEST(ValidPadding, KeepsDepthsInRange) {
    ValidPadding valid;
    valid.set_depth(7, {-3, std::numeric_limits<std::int64_t>::max()});
    EXPECT_EQ(valid.depth(7), Widths(0, 65535));
}

TEST(ValidPadding, IsSharedByAllNamesOfAnArray) {
    const ArrayLayout layout(ProcessGrid{2}, {block(8, {.padding = 2})});
    const DistView<double*, Kokkos::HostSpace> u(Exec(), "u", layout, 0);
    const auto copy = u;
    const DistView<const double*, Kokkos::HostSpace> read_only = u;
    const AnyDistView any = u;
    const AnyDistView copy_of_any = any;
    const auto cast = dist_view_cast<DistView<double*, Kokkos::HostSpace>>(any);
    const ValidPadding two = depths({0, 2}, 0);
    u.mark_padding_valid(two);
    EXPECT_EQ(copy.valid_padding(), two);
    EXPECT_EQ(read_only.valid_padding(), two);
    EXPECT_EQ(any.valid_padding(), two);
    EXPECT_EQ(copy_of_any.valid_padding(), two);
    EXPECT_EQ(cast.valid_padding(), two);
    EXPECT_EQ(cast.identity(), u.identity());
    cast.mark_written();
    EXPECT_EQ(u.valid_padding(), ValidPadding());
    EXPECT_EQ(read_only.valid_padding(), ValidPadding());
}

// A slice is another array, but its elements are elements of the whole array.
TEST(ValidPadding, IsGoneIfASliceIsWritten) {
    const ArrayLayout layout(ProcessGrid{2, 1}, {block(8, {.padding = 2}), block(4)});
    const DistView<double**, Kokkos::HostSpace> u(Exec(), "u", layout, 0);
    const auto rows = slice(u, {{0, 2}, {}});
    const auto part_of_rows = slice(rows, {{0, 1}, {}});
    const AnyDistView any_rows = slice(AnyDistView(u), {{0, 2}, {}});
    const ValidPadding two = depths({0, 2}, 0);
    const auto is_gone_after = [&](const auto& write) {
        u.mark_padding_valid(two);
        write();
        return u.valid_padding() == ValidPadding();
    };
    EXPECT_TRUE(is_gone_after([&] { rows.mark_written(); }));
    EXPECT_TRUE(is_gone_after([&] { part_of_rows.mark_written(); }));
    EXPECT_TRUE(is_gone_after([&] { any_rows.mark_written(); }));
    EXPECT_TRUE(is_gone_after([&] { AnyDistView(part_of_rows).mark_written(); }));
    EXPECT_FALSE(is_gone_after([&] { static_cast<void>(slice(u, {{0, 2}, {}})); }));
}

TEST(ValidPadding, IsNoDeeperThanThePadding) {
    const auto mark = [](const ArrayLayout& layout, Widths depth) {
        const DistView<double*, Kokkos::HostSpace> u(Exec(), "u", layout, 0);
        ValidPadding valid;
        valid.set_depth(0, depth);
        AnyDistView(u).mark_padding_valid(valid);
        u.mark_padding_valid(valid);
    };
    const ArrayLayout walls(ProcessGrid{2}, {block(8, {.padding = {1, 2}})});
    mark(walls, {1, 2});
    const auto expect_refused = [&](const ArrayLayout& layout, Widths depth,
                                    const std::string& words) {
        testing::expect_error_with<UsageError>([&] { mark(layout, depth); }, {words});
    };
    expect_refused(walls, {1, 50},
                   "mark_padding_valid: expected depths of at most (1, 2) along axis 0, which has "
                   "no deeper padding, got (1, 50)");
    expect_refused(walls, {2, 2}, "got (2, 2)");
    const ArrayLayout ring(ProcessGrid{1}, {block(8, {.padding = 2, .periodic = true})});
    mark(ring, {2, 2});
    expect_refused(ring, {3, 2}, "of at most (2, 2) along axis 0");
    expect_refused(ArrayLayout(ProcessGrid{2}, {cyclic(8)}), {1, 1}, "(0, 0)");
    // Without neighbours there are no copies, whatever padding the axis was given.
    mark(ArrayLayout(ProcessGrid{1}, {block(8, {.padding = 1})}), {2, 2});
}

TEST(ValidPadding, IsOfOneArrayOnly) {
    const ArrayLayout layout(ProcessGrid{1}, {block(8, {.padding = 2})});
    const DistView<double*, Kokkos::HostSpace> u(Exec(), "u", layout, 0);
    const DistView<double*, Kokkos::HostSpace> same_memory(layout, 0, u.view());
    u.mark_padding_valid(depths(2, 0));
    EXPECT_EQ(same_memory.valid_padding(), ValidPadding());
    DistView<double*, Kokkos::HostSpace> none;
    none.mark_padding_valid(depths(2, 0)); // no array
    EXPECT_EQ(none.valid_padding(), ValidPadding());
    EXPECT_EQ(none.identity(), 0u);
}

} // namespace

} // namespace distview
