// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembled matrices of hypre against the stencil that they were assembled of.
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <HYPRE_parcsr_mv.h>
#include <gtest/gtest.h>

namespace distview::testing {

namespace {

class HypreMatrix : public ::testing::Test {
protected:
    Communicator comm{MPI_COMM_WORLD};
    hypre::Session session{comm};
};

/// Calls check(system, x, y, z): y = A x by the stencil, and z of zeros.
template <class Check>
void for_each_system(const Communicator& comm, const Check& check) {
    std::uint64_t seed = 1;
    for (const Equations& equations : various_equations())
        for (int layouts = 0; layouts < 3; ++layouts) {
            const System system(comm, equations, ++seed);
            const auto x = system.make_scattered("x", seed);
            const auto y = system.make("y");
            system.apply(x, y);
            check(system, x, y, system.make("z"));
        }
}

TEST_F(HypreMatrix, MultipliesAsTheStencil) {
    for_each_system(comm, [&](const System& system, const auto& x, const auto& y, const auto& z) {
        const MatrixRows rows = system.assembled();
        const std::int64_t before = bytes_copied_at_the_door();
        const hypre::Matrix a = hypre::ij_matrix(rows);
        EXPECT_EQ(bytes_copied_at_the_door(), before); // vectors alone are counted
        const hypre::Vector from = hypre::vector(system.rows, x),
                            to = hypre::vector(system.rows, z);
        from.put();
        hypre::checked(comm, "multiply",
                       [&] { return HYPRE_ParCSRMatrixMatvec(1, a, from, 0, to); });
        to.fetch();
        EXPECT_LE(difference(system, y, z), 1e-14 * 16);
    });
}

TEST_F(HypreMatrix, StructMultipliesAsTheStencil) {
    for_each_system(comm, [&](const System& system, const auto& x, const auto& y, const auto& z) {
        const hypre::StructGrid grid = hypre::struct_grid(system.rows);
        const std::int64_t before = bytes_copied_at_the_door();
        const hypre::StructMatrix a = hypre::struct_matrix(grid, system.assembled());
        EXPECT_EQ(bytes_copied_at_the_door(), before);
        const hypre::StructVector from = hypre::struct_vector(grid, x),
                                  to = hypre::struct_vector(grid, z);
        from.put();
        hypre::checked(comm, "multiply",
                       [&] { return HYPRE_StructMatrixMatvec(1, a, from, 0, to); });
        to.fetch();
        EXPECT_LE(difference(system, y, z), 1e-14 * 16);
    });
}

TEST_F(HypreMatrix, RanksMayHaveNoRows) {
    const ArrayLayout layout(ProcessGrid{rank_count()}, {block(2)}); // ranks from 2 on have none
    const RowNumbering rows(comm, layout);
    const MatrixRows matrix = assemble(rows, [](MatrixRow& row, GlobalIndex i) {
        row.add(2 + static_cast<double>(i.value()), {0});
        row.add(-1, {-1}), row.add(-1, {1});
    });
    const auto x = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), comm, rows.layout(), "x");
    for (std::int64_t n = 0; n < rows.local_rows(); ++n)
        x.view().data()[n] = static_cast<double>(1 + rows.row_of_cell(n));
    const auto y = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), comm, rows.layout(), "y");
    const hypre::Matrix a = hypre::ij_matrix(matrix);
    const hypre::Vector from = hypre::vector(rows, x), to = hypre::vector(rows, y);
    from.put();
    hypre::checked(comm, "multiply", [&] { return HYPRE_ParCSRMatrixMatvec(1, a, from, 0, to); });
    to.fetch();
    for (std::int64_t n = 0; n < rows.local_rows(); ++n)
        EXPECT_EQ(y.view().data()[n], rows.row_of_cell(n) == 0 ? 0 : 5);
    const auto found = hypre::solve(comm, a, to, from);
    EXPECT_TRUE(found.converged);
}

TEST_F(HypreMatrix, RowsOfAnotherLayoutAreErrors) {
    const RowNumbering rows(comm, {ProcessGrid{rank_count()}, {block(20)}});
    const RowNumbering others(comm, {ProcessGrid{rank_count()}, {block(21)}});
    const auto identity = [](MatrixRow& row, GlobalIndex) { row.add(1, {0}); };
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::struct_matrix(hypre::struct_grid(rows), assemble(others, identity)), UsageError,
        "hypre::struct_matrix: expected rows of the grid's layout");
    MatrixRows cut = assemble(rows, identity);
    if (rank() == 0) cut.offsets.pop_back();
    EXPECT_THROW_ON_ALL_RANKS(hypre::ij_matrix(cut), UsageError, "rows on this rank, got");
}

TEST_F(HypreMatrix, StencilsOfTooManyOffsetsAreErrors) {
    const RowNumbering rows(comm, {ProcessGrid{rank_count()}, {block(130)}});
    const MatrixRows full = assemble(rows, [](MatrixRow& row, GlobalIndex) {
        for (std::int64_t step = -130; step <= 130; ++step) row.add(1, {step});
    });
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_matrix(hypre::struct_grid(rows), full), UsageError,
                              "expected at most 125 offsets of entries, got more");
}

} // namespace

} // namespace distview::testing
