// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exact_sum.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <limits>

namespace distview::testing {

namespace {

using program::ExactSum;
using program::Int128;

std::string text_of(const ExactSum& sum) { return program::to_string(sum.rounded()); }

TEST(ExactSumTest, keeps_what_float64_sums_lose) {
    ExactSum sum;
    double rounded = 0;
    for (const double number : {0x1p60, 1.0, -0x1p60, 1.0}) {
        sum.add(number);
        rounded += number;
    }
    EXPECT_EQ(text_of(sum), "2");
    EXPECT_NE(rounded, 2.0);
    EXPECT_TRUE(sum.is_integer());
}

TEST(ExactSumTest, goes_beyond_64_bits) {
    ExactSum sum;
    for (int i = 0; i < 1000; ++i) sum.add(-0x1p61, 1009);
    EXPECT_EQ(text_of(sum), "-2326595596296617197568000"); // -2^61 * 1009000
    EXPECT_TRUE(sum.is_integer());
}

TEST(ExactSumTest, rounds_fractions_once) {
    ExactSum sum;
    for (int i = 0; i < 3; ++i) sum.add(0.5);
    EXPECT_FALSE(sum.is_integer());
    EXPECT_EQ(text_of(sum), "2");
    sum.add(-0.75);
    EXPECT_EQ(text_of(sum), "1");
    sum.add(-3.25, 2);
    EXPECT_EQ(text_of(sum), "-6"); // -5.75
    sum.add(-0.25, 3);
    EXPECT_EQ(text_of(sum), "-6"); // -6.5
    sum.add(0.25, 2);
    EXPECT_TRUE(sum.is_integer());
    EXPECT_EQ(text_of(sum), "-6");
}

TEST(ExactSumTest, no_sum_of_what_is_no_number) {
    for (const double number : {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(), 0x1p63}) {
        ExactSum sum;
        sum.add(number);
        EXPECT_FALSE(sum.valid());
        EXPECT_FALSE(sum.is_integer());
        EXPECT_EQ(program::dump(program::json_integer(sum)), "null\n");
        EXPECT_EQ(program::to_string(sum), "none (too large)");
    }
}

TEST(ExactSumTest, texts_and_json_of_any_length) {
    EXPECT_EQ(program::to_string(0), "0");
    EXPECT_EQ(program::to_string(-17), "-17");
    const Int128 most = ((Int128(1) << 126) - 1) * 2 + 1;
    EXPECT_EQ(program::to_string(most), "170141183460469231731687303715884105727");
    EXPECT_EQ(program::to_string(-most - 1), "-170141183460469231731687303715884105728");

    ExactSum small;
    small.add(-5);
    ExactSum large;
    large.add(0x1p62, 4);
    nlohmann::ordered_json json;
    json["small"] = program::json_integer(small);
    json["large"] = program::json_integer(large);
    EXPECT_EQ(program::dump(json), "{\n  \"small\": -5,\n  \"large\": 18446744073709551616\n}\n");
}

TEST(ExactSumTest, adds_up_all_ranks) {
    const Communicator world(MPI_COMM_WORLD);
    ExactSum mine;
    mine.add(0x1p60 + 0x1p8 * world.rank());
    mine.add(0.5);
    const ExactSum all = program::total(world, mine);
    const Int128 n = world.size();
    EXPECT_EQ(text_of(all), program::to_string((n << 60) + 128 * n * (n - 1) + (n + 1) / 2));
    EXPECT_EQ(all.is_integer(), n % 2 == 0);
}

} // namespace

} // namespace distview::testing
