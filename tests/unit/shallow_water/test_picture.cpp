// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.hpp"

#include "parameters.hpp"

#include <gtest/gtest.h>

namespace distview::testing {

namespace {

TEST(PictureTest, the_title_says_how_long_the_run_was) {
    const double step = shallow_water::Parameters().time_step() / 86400;
    EXPECT_EQ(shallow_water::time_text(0), "initial state");
    EXPECT_EQ(shallow_water::time_text(step), "after 0.0055 hours");
    EXPECT_EQ(shallow_water::time_text(101 * step), "after 0.56 hours");
    EXPECT_EQ(shallow_water::time_text(0.0999), "after 2.4 hours");
    EXPECT_EQ(shallow_water::time_text(0.1), "after 0.1 days");
    EXPECT_EQ(shallow_water::time_text(10), "after 10.0 days");
}

} // namespace

} // namespace distview::testing
