// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kept solvers do the same as solve(), but set up once.
#include "../other_communicators.hpp"
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <HYPRE_parcsr_ls.h>
#include <HYPRE_struct_ls.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

class HypreSolver : public ::testing::Test {
protected:
    Communicator comm{MPI_COMM_WORLD};
    hypre::Session session{comm};
    Equations walls{{8, 7, 9}, {Sides::walls, Sides::walls, Sides::walls}};
};

/// Right sides that have solutions, and an array to solve in.
struct Arrays {
    explicit Arrays(const System& system) : u(system.make("u")) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            right.push_back(system.make("b"));
            system.apply(system.make_scattered("w", seed), right.back());
        }
    }
    std::vector<System::Vector> right;
    System::Vector u;
};

/// One level only, so that hypre reads only what its set-up needs.
void spoil(const std::string& preconditioner, HYPRE_Solver solver) {
    if (preconditioner == "boomeramg") HYPRE_BoomerAMGSetMaxLevels(solver, 1);
    if (preconditioner == "pfmg")
        HYPRE_StructPFMGSetMaxLevels(reinterpret_cast<HYPRE_StructSolver>(solver), 1);
}

/// Solves with all right sides, the first one twice, by one solver and by solve(): every norm is the same. Vectors are made
/// for each solution.
template <class A, class MakeVector>
void expect_the_same(const System& system, const A& a, const MakeVector& make_vector,
                     const std::string& preconditioner) {
    SCOPED_TRACE(preconditioner);
    const Arrays arrays(system);
    const auto solution = [&] {
        const double* const first = arrays.u.view().data();
        return std::vector<double>(first, first + system.rows.local_rows());
    };
    const hypre::SolveOptions options{.preconditioner = preconditioner,
                                      .tolerance = 1e-12,
                                      .constant_null_space = system.equations.is_singular()};
    std::vector<HYPRE_Solver> tuned;
    hypre::SolveOptions tuning = options;
    tuning.tune = [&](HYPRE_Solver solver) { tuned.push_back(solver); };
    hypre::Solver solver(system.comm, a, tuning);
    for (const int n : {0, 1, 2, 0}) {
        const auto b = make_vector(arrays.right[static_cast<std::size_t>(n)]);
        Kokkos::deep_copy(arrays.u.view(), 0);
        const auto expected = hypre::solve(system.comm, a, b, make_vector(arrays.u), options);
        const std::vector<double> known = solution();
        Kokkos::deep_copy(arrays.u.view(), 0);
        const auto result = solver.solve(b, make_vector(arrays.u));
        EXPECT_TRUE(result.converged);
        EXPECT_GT(result.iterations, 1);
        EXPECT_EQ(result.history, expected.history);
        EXPECT_EQ(result.right_side, expected.right_side);
        EXPECT_EQ(result.reason, "converged");
        EXPECT_EQ(solution(), known);
        for (HYPRE_Solver each : tuned) spoil(preconditioner, each);
    }
    EXPECT_EQ(tuned.size(), preconditioner == "boomeramg" || preconditioner == "pfmg" ? 1u : 0u);
}

TEST_F(HypreSolver, DoesWhatSolveDoesAndSetsUpOnce) {
    set_test_timeout(200);
    std::uint64_t seed = 30;
    for (const Equations& equations : various_equations()) {
        const System system(comm, equations, ++seed);
        SCOPED_TRACE(system.layout.describe());
        const MatrixRows rows = system.assembled();
        const hypre::Matrix a = hypre::ij_matrix(rows);
        for (const char* preconditioner : {"none", "jacobi", "boomeramg"})
            expect_the_same(
                system, a, [&](const auto& array) { return hypre::vector(system.rows, array); },
                preconditioner);
        const hypre::StructGrid grid = hypre::struct_grid(system.rows);
        const hypre::StructMatrix as = hypre::struct_matrix(grid, rows);
        const auto struct_vector = [&](const auto& array) {
            return hypre::struct_vector(grid, array);
        };
        for (const char* preconditioner : {"none", "jacobi"})
            expect_the_same(system, as, struct_vector, preconditioner);
        if (std::ranges::none_of(equations.sides, [](Sides s) { return s == Sides::periodic; }))
            expect_the_same(system, as, struct_vector, "pfmg");
    }
}

TEST_F(HypreSolver, KeepsTheMatrix) {
    const System system(comm, walls, 2);
    const Arrays arrays(system);
    const auto b = hypre::vector(system.rows, arrays.right[0]);
    const auto x = hypre::vector(system.rows, arrays.u);
    auto a = std::make_unique<hypre::Matrix>(hypre::ij_matrix(system.assembled()));
    {
        const hypre::Matrix copy = *a;
        EXPECT_EQ(copy.get(), a->get());
    }
    hypre::Solver solver(comm, *a, {.preconditioner = "boomeramg"});
    hypre::Solver of_temporary(comm, hypre::ij_matrix(system.assembled()));
    a.reset();
    EXPECT_TRUE(solver.solve(b, x).converged);
    Kokkos::deep_copy(arrays.u.view(), 0);
    EXPECT_TRUE(of_temporary.solve(b, x).converged);
    Kokkos::deep_copy(arrays.u.view(), 0);
    const hypre::StructGrid grid = hypre::struct_grid(system.rows);
    hypre::Solver of_struct(comm, hypre::struct_matrix(grid, system.assembled()),
                            {.preconditioner = "pfmg"});
    EXPECT_TRUE(of_struct
                    .solve(hypre::struct_vector(grid, arrays.right[0]),
                           hypre::struct_vector(grid, arrays.u))
                    .converged);
}

TEST_F(HypreSolver, GoesOnAfterASolutionThatDoesNotConverge) {
    const System system(comm, walls, 3);
    const Arrays arrays(system);
    const auto b = hypre::vector(system.rows, arrays.right[0]);
    const auto x = hypre::vector(system.rows, arrays.u);
    hypre::Solver solver(comm, hypre::ij_matrix(system.assembled()),
                         {.tolerance = 1e-6, .max_iterations = 10});
    try {
        (void)solver.solve(b, x);
        ADD_FAILURE() << "converged";
    } catch (const SolverError& error) {
        const std::string words = error.what();
        EXPECT_EQ(words.find("hypre::Solver::solve: expected a residual of at most 1e-06 times the "
                             "norm of the right side, "),
                  0)
            << words;
        EXPECT_NE(words.find(", got max_iterations [Method did not converge] with a residual of "),
                  std::string::npos)
            << words;
    }
    // Ten iterations more each time, starting from x.
    bool converged = false;
    for (int more = 0; more < 20 && !converged; ++more) {
        try {
            converged = solver.solve(b, x).converged;
        } catch (const SolverError&) {
        }
    }
    EXPECT_TRUE(converged);
    EXPECT_EQ(HYPRE_GetError(), 0);
}

TEST_F(HypreSolver, SetsUpAnewAfterAFailure) {
    const System system(comm, walls, 4);
    const Arrays arrays(system);
    const auto b = hypre::vector(system.rows, arrays.right[0]);
    const auto x = hypre::vector(system.rows, arrays.u);
    int set_ups = 0;
    hypre::Solver solver(comm, hypre::ij_matrix(system.assembled()),
                         {.preconditioner = "boomeramg", .tune = [&](HYPRE_Solver) { ++set_ups; }});
    EXPECT_TRUE(solver.solve(b, x).converged);
    double& first = arrays.right[0].view().data()[0];
    const double value = first;
    if (rank() == rank_count() - 1) first = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(b, x), SolverError,
                              "hypre::Solver::solve: hypre reports: [Generic error]");
    first = value;
    Kokkos::deep_copy(arrays.u.view(), 0);
    const auto result = solver.solve(b, x);
    EXPECT_TRUE(result.converged);
    EXPECT_GT(result.iterations, 1);
    EXPECT_EQ(set_ups, 2);
}

TEST_F(HypreSolver, WrongArgumentsAreOneErrorOnAllRanks) {
    const System system(comm, walls, 5), other(comm, various_equations()[0], 5);
    const Arrays arrays(system);
    hypre::Matrix a = hypre::ij_matrix(system.assembled());
    hypre::Vector b = hypre::vector(system.rows, arrays.right[0]);
    const hypre::Vector x = hypre::vector(system.rows, arrays.u);
    const auto v = other.make("v");
    const hypre::Vector y = hypre::vector(other.rows, v);
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::Solver(comm, a, {.preconditioner = "pfmg"}), UsageError,
        "hypre::Solver: expected a preconditioner none, jacobi or boomeramg, got pfmg");
    EXPECT_THROW_ON_ALL_RANKS(hypre::Solver(comm, a, {.tolerance = -1}), UsageError,
                              "hypre::Solver: expected a tolerance >= 0");
    if (rank_count() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            hypre::Solver(comm, a, {.preconditioner = rank() == 0 ? "none" : "jacobi"}), UsageError,
            "hypre::Solver");
        const Communicator alone(MPI_COMM_SELF);
        EXPECT_THROW_ON_ALL_RANKS(hypre::Solver(alone, a), UsageError,
                                  "hypre::Solver: expected a matrix over the communicator's 1 "
                                  "processes in the same order, got one over ");
    }
    hypre::Solver solver(comm, a);
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(y, x), UsageError,
                              "hypre::Solver::solve: expected vectors with the matrix's layout");
    const DistView<const double***, Kokkos::LayoutRight, Kokkos::HostSpace> fixed = arrays.u;
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(b, hypre::vector(system.rows, fixed)), UsageError,
                              "hypre::Solver::solve: expected a solution whose elements are not");
    const hypre::Vector moved = std::move(b);
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(b, x), UsageError, "moved to another");
    EXPECT_TRUE(solver.solve(moved, x).converged); // the refused calls changed nothing
    const OtherRanks again(comm, 0, rank());
    const System same(again.comm, walls, 5);
    const auto w = same.make("w");
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(hypre::vector(same.rows, w), x), UsageError,
                              "hypre::Solver::solve: expected vectors over the communicator of the "
                              "matrix, got one over another communicator of the same processes");
    const hypre::Matrix elsewhere = std::move(a);
    EXPECT_THROW_ON_ALL_RANKS(hypre::Solver(comm, a), UsageError,
                              "hypre::Solver: expected a matrix, got one whose object was moved");
    EXPECT_TRUE(solver.solve(moved, x).converged);
}

TEST(HypreSolverSession, SolversMayOutliveHypre) {
    const Communicator comm(MPI_COMM_WORLD);
    auto session = std::make_unique<hypre::Session>(comm);
    const System system(comm, various_equations()[2], 6);
    ASSERT_TRUE(system.equations.is_singular()); // with vectors of the solver's own
    const Arrays arrays(system);
    const auto b = hypre::vector(system.rows, arrays.right[0]);
    const auto x = hypre::vector(system.rows, arrays.u);
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    hypre::Solver solver(comm, a, {.preconditioner = "jacobi", .constant_null_space = true});
    EXPECT_TRUE(solver.solve(b, x).converged);
    session.reset();
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(b, x), UsageError, "expected hypre to be initialised");
    EXPECT_THROW_ON_ALL_RANKS(hypre::Solver(comm, a), UsageError,
                              "hypre::Solver: expected hypre to be initialised");
}

} // namespace

} // namespace distview::testing
