// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

using poisson::Sides;

poisson::Options parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "poisson");
    return poisson::parse_command_line(static_cast<int>(arguments.size()), arguments.data())
        .options;
}

std::vector<std::int64_t> cells(const std::vector<const char*>& arguments) {
    const poisson::Shape shape = parse(arguments).shape;
    return {shape.n, shape.n + shape.axes};
}

std::string refusal(const std::vector<const char*>& arguments) {
    try {
        parse(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

using Cells = std::vector<std::int64_t>;

TEST(PoissonOptions, sizes_and_dimensions) {
    EXPECT_EQ(cells({}), (Cells{64, 64, 64}));
    EXPECT_EQ(cells({"--n", "7"}), (Cells{7, 7, 7}));
    EXPECT_EQ(cells({"--n", "7", "--dimensions", "2"}), (Cells{7, 7}));
    EXPECT_EQ(cells({"--nx", "5", "--ny", "6"}), (Cells{5, 6}));
    EXPECT_EQ(cells({"--nx", "5", "--ny", "6", "--nz", "7"}), (Cells{5, 6, 7}));
    EXPECT_EQ(cells({"--n", "9", "--ny", "6"}), (Cells{9, 6}));
    EXPECT_EQ(cells({"--n", "9", "--ny", "6", "--dimensions", "3"}), (Cells{9, 6, 9}));
    EXPECT_EQ(cells({"--nz", "4"}), (Cells{64, 64, 4}));
}

TEST(PoissonOptions, reads_what_is_given) {
    const poisson::Options options =
        parse({"--sides", "periodic", "--y-sides", "neumann", "--coefficient", "jumping",
               "--precondition", "none", "--solver", "cg", "--grid", "1x2x3", "--reproducible",
               "--tolerance", "1e-6", "--max-iterations", "12", "--json", "a"});
    EXPECT_EQ(options.shape.sides[0], Sides::periodic);
    EXPECT_EQ(options.shape.sides[1], Sides::neumann);
    EXPECT_EQ(options.shape.sides[2], Sides::periodic);
    EXPECT_TRUE(options.shape.is_singular());
    EXPECT_EQ(options.shape.coefficient, poisson::Coefficient::jumping);
    EXPECT_EQ(options.precondition, poisson::Precondition::none);
    EXPECT_EQ(options.grid, "1x2x3");
    EXPECT_TRUE(options.reproducible);
    EXPECT_EQ(options.tolerance, 1e-6);
    EXPECT_EQ(options.max_iterations, 12);
    EXPECT_EQ(options.json_path, "a");
    EXPECT_FALSE(parse({}).shape.is_singular());
    EXPECT_FALSE(parse({}).reproducible);
}

TEST(PoissonOptions, says_what_is_wrong) {
    EXPECT_EQ(refusal({"--sides", "open"}),
              "--sides: expected walls or periodic or neumann, got 'open'");
    EXPECT_EQ(refusal({"--coefficient", "2"}),
              "--coefficient: expected smooth or jumping, got '2'");
    EXPECT_EQ(refusal({"--tolerance", "-1"}),
              "--tolerance: expected a number of at least 0, got -1");
    EXPECT_NE(refusal({"--tolerance", "nan"}), "accepted");
    EXPECT_NE(refusal({"--dimensions", "4"}), "accepted");
    EXPECT_NE(refusal({"--n", "1000000"}), "accepted");
    EXPECT_EQ(refusal({"--dimensions", "2", "--z-sides", "walls"}),
              "--z-sides: expected --dimensions 3");
}

} // namespace

} // namespace distview::testing
