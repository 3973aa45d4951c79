// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expect_error.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/mirror.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace distview {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Line = DistView<double*, Kokkos::HostSpace>;

/// On process 0, positions 6 and 7 are padding owned by process 1.
ArrayLayout line() { return ArrayLayout(ProcessGrid{2}, {block(8, {.padding = 2})}); }

ValidPadding two_deep() {
    ValidPadding result;
    result.set_depth(0, 2);
    return result;
}

TEST(Mirror, IsAnotherArrayOfTheSameLayout) {
    const Line u(Exec(), "u", line(), 1);
    u.mark_padding_valid(two_deep());
    const auto mirror = create_mirror(u);
    EXPECT_EQ(mirror.layout(), line());
    EXPECT_EQ(mirror.process(), 1);
    EXPECT_NE(mirror.view().data(), u.view().data());
    EXPECT_NE(mirror.identity(), u.identity());
    EXPECT_EQ(mirror.valid_padding(), ValidPadding());
}

TEST(Mirror, ViewIsTheArrayItselfWhereTheHostCanAccessIt) {
    const Line u(Exec(), "u", line(), 0);
    u.mark_padding_valid(two_deep());
    const auto host = create_mirror_view(u);
    static_assert(std::is_same_v<decltype(host), const Line>);
    EXPECT_EQ(host.view().data(), u.view().data());
    EXPECT_EQ(host.identity(), u.identity());
    EXPECT_EQ(host.label(), "u");
    EXPECT_EQ(host.valid_padding(), two_deep());
    host.mark_written();
    EXPECT_EQ(u.valid_padding(), ValidPadding());
}

TEST(Mirror, ViewOfConstElementsIsAnotherArray) {
    const Line u(Exec(), "u", line(), 0);
    const DistView<const double*, Kokkos::HostSpace> read_only = u;
    const auto host = create_mirror_view(read_only);
    EXPECT_NE(host.view().data(), u.view().data());
    EXPECT_NE(host.identity(), u.identity());
    Kokkos::deep_copy(Exec(), u.view(), 3.0);
    deep_copy(Exec(), host, read_only);
    EXPECT_EQ(host.view()(1), 3.0);
}

TEST(DeepCopy, LeavesNoPaddingValid) {
    const Line a(Exec(), "a", line(), 0);
    const Line b(Exec(), "b", line(), 0);
    a.mark_padding_valid(two_deep());
    b.mark_padding_valid(two_deep());
    Kokkos::deep_copy(Exec(), b.view(), 3.0);
    deep_copy(Exec(), a, b);
    EXPECT_EQ(a.view()(6), 3.0); // padding
    EXPECT_EQ(a.valid_padding(), ValidPadding());
    EXPECT_EQ(b.valid_padding(), two_deep());
}

TEST(DeepCopy, OfAnArrayToItselfChangesNothing) {
    const Line u(Exec(), "u", line(), 0);
    u.mark_padding_valid(two_deep());
    const DistView<const double*, Kokkos::HostSpace> read_only = u;
    deep_copy(Exec(), create_mirror_view(u), u);
    deep_copy(Exec(), u, read_only);
    EXPECT_EQ(u.valid_padding(), two_deep());
}

TEST(DeepCopy, BringsPaddingInTheCheckingModeToo) {
    const Check before = current_check();
    set_check(Check::padding);
    const Line a(Exec(), "a", line(), 0);
    const Line b(Exec(), "b", line(), 0);
    a.view()(1) = 1.0; // an array of zeros would not be poisoned
    b.view()(1) = 2.0;
    deep_copy(Exec(), a, b);
    set_check(before);
    EXPECT_EQ(a.view()(1), 2.0);
    EXPECT_EQ(a.view()(6), 0.0);
}

// Further arrays over the same memory must not change the padding of the first one.
TEST(DistView, OfMemoryOfAnotherArrayLeavesItAloneInTheCheckingMode) {
    const Check before = current_check();
    set_check(Check::padding);
    const Line u(Exec(), "u", line(), 0);
    u.view()(3) = 1.0;
    u.mark_padding_valid(two_deep());
    const Line again(line(), 0, u.view());
    const AnyDistView untyped(AnyDistView(u).section(), line(), 0);
    EXPECT_EQ(u.view()(6), 0.0);
    again.mark_written();
    EXPECT_NE(u.view()(6), u.view()(6)); // NaN: mark_written() made it old
    set_check(before);
}

TEST(DeepCopy, RefusesAnotherLayoutOrProcess) {
    const Line a(Exec(), "a", line(), 0);
    const Line b(Exec(), "b", line(), 1);
    a.mark_padding_valid(two_deep());
    testing::expect_error_with<ShapeError>(
        [&] { deep_copy(Exec(), a, b); },
        {"deep_copy: expected the same process and layout, got 'a': process 0 of a ",
         "\nand 'b': process 1 of a "});
    EXPECT_EQ(a.valid_padding(), two_deep());
}

} // namespace

} // namespace distview
