// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

ptrans::Options parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "ptrans");
    return ptrans::parse_command_line(static_cast<int>(arguments.size()), arguments.data()).options;
}

std::string refusal(const std::vector<const char*>& arguments) {
    try {
        parse(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(OptionsTest, one_size_makes_a_square) {
    const ptrans::Options defaults = parse({});
    EXPECT_EQ(defaults.m, 4096);
    EXPECT_EQ(defaults.n, 4096);
    EXPECT_EQ(defaults.beta, 1.0);
    EXPECT_EQ(defaults.seed_a, 100U);
    EXPECT_EQ(defaults.seed_c, 200U);
    EXPECT_EQ(defaults.trials, 5);
    EXPECT_EQ(parse({"--n", "7"}).m, 7);
    EXPECT_EQ(parse({"--m", "7"}).n, 7);
    EXPECT_EQ(parse({"--nb", "3"}).mb, 3);
    EXPECT_EQ(parse({"--mb", "3"}).nb, 3);
}

TEST(OptionsTest, reads_what_is_given) {
    const ptrans::Options options =
        parse({"--m",         "30",  "--n",      "40",   "--mb",     "5", "--nb",     "6",
               "--grid",      "2x3", "--beta",   "-1.5", "--seed-a", "0", "--seed-c", "2147483647",
               "--seed-grid", "9",   "--trials", "2",    "--json",   "a"});
    EXPECT_EQ(options.variant, ptrans::Variant::hpcc);
    EXPECT_EQ(options.m, 30);
    EXPECT_EQ(options.n, 40);
    EXPECT_EQ(options.mb, 5);
    EXPECT_EQ(options.nb, 6);
    EXPECT_EQ(options.grid, "2x3");
    EXPECT_EQ(options.beta, -1.5);
    EXPECT_EQ(options.seed_a, 0U);
    EXPECT_EQ(options.seed_c, 2147483647U);
    EXPECT_EQ(options.seed_grid, 9U);
    EXPECT_EQ(options.trials, 2);
    EXPECT_EQ(options.json_path, "a");
    EXPECT_EQ(parse({"--variant", "chapel"}).variant, ptrans::Variant::chapel);
}

TEST(OptionsTest, says_what_is_wrong) {
    EXPECT_EQ(refusal({"--n", "-3"}),
              "--n: expected a whole number from 1 to 1099511627776, got '-3'");
    EXPECT_EQ(refusal({"--m", "2097152", "--n", "2097152"}),
              "--m, --n: expected at most 1099511627776 elements, got 2097152 x 2097152");
    EXPECT_EQ(refusal({"--seed-a", "2147483648"}),
              "--seed-a: expected a whole number from 0 to 2147483647, got '2147483648'");
    EXPECT_EQ(refusal({"--beta", "inf"}), "--beta: expected a finite number, got 'inf'");
    EXPECT_EQ(refusal({"--m", "x"}),
              "--m: expected a whole number from 1 to 1099511627776, got 'x'");
    EXPECT_EQ(refusal({"--variant", "x"}), "--variant: expected hpcc or chapel, got 'x'");
    for (const std::vector<const char*>& arguments :
         std::vector<std::vector<const char*>>{{"--trials", "0"},
                                               {"--mb", "0"},
                                               {"--seed-c", "-1"},
                                               {"--variant", "chapel", "--seed-c", "200"},
                                               {"--n", "many"},
                                               {"something"}})
        EXPECT_NE(refusal(arguments), "accepted") << arguments[0];
}

} // namespace

} // namespace distview::testing
