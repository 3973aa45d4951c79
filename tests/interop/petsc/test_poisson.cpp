// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example program by PETSc against its own conjugate gradients; the order of its error.
#include "solve.hpp"

#include <distview/comm/communicator.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace distview::testing {

namespace {

using poisson::Options;
using poisson::Precondition;
using poisson::Sides;
using poisson::Solver;

Options options_of(const std::vector<std::int64_t>& n, const std::vector<Sides>& sides) {
    Options options;
    options.shape.axes = static_cast<int>(n.size());
    for (std::size_t d = 0; d < n.size(); ++d) {
        options.shape.n[d] = n[d];
        options.shape.sides[d] = sides[d];
    }
    options.tolerance = 1e-12;
    return options;
}

poisson::Report solved(const Options& options) {
    const Communicator comm(MPI_COMM_WORLD);
    return poisson::solve(comm, options, ProcessGrid::balanced(comm.size(), options.shape.axes));
}

poisson::Report by_petsc(Options options, bool is_assembled, Precondition precondition) {
    options.solver = Solver::petsc;
    options.assembled = is_assembled;
    options.precondition = precondition;
    return solved(options);
}

constexpr Sides walls = Sides::walls;
constexpr Sides periodic = Sides::periodic;
constexpr Sides neumann = Sides::neumann;

} // namespace

TEST(PoissonByPetsc, HasTheErrorOfOurOwnIteration) {
    for (const Options& options :
         {options_of({19, 13}, {walls, walls}), options_of({17, 23}, {periodic, neumann}),
          options_of({13, 11, 12}, {walls, periodic, neumann}),
          options_of({11, 13, 12}, {neumann, neumann, periodic})}) {
        const poisson::Report own = solved(options);
        EXPECT_EQ(own.bytes_copied_at_the_door, 0);
        for (const Precondition precondition :
             {Precondition::none, Precondition::jacobi, Precondition::amg})
            for (const bool is_assembled : {false, true}) {
                if (precondition == Precondition::amg && !is_assembled) continue;
                const poisson::Report found = by_petsc(options, is_assembled, precondition);
                EXPECT_TRUE(found.result.converged());
                EXPECT_EQ(found.bytes_copied_at_the_door, 0);
                EXPECT_NEAR(found.error_max, own.error_max, 1e-10);
                EXPECT_EQ(found.result.history.size(),
                          static_cast<std::size_t>(found.result.iterations) + 1);
                if (precondition == Precondition::jacobi) {
                    EXPECT_NEAR(found.result.iterations, own.result.iterations, 2);
                }
            }
    }
}

TEST(PoissonByPetsc, ErrorFallsToAQuarter) {
    const std::vector<Sides> sides{walls, periodic, neumann};
    const double coarse =
        by_petsc(options_of({15, 14, 13}, sides), true, Precondition::amg).error_max;
    const double fine =
        by_petsc(options_of({30, 28, 26}, sides), true, Precondition::amg).error_max;
    EXPECT_GT(coarse / fine, 3.6);
    EXPECT_LT(coarse / fine, 4.4);
}

// The coarsest level of multigrid is singular, too.
TEST(PoissonByPetsc, MultigridWithoutWalls) {
    for (const Options& options :
         {options_of({90, 62}, {periodic, periodic}), options_of({61, 40}, {neumann, periodic})}) {
        const poisson::Report found = by_petsc(options, true, Precondition::amg);
        EXPECT_TRUE(found.result.converged());
        EXPECT_LE(found.residual(), 1e-12);
    }
}

TEST(PoissonByPetsc, SaysThatItHasNotConverged) {
    Options options = options_of({19, 13}, {walls, walls});
    options.max_iterations = 3;
    const poisson::Report found = by_petsc(options, false, Precondition::none);
    EXPECT_EQ(found.result.stop, ConjugateGradientStop::max_iterations);
    EXPECT_EQ(found.result.iterations, 3);
    EXPECT_GT(found.residual(), options.tolerance);
}

} // namespace distview::testing
