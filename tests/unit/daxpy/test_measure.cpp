// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas.hpp"
#include "measure.hpp"
#include "report.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace distview::testing {

namespace {

using daxpy::Options;
using Json = nlohmann::json;

Json run(const Options& options, const ProcessGrid& grid) {
    const Communicator world(MPI_COMM_WORLD);
    return Json::parse(daxpy::to_json(daxpy::measure(daxpy::Exec(), world, options, grid)));
}

/// Options for a triad with little memory traffic.
Options small_triad() {
    Options options;
    options.triad_mib = 1;
    return options;
}

ProcessGrid a_grid(Random& random) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ProcessGrid(random_process_grid(random, ranks, 2));
}

TEST(MeasureTest, gives_the_sums_of_the_reference) {
    std::ifstream in(DISTVIEW_TEST_DATA "/dense_reference.json");
    const Json reference = Json::parse(in).at("daxpy");
    const Json& first = reference.at("cases").at(0);
    Options options = small_triad();
    options.rows = reference.at("rows");
    options.columns = first.at("cols");
    options.block = first.at("block");
    options.trials = 2;
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (const auto& extents : all_process_grids(ranks, 2)) {
        const Json report = run(options, ProcessGrid(extents));
        EXPECT_EQ(report.at("sum_y"), first.at("sum_Y"));
        EXPECT_EQ(report.at("sum_y_is_exact"), true);
        EXPECT_EQ(report.at("mismatches"), 0);
    }
}

TEST(MeasureTest, any_size_block_factor_and_number_of_trials) {
    for_each_case(12, [](Random& random, std::uint64_t) {
        Options options = small_triad();
        options.rows = random.integer(0, 12);
        options.columns = random.integer(0, 40);
        options.block = random.integer(1, 9);
        const std::int64_t alpha = random.integer(-5, 6);
        options.alpha = static_cast<double>(alpha);
        options.trials = static_cast<int>(random.integer(1, 4));
        const Json report = run(options, a_grid(random));
        std::int64_t sum = 0;
        for (std::int64_t r = 1; r <= options.rows; ++r)
            for (std::int64_t i = 1; i <= options.columns; ++i) sum += 10 + (1 + alpha) * (r + i);
        EXPECT_EQ(report.at("sum_y"), sum);
        EXPECT_EQ(report.at("mismatches"), 0);
        EXPECT_EQ(report.at("trials"), options.trials);
    });
}

TEST(MeasureTest, sums_beyond_64_bits) {
    Random random(7, 0);
    Options options = small_triad();
    options.rows = 3;
    options.columns = 6000;
    options.block = 7;
    options.trials = 1;
    options.alpha = 0x1p38;                                       // elements remain below 2^53
    const program::Int128 s = 3 * 6000LL * 6001 / 2 + 6000LL * 6; // sum of r + i
    const std::string sum = program::to_string((s << 38) + s + 10 * 18000);
    EXPECT_GT(sum.size(), 19U);
    const daxpy::Report report =
        daxpy::measure(daxpy::Exec(), Communicator(MPI_COMM_WORLD), options, a_grid(random));
    EXPECT_EQ(report.check.mismatches, 0);
    EXPECT_NE(daxpy::to_json(report).find("\"sum_y\": " + sum + ","), std::string::npos);
}

TEST(MeasureTest, fractions_are_said_to_be_rounded) {
    Random random(11, 0);
    Options options = small_triad();
    options.rows = 1;
    options.columns = 3; // s = 2, 3, 4
    options.block = 1;
    options.trials = 1;
    options.alpha = 0.25; // y = 12.5, 13.75, 15
    const Json report = run(options, a_grid(random));
    EXPECT_EQ(report.at("sum_y"), 41); // 41.25
    EXPECT_EQ(report.at("sum_y_is_exact"), false);
    EXPECT_EQ(report.at("mismatches"), 0);
}

TEST(MeasureTest, wrong_elements_are_counted) {
    const daxpy::Exec exec;
    const Communicator world(MPI_COMM_WORLD);
    const ArrayLayout layout(ProcessGrid{world.size(), 1},
                             {block_cyclic(12, 1), block_cyclic(5, 2)});
    const daxpy::Array y(exec, "y", layout, world.rank());
    daxpy::set_y(exec, y); // the expected result for alpha = 0
    exec.fence("distview::testing: the host writes");
    EXPECT_EQ(daxpy::check(world, y, 0).mismatches, 0);
    EXPECT_EQ(daxpy::check(world, y, 1).mismatches, 60);
    y.view()(0, 4) += 1;
    EXPECT_EQ(daxpy::check(world, y, 0).mismatches, world.size());
}

TEST(MeasureTest, says_what_was_measured) {
    Options options = small_triad();
    options.rows = 4;
    options.columns = 1000;
    options.block = 10;
    options.trials = 3;
    Random random(3, 0);
    const Json report = run(options, a_grid(random));
    EXPECT_GT(report.at("seconds"), 0.0);
    EXPECT_NEAR(report.at("gbs").get<double>(), 24e-9 * 4000 / report.at("seconds").get<double>(),
                1e-9 * report.at("gbs").get<double>());
    EXPECT_GT(report.at("triad_gbs"), 0.0);
    EXPECT_GE(report.at("bytes_per_rank"), 16 * 4000 / report.at("ranks").get<int>());
    EXPECT_LE(report.at("bytes_per_rank"), 16 * 4000);
    EXPECT_TRUE(report.at("last_level_cache_bytes").is_null() ||
                report.at("last_level_cache_bytes") > 0);
    EXPECT_EQ(report.at("blas_seconds").is_number(), daxpy::have_blas());
    if (daxpy::have_blas()) {
        EXPECT_EQ(report.at("blas_calls"), 1);
        EXPECT_GE(report.at("blas_block_calls"), 400 / report.at("ranks").get<int>());
    }
}

TEST(MeasureTest, the_table_has_no_sum_where_there_is_none) {
    daxpy::Report report;
    report.grid = ProcessGrid{1, 1};
    report.check.sum.add(4);
    EXPECT_NE(daxpy::to_table(report).find("sum of y 4, wrong"), std::string::npos);
    report.check.sum.add(0x1p70);
    EXPECT_NE(daxpy::to_table(report).find("sum of y none (too large), wrong"), std::string::npos);
}

TEST(MeasureTest, says_whether_the_caches_hold_the_arrays) {
    daxpy::Report report;
    report.grid = ProcessGrid{1, 4};
    report.elements_of_a_rank = 65536; // x and y: 1 MiB
    const auto table = [&](std::int64_t cache) {
        report.last_level_cache_bytes = cache;
        const std::string all = daxpy::to_table(report);
        const std::size_t line = all.find('\n') + 1;
        return all.substr(line, all.find('\n', line) - line);
    };
    constexpr std::int64_t mib = 1 << 20;
    EXPECT_EQ(table(4 * mib), "  x and y 1 MiB per rank, last-level cache 4 MiB: they fit, so the "
                              "rates are cache rates");
    EXPECT_EQ(table(4 * mib - 1024),
              "  x and y 1 MiB per rank, last-level cache 4 MiB: they may fit, so the "
              "rates may be cache rates");
    EXPECT_EQ(table(mib / 2), "  x and y 1 MiB per rank, last-level cache 0.5 MiB");
    EXPECT_EQ(table(0), "  x and y 1 MiB per rank, last-level cache unknown");
}

} // namespace

} // namespace distview::testing
