// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time steps: a kept solver uses new values of the same entries.
#include "flow_problem.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace distview::testing {

TEST(TpetraSetValues, SolversMakeTheirPreconditionerAnew) {
    using tpetra::Preconditioner;
    const FlowProblem problem(
        {{17, 13}, {Sides::walls, Sides::periodic}}, {rank_count(), 1},
        {block(17, {.padding = 1}), block(13, {.padding = 1, .periodic = true})});
    MatrixRows rows = problem.assembled();
    const tpetra::Matrix a(problem.map, rows);
    const Plane b = problem.make("b"), u = problem.make("u"), v = problem.make("v");
    problem.fill(b);
    const tpetra::MultiVector vb(problem.map, b), vu(problem.map, u), vv(problem.map, v);
    const auto expect_equal = [&](double tolerance) {
        problem.each(u, [&](std::size_t l, std::size_t m, std::int64_t, std::int64_t) {
            EXPECT_NEAR(u.view()(l, m), v.view()(l, m), tolerance);
        });
    };
    for (const Preconditioner each :
         {Preconditioner::none, Preconditioner::jacobi, Preconditioner::amg}) {
        if (!tpetra::has_preconditioner(each)) continue;
        const tpetra::SolveOptions options{.tolerance = 1e-12, .preconditioner = each};
        const tpetra::Solver solver(a, options);
        for (const double shift : {0., 2., 0.5}) {
            for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r)
                for (auto e = static_cast<std::size_t>(rows.offsets[r]);
                     e < static_cast<std::size_t>(rows.offsets[r + 1]); ++e)
                    if (rows.columns[e] == problem.rows.row_of_cell(static_cast<std::int64_t>(r)))
                        rows.values[e] += shift;
            tpetra::set_values(a, rows);
            for (const Plane& x : {u, v}) Kokkos::deep_copy(x.view(), 0);
            const auto kept = solver.solve(problem.exec, vb, vu);
            const auto once =
                tpetra::solve(problem.exec, tpetra::Matrix(problem.map, rows), vb, vv, options);
            EXPECT_NEAR(kept.iterations, once.iterations, 1) << static_cast<int>(each);
            EXPECT_NEAR(kept.history[1], once.history[1], 1e-9 * once.right_side);
            expect_equal(1e-9);
        }
    }

    // An entry outside the matrix, on the last rank alone; afterwards the matrix is usable again.
    const std::int64_t last = problem.rows.rows() - 1;
    const auto with_more = assemble(problem.rows, [&](MatrixRow& row, GlobalIndex, GlobalIndex) {
        row.add(1, {0, 0});
        if (row.number() == last) row.add(1, {-3, 2});
    });
    EXPECT_THROW_ON_ALL_RANKS(tpetra::set_values(a, with_more), SolverError,
                              "tpetra::set_values: expected only entries that the matrix has, got "
                              "1 outside the matrix in row");
    tpetra::set_values(a, rows);
    Kokkos::deep_copy(u.view(), 0);
    EXPECT_TRUE(tpetra::Solver(a, {.tolerance = 1e-12}).solve(problem.exec, vb, vu).converged);
    expect_equal(1e-9);

    // Fewer entries: the others become zero, also on the diagonal.
    const tpetra::Solver solver(a, {.preconditioner = Preconditioner::jacobi});
    tpetra::set_values(a, assemble(problem.rows, [](MatrixRow&, GlobalIndex, GlobalIndex) {}));
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(problem.exec, vb, vu), SolverError,
                              "tpetra::Solver::solve: expected a diagonal without zeros");
    const RowNumbering other(problem.comm,
                             ArrayLayout(ProcessGrid{rank_count()}, {block(4 * rank_count())}));
    EXPECT_THROW_ON_ALL_RANKS(
        tpetra::set_values(a,
                           assemble(other, [](MatrixRow& row, GlobalIndex) { row.add(1, {0}); })),
        UsageError, "tpetra::set_values: expected rows with the numbering of the map");
}

} // namespace distview::testing
