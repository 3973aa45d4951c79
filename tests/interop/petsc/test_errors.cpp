// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wrong use is one error, the same on all ranks.
#include "stencil_problem.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

namespace distview::testing {

namespace {

StencilProblem problem_of(const Communicator& comm, double shift = 1) {
    return {comm,
            ProcessGrid::balanced(comm.size(), 3),
            {7, 8, 6},
            {Side::zero, Side::zero, Side::zero},
            shift};
}

} // namespace

// The first test of the program: nothing has started PETSc yet.
TEST(PetscErrors, BeforeTheSession) {
    const Communicator comm(MPI_COMM_WORLD);
    EXPECT_FALSE(petsc::is_running());
    const StencilProblem problem = problem_of(comm);
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, problem.make("u")), UsageError,
                              "expected PETSc to be initialised");
    {
        const petsc::Session session(comm);
        EXPECT_TRUE(petsc::is_running());
        const petsc::Session within(comm); // leaves PETSc alone
    }
    EXPECT_FALSE(petsc::is_running());
}

// Objects may outlive PETSc, and arrays objects.
TEST(PetscErrors, AnyOrderOfDestruction) {
    const Communicator comm(MPI_COMM_WORLD);
    petsc::Vector late;
    {
        const petsc::Session session(comm);
        const StencilProblem problem = problem_of(comm);
        const Field u = problem.make("u");
        const petsc::Vector early = petsc::vector(problem.rows, u);
        late = petsc::vector(problem.rows, u);
    }
    EXPECT_FALSE(petsc::is_running());
}

TEST(PetscErrors, PaddedArray) {
    const Communicator& comm = comm_with_petsc();
    const StencilProblem problem = problem_of(comm);
    const auto padded = make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), comm, problem.layout, "u");
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, padded), ShapeError,
                              "petsc::vector: expected an array without padding");
    const auto left = make_dist_view<double***, Kokkos::LayoutLeft, Kokkos::HostSpace>(
        Exec(), comm, problem.rows.layout(), "v");
    EXPECT_THROW_ON_ALL_RANKS(petsc::vector(problem.rows, left), ShapeError,
                              "expected cells in C order");
}

TEST(PetscErrors, OtherNumbering) {
    const Communicator& comm = comm_with_petsc();
    const ProcessGrid grid{1, 1, comm.size()};
    StencilProblem problem(comm, grid, {7, 8, 12}, {Side::zero, Side::zero, Side::zero}, 1);
    const RowNumbering global(comm, problem.layout, RowOrder::global);
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(petsc::vector(global, problem.make("u")), UsageError,
                                  "RowOrder::by_rank");
    }
    // More rows than a PetscInt counts: nothing is allocated for them.
    if constexpr (sizeof(PetscInt) == 4) {
        const RowNumbering many(comm,
                                ArrayLayout(ProcessGrid{comm.size()}, {cyclic(3'000'000'000)}));
        EXPECT_THROW_ON_ALL_RANKS(petsc::index_set(many), UsageError,
                                  "expected at most 2147483647 rows");
    }
}

TEST(PetscErrors, OtherCommunicator) {
    const Communicator& comm = comm_with_petsc();
    const Communicator self(MPI_COMM_SELF);
    const StencilProblem alone(self, ProcessGrid{1, 1, 1}, {4, 4, 4},
                               {Side::zero, Side::zero, Side::zero}, 1);
    const petsc::Vector vector = petsc::vector(alone.rows, alone.make("u"));
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(petsc::layout_of(comm, vector.get()), UsageError,
                                  "expected an object of the communicator's");
        StencilProblem problem = problem_of(comm);
        const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
        EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, vector, vector), SolverError,
                                  "petsc::solve");
    }
}

TEST(PetscErrors, SolverDiverges) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm, 1e-6);
    const Field b = problem.make_random("b", 8), u = problem.make("u");
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const auto solve = [&](const petsc::SolveOptions& options) {
        return petsc::solve(comm, matrix, petsc::vector(problem.rows, b),
                            petsc::vector(problem.rows, u), options);
    };
    EXPECT_THROW_ON_ALL_RANKS(solve({.max_iterations = 3}), SolverError, "DIVERGED_ITS");
    EXPECT_FALSE(solve({.max_iterations = 3, .has_to_converge = false}).converged);
    EXPECT_THROW_ON_ALL_RANKS(solve({.method = "no such method"}), SolverError, "no such method");
    if (comm.size() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(solve({.max_iterations = 3 + comm.rank()}), UsageError,
                                  "max_iterations");
    }
}

TEST(PetscErrors, ZeroPivot) {
    const Communicator& comm = comm_with_petsc();
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size()}, {block(24)}));
    // A row without a coefficient but a zero on the diagonal, which elimination meets at once.
    const petsc::Matrix matrix =
        petsc::aij_matrix(assemble(rows, [](MatrixRow& row, GlobalIndex i) {
            row.add(i == 0 ? 0 : 2, {0});
            if (i > 1) row.add(-1, {-1});
            if (i > 0) row.add(-1, {1});
        }));
    const auto b = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), comm, rows.layout(), "b");
    const auto u = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), comm, rows.layout(), "u");
    fill(Exec(), b, 1);
    Exec().fence("the right side is there");
    EXPECT_THROW_ON_ALL_RANKS(petsc::solve(comm, matrix, petsc::vector(rows, b),
                                           petsc::vector(rows, u),
                                           {.method = "gmres", .preconditioner = "bjacobi"}),
                              SolverError,
                              "got DIVERGED_PC_FAILED, FACTOR_NUMERIC_ZEROPIVOT with a residual");
}

// What an operator throws passes PETSc as an error code, and arrives as it was.
TEST(PetscErrors, OperatorThrows) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const Field b = problem.make_random("b", 8), u = problem.make("u");
    const auto throwing = [](const Exec&, const auto&, const auto&) {
        throw ShapeError("no such operator");
    };
    EXPECT_THROW_ON_ALL_RANKS(
        petsc::solve(comm, petsc::shell_matrix<double***>(Exec(), problem.rows, throwing),
                     petsc::vector(problem.rows, b), petsc::vector(problem.rows, u)),
        ShapeError, "no such operator");
}

TEST(PetscErrors, PrintNothing) {
    const Communicator& comm = comm_with_petsc();
    StencilProblem problem = problem_of(comm);
    const petsc::Matrix matrix = petsc::aij_matrix(problem.assembled());
    const petsc::Vector b = petsc::vector(problem.rows, problem.make("b"));
    const petsc::Vector u = petsc::vector(problem.rows, problem.make("u"));
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    EXPECT_THROW(petsc::solve(comm, matrix, b, u, {.method = "no such method"}), SolverError);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

} // namespace distview::testing
