// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time steps: a kept solver uses new values of the same entries.
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::testing {

namespace {

/// Adds `shift` to the diagonal.
void add_to_diagonal(MatrixRows& rows, double shift) {
    for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r)
        for (auto e = static_cast<std::size_t>(rows.offsets[r]);
             e < static_cast<std::size_t>(rows.offsets[r + 1]); ++e)
            if (rows.columns[e] == rows.numbering.row_of_cell(static_cast<std::int64_t>(r)))
                rows.values[e] += shift;
}

/// On the last rank one entry of a row lies elsewhere, after an entry that the matrix has: hypre itself ignores it.
MatrixRows with_moved_entry(MatrixRows rows) {
    const RowNumbering& numbering = rows.numbering;
    if (numbering.communicator().rank() != numbering.communicator().size() - 1) return rows;
    const std::int64_t first = numbering.first_row(), end = first + rows.local_rows();
    for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
        const auto begin = rows.columns.begin() + rows.offsets[static_cast<std::size_t>(r)];
        const auto behind = rows.columns.begin() + rows.offsets[static_cast<std::size_t>(r + 1)];
        if (behind - begin < 2 || *begin < first || *begin == first + r) continue;
        for (std::int64_t column = *begin + 1; column < end; ++column)
            if (!std::binary_search(begin, behind, column)) {
                *(behind - 1) = column;
                std::sort(begin, behind);
                return rows;
            }
    }
    ADD_FAILURE() << "no row has a neighbour on this rank";
    return rows;
}

} // namespace

TEST(HypreSetValues, SolversSetUpAnew) {
    const Communicator comm(MPI_COMM_WORLD);
    const hypre::Session session(comm);
    const System system(comm, {{8, 7, 9}, {Sides::walls, Sides::periodic, Sides::neumann}}, 7);
    MatrixRows rows = system.assembled();
    const hypre::Matrix a = hypre::ij_matrix(rows), copy = a;
    const auto b = system.make_scattered("b", 1), u = system.make("u"), v = system.make("v");
    const hypre::Vector vb = hypre::vector(system.rows, b), vu = hypre::vector(system.rows, u),
                        vv = hypre::vector(system.rows, v);
    for (const char* const preconditioner : {"none", "jacobi", "boomeramg"}) {
        const hypre::SolveOptions options{.preconditioner = preconditioner, .tolerance = 1e-12};
        int set_ups = 0;
        hypre::SolveOptions counting = options;
        counting.tune = [&](HYPRE_Solver) { ++set_ups; };
        hypre::Solver solver(comm, copy, counting);
        for (const double shift : {0., 2., 0.5}) {
            add_to_diagonal(rows, shift);
            if (shift != 0) hypre::set_values(a, rows);
            for (const auto& x : {u, v}) Kokkos::deep_copy(x.view(), 0);
            const auto kept = solver.solve(vb, vu);
            const auto once = hypre::solve(comm, hypre::ij_matrix(rows), vb, vv, options);
            EXPECT_EQ(kept.history, once.history) << preconditioner << ' ' << shift;
            EXPECT_EQ(difference(system, u, v), 0) << preconditioner << ' ' << shift;
        }
        EXPECT_EQ(set_ups, std::string(preconditioner) == "boomeramg" ? 3 : 0);
    }
    EXPECT_EQ(a.changes(), 6);

    // An entry outside the matrix, on the last rank alone; afterwards the matrix is usable again.
    const std::int64_t last = system.rows.rows() - 1;
    const auto with_more =
        assemble(system.rows, [&](MatrixRow& row, GlobalIndex i, GlobalIndex j, GlobalIndex k) {
            system.equations.add_row(row, i.value(), j.value(), k.value());
            if (row.number() == last) row.add(1, {-3, 2, -3});
        });
    const std::string refusal = "hypre::set_values: expected only entries that the matrix has, got";
    EXPECT_THROW_ON_ALL_RANKS(hypre::set_values(a, with_more), SolverError, refusal);
    EXPECT_THROW_ON_ALL_RANKS(hypre::set_values(a, with_moved_entry(rows)), SolverError, refusal);
    hypre::Solver solver(comm, a, {.preconditioner = "boomeramg"});
    hypre::set_values(a, rows);
    Kokkos::deep_copy(u.view(), 0);
    EXPECT_TRUE(solver.solve(vb, vu).converged);
    EXPECT_LE(difference(system, u, v), 1e-7);

    // Fewer entries: the others become zero, also on the diagonal.
    const auto nothing = [](MatrixRow&, GlobalIndex, GlobalIndex, GlobalIndex) {};
    const MatrixRows zeros = assemble(system.rows, nothing);
    EXPECT_EQ(hypre::ij_matrix(zeros).zero_on_diagonal(), system.rows.first_row());
    hypre::set_values(a, zeros);
    EXPECT_THROW_ON_ALL_RANKS(solver.solve(vb, vu), SolverError, "no zero on the diagonal");
    const System other(comm, various_equations()[0], 5);
    EXPECT_THROW_ON_ALL_RANKS(hypre::set_values(a, other.assembled()), UsageError,
                              "hypre::set_values: expected rows with the matrix's layout");
}

} // namespace distview::testing
