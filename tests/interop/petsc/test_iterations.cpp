// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The component's matrix and its number of iterations equal those of a program that calls PETSc directly.
#include "../cube_equations.hpp"
#include "stencil_problem.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace distview::testing {

namespace {

/// The equations by PETSc's calls alone.
struct Plain {
    Mat a = nullptr;
    Vec b = nullptr, u = nullptr;
    KSP solver = nullptr;
    PetscInt iterations = 0;
    double residual = 0;

    int make(const CubeEquations& equations, PetscInt mine) {
        const auto all = static_cast<PetscInt>(equations.n * equations.n * equations.n);
        PetscInt begin = 0, end = 0;
        PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, mine, mine, all, all, 7, nullptr, 7, nullptr, &a));
        PetscCall(MatGetOwnershipRange(a, &begin, &end));
        PetscCall(MatCreateVecs(a, &u, &b));
        for (PetscInt row = begin; row < end; ++row) {
            const CubeEquations::Row entries = equations.row(row);
            const std::vector<PetscInt> columns(entries.columns.begin(), entries.columns.end());
            PetscCall(MatSetValues(a, 1, &row, static_cast<PetscInt>(columns.size()),
                                   columns.data(), entries.values.data(), INSERT_VALUES));
            PetscCall(VecSetValue(b, row, equations.right_side(row), INSERT_VALUES));
        }
        PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
        PetscCall(VecAssemblyBegin(b));
        PetscCall(VecAssemblyEnd(b));
        return PETSC_SUCCESS;
    }
    int solve(const char* preconditioner) {
        PC pc = nullptr;
        PetscCall(VecSet(u, 0));
        PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
        PetscCall(KSPSetOperators(solver, a, a));
        PetscCall(KSPSetType(solver, KSPCG));
        PetscCall(KSPSetNormType(solver, KSP_NORM_UNPRECONDITIONED));
        PetscCall(KSPSetTolerances(solver, 1e-8, 0, PETSC_DEFAULT, 1000));
        PetscCall(KSPGetPC(solver, &pc));
        PetscCall(PCSetType(pc, preconditioner));
        PetscCall(KSPSolve(solver, b, u));
        PetscCall(KSPGetIterationNumber(solver, &iterations));
        PetscCall(KSPGetResidualNorm(solver, &residual));
        PetscCall(KSPDestroy(&solver));
        return PETSC_SUCCESS;
    }
    int destroy() {
        PetscCall(MatDestroy(&a));
        PetscCall(VecDestroy(&b));
        PetscCall(VecDestroy(&u));
        return PETSC_SUCCESS;
    }
};

} // namespace

TEST(PetscIterations, AreThoseOfPetscsOwnCalls) {
    set_test_timeout(290);
    const Communicator& comm = comm_with_petsc();
    for_each_cube([&](const CubeEquations& equations) {
        const CubeArrays arrays(comm, equations);
        const petsc::Matrix a = petsc::aij_matrix(equations.assembled(arrays.rows));
        Plain plain;
        PetscBool is_same = PETSC_FALSE;
        petsc::checked(comm, "plain", [&]() -> int {
            PetscCall(PetscErrorCode(
                plain.make(equations, static_cast<PetscInt>(arrays.rows.local_rows()))));
            PetscCall(MatEqual(a, plain.a, &is_same));
            return PETSC_SUCCESS;
        });
        EXPECT_TRUE(is_same);
        for (const char* const preconditioner : {"jacobi", "gamg", "hypre"}) {
            SCOPED_TRACE(preconditioner);
            if (preconditioner == std::string("jacobi") && equations.n > 64) continue; // minutes
            Kokkos::deep_copy(arrays.u.view(), 0);
            const auto ours = petsc::solve(comm, a, petsc::vector(arrays.rows, arrays.b),
                                           petsc::vector(arrays.rows, arrays.u),
                                           {.preconditioner = preconditioner, .tolerance = 1e-8});
            petsc::checked(comm, "plain", [&] { return plain.solve(preconditioner); });
            EXPECT_EQ(ours.iterations, plain.iterations);
            EXPECT_NEAR(ours.residual, plain.residual, 1e-9 * ours.right_side);
            tell_iterations(comm, equations, preconditioner, ours.iterations,
                            static_cast<int>(plain.iterations));
        }
        petsc::checked(comm, "plain", [&] { return plain.destroy(); });
    });
}

} // namespace distview::testing
