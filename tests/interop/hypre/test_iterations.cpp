// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The component needs as many iterations as a program that calls hypre directly.
#include "../cube_equations.hpp"

#include <distview/hypre.hpp>
#include <distview_testing/assertions.hpp>

#include <HYPRE_parcsr_ls.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

/// Iterations of hypre's conjugate gradients by hypre's calls alone.
int plain_iterations(const CubeEquations& equations, HYPRE_BigInt begin, HYPRE_BigInt end,
                     bool with_multigrid) {
    const HYPRE_BigInt last = end - 1;
    HYPRE_IJMatrix matrix = nullptr;
    HYPRE_IJVector vectors[2] = {};
    HYPRE_ParCSRMatrix a = nullptr;
    HYPRE_ParVector b = nullptr, u = nullptr;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, begin, last, begin, last, &matrix);
    HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
    // Sizes, as hypre's manual advises: without them the same entries lie in another order within rows, and BoomerAMG
    // breaks ties of coarsening and interpolation differently, which changes the count by an iteration.
    std::vector<HYPRE_Int> own, others;
    for (HYPRE_BigInt row = begin; row < end; ++row) {
        const CubeEquations::Row entries = equations.row(row);
        own.push_back(
            static_cast<HYPRE_Int>(std::ranges::count_if(entries.columns, [&](std::int64_t column) {
                return column >= begin && column < end;
            })));
        others.push_back(static_cast<HYPRE_Int>(entries.columns.size()) - own.back());
    }
    HYPRE_IJMatrixSetDiagOffdSizes(matrix, own.data(), others.data());
    HYPRE_IJMatrixInitialize(matrix);
    for (HYPRE_IJVector& vector : vectors) {
        HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin, last, &vector);
        HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
        HYPRE_IJVectorInitialize(vector);
    }
    for (HYPRE_BigInt row = begin; row < end; ++row) {
        const CubeEquations::Row entries = equations.row(row);
        const std::vector<HYPRE_BigInt> columns(entries.columns.begin(), entries.columns.end());
        auto count = static_cast<HYPRE_Int>(columns.size());
        const double value = equations.right_side(row), zero = 0;
        HYPRE_IJMatrixSetValues(matrix, 1, &count, &row, columns.data(), entries.values.data());
        HYPRE_IJVectorSetValues(vectors[0], 1, &row, &value);
        HYPRE_IJVectorSetValues(vectors[1], 1, &row, &zero);
    }
    HYPRE_IJMatrixAssemble(matrix);
    HYPRE_IJMatrixGetObject(matrix, reinterpret_cast<void**>(&a));
    for (HYPRE_IJVector vector : vectors) HYPRE_IJVectorAssemble(vector);
    HYPRE_IJVectorGetObject(vectors[0], reinterpret_cast<void**>(&b));
    HYPRE_IJVectorGetObject(vectors[1], reinterpret_cast<void**>(&u));

    HYPRE_Solver gradients = nullptr, multigrid = nullptr;
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &gradients);
    HYPRE_PCGSetTol(gradients, 1e-8);
    HYPRE_PCGSetMaxIter(gradients, 1000);
    HYPRE_PCGSetTwoNorm(gradients, 1);
    if (with_multigrid) {
        HYPRE_BoomerAMGCreate(&multigrid);
        HYPRE_BoomerAMGSetTol(multigrid, 0);
        HYPRE_BoomerAMGSetMaxIter(multigrid, 1);
        HYPRE_BoomerAMGSetPrintLevel(multigrid, 0);
        HYPRE_ParCSRPCGSetPrecond(gradients, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, multigrid);
    } else {
        HYPRE_ParCSRPCGSetPrecond(gradients, HYPRE_ParCSRDiagScale, HYPRE_ParCSRDiagScaleSetup,
                                  nullptr);
    }
    HYPRE_Int iterations = 0;
    HYPRE_ParCSRPCGSetup(gradients, a, b, u);
    HYPRE_ParCSRPCGSolve(gradients, a, b, u);
    HYPRE_PCGGetNumIterations(gradients, &iterations);
    HYPRE_ParCSRPCGDestroy(gradients);
    if (multigrid) HYPRE_BoomerAMGDestroy(multigrid);
    HYPRE_IJMatrixDestroy(matrix);
    for (HYPRE_IJVector vector : vectors) HYPRE_IJVectorDestroy(vector);
    return static_cast<int>(iterations);
}

TEST(HypreIterations, AreThoseOfHypresOwnCalls) {
    set_test_timeout(290);
    const Communicator comm(MPI_COMM_WORLD);
    const hypre::Session session(comm);
    for_each_cube([&](const CubeEquations& equations) {
        const CubeArrays arrays(comm, equations);
        const hypre::Matrix a = hypre::ij_matrix(equations.assembled(arrays.rows));
        const auto first = static_cast<HYPRE_BigInt>(arrays.rows.first_row());
        for (const char* const preconditioner : {"jacobi", "boomeramg"}) {
            SCOPED_TRACE(preconditioner);
            if (preconditioner == std::string("jacobi") && equations.n > 64) continue; // minutes
            Kokkos::deep_copy(arrays.u.view(), 0);
            const auto ours = hypre::solve(comm, a, hypre::vector(arrays.rows, arrays.b),
                                           hypre::vector(arrays.rows, arrays.u),
                                           {.preconditioner = preconditioner, .tolerance = 1e-8});
            const int theirs = plain_iterations(
                equations, first, first + static_cast<HYPRE_BigInt>(arrays.rows.local_rows()),
                std::string(preconditioner) == "boomeramg");
            EXPECT_EQ(ours.iterations, theirs);
            EXPECT_GT(theirs, 1);
            tell_iterations(comm, equations, preconditioner, ours.iterations, theirs);
        }
    });
}

} // namespace

} // namespace distview::testing
