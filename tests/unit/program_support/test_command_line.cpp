// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_line.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

/// The options of a program, one of each kind.
struct Values {
    std::optional<std::int64_t> size;
    int trials = 5;
    std::uint64_t seed = 1;
    double factor = 2;
    std::string json;
};

std::string read(Values& values, std::vector<const char*> arguments) {
    CLI::App app("A program.");
    program::add_whole_number<std::int64_t>(app, "--size", values.size, {1, 1000}, "a size [7]");
    program::add_whole_number<int>(app, "--trials", values.trials, {1, 9}, "how often");
    program::add_whole_number<std::uint64_t>(
        app, "--seed", values.seed, {0, std::numeric_limits<std::uint64_t>::max()}, "a seed");
    program::add_number(app, "--factor", values.factor, "a factor");
    program::add_json_option(app, values.json);
    arguments.insert(arguments.begin(), "program");
    return program::parse(app, static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments) {
    Values values;
    try {
        read(values, arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CommandLineTest, reads_numbers_and_leaves_the_others_alone) {
    Values values;
    EXPECT_EQ(read(values, {}), "");
    EXPECT_FALSE(values.size);
    EXPECT_EQ(values.trials, 5);
    EXPECT_EQ(values.factor, 2.0);

    EXPECT_EQ(read(values, {"--size", "010", "--trials=9", "--seed", "18446744073709551615",
                            "--factor", "-1.5e3", "--json", "-"}),
              "");
    EXPECT_EQ(values.size, 10);
    EXPECT_EQ(values.trials, 9);
    EXPECT_EQ(values.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(values.factor, -1500.0);
    EXPECT_EQ(values.json, "-");
}

TEST(CommandLineTest, says_option_expectation_and_what_came) {
    const std::string size = "--size: expected a whole number from 1 to 1000, got ";
    for (const char* value :
         {"x", "", "1.5", "1e2", "7 ", " 7", "0x7", "1001", "0", "-3", "99999999999999999999"})
        EXPECT_EQ(refusal({"--size", value}), size + '\'' + value + '\'');
    EXPECT_EQ(refusal({"--trials=many"}),
              "--trials: expected a whole number from 1 to 9, got 'many'");
    EXPECT_EQ(refusal({"--seed", "-1"}),
              "--seed: expected a whole number from 0 to 18446744073709551615, got '-1'");
    for (const char* value : {"x", "", "1,5", "1.5x", "nan", "-inf", "1e999"})
        EXPECT_EQ(refusal({"--factor", value}),
                  std::string("--factor: expected a finite number, got '") + value + '\'');
}

TEST(CommandLineTest, says_what_the_library_refuses_and_where_to_look) {
    for (const auto& [arguments, expected] :
         std::vector<std::pair<std::vector<const char*>, std::string>>{
             {{"--size"}, "--size"}, {{"--speed", "3"}, "--speed"}, {{"fast"}, "fast"}}) {
        const std::string message = refusal(arguments);
        EXPECT_NE(message.find(expected), std::string::npos) << message;
        EXPECT_NE(message.find(" (--help lists the options)"), std::string::npos) << message;
    }
}

TEST(CommandLineTest, help_shows_kinds_and_defaults) {
    Values values;
    const std::string help = read(values, {"--help"});
    for (const char* part :
         {"--size INT", "--trials INT [5]", "--factor FLOAT [2]", "--json TEXT", "standard output"})
        EXPECT_NE(help.find(part), std::string::npos) << part << "\nin\n" << help;
}

TEST(CommandLineTest, an_empty_name_is_refused) {
    EXPECT_EQ(refusal({"--json", ""}), "--json: expected a value, got ''");
}

} // namespace

} // namespace distview::testing
