// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Belos finds the same solutions as ConjugateGradient, in the arrays' memory; all ranks throw the same errors.
#include "../other_communicators.hpp"
#include "flow_problem.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/tpetra/trilinos.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using tpetra::Nullspace;
using tpetra::Preconditioner;

constexpr Preconditioner all_preconditioners[] = {Preconditioner::none, Preconditioner::jacobi,
                                                  Preconditioner::amg};

/// Subtracts the mean over all ranks.
void center(const FlowProblem& problem, const Plane& u) {
    double sum = 0;
    problem.each(u, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        sum += u.view()(l, m);
    });
    const double mean =
        all_reduce(problem.comm, ReduceOperation::sum, sum) / static_cast<double>(u.size());
    problem.each(u, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        u.view()(l, m) -= mean;
    });
}

double max_difference(const FlowProblem& problem, const Plane& a, const Plane& b) {
    double worst = 0;
    problem.each(a, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        worst = std::max(worst, std::abs(a.view()(l, m) - b.view()(l, m)));
    });
    return all_reduce(problem.comm, ReduceOperation::max, worst);
}

/// The solution by ConjugateGradient, copied to an array without padding.
Plane own_solution(FlowProblem& problem) {
    const Plane b = problem.make(problem.padded, "b"), x = problem.make(problem.padded, "x");
    const Plane b_rows = problem.make("b rows"), x_rows = problem.make("x rows");
    problem.fill(b_rows);
    const auto l0 = b.interior_range(0).begin, m0 = b.interior_range(1).begin;
    const auto at = [](LocalIndex begin, std::size_t l) {
        return static_cast<std::size_t>(begin.value()) + l;
    };
    problem.each(b_rows, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        b.view()(at(l0, l), at(m0, m)) = b_rows.view()(l, m);
    });
    ConjugateGradient<Plane> solver(problem.exec, problem.comm, problem.padded,
                                    {.tolerance = 1e-13, .max_iterations = 2000});
    EXPECT_TRUE(solver.solve(problem.exec, problem.stencil(), b, x).converged());
    problem.each(x_rows, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
        x_rows.view()(l, m) = x.view()(at(l0, l), at(m0, m));
    });
    if (problem.shape.is_singular()) center(problem, x_rows);
    return x_rows;
}

void expect_solution(FlowProblem& problem, const auto& a, Preconditioner precondition,
                     const Plane& expected) {
    const Plane b = problem.make("b"), x = problem.make("x");
    problem.fill(b);
    const tpetra::MultiVector vb(problem.map, b), vx(problem.map, x);
    const double* const where = vx.data();
    const auto result = tpetra::solve(
        problem.exec, a, vb, vx,
        {.tolerance = 1e-13,
         .max_iterations = 2000,
         .preconditioner = precondition,
         .nullspace = problem.shape.is_singular() ? Nullspace::constant : Nullspace::none});
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.residual, 1e-11 * result.right_side);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    EXPECT_NEAR(result.history[0], result.right_side, 1e-12 * result.right_side);
    EXPECT_EQ(vx.data(), where);
    if (problem.shape.is_singular()) center(problem, x);
    EXPECT_LE(max_difference(problem, x, expected), 1e-10);
    if (precondition != Preconditioner::jacobi) return;
    // Starting from the solution needs no iteration: tolerances are relative to the right side.
    const auto again = tpetra::solve(
        problem.exec, a, vb, vx,
        {.tolerance = 1e-9,
         .preconditioner = precondition,
         .nullspace = problem.shape.is_singular() ? Nullspace::constant : Nullspace::none});
    EXPECT_EQ(again.iterations, 0);
}

TEST(Solve, FindsWhatOurOwnFind) {
    for (const Sides first : {Sides::walls, Sides::periodic, Sides::neumann})
        for (const Sides second : {Sides::walls, Sides::neumann}) {
            const auto axis = [&](std::int64_t n, Sides sides) {
                return block(n, {.padding = 1, .periodic = sides == Sides::periodic});
            };
            const std::vector<int> grid = rank_count() % 2 == 0
                                              ? std::vector<int>{rank_count() / 2, 2}
                                              : std::vector<int>{rank_count(), 1};
            FlowProblem problem({{17, 13}, {first, second}},
                                ProcessGrid(std::span<const int>(grid)),
                                {axis(17, first), axis(13, second)});
            const Plane expected = own_solution(problem);
            const auto op =
                tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil());
            expect_solution(problem, op, Preconditioner::none, expected);
            const Plane diagonal = problem.make("diagonal");
            problem.each(diagonal,
                         [&](std::size_t l, std::size_t m, std::int64_t i, std::int64_t j) {
                             const Shape& shape = problem.shape;
                             diagonal.view()(l, m) = shape.face(0, i, j) + shape.face(0, i + 1, j) +
                                                     shape.face(1, i, j) + shape.face(1, i, j + 1);
                         });
            expect_solution(problem, op.with_diagonal(tpetra::MultiVector(problem.map, diagonal)),
                            Preconditioner::jacobi, expected);
            const tpetra::Matrix matrix(problem.map, problem.assembled());
            for (const Preconditioner each : all_preconditioners) {
                if (!tpetra::has_preconditioner(each)) continue;
                // Only walls and the singular matrix with MueLu: its setup takes seconds with many ranks per core.
                if (each == Preconditioner::amg && first != second) continue;
                SCOPED_TRACE(static_cast<int>(each));
                expect_solution(problem, matrix, each, expected);
            }
        }
}

TEST(Solve, GlobalOrderOfRows) {
    FlowProblem problem({{17, 13}, {Sides::walls, Sides::periodic}}, {1, rank_count()},
                        {block(17, {.padding = 1}), block(13, {.padding = 1, .periodic = true})},
                        RowOrder::global);
    const Plane expected = own_solution(problem);
    expect_solution(problem, tpetra::Matrix(problem.map, problem.assembled()),
                    Preconditioner::jacobi, expected);
    expect_solution(problem,
                    tpetra::make_operator<double**>(problem.exec, problem.map, problem.stencil()),
                    Preconditioner::none, expected);
}

TEST(Solve, MultigridNeedsFewIterations) {
    if (!tpetra::has_preconditioner(Preconditioner::amg)) GTEST_SKIP();
    const auto iterations = [](std::int64_t n, Preconditioner precondition) {
        FlowProblem problem({{n, n}, {Sides::walls, Sides::walls}}, {rank_count(), 1},
                            {block(n, {.padding = 1}), block(n, {.padding = 1})});
        const Plane b = problem.make("b"), x = problem.make("x");
        problem.fill(b);
        return tpetra::solve(problem.exec, tpetra::Matrix(problem.map, problem.assembled()),
                             tpetra::MultiVector(problem.map, b),
                             tpetra::MultiVector(problem.map, x), {.preconditioner = precondition})
            .iterations;
    };
    const int small = iterations(16, Preconditioner::amg),
              large = iterations(64, Preconditioner::amg);
    EXPECT_LT(large, iterations(64, Preconditioner::none) / 4);
    EXPECT_LE(large, small + 12);
}

TEST(Solve, SeveralColumns) {
    const Communicator comm = world();
    const Exec exec;
    const tpetra::Map map(RowNumbering(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(40)})));
    const ArrayLayout two(ProcessGrid{1, comm.size()}, {block(2), block(40)});
    const auto b = make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(exec, "b",
                                                                                     comm, two),
               x = make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(exec, "x",
                                                                                     comm, two);
    const tpetra::Matrix matrix(map, assemble(map.numbering(), [](MatrixRow& row, GlobalIndex i) {
                                    row.add(2 + static_cast<double>(i.value()), {0});
                                }));
    for (std::size_t c = 0; c < b.view().extent(1); ++c)
        for (std::size_t k = 0; k < 2; ++k) b.view()(k, c) = static_cast<double>(k) + 1;
    const auto result = tpetra::solve(exec, matrix, tpetra::MultiVector(map, b),
                                      tpetra::MultiVector(map, x), {.tolerance = 1e-14});
    EXPECT_TRUE(result.converged);
    for (std::size_t c = 0; c < x.view().extent(1); ++c)
        for (std::size_t k = 0; k < 2; ++k)
            EXPECT_NEAR(x.view()(k, c) *
                            (2 + static_cast<double>(x.global_index(1, LocalIndex(c)).value())),
                        static_cast<double>(k) + 1, 1e-12);

    // The first column needs one iteration, the second many: the result reports the second.
    Kokkos::deep_copy(b.view(), 0);
    Kokkos::deep_copy(x.view(), 0);
    for (std::size_t c = 0; c < b.view().extent(1); ++c) {
        if (b.global_index(1, LocalIndex(c)) == 7) b.view()(0, c) = 1;
        b.view()(1, c) = 1;
    }
    const auto cut =
        tpetra::solve(exec, matrix, tpetra::MultiVector(map, b), tpetra::MultiVector(map, x),
                      {.tolerance = 1e-14, .max_iterations = 1, .has_to_converge = false});
    EXPECT_FALSE(cut.converged);
    EXPECT_NEAR(cut.right_side, std::sqrt(40.0), 1e-12);
    EXPECT_GT(cut.residual, 0.01 * cut.right_side);

    // Belos continues without the first column; the history records each residual of the second one once.
    Kokkos::deep_copy(x.view(), 0);
    const auto whole = tpetra::solve(exec, matrix, tpetra::MultiVector(map, b),
                                     tpetra::MultiVector(map, x), {.tolerance = 1e-12});
    EXPECT_TRUE(whole.converged);
    EXPECT_GT(whole.iterations, 2);
    EXPECT_EQ(whole.history.size(), static_cast<std::size_t>(whole.iterations) + 1);
}

/// A diagonal matrix and vectors for it.
struct Diagonal {
    explicit Diagonal(double its_value) : value(its_value) {}

    tpetra::SolveResult solve(const tpetra::SolveOptions& options = {}) const {
        return tpetra::solve(exec, matrix, tpetra::MultiVector(map, b), tpetra::MultiVector(map, x),
                             options);
    }
    using Vector = DistView<double*, Exec::memory_space>;
    Vector make(const char* name) const {
        return make_dist_view<double*, Exec::memory_space>(exec, name, comm,
                                                           map.numbering().layout());
    }

    double value;
    Exec exec;
    Communicator comm = world();
    tpetra::Map map{
        RowNumbering(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(3 * comm.size())}))};
    tpetra::Matrix matrix{map, assemble(map.numbering(), [this](MatrixRow& row, GlobalIndex i) {
                              row.add(i == 0 ? value : 1 + static_cast<double>(i.value()), {0});
                          })};
    Vector b = make("b"), x = make("x");
};

TEST(Solve, SaysWhatTrilinosSays) {
    Diagonal indefinite(-4);
    Kokkos::deep_copy(indefinite.b.view(), 1);
    EXPECT_THROW_ON_ALL_RANKS(indefinite.solve({.tolerance = 1e-30}), SolverError,
                              "tpetra::solve: expected no exception from Trilinos, got: ");
    Diagonal fine(4);
    Kokkos::deep_copy(fine.b.view(), std::numeric_limits<double>::quiet_NaN());
    Diagonal singular(0);
    EXPECT_THROW_ON_ALL_RANKS(
        singular.solve({.preconditioner = Preconditioner::jacobi}), SolverError,
        "tpetra::solve: expected a diagonal without zeros for the preconditioner "
        "jacobi, got a zero in row 0");
    EXPECT_THROW_ON_ALL_RANKS(fine.solve(), SolverError,
                              "tpetra::solve: expected a finite norm of the residual, got ");
    // A NaN on one rank alone, in b, x or A.
    for (const int which : {0, 1, 2}) {
        Diagonal spoilt(which == 2 ? std::numeric_limits<double>::quiet_NaN() : 4);
        Kokkos::deep_copy(spoilt.b.view(), 1);
        if (which < 2 && spoilt.comm.rank() == spoilt.comm.size() - 1)
            (which == 0 ? spoilt.b : spoilt.x).view()(1) = std::numeric_limits<double>::quiet_NaN();
        EXPECT_THROW_ON_ALL_RANKS(spoilt.solve(), SolverError, "tpetra::solve: expected ");
    }
}

TEST(Solve, OperatorThrows) {
    Diagonal fine(4);
    Kokkos::deep_copy(fine.b.view(), 1);
    const auto op = tpetra::make_operator<double*>(
        fine.exec, fine.map,
        [](const auto&, const auto&, const auto&) { throw ShapeError("no such operator"); });
    EXPECT_THROW_ON_ALL_RANKS(tpetra::solve(fine.exec, op, tpetra::MultiVector(fine.map, fine.b),
                                            tpetra::MultiVector(fine.map, fine.x)),
                              ShapeError, "no such operator");
}

TEST(Solve, PrintsNothing) {
    Diagonal indefinite(-4), fine(4);
    Kokkos::deep_copy(indefinite.b.view(), 1);
    Kokkos::deep_copy(fine.b.view(), 1);
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    EXPECT_THROW(indefinite.solve({.tolerance = 1e-30}), SolverError);
    for (const Preconditioner each : all_preconditioners)
        if (tpetra::has_preconditioner(each)) {
            EXPECT_TRUE(fine.solve({.preconditioner = each}).converged);
        }
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// Comparing maps communicates: ranks that find other sizes must not leave the others waiting.
TEST(Solve, OtherCommunicators) {
    Diagonal fine(4);
    if (fine.comm.size() == 1) GTEST_SKIP();
    const tpetra::MultiVector b(fine.map, fine.b), x(fine.map, fine.x);
    const auto vector_over = [&](const Communicator& comm, std::int64_t n) {
        const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(n)}));
        return tpetra::MultiVector(tpetra::Map(rows), make_dist_view<double*, Exec::memory_space>(
                                                          fine.exec, "other", comm, rows.layout()));
    };
    // The first rank's vector has as many rows as b; the other ranks' vector has three rows per rank.
    const bool is_first = fine.comm.rank() == 0;
    const OtherRanks parts(fine.comm, is_first ? 0 : 1, fine.comm.rank());
    const Communicator& part = parts.comm;
    const auto of_part = vector_over(part, is_first ? fine.map.size() : 3 * part.size());
    EXPECT_FALSE(of_part.map() == fine.map);
    EXPECT_THROW_ON_ALL_RANKS(tpetra::solve(fine.exec, fine.matrix, of_part, x), UsageError,
                              "tpetra::solve: expected b over the ");
    EXPECT_THROW_ON_ALL_RANKS(tpetra::solve(fine.exec, fine.matrix, b, of_part), UsageError,
                              "tpetra::solve: expected x over the ");
    const OtherRanks reverse(fine.comm, 0, -fine.comm.rank());
    const Communicator& backwards = reverse.comm;
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::solve(fine.exec, fine.matrix, vector_over(backwards, fine.map.size()), x),
        UsageError, "tpetra::solve: expected b over the ");
    const tpetra::Map other(RowNumbering(backwards, fine.map.numbering().layout()));
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::Matrix(fine.map, assemble(other.numbering(),
                                          [](MatrixRow& row, GlobalIndex) { row.add(1, {0}); })),
        UsageError, "tpetra::Matrix: expected rows with the numbering of the map");
    EXPECT_THROW_ON_ALL_RANKS(tpetra::MultiVector(other, fine.b), UsageError,
                              "tpetra::MultiVector: expected the section of process ");
}

TEST(Solve, TellsOfNoConvergence) {
    Diagonal fine(4);
    Kokkos::deep_copy(fine.b.view(), 1);
    EXPECT_THROW_ON_ALL_RANKS(fine.solve({.tolerance = 1e-14, .max_iterations = 1}), SolverError,
                              "tpetra::solve: expected a residual of at most 1e-14 times the norm "
                              "of b, ");
    Kokkos::deep_copy(fine.x.view(), 0);
    const auto result =
        fine.solve({.tolerance = 1e-14, .max_iterations = 1, .has_to_converge = false});
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.iterations, 1);
    ASSERT_ON_ALL_RANKS(result.history.size() == 2);
    EXPECT_NEAR(result.history[0], result.right_side, 1e-12);
    EXPECT_NEAR(result.history[1], result.residual, 1e-12);
    EXPECT_GT(result.residual, 0);
    EXPECT_NEAR(result.right_side, std::sqrt(3.0 * fine.comm.size()), 1e-12);
}

// A solution in the interior of a padded array makes the neighbours' padding outdated.
TEST(Solve, ArraysKnowWhatIsWritten) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(4 * comm.size(), {.padding = 1, .periodic = true})});
    const auto x = make_dist_view<double*, Exec::memory_space>(exec, "x", comm, layout),
               b = make_dist_view<double*, Exec::memory_space>(exec, "b", comm, layout);
    const tpetra::Map map(comm, 4);
    const tpetra::MultiVector vx(map, x), vb(map, b);
    tpetra::rcp(vb)->putScalar(12);
    const std::int64_t first = 4 * comm.rank();
    const tpetra::Matrix a(map, {0, 1, 2, 3, 4}, {first, first + 1, first + 2, first + 3},
                           {1, 2, 3, 4});
    PaddingExchangePlan plan(comm, layout);
    EXPECT_TRUE(plan.require(exec, 1, x));
    EXPECT_FALSE(plan.require(exec, 1, x));
    EXPECT_TRUE(tpetra::solve(exec, a, vb, vx).converged);
    EXPECT_TRUE(plan.require(exec, 1, x));
    constexpr double expected[] = {3, 12, 6, 4, 3, 12}; // the first and last are neighbours' cells
    ASSERT_ON_ALL_RANKS(x.view().extent(0) == 6);
    for (std::size_t l = 0; l < 6; ++l) EXPECT_NEAR(x.view()(l), expected[l], 1e-8);
    EXPECT_FALSE(plan.require(exec, 1, x));
    Kokkos::deep_copy(x.view(), 0);
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::solve(exec, a, vb, vx, {.tolerance = 1e-14, .max_iterations = 1}), SolverError,
        " after 1 iterations");
    EXPECT_TRUE(plan.require(exec, 1, x));
}

TEST(Solve, WrongUse) {
    Diagonal fine(4);
    const auto a = fine.matrix;
    const tpetra::MultiVector b(fine.map, fine.b), x(fine.map, fine.x);
    const tpetra::Map other(fine.comm, std::vector<std::int64_t>{100 + 3 * fine.comm.rank(),
                                                                 101 + 3 * fine.comm.rank(),
                                                                 102 + 3 * fine.comm.rank()});
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::solve(fine.exec, a, b, tpetra::MultiVector(other, fine.x)), UsageError,
        "tpetra::solve: expected x with the map of A, got a vector with another map");
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::solve(fine.exec, a, tpetra::MultiVector(other, fine.b), x), UsageError,
        "tpetra::solve: expected b with the map of A, got a vector with another map");
    for (const auto& same : {x, tpetra::MultiVector(fine.map, fine.x)})
        EXPECT_THROW_ON_ALL_RANKS(tpetra::solve(fine.exec, a, same, x), UsageError,
                                  "tpetra::solve: expected b and x in separate memory, got arrays "
                                  "that share memory");
    EXPECT_THROW_ON_ALL_RANKS(tpetra::solve(fine.exec, a, b, x, {.max_iterations = 0}), UsageError,
                              "tpetra::solve: expected a tolerance >= 0 and max_iterations >= 1");
    if (fine.comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            tpetra::solve(fine.exec, a, b, x, {.max_iterations = 5 + fine.comm.rank() % 2}),
            UsageError, "max_iterations");
    }
    const auto op = tpetra::make_operator<double*>(
        fine.exec, fine.map, [](const auto& exec, const auto& from, const auto& to) {
            Kokkos::deep_copy(exec, to.view(), from.view());
        });
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::solve(fine.exec, op, b, x, {.preconditioner = Preconditioner::amg}), UsageError,
        "tpetra::solve: expected a Matrix for the preconditioner amg, got an Operator");
    if (fine.comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            tpetra::solve(fine.exec, a, b, x, {.has_to_converge = fine.comm.rank() == 0}),
            UsageError, "has_to_converge");
        const double tolerance = fine.comm.rank() == 0 ? 0.1 : std::nextafter(0.1, 1.0);
        EXPECT_THROW_ON_ALL_RANKS(tpetra::solve(fine.exec, a, b, x, {.tolerance = tolerance}),
                                  UsageError, "0.10000000000000002");
    }
    EXPECT_THROW_ON_ALL_RANKS(
        op.with_diagonal(tpetra::MultiVector(other, fine.b)), UsageError,
        "tpetra::Operator::with_diagonal: expected a vector of 1 column with the operator's map, "
        "got columns: 1, map: another one");
}

} // namespace

} // namespace distview::testing
