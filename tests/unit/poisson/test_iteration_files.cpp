// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations continued from a checkpoint on other ranks and grids, compared with an uninterrupted iteration.
#include "iteration_files.hpp"
#include "solve.hpp"
#include "timing.hpp"

#include "../../io/stored_fields.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

namespace {

using poisson::Coefficient;
using poisson::Options;
using poisson::Precondition;
using poisson::Report;
using poisson::Sides;

Options options_of(const std::vector<std::int64_t>& n, Sides sides, Coefficient coefficient) {
    Options options;
    options.shape.axes = static_cast<int>(n.size());
    for (std::size_t d = 0; d < n.size(); ++d) {
        options.shape.n[d] = n[d];
        options.shape.sides[d] = sides;
    }
    options.shape.coefficient = coefficient;
    options.reproducible = true;
    return options;
}

class IterationFilesTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_hdf5()) GTEST_SKIP() << "no HDF5";
    }
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("cg.h5");

    Report solve(const Options& options, Random& random) {
        const auto grid = random_process_grid(random, world.size(), options.shape.axes);
        return poisson::solve(world, options, ProcessGrid(grid));
    }
};

TEST_F(IterationFilesTest, any_ranks_and_grid_go_on_with_the_same_history) {
    const std::vector<Options> cases{options_of({13, 17}, Sides::walls, Coefficient::smooth),
                                     options_of({17, 13}, Sides::periodic, Coefficient::jumping),
                                     options_of({9, 7, 11}, Sides::neumann, Coefficient::smooth)};
    for (const Options& each : cases)
        for (const Precondition precondition : {Precondition::none, Precondition::jacobi}) {
            Options options = each;
            options.precondition = precondition;
            const std::vector<int> one(static_cast<std::size_t>(options.shape.axes), 1);
            const Report whole =
                poisson::solve(Communicator(MPI_COMM_SELF), options, ProcessGrid(one));
            ASSERT_GT(whole.result.iterations, 12);
            const int writers = std::max(1, world.size() - 1);
            if (const FirstRanks ranks(writers); ranks) {
                Options writing = options;
                writing.max_iterations = 11;
                writing.checkpoints = {path, 5, ""};
                std::vector<int> slabs = one;
                slabs.back() = writers;
                const Report report = poisson::solve(ranks.comm(), writing, ProcessGrid(slabs));
                EXPECT_EQ(report.checkpoints, 3);
                EXPECT_EQ(report.result.iterations, 11);
            }
            barrier(world);
            for_each_case(2, [&](Random& random, std::uint64_t number) {
                Options reading = options;
                // The last checkpoint, of step 11, and the one before, of step 10.
                reading.checkpoints.restart = number == 0 ? path : path + ".1";
                const Report report = solve(reading, random);
                EXPECT_EQ(report.restart_iteration, number == 0 ? 11 : 10);
                EXPECT_EQ(report.checkpoints, 0);
                EXPECT_EQ(report.result.history, whole.result.history);
                EXPECT_EQ(report.result.iterations, whole.result.iterations);
                EXPECT_EQ(report.error_max, whole.error_max);
            });
        }
}

TEST_F(IterationFilesTest, a_solution_goes_on_to_a_smaller_residual) {
    Random random(1, 0);
    Options options = options_of({13, 17}, Sides::walls, Coefficient::smooth);
    const Report whole = solve(options, random);
    options.tolerance = 1e-4;
    options.checkpoints.path = path;
    EXPECT_TRUE(solve(options, random).result.converged());
    options.tolerance = Options().tolerance;
    options.checkpoints = {"", 0, path};
    EXPECT_EQ(solve(options, random).result.history, whole.result.history);
}

TEST_F(IterationFilesTest, with_nothing_left_to_do_another_file_gets_the_iteration) {
    Random random(1, 2);
    Options options = options_of({13, 17}, Sides::walls, Coefficient::smooth);
    options.checkpoints.path = path;
    const int iterations = solve(options, random).result.iterations;
    // A checkpoint must not overwrite the file it was read from, under any of its names.
    options.checkpoints = {folder.path() + "/./cg.h5", 0, path};
    EXPECT_EQ(solve(options, random).checkpoints, 0);
    options.checkpoints = {folder.file("other.h5"), 0, path};
    const Report report = solve(options, random);
    EXPECT_EQ(report.checkpoints, 1);
    EXPECT_EQ(report.result.iterations, iterations);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"cg.h5", "other.h5"}));
    EXPECT_EQ(Checkpoint(world, folder.file("other.h5")).load({}).scalars,
              Checkpoint(world, path).load({}).scalars);
}

TEST_F(IterationFilesTest, what_breaks_down_in_a_step_is_written) {
    Options options = options_of({13, 17}, Sides::walls, Coefficient::smooth);
    options.checkpoints.path = path;
    const program::Exec exec;
    const ArrayLayout layout(ProcessGrid::balanced(world.size(), 2), {block(13), block(17)});
    const auto make = [&](const char* label) {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, label, world,
                                                                                layout);
    };
    const auto x = make("x");
    const auto r = make("r");
    const auto p = make("p");
    double rr = 2.25;
    double rz = 1;
    ConjugateGradientResult result;
    result.iterations = 4;
    result.right_side = 1;
    result.history = {5, 4, 3, 2};
    poisson::IterationFiles files(world, options);
    files.update(exec,
                 ConjugateGradientState<std::remove_const_t<decltype(x)>>{x, r, p, rr, rz, result});
    EXPECT_EQ(files.checkpoints(), 0);
    result.history.push_back(1.5);
    result.stop = ConjugateGradientStop::breakdown;
    files.finish(result);
    EXPECT_EQ(files.checkpoints(), 1);
    const Attributes scalars = Checkpoint(world, path).load({}).scalars;
    EXPECT_EQ(std::get<std::int64_t>(scalars.at("iteration")), 4);
    EXPECT_EQ(std::get<std::vector<double>>(scalars.at("history")),
              (std::vector<double>{5, 4, 3, 2}));
    EXPECT_EQ(std::get<double>(scalars.at("rr")), 2.25);
}

TEST_F(IterationFilesTest, another_problem_is_refused_on_all_ranks) {
    Random random(1, 1);
    Options options = options_of({13, 17}, Sides::walls, Coefficient::smooth);
    options.max_iterations = 3;
    options.checkpoints.path = path;
    solve(options, random);
    options.checkpoints = {"", 0, path};
    const auto refused = [&](const Options& other, const std::string& expected) {
        EXPECT_THROW_ON_ALL_RANKS(solve(other, random), UsageError, expected);
    };
    const std::string start = "--restart: expected ";
    Options other = options;
    other.shape.n[1] = 18;
    refused(other, start + "ny 18 in checkpoint '" + path + "', got 17");
    other = options;
    other.shape.sides[0] = Sides::periodic;
    refused(other, start + "x_sides 'periodic' in checkpoint '" + path + "', got 'walls'");
    other = options;
    other.precondition = Precondition::none;
    refused(other, start + "precondition 'none'");
    other = options;
    other.reproducible = false;
    refused(other, start + "reproducible 0 in checkpoint '" + path + "', got 1");
}

TEST_F(IterationFilesTest, a_long_history_comes_back) {
    // More than fits into a message of HDF5's object headers.
    Attributes scalars;
    std::vector<double>& history = std::get<std::vector<double>>(
        scalars.emplace("history", std::vector<double>()).first->second);
    for (int i = 0; i < 20000; ++i) history.push_back(1.0 / (i + 1));
    Checkpoint(world, path).save({}, scalars);
    EXPECT_EQ(Checkpoint(world, path).load({}).scalars, scalars);
}

} // namespace

} // namespace distview::testing
