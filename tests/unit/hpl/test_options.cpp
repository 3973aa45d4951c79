// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.hpp"
#include "options.hpp"

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

hpl::CommandLine parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "hpl");
    return hpl::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments) {
    try {
        parse(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(OptionsTest, reads_what_is_given) {
    const hpl::Options defaults = parse({}).options;
    EXPECT_EQ(defaults.n, 2000);
    EXPECT_EQ(defaults.nb, 64);
    EXPECT_EQ(defaults.seed, 100U);
    EXPECT_EQ(defaults.update, hpl::Update::kokkos);
    const hpl::Options options =
        parse({"--n", "30", "--nb", "40", "--grid", "2x3", "--seed", "18446744073709551615",
               "--update", "kokkos", "--json", "a"})
            .options;
    EXPECT_EQ(options.n, 30);
    EXPECT_EQ(options.nb, 40);
    EXPECT_EQ(options.grid, "2x3");
    EXPECT_EQ(options.seed, 18446744073709551615U);
    EXPECT_EQ(options.json_path, "a");
    EXPECT_NE(parse({"--help"}).help.find("--nb"), std::string::npos);
}

TEST(OptionsTest, says_what_is_wrong) {
    EXPECT_EQ(refusal({"--n", "0"}), "--n: expected a whole number from 1 to 1048575, got '0'");
    EXPECT_EQ(refusal({"--n", "1048576"}),
              "--n: expected a whole number from 1 to 1048575, got '1048576'");
    EXPECT_EQ(refusal({"--nb", "x"}), "--nb: expected a whole number from 1 to 1048575, got 'x'");
    EXPECT_EQ(refusal({"--update", "x"}), "--update: expected kokkos or blas, got 'x'");
    EXPECT_NE(refusal({"--seed", "-1"}), "accepted");
    EXPECT_NE(refusal({"something"}), "accepted");
    EXPECT_EQ(refusal({"--update", "blas"}),
              hpl::have_blas()
                  ? "accepted"
                  : "--update: expected kokkos, got blas: this program was built without a BLAS");
}

} // namespace

} // namespace distview::testing
