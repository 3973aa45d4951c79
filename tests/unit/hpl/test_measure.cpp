// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"
#include "report.hpp"

#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using hpl::Options;
using Json = nlohmann::json;

int rank_count() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

hpl::Report run(std::int64_t n, std::int64_t nb, const ProcessGrid& grid,
                hpl::Update update = hpl::Update::kokkos) {
    Options options;
    options.n = n;
    options.nb = nb;
    options.update = update;
    return hpl::measure(hpl::Exec(), Communicator(MPI_COMM_WORLD), options, grid);
}

TEST(MeasureTest, reference_on_all_grids) {
    std::ifstream in(DISTVIEW_TEST_DATA "/dense_reference.json");
    const Json truth = Json::parse(in).at("hpl").at("n50_nb8");
    const std::vector<std::int64_t> pivots_from_1 = truth.at("pivot_rows_1based");
    std::vector<std::int64_t> pivots;
    for (const std::int64_t row : pivots_from_1) pivots.push_back(row - 1);
    for (const auto& extents : all_process_grids(rank_count(), 2)) {
        const hpl::Report report = run(50, 8, ProcessGrid(extents));
        EXPECT_EQ(report.factors.pivots, pivots);
        const Json json = Json::parse(hpl::to_json(report));
        SCOPED_TRACE(json.dump());
        for (const char* const name : {"x_first", "x_last", "x_sum", "x_max"})
            EXPECT_NEAR(json.at(name).get<double>(), truth.at(name).get<double>(), 1e-12) << name;
        EXPECT_LT(json.at("residual").get<double>(), 1.0);
        EXPECT_EQ(json.at("passed"), true);
    }
}

TEST(MeasureTest, solves_any_size_in_any_blocks) {
    for_each_case(10, [](Random& random, std::uint64_t) {
        const std::int64_t n = random.integer(1, 70), nb = random.integer(1, 30);
        const ProcessGrid grid(random_process_grid(random, rank_count(), 2));
        const bool by_blas = hpl::have_blas() && random.chance(0.5);
        const hpl::Report report =
            run(n, nb, grid, by_blas ? hpl::Update::blas : hpl::Update::kokkos);
        EXPECT_LT(report.check.residual, 1.0) << n << " in blocks of " << nb;
        EXPECT_EQ(report.x.size(), static_cast<std::size_t>(n));
    });
}

// A correct solution with one number changed in its eighth digit must fail.
TEST(MeasureTest, the_check_sees_a_wrong_solution) {
    hpl::Report report = run(40, 8, ProcessGrid::balanced(rank_count(), 2));
    const hpl::Exec exec;
    const Communicator world(MPI_COMM_WORLD);
    EXPECT_EQ(hpl::check(exec, world, report.options, report.x).residual, report.check.residual);
    for (const std::size_t i : {0U, 17U, 39U}) {
        std::vector<double> x = report.x;
        x[i] += 1e-8;
        EXPECT_FALSE(hpl::check(exec, world, report.options, x).passed());
        x[i] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(hpl::check(exec, world, report.options, x).passed());
    }
    report.options.seed = 101;
    EXPECT_FALSE(hpl::check(exec, world, report.options, report.x).passed());
}

TEST(MeasureTest, says_what_was_measured) {
    hpl::Report report = run(60, 8, ProcessGrid{rank_count(), 1});
    const Json json = Json::parse(hpl::to_json(report));
    EXPECT_EQ(json.at("grid"), text(rank_count(), "x1"));
    EXPECT_EQ(json.at("ranks"), rank_count());
    EXPECT_GT(json.at("seconds"), 0.0);
    EXPECT_NEAR(json.at("gflops").get<double>() * json.at("seconds").get<double>(),
                1e-9 * (144000 + 5400), 1e-15);
    // Times of the slowest ranks; each is part of the total time of some rank.
    for (const char* const phase :
         {"panel_seconds", "exchange_seconds", "update_seconds", "solve_seconds"}) {
        EXPECT_GT(json.at(phase), 0.0) << phase;
        EXPECT_LE(json.at(phase), json.at("seconds")) << phase;
    }
    const auto last_line = [&] {
        const std::string table = hpl::to_table(report);
        return table.substr(table.rfind('\n', table.size() - 2) + 1);
    };
    report.check.residual = 0.25;
    EXPECT_EQ(last_line(), "  residual  0.25, less than 16: passed\n");
    report.check.residual = 16;
    EXPECT_EQ(last_line(), "  residual  16, less than 16: FAILED\n");
}

} // namespace

} // namespace distview::testing
