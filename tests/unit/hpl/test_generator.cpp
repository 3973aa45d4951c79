// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generator.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

namespace distview::testing {

namespace {

using hpl::Jump;
using hpl::value_of;

TEST(GeneratorTest, jumps_are_so_many_steps) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{100}, ~std::uint64_t{0}}) {
        std::uint64_t state = seed;
        for (std::uint64_t k = 0; k < 1000; ++k) {
            ASSERT_EQ(Jump(k)(seed), state) << "seed " << seed << ", " << k << " steps";
            state = 6364136223846793005U * state + 1;
        }
    }
}

TEST(GeneratorTest, jumps_add_up_however_long) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        const std::uint64_t first = random.bits() >> random.integer(1, 60);
        const std::uint64_t second = random.bits() >> random.integer(1, 60);
        const std::uint64_t seed = random.bits();
        EXPECT_EQ(Jump(second)(Jump(first)(seed)), Jump(first + second)(seed));
    });
}

// The first elements of HPL's matrix, and both ends of the range.
TEST(GeneratorTest, values_of_the_reference) {
    EXPECT_EQ(value_of(Jump(1)(100)), -5.1599441937666413e-05);
    EXPECT_EQ(value_of(Jump(2)(100)), 0.38413122531282284);
    EXPECT_EQ(value_of(Jump(3)(100)), 0.44368366759894268);
    EXPECT_EQ(value_of(0), 0.5);
    EXPECT_EQ(value_of(std::uint64_t{1} << 63), 0.0);
    EXPECT_EQ(value_of(std::uint64_t{1} << 32), 0.5 - 0x1p-32);
    // If the high half is large, the low half is rounded.
    EXPECT_EQ(value_of((std::uint64_t{1} << 63) + 1), 0.0);
    EXPECT_EQ(value_of((std::uint64_t{1} << 63) + (1U << 11)), -0x1p-53);
}

// The seed with which tests make a matrix of one 0.
TEST(GeneratorTest, a_seed_of_zero) { EXPECT_EQ(value_of(Jump(1)(13792291969850005339U)), 0.0); }

} // namespace

} // namespace distview::testing
