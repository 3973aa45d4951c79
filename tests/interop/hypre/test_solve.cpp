// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solutions by hypre against solutions by the library's own conjugate gradients, and all error cases.
#include "../other_communicators.hpp"
#include "equations.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview_testing/assertions.hpp>

#include <HYPRE_parcsr_ls.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace distview::testing {

namespace {

class HypreSolve : public ::testing::Test {
protected:
    Communicator comm{MPI_COMM_WORLD};
    hypre::Session session{comm};
    Equations walls{{8, 7, 9}, {Sides::walls, Sides::walls, Sides::walls}};
};

/// A right side that has a solution, and the solution by the library.
struct Known {
    explicit Known(const System& system, std::uint64_t seed)
        : b(system.make("b")), x(system.make("x")) {
        system.apply(system.make_scattered("w", seed), b);
        ConjugateGradient<System::Vector> solver(system.exec, system.comm, system.rows.layout(),
                                                 {.tolerance = 1e-13});
        result = solver.solve(system.exec, system.stencil, b, x);
    }
    System::Vector b, x;
    ConjugateGradientResult result;
};

template <class Matrix, class Vector>
void expect_known(const System& system, const Known& known, const Matrix& a, const Vector& b,
                  const Vector& x, const System::Vector& found, const char* preconditioner) {
    SCOPED_TRACE(preconditioner);
    Kokkos::deep_copy(found.view(), 0);
    const auto result = hypre::solve(system.comm, a, b, x,
                                     {.preconditioner = preconditioner,
                                      .tolerance = 1e-13,
                                      .constant_null_space = system.equations.is_singular()});
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.reason, "converged");
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
    EXPECT_EQ(result.residual, result.history.back());
    EXPECT_LE(result.residual, 1e-13 * result.right_side);
    EXPECT_NEAR(result.right_side, known.result.right_side, 1e-12 * result.right_side);
    EXPECT_NEAR(result.history[0], result.right_side, 1e-12 * result.right_side);
    EXPECT_LE(difference(system, known.x, found, system.equations.is_singular()), 1e-10);
    if (std::string(preconditioner) == "none") {
        EXPECT_NEAR(result.iterations, known.result.iterations, 2);
    }
}

TEST_F(HypreSolve, AgreesWithOwnConjugateGradients) {
    set_test_timeout(200);
    std::uint64_t seed = 10;
    for (const Equations& equations : various_equations()) {
        const System system(comm, equations, ++seed);
        SCOPED_TRACE(system.layout.describe());
        const Known known(system, seed);
        const auto found = system.make("found");
        const MatrixRows rows = system.assembled();
        const hypre::Matrix a = hypre::ij_matrix(rows);
        const hypre::Vector b = hypre::vector(system.rows, known.b);
        const hypre::Vector x = hypre::vector(system.rows, found);
        for (const char* preconditioner : {"none", "jacobi", "boomeramg"})
            expect_known(system, known, a, b, x, found, preconditioner);

        const hypre::StructGrid grid = hypre::struct_grid(system.rows);
        const hypre::StructMatrix as = hypre::struct_matrix(grid, rows);
        const hypre::StructVector bs = hypre::struct_vector(grid, known.b);
        const hypre::StructVector xs = hypre::struct_vector(grid, found);
        for (const char* preconditioner : {"none", "jacobi"})
            expect_known(system, known, as, bs, xs, found, preconditioner);
        // hypre's semicoarsening needs powers of two on periodic axes.
        if (std::ranges::none_of(equations.sides, [](Sides s) { return s == Sides::periodic; }))
            expect_known(system, known, as, bs, xs, found, "pfmg");
    }
}

TEST_F(HypreSolve, CopiesAsDocumented) {
    const System system(comm, walls, 3);
    const Known known(system, 3);
    const auto u = system.make("u");
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::Vector b = hypre::vector(system.rows, known.b), x = hypre::vector(system.rows, u);
    const std::int64_t before = bytes_copied_at_the_door();
    hypre::solve(comm, a, b, x);
    const std::int64_t copies = hypre::takes_memory() ? 0 : 3; // of b and x, and of x back
    EXPECT_EQ(bytes_copied_at_the_door(), before + 8 * copies * system.rows.local_rows());
    // Starting from the solution, hypre has only to detect it.
    EXPECT_LE(hypre::solve(comm, a, b, x).iterations, 1);
}

TEST_F(HypreSolve, TakesTheMeanOffWithANullSpace) {
    const System system(comm, various_equations()[2], 4);
    const Known known(system, 4);
    const auto shifted = system.make("shifted"), found = system.make("found");
    for (std::int64_t n = 0; n < system.rows.local_rows(); ++n)
        shifted.view().data()[n] = known.b.view().data()[n] + 0.5;
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::Vector b = hypre::vector(system.rows, shifted);
    const hypre::Vector x = hypre::vector(system.rows, found);
    hypre::SolveOptions options{
        .preconditioner = "jacobi", .tolerance = 1e-12, .max_iterations = 200};
    options.has_to_converge = false;
    EXPECT_FALSE(hypre::solve(comm, a, b, x, options).converged);
    Kokkos::deep_copy(found.view(), 0);
    options.constant_null_space = true;
    EXPECT_TRUE(hypre::solve(comm, a, b, x, options).converged);
    EXPECT_LE(difference(system, known.x, found, true), 1e-10);
    double sum = 0;
    for (std::int64_t n = 0; n < system.rows.local_rows(); ++n)
        sum += shifted.view().data()[n] - known.b.view().data()[n];
    EXPECT_NEAR(sum, 0.5 * static_cast<double>(system.rows.local_rows()), 1e-10); // as it was
}

TEST_F(HypreSolve, ZeroIsTheSolutionOfZero) {
    const System system(comm, walls, 5);
    const auto zero = system.make("zero"), u = system.make_scattered("u", 5);
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const auto result =
        hypre::solve(comm, a, hypre::vector(system.rows, zero), hypre::vector(system.rows, u));
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.right_side, 0);
    EXPECT_EQ(difference(system, zero, u), 0);
}

TEST_F(HypreSolve, NotToConvergeIsAnErrorOrTold) {
    const System system(comm, walls, 6);
    const Known known(system, 6);
    const auto u = system.make("u");
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::Vector b = hypre::vector(system.rows, known.b), x = hypre::vector(system.rows, u);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, b, x, {.max_iterations = 3}), SolverError,
                              "got max_iterations [Method did not converge] with a residual of ");
    EXPECT_EQ(HYPRE_GetError(), 0);
    Kokkos::deep_copy(u.view(), 0);
    const auto result =
        hypre::solve(comm, a, b, x, {.max_iterations = 3, .has_to_converge = false});
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.iterations, 3);
    EXPECT_EQ(result.history.size(), 4u);
    EXPECT_GT(result.residual, 0);

    const MatrixRows indefinite =
        assemble(system.rows, [](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            row.add((i.value() + j.value() + k.value()) % 2 ? -1.0 : -2.0, {0, 0, 0});
        });
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, hypre::ij_matrix(indefinite), b, x), SolverError,
                              "got breakdown [Method did not converge]");
}

// A step of the program's own that solves: the error keeps its class and hypre's code.
TEST_F(HypreSolve, ErrorsOfSolutionsWithinCheckedCalls) {
    const System system(comm, walls, 6);
    const auto b = system.make_scattered("b", 6), u = system.make("u");
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::Vector right = hypre::vector(system.rows, b), x = hypre::vector(system.rows, u);
    int code = 0;
    const auto step = [&] {
        try {
            hypre::checked(comm, "step", [&] {
                hypre::solve(comm, a, right, x, {.max_iterations = 3});
                return 0;
            });
        } catch (const SolverError& error) {
            code = error.code();
            throw;
        }
    };
    EXPECT_THROW_ON_ALL_RANKS(step(), SolverError, "got max_iterations [Method did not converge]");
    EXPECT_EQ(code, HYPRE_ERROR_CONV);
}

// If hypre works on the array itself, x would be b; the same program has to run with any hypre.
TEST_F(HypreSolve, RightSideAndSolutionAreTwoArrays) {
    const System system(comm, walls, 6);
    const auto u = system.make_scattered("u", 6);
    const MatrixRows rows = system.assembled();
    const hypre::Matrix a = hypre::ij_matrix(rows);
    const hypre::Vector x = hypre::vector(system.rows, u);
    const char* const words =
        "hypre::solve: expected b and x in separate memory, got arrays that share memory";
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, x, x), UsageError, words);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, hypre::vector(system.rows, u), x), UsageError,
                              words);
    const hypre::StructGrid grid = hypre::struct_grid(system.rows);
    const hypre::StructVector y = hypre::struct_vector(grid, u);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, hypre::struct_matrix(grid, rows), y, y),
                              UsageError, words);
}

TEST_F(HypreSolve, NumbersThatAreNoneAreErrorsWithoutAWordOnTheScreen) {
    const System system(comm, walls, 7);
    const auto b = system.make_scattered("b", 7), u = system.make("u");
    const hypre::Vector right = hypre::vector(system.rows, b), x = hypre::vector(system.rows, u);
    const MatrixRows zero_pivots =
        assemble(system.rows, [](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            const bool first = i == 0 && j == 0 && k == 0;
            row.add(first ? 0 : 1, {0, 0, 0});
        });
    const hypre::Matrix singular = hypre::ij_matrix(zero_pivots);
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto pivot = impl::run_statement<SolverError>(
        [&] { hypre::solve(comm, singular, right, x, {.preconditioner = "jacobi"}); });
    if (rank_count() == rank() + 1 && system.rows.local_rows() > 0)
        b.view().data()[0] = std::numeric_limits<double>::quiet_NaN();
    const auto nan = impl::run_statement<SolverError>([&] { hypre::solve(comm, a, right, x); });
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_TRUE(impl::judge_outcomes(
        pivot, "zero pivot", "SolverError",
        "hypre::solve: jacobi: expected no zero on the diagonal, got one in row 0"));
    b.view().data()[0] = 1;
    if (rank() == 0) u.view().data()[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, right, x), SolverError,
                              "hypre::solve: hypre reports: [Generic error]");
    u.view().data()[0] = 0;
    MatrixRows rows = system.assembled();
    if (rank() == 0) rows.values[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, hypre::ij_matrix(rows), right, x), SolverError,
                              "hypre::solve: hypre reports: [Generic error]");
    EXPECT_TRUE(impl::judge_outcomes(nan, "NaN", "SolverError",
                                     "hypre::solve: hypre reports: [Generic error]"));
    EXPECT_EQ(HYPRE_GetError(), 0);
}

// BoomerAMG would fail only on the rank that has the zero, and the others would wait.
TEST_F(HypreSolve, AZeroOnTheDiagonalOfOneRankIsAnErrorOnAll) {
    const System system(comm, walls, 7);
    const auto b = system.make_scattered("b", 7), u = system.make("u");
    const hypre::Vector right = hypre::vector(system.rows, b), x = hypre::vector(system.rows, u);
    MatrixRows rows = system.assembled();
    for (std::int64_t e = 0; rank() == rank_count() - 1 && e < rows.local_entries(); ++e)
        if (rows.columns[static_cast<std::size_t>(e)] == rows.numbering.row_of_cell(0))
            rows.values[static_cast<std::size_t>(e)] = 0;
    const bool is_anywhere =
        all_reduce(comm, ReduceOperation::max,
                   rank() == rank_count() - 1 && rows.local_rows() > 0 ? 1 : 0) > 0;
    const hypre::Matrix a = hypre::ij_matrix(rows);
    EXPECT_EQ(a.zero_on_diagonal() >= 0, is_anywhere && rank() == rank_count() - 1);
    if (!is_anywhere) return;
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, right, x, {.preconditioner = "boomeramg"}),
                              SolverError,
                              "boomeramg: expected no zero on the diagonal, got one in row ");
}

/// Solves with the rows that assembled(numbering) makes, by pfmg and by jacobi, which must agree.
template <class Value, class Assemble>
void solve_with_corners(const Communicator& comm, std::vector<AxisSpec> axes,
                        const Assemble& assembled) {
    std::vector<int> grid(axes.size(), 1);
    grid.front() = comm.size();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid(std::span<const int>(grid)), axes));
    const auto make = [&](const char* label) {
        return make_dist_view<Value, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), label, comm,
                                                                             rows.layout());
    };
    const auto b = make("b"), u = make("u"), v = make("v");
    fill(Exec(), b, 1);
    Exec().fence("the right side is there");
    const hypre::StructGrid cells = hypre::struct_grid(rows);
    const hypre::StructMatrix a = hypre::struct_matrix(cells, assembled(rows));
    EXPECT_TRUE(a.suits_pfmg());
    EXPECT_TRUE(a.has_corners());
    for (const auto& [x, name] : {std::pair(u, "pfmg"), std::pair(v, "jacobi")})
        EXPECT_TRUE(hypre::solve(comm, a, hypre::struct_vector(cells, b),
                                 hypre::struct_vector(cells, x),
                                 {.preconditioner = name, .tolerance = 1e-12})
                        .converged);
    for (std::int64_t n = 0; n < rows.local_rows(); ++n)
        EXPECT_NEAR(u.view().data()[n], v.view().data()[n], 1e-10);
}

// hypre's red-black relaxation has room for the entries of 7 cells, and aborts the program if there are more.
TEST_F(HypreSolve, PfmgTakesCorners) {
    solve_with_corners<double**>(comm, {block(9), block(9)}, [](const RowNumbering& rows) {
        return assemble(rows, [](MatrixRow& row, GlobalIndex, GlobalIndex) {
            for (const int i : {-1, 0, 1})
                for (const int j : {-1, 0, 1}) row.add(i == 0 && j == 0 ? 9 : -1, {i, j});
        });
    });
    for (const int most : {2, 3}) // axes along which an entry steps at once
        solve_with_corners<double***>(
            comm, {block(7), block(7), block(7)}, [&](const RowNumbering& rows) {
                return assemble(rows, [&](MatrixRow& row, GlobalIndex, GlobalIndex, GlobalIndex) {
                    for (const int i : {-1, 0, 1})
                        for (const int j : {-1, 0, 1})
                            for (const int k : {-1, 0, 1}) {
                                const int away = (i != 0) + (j != 0) + (k != 0);
                                if (away <= most) row.add(away == 0 ? 27 : -1, {i, j, k});
                            }
                });
            });
}

// With other stencils hypre aborts the program, or reads past its arrays.
TEST_F(HypreSolve, PfmgTakesWholeStencilsOnly) {
    const auto solve = [&](int axes, auto add_row) {
        std::vector<AxisSpec> specs(static_cast<std::size_t>(axes), block(8));
        std::vector<int> grid(static_cast<std::size_t>(axes), 1);
        grid[0] = comm.size();
        const RowNumbering rows(comm, ArrayLayout(ProcessGrid(std::span<const int>(grid)), specs));
        const auto solve_of = [&](const MatrixRows& matrix, const auto& b, const auto& u) {
            const hypre::StructGrid cells = hypre::struct_grid(rows);
            return hypre::solve(comm, hypre::struct_matrix(cells, matrix),
                                hypre::struct_vector(cells, b), hypre::struct_vector(cells, u),
                                {.preconditioner = "pfmg"});
        };
        const Exec exec;
        if (axes == 1) {
            const auto b = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
                exec, "b", comm, rows.layout());
            fill(exec, b, 1);
            solve_of(assemble(rows, [&](MatrixRow& row, GlobalIndex) { add_row(row); }), b,
                     make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
                         exec, "u", comm, rows.layout()));
        } else {
            const auto b = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
                exec, "b", comm, rows.layout());
            fill(exec, b, 1);
            solve_of(
                assemble(rows, [&](MatrixRow& row, GlobalIndex, GlobalIndex) { add_row(row); }), b,
                make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, "u", comm,
                                                                                 rows.layout()));
        }
    };
    const char* const refused = "pfmg: expected a matrix whose stencil has 5 or 9 entries";
    EXPECT_THROW_ON_ALL_RANKS(solve(1,
                                    [](MatrixRow& row) {
                                        row.add(3, {0});
                                        row.add(-1, {-1}), row.add(-1, {1});
                                    }),
                              UsageError, refused);
    EXPECT_THROW_ON_ALL_RANKS(solve(2, [](MatrixRow& row) { row.add(3, {0, 0}); }), UsageError,
                              refused);
    EXPECT_THROW_ON_ALL_RANKS(solve(2,
                                    [](MatrixRow& row) {
                                        row.add(5, {0, 0});
                                        for (const int s : {-1, 1})
                                            row.add(-1, {s, 0}), row.add(-1, {s, s});
                                    }),
                              UsageError, refused);
    solve(2, [](MatrixRow& row) {
        row.add(5, {0, 0});
        for (const int s : {-1, 1}) row.add(-1, {s, 0}), row.add(-1, {0, s});
    });
}

TEST_F(HypreSolve, WhatWasMovedAwayIsAnError) {
    const System system(comm, walls, 8);
    const auto u = system.make("u");
    hypre::Matrix a = hypre::ij_matrix(system.assembled());
    hypre::Vector x = hypre::vector(system.rows, u);
    const hypre::Matrix matrix = std::move(a);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, x, x), UsageError, "moved to another");
    const hypre::Vector vector = std::move(x);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, matrix, x, x), UsageError, "moved to another");
    RowNumbering numbering = system.rows;
    const RowNumbering moved = std::move(numbering);
    EXPECT_EQ(numbering.rows(), moved.rows());
    hypre::StructGrid grid = hypre::struct_grid(system.rows);
    const hypre::StructGrid moved_grid = std::move(grid);
    EXPECT_EQ(grid.get(), moved_grid.get());
}

TEST_F(HypreSolve, OfStructTheSameGoesWrong) {
    const System system(comm, walls, 7);
    const auto b = system.make_scattered("b", 7), u = system.make("u");
    const hypre::StructGrid grid = hypre::struct_grid(system.rows);
    const hypre::StructVector right = hypre::struct_vector(grid, b),
                              x = hypre::struct_vector(grid, u);
    const hypre::StructMatrix a = hypre::struct_matrix(grid, system.assembled());
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, right, x, {.max_iterations = 3}), SolverError,
                              "got max_iterations [Method did not converge] with a residual of ");
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, right, x, {.preconditioner = "boomeramg"}),
                              UsageError,
                              "expected a preconditioner none, jacobi or pfmg, got boomeramg");
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::solve(comm, a, right, x, {.max_iterations = -7}), UsageError,
        "expected a tolerance >= 0 and max_iterations >= 0, got 1e-10 and -7");
    const DistView<const double***, Kokkos::LayoutRight, Kokkos::HostSpace> fixed = u;
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, right, hypre::struct_vector(grid, fixed)),
                              UsageError, "expected a solution whose elements are not const");
    const MatrixRows zero_pivots =
        assemble(system.rows, [](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            row.add(i == 0 && j == 0 && k == 0 ? 0 : 1, {0, 0, 0});
        });
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, hypre::struct_matrix(grid, zero_pivots), right, x,
                                           {.preconditioner = "jacobi"}),
                              SolverError,
                              "hypre::solve: jacobi: expected no zero on the diagonal, got one in "
                              "row 0");
    if (rank() == rank_count() - 1) b.view().data()[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, right, x), SolverError,
                              "hypre::solve: hypre reports: [Generic error]");
    EXPECT_EQ(HYPRE_GetError(), 0);
}

TEST_F(HypreSolve, WrongArgumentsAreOneErrorOnAllRanks) {
    const System system(comm, walls, 8), other(comm, various_equations()[0], 8);
    const auto u = system.make("u"), v = other.make("v");
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::Vector x = hypre::vector(system.rows, u), y = hypre::vector(other.rows, v);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, y, x), UsageError,
                              "hypre::solve: expected vectors with the matrix's layout");
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, x, x, {.preconditioner = "ilu"}), UsageError,
                              "expected a preconditioner none, jacobi or boomeramg, got ilu");
    const DistView<const double***, Kokkos::LayoutRight, Kokkos::HostSpace> fixed = u;
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, x, hypre::vector(system.rows, fixed)),
                              UsageError, "expected a solution whose elements are not const");
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::solve(comm, a, x, x, {.max_iterations = -7}), UsageError,
        "expected a tolerance >= 0 and max_iterations >= 0, got 1e-10 and -7");
    if (rank_count() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, x, x, {.has_to_converge = rank() == 0}),
                              UsageError, "has_to_converge");
    for (const double tolerance : {1e-4, std::nextafter(1e-3, 1.0)})
        EXPECT_THROW_ON_ALL_RANKS(
            hypre::solve(comm, a, x, x, {.tolerance = rank() == 0 ? 1e-3 : tolerance}), UsageError,
            "tolerance");
    const Communicator alone(MPI_COMM_SELF);
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::solve(alone, a, x, x), UsageError,
        "expected a matrix over the communicator's 1 processes in the same order, got one over ");
    // Layouts and sizes are equal, but the ranks are in another order.
    const OtherRanks reverse(comm, 0, -rank());
    const System backwards(reverse.comm, walls, 8);
    const auto w = backwards.make("w");
    const hypre::Vector z = hypre::vector(backwards.rows, w);
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, z, x), UsageError,
                              "expected a right side over the communicator's");
    EXPECT_THROW_ON_ALL_RANKS(hypre::solve(comm, a, x, z), UsageError,
                              "expected a solution over the communicator's");
    EXPECT_THROW_ON_ALL_RANKS(hypre::vector(system.rows, w), ShapeError,
                              "without padding of process ");
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::struct_matrix(hypre::struct_grid(system.rows), backwards.assembled()), UsageError,
        "hypre::struct_matrix: expected rows of the grid's layout and communicator");
}

TEST_F(HypreSolve, TunesThePreconditioner) {
    const System system(comm, walls, 9);
    const Known known(system, 9);
    const auto u = system.make("u");
    const hypre::Matrix a = hypre::ij_matrix(system.assembled());
    const hypre::Vector b = hypre::vector(system.rows, known.b), x = hypre::vector(system.rows, u);
    hypre::SolveOptions options{.preconditioner = "boomeramg"};
    const int with_levels = hypre::solve(comm, a, b, x, options).iterations;
    // One level is a smoother.
    options.tune = [](HYPRE_Solver solver) {
        HYPRE_BoomerAMGSetMaxLevels(solver, 1);
        HYPRE_BoomerAMGSetCycleRelaxType(solver, 6, 3);
    };
    Kokkos::deep_copy(u.view(), 0);
    EXPECT_GT(hypre::solve(comm, a, b, x, options).iterations, with_levels);
}

} // namespace

} // namespace distview::testing
