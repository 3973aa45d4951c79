// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of solutions: right sides of zeros, null spaces, methods without norms, solutions within solutions.
#include "stencil_problem.hpp"

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

StencilProblem problem_of(const Communicator& comm, double shift,
                          const std::vector<Side>& sides = {Side::zero, Side::periodic,
                                                            Side::no_flux}) {
    return {comm, ProcessGrid::balanced(comm.size(), 3), {9, 8, 7}, sides, shift};
}

/// The norm of b - A x.
double residual_of(const StencilProblem& problem, Mat a, const Field& b, const Field& x) {
    double norm = 0;
    const petsc::Vector product = petsc::vector(problem.rows, problem.make("A x"));
    petsc::checked(problem.comm, "residual", [&]() -> int {
        PetscCall(MatMult(a, petsc::vector(problem.rows, x), product));
        PetscCall(VecAXPY(product, -1, petsc::vector(problem.rows, b)));
        PetscCall(VecNorm(product, NORM_2, &norm));
        return PETSC_SUCCESS;
    });
    return norm;
}

/// An option of PETSc's command line while it exists.
class Option {
public:
    Option(const char* name, const char* value) : m_name(name) {
        (void)PetscOptionsSetValue(nullptr, name, value);
    }
    ~Option() { (void)PetscOptionsClearValue(nullptr, m_name); }
    Option(const Option&) = delete;
    Option& operator=(const Option&) = delete;

private:
    const char* m_name;
};

} // namespace

// For any initial x: a residual must not be compared with 0 times a tolerance.
TEST(PetscSolve, ZeroIsTheSolutionOfZero) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem walls = problem_of(comm, 0.1),
                         singular =
                             problem_of(comm, 0, {Side::periodic, Side::no_flux, Side::periodic});
    for (const StencilProblem* const problem : {&walls, &singular}) {
        const petsc::Matrix matrix = petsc::aij_matrix(problem->assembled());
        if (problem == &singular) petsc::set_constant_null_space(problem->rows, matrix);
        const Field b = problem->make("b");
        for (const char* const method : {"cg", "gmres", "bcgs", "cgs", "preonly"}) {
            const Field u = problem->make_random("u", 3);
            const auto result = petsc::solve(
                comm, matrix, petsc::vector(problem->rows, b), petsc::vector(problem->rows, u),
                {.method = method, .preconditioner = "jacobi", .tolerance = 1e-6});
            EXPECT_TRUE(result.converged) << method;
            EXPECT_EQ(result.right_side, 0) << method;
            EXPECT_EQ(result.residual, 0) << method;
            EXPECT_EQ(norm_inf(Exec(), comm, u), 0) << method;
            if (std::string(method) == "preonly") continue;
            EXPECT_EQ(result.iterations, 0) << method;
            EXPECT_EQ(result.history, std::vector<double>{0}) << method;
            EXPECT_NE(result.reason.find("CONVERGED"), std::string::npos) << result.reason;
        }
    }
    // A Solver goes on with other right sides.
    const petsc::Matrix matrix = petsc::aij_matrix(walls.assembled());
    petsc::Solver solver(comm, matrix, {.preconditioner = "jacobi"});
    for (const bool is_zero : {false, true, false}) {
        const Field b = is_zero ? walls.make("b") : walls.make_random("b", 4),
                    u = walls.make_random("u", 3);
        const auto result =
            solver.solve(petsc::vector(walls.rows, b), petsc::vector(walls.rows, u));
        EXPECT_EQ(result.iterations == 0, is_zero);
        EXPECT_LE(residual_of(walls, matrix, b, u), 1.01e-10 * result.right_side);
    }
}

// PETSc measures convergence by the right side without its part in the null space, however large that part is.
TEST(PetscSolve, FarStartsOfSingularEquations) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem =
        problem_of(comm, 0, {Side::periodic, Side::no_flux, Side::periodic});
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    petsc::set_constant_null_space(problem.rows, matrix);
    const Field centered = problem.make_random("centered", 3), b = problem.make("b"),
                u = problem.make("u"), random = problem.make_random("start", 5);
    const double mean = sum(Exec(), comm, centered) / static_cast<double>(centered.size());
    const auto values = centered.view(), shifted = b.view();
    for_each(Exec(), b, [=](int i, int j, int k) {
        values(i, j, k) -= mean;
        shifted(i, j, k) = values(i, j, k) + 1e6;
    });
    axpby(Exec(), 0x1p30, random, 0, u);
    Exec().fence("right side and start are there");
    const double size = norm2(Exec(), comm, centered);
    const auto result =
        petsc::solve(comm, matrix, petsc::vector(problem.rows, b), petsc::vector(problem.rows, u),
                     {.preconditioner = "jacobi", .tolerance = 1e-5});
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_NEAR(result.right_side, size, 1e-6 * size);
    EXPECT_LE(residual_of(problem, matrix, centered, u), 1e-3 * size);
    EXPECT_NEAR(norm_inf(Exec(), comm, b), 1e6, 2); // as it was
}

// Methods without norms report none; the residual is still the residual of the solution.
TEST(PetscSolve, MethodsWithoutNorms) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm, 0.1);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const Field b = problem.make_random("b", 17);
    const auto check = [&](const petsc::SolveOptions& options) {
        const Field u = problem.make("u");
        const auto result = petsc::solve(comm, matrix, petsc::vector(problem.rows, b),
                                         petsc::vector(problem.rows, u), options);
        const double residual = residual_of(problem, matrix, b, u);
        EXPECT_GT(residual, 1e-3 * result.right_side) << options.method;
        EXPECT_NEAR(result.residual, residual, 1e-12 * residual) << options.method;
        EXPECT_TRUE(result.history.empty()) << options.method;
    };
    check({.method = "preonly", .preconditioner = "jacobi"});
    const auto entries_of_zero = [&] {
        const Field zero = problem.make("zero");
        return petsc::solve(comm, matrix, petsc::vector(problem.rows, zero),
                            petsc::vector(problem.rows, problem.make("u")))
            .history.size();
    };
    EXPECT_EQ(entries_of_zero(), 1u);
    const Option no_norms("-ksp_norm_type", "none");
    check({.max_iterations = 3, .has_to_converge = false});
    EXPECT_EQ(entries_of_zero(), 0u);
}

// The prefix of their options separates several solvers of a program.
TEST(PetscSolve, OptionsWithAPrefix) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm, 0.1);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const Field b = problem.make_random("b", 17);
    const auto solve = [&](const petsc::SolveOptions& options) {
        return petsc::solve(comm, matrix, petsc::vector(problem.rows, b),
                            petsc::vector(problem.rows, problem.make("u")), options);
    };
    const auto side_of = [&](const petsc::SolveOptions& options) {
        const petsc::Solver solver(comm, matrix, options);
        PCSide side = PC_SIDE_DEFAULT;
        petsc::checked(comm, "side", [&]() -> int {
            PetscCall(KSPGetPCSide(solver, &side));
            return PETSC_SUCCESS;
        });
        return side;
    };
    const int usual = solve({}).iterations;
    ASSERT_ON_ALL_RANKS(usual > 2);
    {
        const Option few("-flow_ksp_max_it", "2"), left("-flow_ksp_pc_side", "left");
        EXPECT_EQ(solve({}).iterations, usual);
        EXPECT_EQ(solve({.prefix = "heat_"}).iterations, usual);
        EXPECT_EQ(solve({.has_to_converge = false, .prefix = "flow_"}).iterations, 2);
        EXPECT_EQ(side_of({.method = "gmres"}), PC_RIGHT);
        EXPECT_EQ(side_of({.method = "gmres", .prefix = "flow_"}), PC_LEFT);
    }
    const Option few("-ksp_max_it", "2"), no_norms("-ksp_norm_type", "none");
    const auto result = solve({.prefix = "flow_"}); // the options above have no prefix
    EXPECT_EQ(result.iterations, usual);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(usual) + 1);
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(solve({.prefix = comm.rank() == 0 ? "flow_" : "heat_"}),
                                  UsageError, "prefix is");
    }
    EXPECT_THROW_ON_ALL_RANKS(solve({.prefix = "-flow_"}), SolverError, "hyphen");
}

// An operator that solves equations itself, such as a Schur complement, and fails.
TEST(PetscSolve, SolutionsWithinSolutions) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm, 0.1);
    const petsc::Matrix inner = petsc::aij_matrix(problem.assembled());
    const Field b = problem.make_random("b", 17), u = problem.make("u");
    petsc::SolveOptions options{.max_iterations = 1};
    const petsc::Matrix outer = petsc::shell_matrix<double***>(
        Exec(), problem.rows, [&](const Exec&, const auto& from, const auto& to) {
            Kokkos::deep_copy(to.view(), 0);
            petsc::solve(comm, inner, petsc::vector(problem.rows, from),
                         petsc::vector(problem.rows, to), options);
        });
    const petsc::Vector right = petsc::vector(problem.rows, b), x = petsc::vector(problem.rows, u);
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, outer, right, x), SolverError, "DIVERGED_ITS");
    options = {.tolerance = 1e-13};
    Kokkos::deep_copy(u.view(), 0);
    EXPECT_TRUE(petsc::solve(comm, outer, right, x, {.tolerance = 1e-6}).converged);

    // The code arrives, too: 0 if a solution does not converge, PETSc's own if a call fails.
    const auto code_of = [&](const petsc::SolveOptions& wrong) {
        try {
            petsc::checked(comm, "step", [&]() -> int {
                petsc::solve(comm, inner, right, x, wrong);
                return PETSC_SUCCESS;
            });
        } catch (const SolverError& error) {
            return error.code();
        } catch (const Error&) {
            return -1;
        }
        return -2;
    };
    EXPECT_EQ(code_of({.tolerance = 1e-15, .max_iterations = 1}), 0);
    EXPECT_EQ(code_of({.method = "no such method"}), PETSC_ERR_ARG_UNKNOWN_TYPE);
}

} // namespace distview::testing
