// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generator.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace distview::testing {

namespace {

using Json = nlohmann::json;
using ptrans::Jump;

Json reference() {
    std::ifstream in(DISTVIEW_TEST_DATA "/dense_reference.json");
    return Json::parse(in).at("ptrans_hpcc");
}

/// One step, written as the specification does.
std::uint32_t step(std::uint32_t state) {
    return static_cast<std::uint32_t>((std::uint64_t{1103515245} * state + 12345) %
                                      (std::uint64_t{1} << 31));
}

TEST(GeneratorTest, states_and_values_of_the_reference) {
    const Json truth = reference();
    std::uint64_t k = 0;
    for (const Json& state : truth.at("first_states_seed100")) {
        EXPECT_EQ(Jump(k + 1)(100), state);
        EXPECT_EQ(ptrans::hpcc_value(100, k), truth.at("first_values_seed100").at(k));
        ++k;
    }
    EXPECT_EQ(k, 5U);
}

TEST(GeneratorTest, jumps_of_the_reference) {
    const Json jumps = reference().at("jump_coeffs");
    for (const auto& [steps, coefficients] : jumps.items()) {
        const Jump jump(std::stoull(steps));
        EXPECT_EQ(jump.factor(), coefficients.at("A"));
        EXPECT_EQ(jump.summand(), coefficients.at("C"));
    }
}

TEST(GeneratorTest, jumps_are_so_many_steps) {
    for (const std::uint32_t seed : {0U, 1U, 100U, 200U, 12345U, 0x7fffffffU}) {
        std::uint32_t state = seed;
        for (std::uint64_t k = 0; k < 3000; ++k, state = step(state))
            ASSERT_EQ(Jump(k)(seed), state) << "seed " << seed << ", " << k << " steps";
    }
}

TEST(GeneratorTest, jumps_add_up_however_long) {
    for_each_case(200, [](Random& random, std::uint64_t) {
        const std::uint64_t first = random.bits() >> random.integer(1, 60);
        const std::uint64_t second = random.bits() >> random.integer(1, 60);
        const auto seed = static_cast<std::uint32_t>(random.integer(0, std::int64_t{1} << 31));
        EXPECT_EQ(Jump(second)(Jump(first)(seed)), Jump(first + second)(seed));
    });
}

TEST(GeneratorTest, every_state_comes_once_in_a_period) {
    constexpr std::uint64_t period = std::uint64_t{1} << 31;
    EXPECT_EQ(Jump(period)(100), 100U);
    EXPECT_EQ(Jump(5 * period + 17)(100), Jump(17)(100));
    for (std::uint64_t part = period / 2; part > 0; part /= 2) EXPECT_NE(Jump(part)(100), 100U);
}

TEST(GeneratorTest, values_are_multiples_of_two_to_the_minus_30) {
    EXPECT_EQ(ptrans::value_of(0), 1.0);
    EXPECT_EQ(ptrans::value_of(1), 1.0 - 0x1p-30);
    EXPECT_EQ(ptrans::value_of(0x40000000U), 0.0);
    EXPECT_EQ(ptrans::value_of(0x7fffffffU), -1.0 + 0x1p-30);
}

} // namespace

} // namespace distview::testing
