// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convection and diffusion, which is not symmetric, by GMRES and BiCGSTAB.
#include "../../../interop/hypre/src/limits.hpp"
#include "equations.hpp"

#include <distview/algorithms/norm.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using hypre::KrylovMethod;

/// -laplace u + v . grad u by upwind differences.
MatrixRows convection(const RowNumbering& rows, double velocity) {
    return assemble(rows, [=](MatrixRow& row, GlobalIndex, GlobalIndex, GlobalIndex) {
        for (int d = 0; d < 3; ++d) {
            const double along = velocity * (d + 1);
            row.add(2 + along, {0, 0, 0});
            row.add(-1 - along, {-(d == 0), -(d == 1), -(d == 2)});
            row.add(-1, {d == 0, d == 1, d == 2});
        }
    });
}

/// The equations of one kind of sides, and a solution that is known.
struct Flow {
    Flow(const Communicator& comm, Sides sides)
        : system(comm, Equations{{8, 7, 9}, {sides, sides, sides}}, 5),
          rows(convection(system.rows, 4)), a(hypre::ij_matrix(rows)),
          known(system.make_scattered("known", 3)), b(system.make("b")), x(system.make("x")),
          right(hypre::vector(system.rows, b)), found(hypre::vector(system.rows, x)) {
        const hypre::Vector from = hypre::vector(system.rows, known);
        from.put();
        hypre::checked(comm, "multiply",
                       [&] { return HYPRE_ParCSRMatrixMatvec(1, a, from, 0, right); });
        right.fetch();
    }

    /// The norm of b - A x.
    double residual() const {
        const auto product = system.make("product");
        const hypre::Vector to = hypre::vector(system.rows, product);
        found.put(), right.put();
        hypre::checked(system.comm, "residual", [&] {
            HYPRE_ParVectorCopy(right, to);
            return HYPRE_ParCSRMatrixMatvec(-1, a, found, 1, to);
        });
        to.fetch();
        return norm2(system.exec, system.comm, product);
    }

    System system;
    MatrixRows rows;
    hypre::Matrix a;
    System::Vector known, b, x;
    hypre::Vector right, found;
};

class HypreKrylov : public ::testing::Test {
protected:
    Communicator comm{MPI_COMM_WORLD};
    hypre::Session session{comm};
};

constexpr KrylovMethod both[] = {KrylovMethod::gmres, KrylovMethod::bicgstab};

/// Checks the results of solutions, for either interface.
void expect_solved(const Flow& flow, const hypre::SolveResult& result, bool centered = false) {
    EXPECT_TRUE(result.converged) << result.reason;
    EXPECT_EQ(result.reason, "converged");
    EXPECT_GT(result.iterations, 0);
    ASSERT_ON_ALL_RANKS(result.history.size() == 2);
    EXPECT_GT(result.history.front(), result.history.back());
    EXPECT_EQ(result.residual, result.history.back());
    EXPECT_LE(result.residual, 1.01e-10 * result.right_side);
    EXPECT_NEAR(result.residual, flow.residual(),
                1e-3 * result.residual + 1e-13 * result.right_side);
    EXPECT_LE(difference(flow.system, flow.known, flow.x, centered), 1e-7);
}

TEST_F(HypreKrylov, SolvesWhatIsNotSymmetric) {
    const Flow flow(comm, Sides::walls);
    const hypre::StructGrid grid = hypre::struct_grid(flow.system.rows);
    const hypre::StructMatrix a = hypre::struct_matrix(grid, flow.rows);
    const hypre::StructVector right = hypre::struct_vector(grid, flow.b),
                              found = hypre::struct_vector(grid, flow.x);
    for (const KrylovMethod method : both) {
        for (const char* const name : {"none", "jacobi", "boomeramg"}) {
            SCOPED_TRACE(name);
            Kokkos::deep_copy(flow.x.view(), 0.5);
            expect_solved(flow, hypre::solve(comm, flow.a, flow.right, flow.found,
                                             {.method = method, .preconditioner = name}));
        }
        for (const char* const name : {"none", "jacobi", "pfmg"}) {
            SCOPED_TRACE(name);
            Kokkos::deep_copy(flow.x.view(), 0.5);
            expect_solved(flow, hypre::solve(comm, a, right, found,
                                             {.method = method, .preconditioner = name}));
        }
    }
    // Conjugate gradients do not converge.
    Kokkos::deep_copy(flow.x.view(), 0);
    EXPECT_FALSE(
        hypre::solve(comm, flow.a, flow.right, flow.found, {.has_to_converge = false}).converged);
}

// With periodic sides: columns sum up to zero, too.
TEST_F(HypreKrylov, ConstantNullSpaces) {
    const Flow flow(comm, Sides::periodic);
    for (const KrylovMethod method : both)
        for (const char* const name : {"none", "jacobi", "boomeramg"}) {
            SCOPED_TRACE(name);
            Kokkos::deep_copy(flow.x.view(), 0);
            expect_solved(
                flow,
                hypre::solve(
                    comm, flow.a, flow.right, flow.found,
                    {.method = method, .preconditioner = name, .constant_null_space = true}),
                true);
        }
}

TEST_F(HypreKrylov, ASolverGoesOn) {
    const Flow flow(comm, Sides::walls);
    for (const KrylovMethod method : both) {
        hypre::Solver solver(comm, flow.a, {.method = method, .preconditioner = "boomeramg"});
        for (int step = 0; step < 2; ++step) {
            Kokkos::deep_copy(flow.x.view(), 0);
            expect_solved(flow, solver.solve(flow.right, flow.found));
        }
        // Nothing is left to do.
        const auto again = solver.solve(flow.right, flow.found);
        EXPECT_TRUE(again.converged);
        EXPECT_EQ(again.iterations, 0);
        EXPECT_EQ(again.history.size(), 1u);
        // Zero is the solution of zero.
        const auto zero = flow.system.make("zero");
        const auto nothing = solver.solve(hypre::vector(flow.system.rows, zero), flow.found);
        EXPECT_TRUE(nothing.converged);
        EXPECT_EQ(nothing.iterations, 0);
        EXPECT_EQ(nothing.history, std::vector<double>{0});
        EXPECT_EQ(difference(flow.system, zero, flow.x), 0);
    }
}

TEST_F(HypreKrylov, WhatDoesNotConvergeAndWrongOptions) {
    const Flow flow(comm, Sides::walls);
    const auto solve = [&](const hypre::SolveOptions& options) {
        Kokkos::deep_copy(flow.x.view(), 0);
        return hypre::solve(comm, flow.a, flow.right, flow.found, options);
    };
    for (const KrylovMethod method : both) {
        EXPECT_THROW_ON_ALL_RANKS(solve({.method = method, .max_iterations = 2}), SolverError,
                                  "got max_iterations [Method did not converge] with a residual");
        const auto cut = solve({.method = method, .max_iterations = 2, .has_to_converge = false});
        EXPECT_FALSE(cut.converged);
        EXPECT_EQ(cut.iterations, 2);
        EXPECT_NEAR(cut.residual, flow.residual(), 1e-10 * cut.residual);
        const auto none = solve({.method = method, .max_iterations = 0, .has_to_converge = false});
        EXPECT_FALSE(none.converged);
        EXPECT_EQ(none.iterations, 0);
        EXPECT_NEAR(none.residual, none.right_side, 1e-10 * none.right_side);
    }
    const double kept = flow.b.view().data()[0];
    if (comm.rank() == comm.size() - 1)
        flow.b.view().data()[0] = std::numeric_limits<double>::quiet_NaN();
    for (const KrylovMethod method : both)
        EXPECT_THROW_ON_ALL_RANKS(solve({.method = method}), SolverError, "hypre::solve: ");
    flow.b.view().data()[0] = kept;
    EXPECT_GT(solve({.method = KrylovMethod::gmres, .restart = 2}).iterations,
              solve({.method = KrylovMethod::gmres}).iterations);
    EXPECT_THROW_ON_ALL_RANKS(solve({.method = KrylovMethod::gmres, .restart = 0}), UsageError,
                              "expected a restart after 1 iteration or more, got 0");
    if (comm.size() == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(
        solve({.method = comm.rank() == 0 ? KrylovMethod::gmres : KrylovMethod::pcg}), UsageError,
        "method is pcg on rank 1, gmres on rank 0");
    EXPECT_THROW_ON_ALL_RANKS(solve({.method = KrylovMethod::gmres, .restart = 5 + comm.rank()}),
                              UsageError, "restart is 6 on rank 1, 5 on rank 0");
}

TEST_F(HypreKrylov, RestartsWhoseVectorsAHypreIntDoesNotCountAreErrors) {
    const Flow flow(comm, Sides::walls);
    constexpr int most = std::numeric_limits<int>::max();
    // No restart follows max_iterations, so vectors beyond them need no memory.
    const auto solve = [&](int max_iterations, int restart) {
        Kokkos::deep_copy(flow.x.view(), 0);
        return hypre::solve(
            comm, flow.a, flow.right, flow.found,
            {.method = KrylovMethod::gmres, .max_iterations = max_iterations, .restart = restart});
    };
    EXPECT_EQ(solve(300, most).iterations, solve(300, 300).iterations);
    if constexpr (sizeof(HYPRE_Int) > 4) GTEST_SKIP() << "hypre counts with 64 bits";
    EXPECT_THROW_ON_ALL_RANKS(solve(most, most), UsageError,
                              "hypre::solve: gmres: expected a restart after at most ");
    const auto fits = [](int restart, std::int64_t rows) {
        try {
            hypre::impl::require_restart("test", restart, rows);
        } catch (const UsageError&) {
            return false;
        }
        return true;
    };
    EXPECT_TRUE(fits(most - 1, 0));
    EXPECT_FALSE(fits(most, 0)); // restart + 1 is counted, too
    EXPECT_FALSE(fits(most, 1));
    EXPECT_TRUE(fits(30, 69'273'666)); // 31 n = 2^31 - 2
    EXPECT_FALSE(fits(30, 69'273'667));
    EXPECT_FALSE(fits(1, most));
    // hypre allocates each Struct vector separately.
    const hypre::StructGrid grid = hypre::struct_grid(flow.system.rows);
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::solve(comm, hypre::struct_matrix(grid, flow.rows),
                     hypre::struct_vector(grid, flow.b), hypre::struct_vector(grid, flow.x),
                     {.method = KrylovMethod::gmres, .max_iterations = most, .restart = most}),
        UsageError, "expected a restart after at most 2147483646 iterations");
}

// A skew-symmetric matrix has r . A r = 0, exactly for whole numbers: bicgstab's first division is by zero.
TEST_F(HypreKrylov, ABreakdownIsNoFailureOfHypres) {
    const RowNumbering numbering(comm, {ProcessGrid{comm.size()}, {block(24)}});
    const MatrixRows rows = assemble(numbering, [](MatrixRow& row, GlobalIndex i) {
        const int step = i % 2 == 0 ? 1 : -1;
        row.add(0, {0});
        row.add(step, {step});
    });
    const auto make = [&](const char* label, double value) {
        const auto array =
            make_dist_view<double*, Kokkos::LayoutRight>(Exec(), label, comm, numbering.layout());
        Kokkos::deep_copy(array.view(), value);
        return array;
    };
    const auto check = [&](const auto& a, const auto& right, const auto& found, const auto& x) {
        const hypre::SolveOptions options{.method = KrylovMethod::bicgstab,
                                          .has_to_converge = false};
        hypre::Solver solver(comm, a, options);
        for (int turn = 0; turn < 2; ++turn) {
            Kokkos::deep_copy(x.view(), 0);
            const auto result = solver.solve(right, found);
            EXPECT_FALSE(result.converged);
            EXPECT_EQ(result.reason.substr(0, 10), "breakdown ") << result.reason;
            EXPECT_EQ(result.iterations, 1);
            EXPECT_EQ(result.right_side, std::sqrt(24.));
            EXPECT_EQ(result.residual, result.right_side);
            EXPECT_EQ(result.history, std::vector<double>(2, result.right_side));
        }
        EXPECT_THROW_ON_ALL_RANKS(
            hypre::solve(comm, a, right, found, {.method = KrylovMethod::bicgstab}), SolverError,
            "got breakdown [Method did not converge] with a residual of 4.89898 after 1 iter");
        // gmres does not divide by it.
        EXPECT_TRUE(hypre::solve(comm, a, right, found, {.method = KrylovMethod::gmres}).converged);
    };
    const auto b = make("b", 1), x = make("x", 0);
    check(hypre::ij_matrix(rows), hypre::vector(numbering, b), hypre::vector(numbering, x), x);
    const hypre::StructGrid grid = hypre::struct_grid(numbering);
    check(hypre::struct_matrix(grid, rows), hypre::struct_vector(grid, b),
          hypre::struct_vector(grid, x), x);
    // An overflow before or in the iteration is a failure.
    const MatrixRows steep =
        assemble(numbering, [](MatrixRow& row, GlobalIndex) { row.add(1e200, {0}); });
    for (const double large : {1e100, 1e200}) {
        Kokkos::deep_copy(x.view(), 0);
        Kokkos::deep_copy(b.view(), large);
        EXPECT_THROW_ON_ALL_RANKS(
            hypre::solve(comm, hypre::ij_matrix(steep), hypre::vector(numbering, b),
                         hypre::vector(numbering, x),
                         {.method = KrylovMethod::bicgstab, .has_to_converge = false}),
            SolverError, "hypre::solve: hypre reports: ");
    }
}

} // namespace

} // namespace distview::testing
