// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

daxpy::Options parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "daxpy");
    return daxpy::parse_command_line(static_cast<int>(arguments.size()), arguments.data()).options;
}

std::string refusal(const std::vector<const char*>& arguments) {
    try {
        parse(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(OptionsTest, t_gives_the_archived_sizes) {
    const daxpy::Options options = parse({"--t", "51"});
    EXPECT_EQ(options.rows, 32);
    EXPECT_EQ(options.columns, 417792);
    EXPECT_EQ(options.block, 26112);
    EXPECT_EQ(options.alpha, 2.0);
    EXPECT_EQ(parse({}).columns, 8192);
    EXPECT_EQ(parse({}).block, 512);
}

TEST(OptionsTest, reads_what_is_given) {
    const daxpy::Options options =
        parse({"--rows", "3", "--cols", "7", "--block", "2", "--alpha", "-0.5", "--grid", "1x2",
               "--trials", "4", "--json", "a", "--triad-mib", "1"});
    EXPECT_EQ(options.rows, 3);
    EXPECT_EQ(options.columns, 7);
    EXPECT_EQ(options.block, 2);
    EXPECT_EQ(options.alpha, -0.5);
    EXPECT_EQ(options.grid, "1x2");
    EXPECT_EQ(options.trials, 4);
    EXPECT_EQ(options.json_path, "a");
    EXPECT_EQ(options.triad_mib, 1);
}

TEST(OptionsTest, says_what_is_wrong) {
    EXPECT_EQ(refusal({"--t", "0"}), "--t: expected a whole number from 1 to 4194304, got '0'");
    EXPECT_EQ(refusal({"--rows", "1", "--cols", "1", "--block", "0"}),
              "--block: expected a whole number from 1 to 1099511627776, got '0'");
    EXPECT_EQ(refusal({"--rows", "2097152", "--cols", "2097152", "--block", "1"}),
              "--rows, --cols: expected at most 1099511627776 elements, got 2097152 x 2097152");
    EXPECT_EQ(refusal({"--alpha", "nan"}), "--alpha: expected a finite number, got 'nan'");
    for (const std::vector<const char*>& arguments :
         std::vector<std::vector<const char*>>{{"--t", "1", "--cols", "5"},
                                               {"--rows", "3", "--cols", "7"},
                                               {"--rows", "-1", "--cols", "7", "--block", "1"},
                                               {"--trials", "0"},
                                               {"--triad-mib", "-1"},
                                               {"--t", "many"},
                                               {"something"}})
        EXPECT_NE(refusal(arguments), "accepted") << arguments[0];
}

} // namespace

} // namespace distview::testing
