// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix-free and assembled operators on random vectors, all sides; solutions against our own iteration.
#include "stencil_problem.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace distview::testing {

namespace {

const std::vector<Side> all_sides{Side::zero, Side::periodic, Side::no_flux};

double greatest(const Communicator& comm, const Field& field) {
    return norm_inf(Exec(), comm, field);
}

double difference(const Communicator& comm, const Field& a, const Field& b) {
    axpby(Exec(), 1, a, -1, b); // b = a - b
    return greatest(comm, b);
}

} // namespace

TEST(PetscOperators, ShellAndMatrixAgreeOnRandomVectors) {
    const Communicator& comm = comm_with_petsc();
    std::uint64_t seed = 1;
    for (const Side x : all_sides)
        for (const Side y : all_sides)
            for (const Side z : all_sides) {
                const std::vector<std::int64_t> n = {7 + comm.size() % 2, 8, 6};
                const ProcessGrid grid = ProcessGrid::balanced(comm.size(), 3);
                StencilProblem problem(comm, grid, n, {x, y, z}, 0.5);
                const Field u = problem.make_random("u", ++seed);
                const Field free = problem.make("matrix-free"),
                            assembled = problem.make("assembled");
                const petsc::Matrix shell =
                    petsc::shell_matrix<double***>(Exec(), problem.rows, problem.stencil());
                const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
                const petsc::Vector from = petsc::vector(problem.rows, u);
                const petsc::Vector to_free = petsc::vector(problem.rows, free);
                const petsc::Vector to_assembled = petsc::vector(problem.rows, assembled);
                petsc::checked(comm, "multiply", [&]() -> int {
                    PetscCall(MatMult(shell, from, to_free));
                    PetscCall(MatMult(matrix, from, to_assembled));
                    return PETSC_SUCCESS;
                });
                const double size = greatest(comm, free);
                EXPECT_GT(size, 0.1);
                EXPECT_LE(difference(comm, free, assembled), 1e-14 * size);
            }
}

// One or two cells along a periodic axis: neighbours on both sides are one cell, or the cell itself.
TEST(PetscOperators, ShortPeriodicAxes) {
    const Communicator& comm = comm_with_petsc();
    for (const std::int64_t thin : {1, 2}) {
        const ProcessGrid grid{1, comm.size(), 1};
        StencilProblem problem(comm, grid, {thin, 12, thin},
                               {Side::periodic, Side::periodic, Side::periodic}, 1);
        const Field u = problem.make_random("u", 5), free = problem.make("free"),
                    assembled = problem.make("made");
        const petsc::Matrix shell =
            petsc::shell_matrix<double***>(Exec(), problem.rows, problem.stencil());
        const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
        petsc::checked(comm, "multiply", [&]() -> int {
            PetscCall(
                MatMult(shell, petsc::vector(problem.rows, u), petsc::vector(problem.rows, free)));
            PetscCall(MatMult(matrix, petsc::vector(problem.rows, u),
                              petsc::vector(problem.rows, assembled)));
            return PETSC_SUCCESS;
        });
        EXPECT_LE(difference(comm, free, assembled), 1e-14);
    }
}

TEST(PetscOperators, SolutionsAreThoseOfOurOwnIteration) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {11, 9, 10},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.01);
    const Field b = problem.make_random("b", 17), u = problem.make("u"),
                diagonal = problem.make("diagonal");
    auto padded = make_solver_arrays<double***>(Exec(), "own", comm, problem.layout);
    Kokkos::deep_copy(Exec(), padded.unpadded.view(), b.view());
    padded.pad(Exec());
    ConjugateGradient<Field> own(Exec(), comm, problem.layout, {.tolerance = 1e-12});
    const auto x = make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "x", comm, problem.layout);
    EXPECT_TRUE(own.solve(Exec(), problem.stencil(), padded.padded, x).converged());
    Kokkos::deep_copy(Exec(), padded.padded.view(), x.view());
    padded.unpad(Exec());
    Exec().fence("our own solution is there");
    const double size = greatest(comm, padded.unpadded);

    const MatrixRows rows = problem.assembled();
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.local_rows()); ++row)
        for (auto k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k)
            if (rows.columns[static_cast<std::size_t>(k)] ==
                problem.rows.row_of_cell(static_cast<std::int64_t>(row)))
                diagonal.view().data()[row] = rows.values[static_cast<std::size_t>(k)];
    const petsc::Matrix matrix = petsc::aij_matrix(rows);
    const petsc::Matrix shell =
        petsc::shell_matrix<double***>(Exec(), problem.rows, problem.stencil(), diagonal);
    for (const Mat a : {matrix.get(), shell.get()})
        for (const char* const preconditioner : {"none", "jacobi", "gamg"}) {
            if (a == shell.get() && std::string(preconditioner) == "gamg") continue;
            Kokkos::deep_copy(Exec(), u.view(), 0);
            const auto result = petsc::solve(
                comm, a, petsc::vector(problem.rows, b), petsc::vector(problem.rows, u),
                {.preconditioner = preconditioner, .tolerance = 1e-12});
            EXPECT_TRUE(result.converged) << preconditioner;
            EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
            const Field again = problem.make("again");
            Kokkos::deep_copy(Exec(), again.view(), u.view());
            EXPECT_LE(difference(comm, padded.unpadded, again), 1e-10 * size) << preconditioner;
            if (std::string(preconditioner) != "jacobi") continue;
            // The solver starts from an initial solution.
            EXPECT_EQ(petsc::solve(comm, a, petsc::vector(problem.rows, b),
                                   petsc::vector(problem.rows, u),
                                   {.preconditioner = preconditioner, .tolerance = 1e-9})
                          .iterations,
                      0);
        }
}

// The tolerance is relative to the right side, however small that is.
TEST(PetscOperators, SmallRightSides) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.1);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const Field b = problem.make_random("b", 17), small = problem.make("small");
    axpby(Exec(), 0x1p-60, b, 0, small);
    Exec().fence("the small right side is there");
    const auto iterations = [&](const Field& right_side) {
        return petsc::solve(comm, matrix, petsc::vector(problem.rows, right_side),
                            petsc::vector(problem.rows, problem.make("u")))
            .iterations;
    };
    EXPECT_EQ(iterations(small), iterations(b));
}

// PETSc itself refuses tolerances of 1 and more.
TEST(PetscOperators, LargeTolerances) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.1);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const Field b = problem.make_random("b", 17), u = problem.make("u");
    for (const double tolerance : {1.0, 2.5}) {
        const petsc::SolveResult found =
            petsc::solve(comm, matrix, petsc::vector(problem.rows, b),
                         petsc::vector(problem.rows, u), {.tolerance = tolerance});
        EXPECT_TRUE(found.converged) << tolerance;
        EXPECT_LE(found.iterations, 1) << tolerance;
    }
}

// An initial residual above 1e5 times the right side is not divergence.
TEST(PetscOperators, StartsFarFromTheSolution) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.1);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const Field b = problem.make_random("b", 17), u = problem.make("u"), v = problem.make("v");
    for (const char* const method : {"cg", "gmres", "bcgs"}) {
        Kokkos::deep_copy(Exec(), u.view(), 0x1p40);
        Kokkos::deep_copy(Exec(), v.view(), 0);
        Exec().fence("both starts are there");
        for (const Field& x : {u, v})
            petsc::solve(comm, matrix, petsc::vector(problem.rows, b),
                         petsc::vector(problem.rows, x),
                         {.method = method, .preconditioner = "jacobi", .tolerance = 1e-5});
        EXPECT_LE(difference(comm, v, u), 1e-2) << method;
    }
}

// Rows of different units: a small preconditioned residual proves nothing.
TEST(PetscOperators, StopsByTheResidualItself) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size(), 1}, {block(20), block(24)}));
    const auto make = [&](const char* label) {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), label, comm,
                                                                                rows.layout());
    };
    const auto scale = [](GlobalIndex i) { return i < 10 ? 1e3 : 1.; };
    const petsc::Matrix matrix =
        petsc::aij_matrix(assemble(rows, [&](MatrixRow& row, GlobalIndex i, GlobalIndex) {
            row.add(6 * scale(i), {0, 0});
            for (const int step : {-1, 1})
                row.add(-1.2 * scale(i), {step, 0}), row.add(-0.8 * scale(i), {0, step});
        }));
    const auto b = make("b"), u = make("u"), r = make("r");
    fill_with(Exec(), b, [](GlobalIndex i, GlobalIndex) { return i < 10 ? 0. : 1.; });
    Exec().fence("the right side is there");
    for (const char* const method : {"gmres", "fgmres", "lgmres", "bcgs", "bicg"}) {
        for (const double start : {0., 1.}) {
            fill(Exec(), u, start);
            Exec().fence("the start is there");
            const auto result =
                petsc::solve(comm, matrix, petsc::vector(rows, b), petsc::vector(rows, u),
                             {.method = method, .preconditioner = "jacobi", .tolerance = 1e-6});
            double norm = 0;
            petsc::checked(comm, "residual", [&]() -> int {
                const petsc::Vector residual = petsc::vector(rows, r);
                PetscCall(MatMult(matrix, petsc::vector(rows, u), residual));
                PetscCall(VecAXPY(residual, -1, petsc::vector(rows, b)));
                PetscCall(VecNorm(residual, NORM_2, &norm));
                return PETSC_SUCCESS;
            });
            EXPECT_LE(norm, 1.01e-6 * result.right_side) << method << " from " << start;
            EXPECT_NEAR(norm, result.residual, 1e-2 * norm) << method << " from " << start;
        }
    }
    // gcr reports convergence after the maximum number of iterations.
    fill(Exec(), u, 0.);
    Exec().fence("the start is there");
    const auto result =
        petsc::solve(comm, matrix, petsc::vector(rows, b), petsc::vector(rows, u),
                     {.method = "gcr", .max_iterations = 2, .has_to_converge = false});
    EXPECT_FALSE(result.converged) << result.reason;
}

// Time steps: other values of the same entries.
TEST(PetscOperators, ValuesOfAMatrixAreSet) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(
        comm, ArrayLayout(ProcessGrid{comm.size(), 1}, {block(11), block(7, {.periodic = true})}));
    const auto assembled = [&](double c, bool wide = false) {
        return assemble(rows, [&](MatrixRow& row, GlobalIndex i, GlobalIndex) {
            row.add(1 + 4 * c, {0, 0});
            for (const int step : {-1, 1}) row.add(-c, {step, 0}), row.add(-c, {0, step});
            if (wide && i == 0) row.add(1, {7, 0});
        });
    };
    const petsc::Matrix matrix = petsc::aij_matrix(assembled(1)),
                        other = petsc::aij_matrix(assembled(2));
    const auto are_equal = [&] {
        PetscBool equal = PETSC_FALSE;
        petsc::checked(comm, "compare", [&]() -> int {
            PetscCall(MatEqual(matrix, other, &equal));
            return PETSC_SUCCESS;
        });
        return equal == PETSC_TRUE;
    };
    EXPECT_FALSE(are_equal());
    petsc::set_values(matrix, assembled(2));
    EXPECT_TRUE(are_equal());
    // On rank 0 alone.
    EXPECT_THROW_ON_ALL_RANKS(petsc::set_values(matrix, assembled(2, true)), SolverError,
                              "new nonzero");
    petsc::set_values(matrix, assembled(2));
    EXPECT_TRUE(are_equal());
    EXPECT_THROW_ON_ALL_RANKS(petsc::set_values(nullptr, assembled(2)), UsageError, "got none");
}

// A kept solver uses new values of its matrix.
TEST(PetscOperators, SolverIsKept) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.1);
    MatrixRows rows = problem.assembled();
    const petsc::Matrix matrix = petsc::aij_matrix(rows);
    const Field b = problem.make_random("b", 17), u = problem.make("u"), v = problem.make("v");
    petsc::Solver solver(comm, matrix, {.preconditioner = "gamg", .tolerance = 1e-12});
    for (const double factor : {1., 1., 3.}) {
        for (double& value : rows.values) value *= factor;
        petsc::set_values(matrix, rows);
        for (const Field& x : {u, v}) Kokkos::deep_copy(Exec(), x.view(), 0);
        const auto kept =
            solver.solve(petsc::vector(problem.rows, b), petsc::vector(problem.rows, u));
        const auto once = petsc::solve(
            comm, petsc::aij_matrix(rows), petsc::vector(problem.rows, b),
            petsc::vector(problem.rows, v), {.preconditioner = "gamg", .tolerance = 1e-12});
        EXPECT_EQ(kept.iterations, once.iterations);
        EXPECT_EQ(kept.history.size(), once.history.size());
        EXPECT_LE(difference(comm, v, u), 1e-11);
    }
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(nullptr, petsc::vector(problem.rows, u)), UsageError,
                              "got none");
    EXPECT_THROW_ON_ALL_RANKS(petsc::Solver(comm, matrix, {.method = "no such method"}),
                              SolverError, "no such method");
}

// A solver whose operator threw halfway cannot be used again, but its vectors can.
TEST(PetscOperators, SolversWhoseOperatorThrows) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.1);
    int products = 0, good_ones = 0;
    const auto coefficient = [](std::int64_t cell) { return static_cast<double>(1 + cell % 7); };
    const auto op = [&](const Exec&, const auto& from, const auto& to) {
        if (++products > good_ones) throw ShapeError("no such operator");
        for (std::int64_t n = 0; n < problem.rows.local_rows(); ++n)
            to.view().data()[n] = coefficient(n) * from.view().data()[n];
    };
    const petsc::Matrix matrix = petsc::shell_matrix<double***>(Exec(), problem.rows, op);
    const Field b = problem.make_random("b", 17), u = problem.make("u");
    const petsc::Vector right = petsc::vector(problem.rows, b), x = petsc::vector(problem.rows, u);
    const auto start_with = [&](double value, int good) {
        fill(Exec(), u, value);
        Exec().fence("the start is there");
        products = 0, good_ones = good;
    };
    for (const int good : {0, 1, 3}) {
        petsc::Solver solver(comm, matrix);
        start_with(0x1p40, good);
        EXPECT_THROW_ON_ALL_RANKS(solver.solve(right, x), ShapeError, "no such operator");
        start_with(0, 1 << 20);
        EXPECT_THROW_ON_ALL_RANKS(solver.solve(right, x), UsageError, "make another Solver");
    }
    // A solution that did not converge has ended.
    petsc::Solver solver(comm, matrix, {.tolerance = 1e-8, .max_iterations = 2});
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(right, x), SolverError, "DIVERGED_ITS");
    petsc::checked(comm, "iterations", [&]() -> int {
        PetscCall(KSPSetTolerances(solver, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 100));
        return PETSC_SUCCESS;
    });
    EXPECT_TRUE(solver.solve(right, x).converged);
    for (std::int64_t n = 0; n < problem.rows.local_rows(); ++n)
        EXPECT_NEAR(u.view().data()[n], b.view().data()[n] / coefficient(n), 1e-6);
}

// PETSc keeps norms of a Vec, and does not detect writes to its array.
TEST(PetscOperators, VectorsAreKeptWhileArraysChange) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::zero, Side::periodic, Side::no_flux}, 0.1);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const Field large = problem.make_random("large", 17), b = problem.make("b"),
                u = problem.make("u"), expected = problem.make("expected");
    const petsc::Vector kept_b = petsc::vector(problem.rows, b),
                        kept_u = petsc::vector(problem.rows, u);
    const auto solve = [&](double factor) {
        axpby(Exec(), factor, large, 0, b);
        Exec().fence("the right side is there");
        return petsc::solve(comm, matrix, kept_b, kept_u);
    };
    const auto first = solve(1);
    Kokkos::deep_copy(Exec(), expected.view(), u.view());
    Kokkos::deep_copy(Exec(), u.view(), 0);
    const auto second = solve(0x1p-60);
    EXPECT_EQ(second.iterations, first.iterations);
    EXPECT_NEAR(second.right_side * 0x1p60, first.right_side, 1e-12 * first.right_side);

    // Also if PETSc remembers a norm of zero for the solution.
    petsc::checked(comm, "set to zero", [&]() -> int {
        PetscCall(VecSet(kept_u, 0));
        return PETSC_SUCCESS;
    });
    Kokkos::deep_copy(Exec(), u.view(), large.view());
    const double size = greatest(comm, expected);
    EXPECT_TRUE(solve(1).converged);
    EXPECT_LE(difference(comm, u, expected), 1e-6 * size);

    double norm = 0;
    const auto measure = [&]() -> int {
        PetscCall(VecNorm(kept_u, NORM_INFINITY, &norm));
        return PETSC_SUCCESS;
    };
    petsc::checked(comm, "measure", measure);
    Kokkos::deep_copy(Exec(), u.view(), 8 * size);
    Exec().fence("the array is written");
    petsc::mark_written(kept_u);
    petsc::checked(comm, "measure again", measure);
    EXPECT_EQ(norm, 8 * size);
    EXPECT_THROW(petsc::mark_written(nullptr), UsageError);
}

// On a rank without cells the array may be null: the matrix has a diagonal all the same.
TEST(PetscOperators, DiagonalOfARankWithoutCells) {
    const Communicator& comm = comm_with_petsc();
    std::vector<std::int64_t> bounds{0};
    for (int p = 1; p <= comm.size(); ++p)
        bounds.push_back(p == comm.size() && p > 1 ? bounds.back() : 4 * p);
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block_bounds(bounds)}));
    using Line = DistView<double*, Kokkos::LayoutRight, Kokkos::HostSpace>;
    std::vector<double> twos(static_cast<std::size_t>(rows.local_rows()), 2),
        solution(twos.size(), 0);
    const auto wrapped = [&](std::vector<double>& values) {
        return Line(rows.layout(), comm.rank(), Line::view_type(values.data(), values.size()));
    };
    const auto doubled = [](const Exec& exec, const auto& x, const auto& y) {
        const auto from = x.view(); // elements of x are const, elements of y are not
        const auto to = y.view();
        for_each(exec, y, [=](int i) { to(i) = 2 * from(i); });
    };
    const petsc::Matrix matrix = petsc::shell_matrix<double*>(Exec(), rows, doubled, wrapped(twos));
    const auto result =
        petsc::solve(comm, matrix, petsc::vector(rows, wrapped(twos)),
                     petsc::vector(rows, wrapped(solution)), {.preconditioner = "jacobi"});
    EXPECT_TRUE(result.converged) << result.reason;
    for (const double each : solution) EXPECT_NEAR(each, 1, 1e-12);
    const petsc::Matrix without = petsc::shell_matrix<double*>(Exec(), rows, doubled);
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, without, petsc::vector(rows, wrapped(twos)),
                     petsc::vector(rows, wrapped(solution)), {.preconditioner = "jacobi"}),
        SolverError, "jacobi: expected a matrix that gives its diagonal, got one that does not");
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            petsc::shell_matrix<double*>(Exec(), rows, doubled,
                                         comm.rank() == 0 ? wrapped(twos) : Line()),
            UsageError, "diagonal");
    }
}

// Without walls: solutions up to a constant.
TEST(PetscOperators, SingularEquationsWithTheirNullSpace) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem(comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7},
                           {Side::periodic, Side::no_flux, Side::periodic}, 0);
    const Field b = problem.make_random("b", 3), u = problem.make("u"), au = problem.make("A u");
    const double mean = sum(Exec(), comm, b) / static_cast<double>(b.size());
    const auto values = b.view();
    for_each(Exec(), b, [=](int i, int j, int k) { values(i, j, k) -= mean; });
    Exec().fence("the right side sums up to zero");
    const petsc::Matrix shell =
        petsc::shell_matrix<double***>(Exec(), problem.rows, problem.stencil());
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    for (const Mat a : {shell.get(), matrix.get()}) {
        petsc::set_constant_null_space(problem.rows, a);
        MatNullSpace of_columns = nullptr, of_rows = nullptr;
        petsc::checked(comm, "null spaces", [&]() -> int {
            PetscCall(MatGetNullSpace(a, &of_columns));
            PetscCall(MatGetTransposeNullSpace(a, &of_rows));
            return PETSC_SUCCESS;
        });
        EXPECT_NE(of_columns, nullptr);
        EXPECT_NE(of_rows, nullptr); // solve() makes right sides solvable
        Kokkos::deep_copy(Exec(), u.view(), 0);
        petsc::solve(comm, a, petsc::vector(problem.rows, b), petsc::vector(problem.rows, u),
                     {.preconditioner = a == shell.get() ? "none" : "gamg"});
        petsc::checked(comm, "residual", [&]() -> int {
            PetscCall(MatMult(a, petsc::vector(problem.rows, u), petsc::vector(problem.rows, au)));
            return PETSC_SUCCESS;
        });
        EXPECT_LE(difference(comm, b, au), 1e-8);
    }
}

} // namespace distview::testing
