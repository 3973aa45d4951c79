// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <distview/core/error.hpp>

#include <Kokkos_Macros.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

using shallow_water::Options;

Options parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "shallow_water");
    return shallow_water::parse_command_line(static_cast<int>(arguments.size()), arguments.data())
        .options;
}

std::string refusal(const std::vector<const char*>& arguments) {
    try {
        parse(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(OptionsTest, days_are_one_step_and_blocks_of_a_hundred) {
    const shallow_water::Parameters parameters;
    EXPECT_EQ(shallow_water::steps_of_days(parameters, 1), 4401);
    EXPECT_EQ(shallow_water::steps_of_days(parameters, 10), 43301);
    EXPECT_EQ(shallow_water::steps_of_days(parameters, 0.1), 501);
    EXPECT_EQ(shallow_water::steps_of_days(parameters, 1e-9), 1);
}

TEST(OptionsTest, defaults_follow_the_kind_of_run) {
    const Options model = parse({});
    EXPECT_EQ(model.nx, 360);
    EXPECT_EQ(model.ny, 180);
    EXPECT_EQ(model.element, shallow_water::Element::float64);
    EXPECT_EQ(model.mode, shallow_water::Mode::corrected);
    EXPECT_EQ(model.report_steps, (std::vector<std::int64_t>{0, 1, model.steps}));
    const Options benchmark = parse({"--benchmark"});
    EXPECT_EQ(benchmark.nx, 3600);
    EXPECT_EQ(benchmark.ny, 1800);
    EXPECT_EQ(benchmark.steps, 501);
    EXPECT_EQ(benchmark.element, shallow_water::Element::float32);
}

TEST(OptionsTest, reads_what_is_given) {
    const Options options = parse(
        {"--nx",           "61",      "--ny",   "37",          "--steps", "11",     "--dtype",
         "float32",        "--mode",  "P",      "--exchanges", "literal", "--grid", "3x2",
         "--report-steps", "10,0,10", "--json", "a",           "--png",   "b",      "--poison"});
    EXPECT_EQ(options.nx, 61);
    EXPECT_EQ(options.ny, 37);
    EXPECT_EQ(options.steps, 11);
    EXPECT_EQ(options.element, shallow_water::Element::float32);
    EXPECT_EQ(options.mode, shallow_water::Mode::published);
    EXPECT_EQ(options.exchanges, shallow_water::Exchanges::literal);
    EXPECT_EQ(options.grid_rows, 3);
    EXPECT_EQ(options.grid_columns, 2);
    EXPECT_EQ(options.report_steps, (std::vector<std::int64_t>{0, 10}));
    EXPECT_EQ(options.json_path, "a");
    EXPECT_EQ(options.png_path, "b");
    EXPECT_TRUE(options.poison);
    EXPECT_EQ(options.space, "host");
    EXPECT_EQ(options.cut, shallow_water::Cut::automatic);
    EXPECT_EQ(parse({"--cut", "tiles"}).cut, shallow_water::Cut::tiles);
    EXPECT_EQ(parse({"--cut", "strips", "--mode", "P"}).cut, shallow_water::Cut::strips);
}

TEST(OptionsTest, says_what_is_wrong) {
    EXPECT_EQ(refusal({"--nx", "0"}),
              "--nx: expected a whole number from 1 to 1073741824, got '0'");
    EXPECT_EQ(refusal({"--ny", "-3"}),
              "--ny: expected a whole number from 1 to 1073741824, got '-3'");
    EXPECT_EQ(refusal({"--steps", "-1"}),
              "--steps: expected a whole number from 0 to 9223372036854775807, got '-1'");
    EXPECT_EQ(refusal({"--grid", "3"}),
              "--grid: expected PYxPX, rows and columns of processes such as "
              "3x2, got '3'");
    EXPECT_NE(refusal({"--grid", "0x2"}), "accepted");
    EXPECT_NE(refusal({"--grid", "2x2x2"}), "accepted");
    EXPECT_NE(refusal({"--grid", "-1x-2"}), "accepted");
    EXPECT_EQ(refusal({"--dtype", "int"}), "--dtype: expected float64 or float32, got 'int'");
    EXPECT_EQ(refusal({"--cut", "rows"}), "--cut: expected strips or tiles, got 'rows'");
    EXPECT_EQ(refusal({"--cut", "tiles", "--mode", "P"}),
              "--cut tiles: expected --mode C, got P, whose sweeps can only be cut into strips");
    for (const char* cut : {"strips", "tiles"})
        EXPECT_EQ(
            refusal({"--exchanges", "literal", "--cut", cut}),
            "--cut: expected --exchanges fused, because it divides fused sweeps, got literal");
    EXPECT_EQ(refusal({"--space", "mars"}), "--space: expected host or cuda, got 'mars'");
#ifndef KOKKOS_ENABLE_CUDA
    EXPECT_EQ(refusal({"--space", "cuda"}),
              "--space: expected host, got 'cuda': this program was built without CUDA");
#endif
    EXPECT_NE(refusal({"--report-steps", "1,x"}), "accepted");
    EXPECT_NE(refusal({"--report-steps", "-1"}), "accepted");
    EXPECT_NE(refusal({"--steps", "5", "--days", "1"}), "accepted");
    EXPECT_NE(refusal({"--days", "0"}), "accepted");
    EXPECT_EQ(refusal({"--days", "soon"}), "--days: expected a finite number, got 'soon'");
    EXPECT_NE(refusal({"--days", "nan"}), "accepted");
    EXPECT_EQ(refusal({"--png", "-"}),
              "--png: expected the name of a file, got '-': the picture is not written to standard "
              "output");
    EXPECT_NE(refusal({"--benchmark", "--steps", "7"}), "accepted");
    EXPECT_NE(refusal({"something"}), "accepted");
    EXPECT_EQ(refusal({"--checkpoint-every", "0", "--checkpoint", "a"}),
              "--checkpoint-every: expected a whole number from 1 to 9223372036854775807, got '0'");
    EXPECT_EQ(refusal({"--checkpoint-every", "3"}),
              "--checkpoint-every: expected --checkpoint FILE as well");
}

TEST(OptionsTest, the_digest_tells_options_apart) {
    EXPECT_EQ(shallow_water::digest(parse({})), shallow_water::digest(parse({"--nx", "360"})));
    EXPECT_NE(shallow_water::digest(parse({})), shallow_water::digest(parse({"--nx", "361"})));
    EXPECT_NE(shallow_water::digest(parse({})), shallow_water::digest(parse({"--poison"})));
    EXPECT_NE(shallow_water::digest(parse({})), shallow_water::digest(parse({"--json", "a"})));
    EXPECT_NE(shallow_water::digest(parse({})), shallow_water::digest(parse({"--cut", "tiles"})));
}

TEST(OptionsTest, files) {
    if (!has_hdf5()) GTEST_SKIP() << "no HDF5";
    const Options options = parse({"--checkpoint", "a", "--checkpoint-every", "7", "--restart", "b",
                                   "--movie", "c", "--movie-every", "3", "--steps", "30"});
    EXPECT_EQ(options.checkpoints.path, "a");
    EXPECT_EQ(options.checkpoints.every, 7);
    EXPECT_EQ(options.checkpoints.restart, "b");
    EXPECT_EQ(options.movie_path, "c");
    EXPECT_EQ(options.movie_every, 3);
    const auto is_due = [&](std::int64_t step) {
        return options.checkpoints.is_due(step, step == 30);
    };
    EXPECT_FALSE(is_due(0));
    EXPECT_FALSE(is_due(8));
    EXPECT_TRUE(is_due(14));
    EXPECT_TRUE(is_due(30));
    EXPECT_EQ(refusal({"--movie-every", "3"}), "--movie-every: expected --movie FILE as well");
    EXPECT_NE(refusal({"--benchmark", "--restart", "b"}), "accepted");
    const auto digest_of = [](const std::vector<const char*>& arguments) {
        return shallow_water::digest(parse(arguments));
    };
    EXPECT_NE(digest_of({"--checkpoint", "a"}), digest_of({"--checkpoint", "b"}));
    EXPECT_NE(digest_of({"--restart", "a"}), digest_of({"--checkpoint", "a"}));
    EXPECT_NE(digest_of({"--movie", "a"}), digest_of({"--movie", "a", "--movie-every", "1"}));
}

} // namespace

} // namespace distview::testing
