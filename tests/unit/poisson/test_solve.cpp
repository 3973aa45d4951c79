// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's solver on all grids: the order of its error, and histories that must not depend on the ranks.
#include "report.hpp"

#include <distview/comm/communicator.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using poisson::Coefficient;
using poisson::Options;
using poisson::Precondition;
using poisson::Report;
using poisson::Sides;

int rank_count() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

Options options_of(const std::vector<std::int64_t>& n, const std::vector<Sides>& sides,
                   Coefficient coefficient) {
    Options options;
    options.shape.axes = static_cast<int>(n.size());
    for (std::size_t d = 0; d < n.size(); ++d) {
        options.shape.n[d] = n[d];
        options.shape.sides[d] = sides[d];
    }
    options.shape.coefficient = coefficient;
    return options;
}

/// Solves on a grid of one process, for any number of ranks.
Report solve_alone(const Options& options) {
    const std::vector<int> one(static_cast<std::size_t>(options.shape.axes), 1);
    return poisson::solve(Communicator(MPI_COMM_SELF), options, ProcessGrid(one));
}
Report solve_on(const Options& options, const std::vector<int>& grid) {
    return poisson::solve(Communicator(MPI_COMM_WORLD), options, ProcessGrid(grid));
}

struct Case {
    std::vector<std::int64_t> n;
    std::vector<Sides> sides;
    Coefficient coefficient;
};

constexpr Sides walls = Sides::walls;
constexpr Sides periodic = Sides::periodic;
constexpr Sides neumann = Sides::neumann;

/// Every kind of side along every axis, including singular problems; 2 to 6 divide none of the sizes.
const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases{
        {{13, 17}, {walls, walls}, Coefficient::smooth},
        {{11, 13}, {periodic, neumann}, Coefficient::smooth},
        {{17, 13}, {neumann, walls}, Coefficient::jumping},
        {{13, 19}, {periodic, periodic}, Coefficient::jumping},
        {{13, 11, 13}, {walls, periodic, neumann}, Coefficient::smooth},
        {{13, 13, 11}, {neumann, neumann, periodic}, Coefficient::jumping},
    };
    return cases;
}

} // namespace

// On a balanced grid, then in slabs: sections of different sizes.
TEST(PoissonSolve, error_falls_with_the_square_of_the_cells) {
    for (const Case& each : all_cases()) {
        Options options = options_of(each.n, each.sides, each.coefficient);
        const auto grid = ProcessGrid::balanced(rank_count(), options.shape.axes);
        std::vector<int> extents;
        for (int d = 0; d < options.shape.axes; ++d) extents.push_back(grid.extent(d));
        const Report coarse = solve_on(options, extents);
        for (int d = 0; d < options.shape.axes; ++d) options.shape.n[d] *= 2;
        std::vector<int> slabs(extents.size(), 1);
        slabs[0] = rank_count();
        const Report fine = solve_on(options, slabs);
        SCOPED_TRACE(poisson::to_table(coarse) + poisson::to_table(fine));
        EXPECT_TRUE(coarse.result.converged());
        EXPECT_TRUE(fine.result.converged());
        EXPECT_GE(coarse.error_max / fine.error_max, 3.6);
        EXPECT_LE(coarse.error_max / fine.error_max, 4.4);
        EXPECT_LE(fine.residual(), options.tolerance);
    }
}

TEST(PoissonSolve, histories_are_those_of_one_process) {
    for (const Case& each : all_cases())
        for (const Precondition precondition : {Precondition::none, Precondition::jacobi}) {
            Options options = options_of(each.n, each.sides, each.coefficient);
            options.precondition = precondition;
            options.reproducible = true;
            options.max_iterations = 60;
            const Report alone = solve_alone(options);
            EXPECT_GT(alone.result.history.size(), 10U);
            for_each_case(2, [&](Random& random, std::uint64_t) {
                const auto grid = random_process_grid(random, rank_count(), options.shape.axes);
                const Report report = solve_on(options, grid);
                SCOPED_TRACE(poisson::to_table(report));
                EXPECT_EQ(report.result.history, alone.result.history);
                EXPECT_EQ(report.error_max, alone.error_max);
            });
        }
}

// Shows that the previous test can fail.
TEST(PoissonSolve, histories_differ_without_reproducible) {
    if (rank_count() == 1) return;
    const Case& each = all_cases()[0];
    Options options = options_of(each.n, each.sides, each.coefficient);
    const Report alone = solve_alone(options);
    EXPECT_NE(solve_on(options, {rank_count(), 1}).result.history, alone.result.history);
}

TEST(PoissonSolve, reports_every_bit_of_the_history) {
    const Case& each = all_cases()[0];
    Options options = options_of(each.n, each.sides, each.coefficient);
    options.max_iterations = 5;
    const Report report = solve_on(options, {1, rank_count()});
    const auto json = nlohmann::json::parse(poisson::to_json(report));
    EXPECT_EQ(json.at("stop"), "max_iterations");
    EXPECT_EQ(json.at("converged"), false);
    EXPECT_EQ(json.at("iterations"), 5);
    EXPECT_EQ(json.at("n"), (std::vector<std::int64_t>{13, 17}));
    EXPECT_EQ(json.at("sides"), (std::vector<std::string>{"walls", "walls"}));
    EXPECT_EQ(json.at("grid"), "1x" + std::to_string(rank_count()));
    EXPECT_EQ(json.at("error_max"), report.error_max);
    EXPECT_GT(json.at("setup_seconds"), 0.0);
    EXPECT_GT(json.at("solve_seconds"), 0.0);
    const std::vector<std::string> history = json.at("history");
    ASSERT_EQ(history.size(), 6U);
    for (std::size_t i = 0; i < history.size(); ++i) {
        EXPECT_EQ(history[i].substr(0, 2), "0x");
        EXPECT_EQ(std::strtod(history[i].c_str(), nullptr), report.result.history[i]);
    }
    EXPECT_EQ(json.at("residual"), report.result.history.back() / report.result.right_side);
}

TEST(PoissonReport, hex_floats) {
    EXPECT_EQ(poisson::hex_float(3), "0x1.8p+1");
    EXPECT_EQ(poisson::hex_float(0), "0x0p+0");
}

} // namespace distview::testing
