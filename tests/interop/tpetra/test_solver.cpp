// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Solver gives the same results as solve(), but makes the preconditioner once.
#include "../other_communicators.hpp"
#include "flow_problem.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace distview::testing {

namespace {

using tpetra::Nullspace;
using tpetra::Preconditioner;

FlowProblem make_problem(Sides first) {
    return FlowProblem({{17, 13}, {first, Sides::neumann}}, {rank_count(), 1},
                       {block(17, {.padding = 1, .periodic = first == Sides::periodic}),
                        block(13, {.padding = 1})});
}

/// The elements of this rank.
std::vector<double> values_of(const FlowProblem& problem, const Plane& u) {
    std::vector<double> values;
    problem.each(u, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        values.push_back(u.view()(l, m));
    });
    return values;
}

/// Solves for two right sides, by one Solver and by solve().
void expect_the_same(FlowProblem& problem, const auto& a, Preconditioner precondition) {
    SCOPED_TRACE(static_cast<int>(precondition));
    const Plane b = problem.make("b"), x = problem.make("x"), y = problem.make("y");
    problem.fill(b);
    const tpetra::MultiVector vb(problem.map, b), vx(problem.map, x), vy(problem.map, y);
    const tpetra::SolveOptions options{
        .tolerance = 1e-11,
        .preconditioner = precondition,
        .nullspace = problem.shape.is_singular() ? Nullspace::constant : Nullspace::none};
    const tpetra::Solver solver(a, options);
    for (int step = 0; step < 2; ++step) {
        Kokkos::deep_copy(x.view(), 0);
        Kokkos::deep_copy(y.view(), 0);
        const auto expected = tpetra::solve(problem.exec, a, vb, vx, options);
        const auto result = solver.solve(problem.exec, vb, vy);
        EXPECT_TRUE(result.converged);
        EXPECT_GE(result.iterations, 1); // MueLu solves so few rows exactly
        EXPECT_NEAR(result.iterations, expected.iterations, 1);
        ASSERT_ON_ALL_RANKS(result.history.size() ==
                            static_cast<std::size_t>(result.iterations) + 1);
        EXPECT_NEAR(result.history[1], expected.history[1], 1e-9 * result.right_side);
        EXPECT_NEAR(result.right_side, expected.right_side, 1e-12 * result.right_side);
        const auto found = values_of(problem, y), known = values_of(problem, x);
        for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], known[n], 1e-7);
        problem.each(b, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
            b.view()(l, m) = -2 * b.view()(l, m);
        });
    }
}

TEST(Solver, DoesWhatSolveDoes) {
    set_test_timeout(170); // MueLu takes seconds if ranks share cores
    for (const Sides first : {Sides::walls, Sides::periodic}) {
        FlowProblem problem = make_problem(first);
        const auto op =
            tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil());
        expect_the_same(problem, op, Preconditioner::none);
        const tpetra::Matrix matrix(problem.map, problem.assembled());
        for (const Preconditioner each :
             {Preconditioner::none, Preconditioner::jacobi, Preconditioner::amg})
            if (tpetra::has_preconditioner(each)) expect_the_same(problem, matrix, each);
    }
}

TEST(Solver, KeepsThePreconditionerAndTheMatrix) {
    FlowProblem problem = make_problem(Sides::walls);
    const Plane b = problem.make("b"), x = problem.make("x"), diagonal = problem.make("diagonal");
    problem.fill(b);
    const auto set_diagonal = [&](double factor) {
        problem.each(diagonal, [&](std::size_t l, std::size_t m, std::int64_t i, std::int64_t j) {
            const Shape& shape = problem.shape;
            diagonal.view()(l, m) = factor * (shape.face(0, i, j) + shape.face(0, i + 1, j) +
                                              shape.face(1, i, j) + shape.face(1, i, j + 1));
        });
    };
    set_diagonal(1);
    const auto op = tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil())
                        .with_diagonal(tpetra::MultiVector(problem.map, diagonal));
    const tpetra::MultiVector vb(problem.map, b), vx(problem.map, x);
    const tpetra::Solver solver(op, {.preconditioner = Preconditioner::jacobi});
    const auto first = solver.solve(problem.exec, vb, vx);
    EXPECT_TRUE(first.converged);
    // A new Solver reads a diagonal of zeros; the old Solver does not read the diagonal again.
    set_diagonal(0);
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Solver(op, {.preconditioner = Preconditioner::jacobi}), SolverError,
        "tpetra::Solver: expected a diagonal without zeros for the preconditioner jacobi");
    Kokkos::deep_copy(x.view(), 0);
    EXPECT_EQ(solver.solve(problem.exec, vb, vx).iterations, first.iterations);

    auto matrix = std::make_optional<tpetra::Matrix>(problem.map, problem.assembled());
    const tpetra::Solver of_matrix(*matrix, {.preconditioner = Preconditioner::jacobi});
    matrix.reset();
    Kokkos::deep_copy(x.view(), 0);
    EXPECT_NEAR(of_matrix.solve(problem.exec, vb, vx).iterations, first.iterations, 1);
}

TEST(Solver, GoesOnAfterWhatWentWrong) {
    FlowProblem problem = make_problem(Sides::walls);
    const Plane b = problem.make("b"), x = problem.make("x");
    problem.fill(b);
    const tpetra::MultiVector vb(problem.map, b), vx(problem.map, x);
    const tpetra::Matrix matrix(problem.map, problem.assembled());
    const tpetra::Solver solver(matrix, {.tolerance = 1e-6, .max_iterations = 20});
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(problem.exec, vb, vx), SolverError,
                              "tpetra::Solver::solve: expected a residual of at most 1e-06");
    const double value = b.view()(0, 0);
    if (problem.comm.rank() == 0) b.view()(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(problem.exec, vb, vx), SolverError,
                              "tpetra::Solver::solve: expected ");
    b.view()(0, 0) = value;
    Kokkos::deep_copy(x.view(), 0);
    bool converged = false;
    for (int more = 0; more < 30 && !converged; ++more) { // twenty more iterations, from the last x
        try {
            converged = solver.solve(problem.exec, vb, vx).converged;
        } catch (const SolverError&) {
        }
    }
    EXPECT_TRUE(converged);
}

TEST(Solver, WrongArgumentsAreOneErrorOnAllRanks) {
    FlowProblem problem = make_problem(Sides::walls);
    const Plane b = problem.make("b"), x = problem.make("x");
    problem.fill(b);
    const tpetra::MultiVector vb(problem.map, b), vx(problem.map, x);
    const tpetra::Matrix matrix(problem.map, problem.assembled());
    const auto op = tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil());
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Solver(matrix, {.max_iterations = 0}), UsageError,
        "tpetra::Solver: expected a tolerance >= 0 and max_iterations >= 1, got 1e-10 and 0");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Solver(matrix, {.tolerance = std::numeric_limits<double>::quiet_NaN()}), UsageError,
        "tpetra::Solver: expected a tolerance >= 0");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Solver(op, {.preconditioner = Preconditioner::jacobi}), UsageError,
        "tpetra::Solver: expected a Matrix, or an Operator made by with_diagonal(), for the "
        "preconditioner jacobi, got an Operator without a diagonal");
    const tpetra::Solver solver(matrix);
    const tpetra::Map other(RowNumbering(
        problem.comm, ArrayLayout(ProcessGrid{rank_count()}, {block(4 * rank_count())})));
    const auto u = make_dist_view<double*, Exec::memory_space>(problem.exec, "u", problem.comm,
                                                               other.numbering().layout());
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(problem.exec, tpetra::MultiVector(other, u), vx),
                              UsageError, "tpetra::Solver::solve: expected b with the map of A");
    if (rank_count() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(tpetra::Solver(matrix, {.has_to_converge = problem.comm.rank() == 0}),
                              UsageError, "has_to_converge");
    const OtherRanks reverse(problem.comm, 0, -problem.comm.rank());
    const tpetra::Map backwards(RowNumbering(reverse.comm, other.numbering().layout()));
    const auto w = make_dist_view<double*, Exec::memory_space>(problem.exec, "w", reverse.comm,
                                                               backwards.numbering().layout());
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(problem.exec, tpetra::MultiVector(backwards, w), vx),
                              UsageError, "tpetra::Solver::solve: expected b over the ");
}

} // namespace

} // namespace distview::testing
