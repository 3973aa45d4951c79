// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembled matrices of hypre against the stencil from which they were assembled.
#include "../../../interop/hypre/src/limits.hpp"
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <HYPRE_parcsr_mv.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

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
        Exec(), "x", comm, rows.layout());
    for (std::int64_t n = 0; n < rows.local_rows(); ++n)
        x.view().data()[n] = static_cast<double>(1 + rows.row_of_cell(n));
    const auto y = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "y", comm, rows.layout());
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

// Rows with entries that no row of another rank has.
TEST_F(HypreMatrix, StructHasTheOffsetsOfAllRanks) {
    const std::int64_t n = 5 * rank_count();
    const RowNumbering rows(comm, {ProcessGrid{rank_count()}, {block(n)}});
    const MatrixRows matrix = assemble(rows, [n](MatrixRow& row, GlobalIndex i) {
        row.add(2, {0});
        if (i == 0) row.add(10, {1});
        if (i == n - 1) row.add(100, {-1});
    });
    const auto x = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "x", comm, rows.layout());
    const auto y = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "y", comm, rows.layout());
    for (std::int64_t r = 0; r < rows.local_rows(); ++r)
        x.view().data()[r] = static_cast<double>(rows.row_of_cell(r));
    const hypre::StructGrid grid = hypre::struct_grid(rows);
    const hypre::StructMatrix a = hypre::struct_matrix(grid, matrix);
    const hypre::StructVector from = hypre::struct_vector(grid, x),
                              to = hypre::struct_vector(grid, y);
    from.put();
    hypre::checked(comm, "multiply", [&] { return HYPRE_StructMatrixMatvec(1, a, from, 0, to); });
    to.fetch();
    for (std::int64_t r = 0; r < rows.local_rows(); ++r) {
        const std::int64_t i = rows.row_of_cell(r);
        const std::int64_t expected = 2 * i + (i == 0 ? 10 : 0) + (i == n - 1 ? 100 * (n - 2) : 0);
        EXPECT_EQ(y.view().data()[r], static_cast<double>(expected));
    }
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
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_matrix(hypre::struct_grid(rows), cut), UsageError,
                              "rows on this rank, got");
    MatrixRows beyond = assemble(rows, identity);
    if (rank() == 0) beyond.columns[0] = 20;
    EXPECT_THROW_ON_ALL_RANKS(hypre::ij_matrix(beyond), UsageError,
                              "hypre::ij_matrix: expected columns from 0 to 19");
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_matrix(hypre::struct_grid(rows), beyond), UsageError,
                              "hypre::struct_matrix: expected columns from 0 to 19");
}

// Nothing is allocated for cells before a vector or a matrix is made.
TEST_F(HypreMatrix, BoxesThatAHypreIntDoesNotCountAreErrors) {
    if constexpr (sizeof(HYPRE_Int) > 4) GTEST_SKIP() << "hypre counts with 64 bits";
    const auto fits = [](const std::vector<std::int64_t>& extents, std::int64_t entries) {
        try {
            hypre::impl::require_box("test", extents, entries);
        } catch (const UsageError& error) {
            EXPECT_NE(std::string(error.what()).find("test: expected at most 2147483647 numbers"),
                      std::string::npos)
                << error.what();
            return false;
        }
        return true;
    };
    EXPECT_TRUE(fits({2'147'483'645}, 1));
    EXPECT_FALSE(fits({2'147'483'646}, 1));
    EXPECT_TRUE(fits({306'783'376}, 7)); // 7 (n + 2) = 2^31 - 2
    EXPECT_FALSE(fits({306'783'377}, 7));
    EXPECT_TRUE(fits({672, 672, 672}, 7)); // 7 * 674^3 = 2.14e9
    EXPECT_FALSE(fits({673, 673, 673}, 7));
    // Thin boxes have many ghosts: 3 * 3 numbers a cell.
    EXPECT_TRUE(fits({1, 1, 34'087'040}, 7));
    EXPECT_FALSE(fits({1, 1, 34'087'041}, 7));
    EXPECT_FALSE(fits({2'147'483'647, 2'147'483'647, 2'147'483'647}, 27));
    EXPECT_TRUE(fits({2'147'483'647, 2'147'483'647, 0}, 27)); // no cells, no ghosts

    // On the last rank alone, with as many cells as a HYPRE_Int counts easily.
    std::vector<std::int64_t> bounds{0};
    for (int p = 1; p < rank_count(); ++p) bounds.push_back(p);
    bounds.push_back(300'000'000);
    const RowNumbering rows(
        comm, {ProcessGrid{1, 1, rank_count()}, {block(1), block(1), block_bounds(bounds)}});
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_grid(rows), UsageError,
                              "hypre::struct_grid: expected at most 2147483647 numbers on a rank");
}

// hypre would write beyond the ends of its vectors.
TEST_F(HypreMatrix, EntriesThatAreFarAwayAreErrors) {
    const RowNumbering rows(comm, {ProcessGrid{rank_count(), 1}, {block(20), block(9)}});
    const MatrixRows wide = assemble(rows, [](MatrixRow& row, GlobalIndex i, GlobalIndex j) {
        row.add(2, {0, 0});
        if (i == 19 && j == 2) row.add(1, {0, -2});
    });
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::struct_matrix(hypre::struct_grid(rows), wide), UsageError,
        "expected entries at most one cell away along each axis, because hypre's vectors have "
        "one layer of ghosts, got -2 along axis 1; ij_matrix() accepts any");
}

} // namespace

} // namespace distview::testing
