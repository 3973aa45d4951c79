// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"
#include "report.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Json = nlohmann::json;
using ptrans::Options;
using ptrans::Variant;

int rank_count() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

ptrans::Report report_of(const Options& options, const ProcessGrid& grid) {
    return ptrans::measure(ptrans::Exec(), Communicator(MPI_COMM_WORLD), options, grid);
}

Json run(const Options& options, const ProcessGrid& grid) {
    return Json::parse(ptrans::to_json(report_of(options, grid)));
}

Json reference(const char* part) {
    std::ifstream in(DISTVIEW_TEST_DATA "/dense_reference.json");
    return Json::parse(in).at(part);
}

TEST(MeasureTest, hpcc_reference_on_all_grids) {
    const Json sizes = reference("ptrans_hpcc").at("n");
    for (const auto& [text, truth] : sizes.items())
        for (const auto& extents : all_process_grids(rank_count(), 2))
            for (const std::int64_t block : {1, 3, 64}) {
                Options options;
                options.m = options.n = std::stoll(text);
                options.mb = block;
                options.nb = block + 1;
                options.trials = 2;
                const Json report = run(options, ProcessGrid(extents));
                SCOPED_TRACE(report.dump());
                EXPECT_EQ(report.at("residual"), 0.0);
                EXPECT_EQ(report.at("sum_2p30"), truth.at("sum_R_times_2p30"));
                EXPECT_EQ(report.at("wsum_2p30"), truth.at("position_checksum_2p30"));
                EXPECT_EQ(report.at("sums_are_exact"), true);
            }
}

TEST(MeasureTest, hpcc_any_shape_by_stepping_through_the_sequences) {
    for_each_case(10, [](Random& random, std::uint64_t) {
        Options options;
        options.m = random.integer(1, 40);
        options.n = random.integer(1, 40);
        options.mb = random.integer(1, 12);
        options.nb = random.integer(1, 12);
        options.seed_a = static_cast<std::uint32_t>(random.integer(0, std::int64_t{1} << 31));
        options.seed_c = static_cast<std::uint32_t>(random.integer(0, std::int64_t{1} << 31));
        options.seed_grid = random.bits();
        options.trials = static_cast<int>(random.integer(1, 4));
        const std::int64_t beta = random.integer(-2, 4);
        options.beta = static_cast<double>(beta);
        const Json report = run(options, ProcessGrid(random_process_grid(random, rank_count(), 2)));
        SCOPED_TRACE(report.dump());

        // Element (i, j) of C and (j, i) of A have the same number, j + i * m.
        std::uint64_t a = options.seed_a;
        std::uint64_t c = options.seed_c;
        std::int64_t sum = 0;
        std::int64_t weighted = 0;
        for (std::int64_t k = 0; k < options.m * options.n; ++k) {
            a = (1103515245 * a + 12345) % (std::uint64_t{1} << 31);
            c = (1103515245 * c + 12345) % (std::uint64_t{1} << 31);
            const std::int64_t one = std::int64_t{1} << 30;
            const std::int64_t element =
                beta * (one - static_cast<std::int64_t>(c)) + (one - static_cast<std::int64_t>(a));
            sum += element;
            weighted += element * (k % 1009 + 1);
        }
        EXPECT_EQ(report.at("residual"), 0.0);
        EXPECT_EQ(report.at("sum_2p30"), sum);
        EXPECT_EQ(report.at("wsum_2p30"), weighted);
    });
}

TEST(MeasureTest, fractions_of_c_round_and_pass) {
    Options options;
    options.m = 30;
    options.n = 20;
    options.mb = 4;
    options.nb = 3;
    options.beta = 0.1;
    options.trials = 1;
    const Json report = run(options, ProcessGrid{rank_count(), 1});
    EXPECT_EQ(report.at("passed"), true);
    EXPECT_EQ(report.at("sums_are_exact"), false);
}

TEST(MeasureTest, chapel_reference) {
    struct Case {
        const char* name;
        std::int64_t n;
        double beta;
    };
    for (const Case& each : {Case{"100x100_beta1", 100, 1}, Case{"200x200_beta0.5", 200, 0.5}}) {
        const Json truth = reference("ptrans_chapel").at(each.name);
        Options options;
        options.variant = Variant::chapel;
        options.m = options.n = each.n;
        options.mb = 3;
        options.nb = 5;
        options.beta = each.beta;
        options.trials = 2;
        const Json report = run(options, ProcessGrid{1, rank_count()});
        SCOPED_TRACE(report.dump());
        const double tolerance = truth.at("tolerance");
        EXPECT_NEAR(report.at("tolerance").get<double>(), tolerance, 1e-13 * tolerance);
        EXPECT_LE(report.at("residual").get<double>(), tolerance);
        // A sum of n^2 terms below 6, in another order.
        EXPECT_NEAR(report.at("sum").get<double>(), truth.at("sum_R").get<double>(), 1e-10);
        EXPECT_EQ(report.at("passed"), true);
    }
}

TEST(MeasureTest, chapel_rectangles) {
    Options options;
    options.variant = Variant::chapel;
    options.m = 37;
    options.n = 90;
    options.mb = 4;
    options.nb = 7;
    options.beta = -2;
    options.trials = 2;
    const Json report = run(options, ProcessGrid::balanced(rank_count(), 2));
    double sum = 0;
    for (int i = 1; i <= 90; ++i)
        for (int j = 1; j <= 37; ++j)
            sum += -2 * std::sin(double(j)) * std::cbrt(double(i)) +
                   std::erf(double(j)) * std::cos(double(i));
    EXPECT_EQ(report.at("passed"), true);
    EXPECT_NEAR(report.at("sum").get<double>(), sum, 1e-10);
}

TEST(MeasureTest, says_what_was_measured) {
    Options options;
    options.m = options.n = 48;
    options.mb = options.nb = 2;
    options.trials = 3;
    const ProcessGrid grid = ProcessGrid::balanced(rank_count(), 2);
    const ptrans::Report report = report_of(options, grid);
    const Json json = Json::parse(ptrans::to_json(report));
    EXPECT_EQ(json.at("partners"), report.traffic.partners);
    ASSERT_TRUE(ptrans::formulas_hold(report.shape));
    EXPECT_EQ(json.at("wire_bytes"), ptrans::wire_bytes_by_formula(report.shape));
    const std::vector<double> seconds = json.at("trial_seconds");
    ASSERT_EQ(seconds.size(), 3U);
    EXPECT_EQ(json.at("seconds"), *std::max_element(seconds.begin(), seconds.end()));
    EXPECT_GT(json.at("seconds"), 0.0);
    EXPECT_NEAR(json.at("gbs").get<double>(), 8e-9 * 48 * 48 / json.at("seconds").get<double>(),
                1e-12);
    EXPECT_EQ(json.at("worst_ranks"), report.worst().ranks);
}

TEST(MeasureTest, the_table_ends_with_the_verdict) {
    Options options;
    options.m = options.n = 12;
    options.mb = options.nb = 2;
    options.trials = 1;
    ptrans::Report report = report_of(options, ProcessGrid{1, rank_count()});
    const auto last_line = [&] {
        const std::string table = ptrans::to_table(report);
        return table.substr(table.rfind('\n', table.size() - 2) + 1);
    };
    EXPECT_EQ(last_line(), "  residual  0, at most 16: passed\n");
    report.check.wsum_2p30.add(0x1p70);
    EXPECT_NE(ptrans::to_table(report).find(", weighted none (too large)\n"), std::string::npos);
    report.check.residual = 16.5;
    EXPECT_EQ(last_line(), "  residual  16.5, at most 16: FAILED\n");
    EXPECT_FALSE(report.check.passed()); // determines the exit status
    report.check.residual = report.check.tolerance = std::numeric_limits<double>::infinity();
    EXPECT_EQ(last_line(), "  residual  inf, at most inf: FAILED\n");
}

} // namespace

} // namespace distview::testing
