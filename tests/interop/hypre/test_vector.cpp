// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of hypre beside arrays: values, copied bytes, and arrays that cannot be vectors.
#include "equations.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace distview::testing {

namespace {

class HypreVector : public ::testing::Test {
protected:
    Communicator comm{MPI_COMM_WORLD};
    hypre::Session session{comm};
};

/// Blocks of any sizes, empty ones too.
ArrayLayout any_blocks(Random& random, int axes) {
    const auto extents = random_process_grid(random, rank_count(), axes);
    const ProcessGrid grid{std::span<const int>(extents)};
    std::vector<AxisSpec> specs;
    for (int d = 0; d < axes; ++d)
        specs.push_back(block_bounds(random_bounds(random, random.integer(1, 12), grid.extent(d))));
    return {grid, specs};
}

template <class View>
void number(const View& array, const RowNumbering& rows) {
    for (std::int64_t n = 0; n < rows.local_rows(); ++n)
        array.view().data()[n] = static_cast<double>(rows.row_of_cell(n));
}

template <class View>
bool is_numbered(const View& array, const RowNumbering& rows, double factor) {
    bool same = true;
    for (std::int64_t n = 0; n < rows.local_rows(); ++n)
        same = same && array.view().data()[n] == factor * static_cast<double>(rows.row_of_cell(n));
    return same;
}

TEST_F(HypreVector, HasTheCellsInTheOrderOfRows) {
    for_each_case(20, [&](Random& random, std::uint64_t) {
        const RowNumbering rows(comm, any_blocks(random, 2));
        const auto u = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), "u", comm, rows.layout());
        number(u, rows);
        const std::int64_t before = bytes_copied_at_the_door();
        const hypre::Vector x = hypre::vector(rows, u);
        EXPECT_EQ(bytes_copied_at_the_door(), before);
        x.put();
        const std::int64_t a_copy = hypre::takes_memory() ? 0 : 8 * rows.local_rows();
        EXPECT_EQ(bytes_copied_at_the_door(), before + a_copy);

        double square = 0;
        hypre::checked(comm, "scale", [&] {
            HYPRE_ParVectorScale(3, x);
            return HYPRE_ParVectorInnerProd(x, x, &square);
        });
        const auto n = static_cast<double>(rows.rows());
        EXPECT_EQ(square, 9 * (n - 1) * n * (2 * n - 1) / 6);
        x.fetch();
        EXPECT_EQ(bytes_copied_at_the_door(), before + 2 * a_copy);
        EXPECT_TRUE(is_numbered(u, rows, 3));
    });
}

TEST_F(HypreVector, StructHasTheCellsWhereTheyAre) {
    for_each_case(20, [&](Random& random, std::uint64_t) {
        const RowNumbering rows(comm, any_blocks(random, 3));
        const auto u = make_dist_view<double***, Kokkos::LayoutRight, Kokkos::HostSpace>(
            Exec(), "u", comm, rows.layout());
        fill_with(Exec(), u, Scattered{1});
        Exec().fence("distview::testing: scattered");
        const hypre::StructGrid grid = hypre::struct_grid(rows);
        const std::int64_t before = bytes_copied_at_the_door();
        const hypre::StructVector x = hypre::struct_vector(grid, u);
        x.put();
        EXPECT_EQ(bytes_copied_at_the_door(), before + 8 * rows.local_rows());
        bool same = true;
        hypre::checked(comm, "compare", [&] {
            for (std::int64_t n = 0; n < rows.local_rows(); ++n) {
                const auto cell = rows.index(rows.row_of_cell(n));
                HYPRE_Int at[3];
                for (std::size_t d = 0; d < 3; ++d)
                    at[2 - d] = static_cast<HYPRE_Int>(cell[d].value());
                double found = 0;
                HYPRE_StructVectorGetValues(x, at, &found);
                same = same && found == Scattered{1}(cell[0], cell[1], cell[2]);
                found *= 2;
                HYPRE_StructVectorSetValues(x, at, found);
            }
            return HYPRE_GetError();
        });
        EXPECT_TRUE(same);
        x.fetch();
        EXPECT_EQ(bytes_copied_at_the_door(), before + 16 * rows.local_rows());
        for (std::int64_t n = 0; n < rows.local_rows(); ++n) {
            const auto cell = rows.index(rows.row_of_cell(n));
            EXPECT_EQ(u.view().data()[n], 2 * Scattered{1}(cell[0], cell[1], cell[2]));
        }
    });
}

TEST_F(HypreVector, KeepsTheMemory) {
    const RowNumbering rows(comm, {ProcessGrid{rank_count()}, {block(20)}});
    auto u = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "u", comm,
                                                                             rows.layout());
    number(u, rows);
    const std::weak_ptr<const void> memory = u.owner();
    std::optional<hypre::Vector> x(hypre::vector(rows, u));
    std::optional<hypre::StructVector> y(hypre::struct_vector(hypre::struct_grid(rows), u));
    u = {};
    EXPECT_FALSE(memory.expired());
    x->put();
    y->put();
    double square = 0;
    hypre::checked(comm, "square", [&] { return HYPRE_ParVectorInnerProd(*x, *x, &square); });
    EXPECT_EQ(square, 19.0 * 20 * 39 / 6);
    x.reset();
    EXPECT_FALSE(memory.expired());
    y.reset();
    EXPECT_TRUE(memory.expired());
}

TEST_F(HypreVector, WhatWasMovedHasNoObject) {
    const RowNumbering rows(comm, {ProcessGrid{rank_count()}, {block(20)}});
    const auto make = [&] {
        return make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "u", comm,
                                                                               rows.layout());
    };
    const auto u = make();
    number(u, rows);
    auto replaced = make();
    const std::weak_ptr<const void> memory = replaced.owner();
    hypre::Vector x = hypre::vector(rows, u), y = hypre::vector(rows, replaced);
    hypre::StructVector z = hypre::struct_vector(hypre::struct_grid(rows), u);
    replaced = {};
    y = std::move(x);
    const hypre::StructVector last = std::move(z);
    EXPECT_TRUE(memory.expired());
    y.put();
    double square = 0;
    hypre::checked(comm, "square", [&] { return HYPRE_ParVectorInnerProd(y, y, &square); });
    EXPECT_EQ(square, 19.0 * 20 * 39 / 6);
    y.fetch();
    last.put();
    last.fetch();
    EXPECT_TRUE(is_numbered(u, rows, 1));

    // NOLINTBEGIN(bugprone-use-after-move)
    EXPECT_EQ(x.get(), nullptr);
    EXPECT_EQ(static_cast<HYPRE_ParVector>(x), nullptr);
    if (!hypre::takes_memory()) {
        EXPECT_THROW_ON_ALL_RANKS(x.put(), UsageError,
                                  "hypre::Vector::put: expected a vector, got one whose object was "
                                  "moved to another");
    }
    EXPECT_THROW_ON_ALL_RANKS(x.fetch(), UsageError,
                              "hypre::Vector::fetch: expected a vector, got one whose object was "
                              "moved to another");
    EXPECT_THROW_ON_ALL_RANKS(z.put(), UsageError,
                              "hypre::StructVector::put: expected a vector, got one whose object");
    EXPECT_THROW_ON_ALL_RANKS(
        z.fetch(), UsageError,
        "hypre::StructVector::fetch: expected a vector, got one whose object");
    hypre::Matrix a =
        hypre::ij_matrix(assemble(rows, [](MatrixRow& row, GlobalIndex) { row.add(1, {0}); }));
    const hypre::Matrix moved = std::move(a);
    EXPECT_EQ(static_cast<HYPRE_ParCSRMatrix>(a), nullptr);
    EXPECT_NE(static_cast<HYPRE_ParCSRMatrix>(moved), nullptr);
    // NOLINTEND(bugprone-use-after-move)
}

TEST_F(HypreVector, NothingIsFetchedIntoConstElements) {
    const RowNumbering rows(comm, {ProcessGrid{rank_count()}, {block(20)}});
    const auto u = make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Exec(), "u", comm, rows.layout());
    const DistView<const double*, Kokkos::LayoutRight, Kokkos::HostSpace> fixed = u;
    const hypre::Vector x = hypre::vector(rows, fixed);
    x.put();
    EXPECT_THROW_ON_ALL_RANKS(x.fetch(), UsageError, "Vector::fetch: expected an array");
    const hypre::StructVector y = hypre::struct_vector(hypre::struct_grid(rows), fixed);
    EXPECT_THROW_ON_ALL_RANKS(y.fetch(), UsageError, "StructVector::fetch: expected an array");
}

TEST_F(HypreVector, ArraysThatAreNoRunOfMemoryAreErrors) {
    const ProcessGrid grid{rank_count(), 1};
    const ArrayLayout padded(grid, {block(24, {.padding = 1}), block(5, {.boundary = 1})});
    const RowNumbering rows(comm, padded);
    const auto u =
        make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "u", comm, padded);
    EXPECT_THROW_ON_ALL_RANKS(hypre::vector(rows, u), ShapeError,
                              "hypre::vector: expected an array without padding");
    const auto left = make_dist_view<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>(
        Exec(), "left", comm, rows.layout());
    EXPECT_THROW_ON_ALL_RANKS(hypre::vector(rows, left), ShapeError, "expected cells in C order");
}

TEST_F(HypreVector, RowsThatHypreCannotNumberAreErrors) {
    const ArrayLayout columns(ProcessGrid{1, rank_count()}, {block(6), block(12)});
    const RowNumbering global(comm, columns, RowOrder::global);
    const auto u = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(Exec(), "u",
                                                                                    comm, columns);
    if (rank_count() > 1) {
        EXPECT_THROW_ON_ALL_RANKS(hypre::vector(global, u), UsageError,
                                  "hypre::vector: expected contiguous rows on each rank");
        EXPECT_THROW_ON_ALL_RANKS(hypre::ij_matrix(MatrixRows{global}), UsageError,
                                  "hypre::ij_matrix: expected contiguous rows on each rank");
    }
    if (sizeof(HYPRE_Int) > 4) return;
    const RowNumbering none(comm, {ProcessGrid{rank_count(), 1}, {block(3'000'000'000), block(0)}});
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::struct_grid(none), UsageError,
        "hypre::struct_grid: expected at most 2147483647 cells along an axis, got 3000000000");
    if (sizeof(HYPRE_BigInt) > 4) return;
    const RowNumbering many(comm, {ProcessGrid{rank_count(), 1}, {block(1 << 20), block(1 << 12)}});
    EXPECT_THROW_ON_ALL_RANKS(hypre::ij_matrix(MatrixRows{many}), UsageError,
                              "at most 2147483647 rows (the largest HYPRE_BigInt of this hypre)");
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_grid(many), UsageError,
                              "at most 2147483647 rows (the largest HYPRE_BigInt of this hypre)");
}

TEST_F(HypreVector, LayoutsThatAreNoBoxesAreErrors) {
    const RowNumbering cyclic(comm, {ProcessGrid{rank_count()}, {block_cyclic(20, 2)}});
    EXPECT_THROW_ON_ALL_RANKS(
        hypre::struct_grid(cyclic), LayoutError,
        "hypre::struct_grid: expected block axes, got another distribution along axis 0");
    const RowNumbering four(
        comm, {ProcessGrid{rank_count(), 1, 1, 1}, {block(8), block(2), block(2), block(2)}});
    EXPECT_THROW_ON_ALL_RANKS(hypre::struct_grid(four), LayoutError,
                              "expected at most 3 axes, got 4");
}

} // namespace

} // namespace distview::testing
