// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditions as checked in builds with DISTVIEW_ENABLE_ASSERTIONS: this file defines the macro in all builds.
#ifndef DISTVIEW_ENABLE_ASSERTIONS
#define DISTVIEW_ENABLE_ASSERTIONS
#endif
#include <distview/algorithms/exact_sum.hpp>
#include <distview/algorithms/random.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace distview::testing {

namespace {

// Not known at compile time.
const volatile int two = 2;

TEST(Assert, RandomIntegersHaveARangeThatIsNotEmpty) {
    const RandomStream stream{.seed = 1};
    EXPECT_EQ(stream.integer(7, int{two}, 3), 2);
    EXPECT_DEATH(static_cast<void>(stream.integer(7, 2, int{two})), "low < high, at .*random.hpp");
    EXPECT_DEATH(static_cast<void>(stream.integer(7, 3, int{two})), "low < high");
}

TEST(Assert, ASumWhoseRootIsTakenIsNotNegative) {
    ExactSum sum;
    EXPECT_EQ(sum.rounded_root(), 0);
    sum.add(2 * two);
    EXPECT_EQ(sum.rounded_root(), 2);
    sum.add(-5);
    EXPECT_DEATH(static_cast<void>(sum.rounded_root()), "rounded\\(\\) < 0\\), at .*exact_sum.hpp");
    sum.add(std::numeric_limits<double>::infinity());
    EXPECT_EQ(sum.rounded_root(), std::numeric_limits<double>::infinity());
}

} // namespace

} // namespace distview::testing
