// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares rows of random stencils with counted rows, and neighbours' rows with an exchange of the row numbers.
#include "numbered_layouts.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/interop.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

struct Term {
    std::int64_t step[3];
    double value;
};

/// A stencil of one element.
struct Identity {
    template <class View>
    KOKKOS_FUNCTION double operator()(const View& u, std::int64_t i, std::int64_t j) const {
        return u(i, j);
    }
};

double coefficient(double value, std::int64_t row) { return value * static_cast<double>(row + 1); }

/// The entries of a cell's row, by column.
std::map<std::int64_t, double> expected_row(const ArrayLayout& layout,
                                            const std::map<Cell, std::int64_t>& rows,
                                            const Cell& cell, const std::vector<Term>& terms) {
    std::map<std::int64_t, double> entries;
    for (const Term& term : terms) {
        Cell other = cell;
        bool is_outside = false;
        for (std::size_t d = 0; d < cell.size(); ++d) {
            const AxisLayout& axis = layout.axis(static_cast<int>(d));
            other[d] += term.step[d];
            const std::int64_t n = axis.size();
            while (axis.periodic() && other[d] < 0) other[d] += n;
            while (axis.periodic() && other[d] >= n) other[d] -= n;
            is_outside = is_outside || other[d] < 0 || other[d] >= n;
        }
        if (!is_outside) entries[rows.at(other)] += coefficient(term.value, rows.at(cell));
    }
    return entries;
}

ArrayLayout random_structured_layout(Random& random, int ranks) {
    const int axes = static_cast<int>(random.integer(1, 4));
    const std::vector<int> extents = random_process_grid(random, ranks, axes);
    const ProcessGrid grid{std::span<const int>(extents)};
    std::vector<AxisSpec> specs;
    for (int d = 0; d < axes; ++d) {
        const std::int64_t n = random.integer(1, 8);
        const BlockOptions options{.periodic = random.chance(0.5)};
        switch (random.integer(0, 3)) {
        case 0: specs.push_back(block(n, options)); break;
        case 1:
            specs.push_back(block_bounds(random_bounds(random, n, grid.extent(d)), options));
            break;
        default: specs.push_back(block_cyclic(n, 2)); break;
        }
    }
    return {grid, specs};
}

void add_terms(MatrixRow& row, const std::vector<Term>& terms, int axes) {
    for (const Term& t : terms) {
        const double value = coefficient(t.value, row.number());
        if (axes == 1) row.add(value, {t.step[0]});
        if (axes == 2) row.add(value, {t.step[0], t.step[1]});
        if (axes == 3) row.add(value, {t.step[0], t.step[1], t.step[2]});
    }
}

} // namespace

TEST(MatrixRows, AreTheStencilOnAnyLayout) {
    const Communicator comm(MPI_COMM_WORLD);
    for_each_case(60, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_structured_layout(random, comm.size());
        std::vector<Term> terms;
        for (std::int64_t k = random.integer(1, 9); k > 0; --k)
            terms.push_back({{random.integer(-3, 4), random.integer(-3, 4), random.integer(-3, 4)},
                             static_cast<double>(random.integer(-5, 6))});
        const RowNumbering rows(comm, layout);
        const auto counted = counted_rows(layout);
        const MatrixRows matrix =
            assemble(rows, [&](MatrixRow& row, std::same_as<GlobalIndex> auto... at) {
                EXPECT_EQ(row.number(), rows.row(at...));
                add_terms(row, terms, static_cast<int>(sizeof...(at)));
            });
        ASSERT_ON_ALL_RANKS(matrix.local_rows() == rows.local_rows());
        std::size_t n = 0;
        for_each_cell_of(layout, comm.rank(), [&](const Cell& cell) {
            std::map<std::int64_t, double> found;
            for (auto k = matrix.offsets[n]; k < matrix.offsets[n + 1]; ++k) {
                const auto at = static_cast<std::size_t>(k);
                EXPECT_TRUE(k == matrix.offsets[n] || matrix.columns[at - 1] < matrix.columns[at]);
                found[matrix.columns[at]] = matrix.values[at];
            }
            EXPECT_EQ(found, expected_row(layout, counted, cell, terms)) << layout.describe();
            ++n;
        });
    });
}

// A second oracle, without arithmetic: an exchange copies row numbers into the padding.
TEST(MatrixRows, HaveTheColumnsThatAnExchangeBrings) {
    const Communicator comm(MPI_COMM_WORLD);
    const Exec exec;
    for (const bool is_periodic : {false, true}) {
        const BlockOptions options{.padding = 1, .boundary = 1, .periodic = is_periodic};
        const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2),
                                 {block(13, options), block(9, options)});
        const RowNumbering rows(comm, layout);
        const auto numbers = make_dist_view<std::int64_t**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, "numbers", comm, layout);
        Kokkos::deep_copy(exec, numbers.view(), -1);
        fill_with(exec, numbers, [=](GlobalIndex i, GlobalIndex j) { return rows.row(i, j); });
        exec.fence("numbers are there");
        PaddingExchangePlan plan(comm, layout);
        plan.execute(exec, numbers);
        const MatrixRows matrix = assemble(rows, [](MatrixRow& row, GlobalIndex, GlobalIndex) {
            for (const std::int64_t i : {-1, 0, 1})
                for (const std::int64_t j : {-1, 0, 1}) row.add(1, {i, j});
        });
        std::size_t n = 0;
        for (auto i = numbers.interior_range(0).begin; i < numbers.interior_range(0).end; ++i)
            for (auto j = numbers.interior_range(1).begin; j < numbers.interior_range(1).end;
                 ++j, ++n) {
                std::vector<std::int64_t> around;
                for (int k = 0; k < 9; ++k) {
                    const std::int64_t column =
                        numbers.view()(i.value() + k / 3 - 1, j.value() + k % 3 - 1);
                    if (column >= 0) around.push_back(column);
                }
                std::sort(around.begin(), around.end());
                const auto* first = matrix.columns.data() + matrix.offsets[n];
                EXPECT_EQ(around, std::vector<std::int64_t>(first, matrix.columns.data() +
                                                                       matrix.offsets[n + 1]));
            }
    }
}

TEST(MatrixRows, OfAGraphHaveTheRowsOfGhosts) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t n = 30;
    std::vector<std::int64_t> mine, needed;
    for (std::int64_t label = comm.rank(); label < n; label += comm.size()) {
        mine.push_back(label);
        needed.push_back((label + 1) % n);
    }
    const RowNumbering rows(comm, make_ghosted_layout(comm, mine, needed).layout);
    const MatrixRows matrix = assemble(rows, [&](MatrixRow& row, GlobalIndex label) {
        row.add(2, {0});
        row.add_at(-1, GlobalIndex((label.value() + 1) % n));
    });
    const auto first_of = [&](std::int64_t rank) { // number of rows on lower ranks
        std::int64_t count = 0;
        for (std::int64_t r = 0; r < rank; ++r) count += (n - r + comm.size() - 1) / comm.size();
        return count;
    };
    for (std::size_t k = 0; k < mine.size(); ++k) {
        const std::int64_t next = (mine[k] + 1) % n;
        std::map<std::int64_t, double> expected{
            {first_of(comm.rank()) + static_cast<std::int64_t>(k), 2.0},
            {first_of(next % comm.size()) + next / comm.size(), -1.0}};
        std::map<std::int64_t, double> found;
        for (auto e = matrix.offsets[k]; e < matrix.offsets[k + 1]; ++e)
            found[matrix.columns[static_cast<std::size_t>(e)]] =
                matrix.values[static_cast<std::size_t>(e)];
        EXPECT_EQ(found, expected);
    }
}

TEST(MatrixRowsErrors, AreTheSameOnAllRanks) {
    const Communicator comm(MPI_COMM_WORLD);
    const RowNumbering rows(comm, ArrayLayout(ProcessGrid{comm.size(), 1}, {block(12), block(3)}));
    EXPECT_THROW_ON_ALL_RANKS(assemble(rows, [](MatrixRow&, GlobalIndex) {}), UsageError,
                              "2 GlobalIndex");
    EXPECT_THROW_ON_ALL_RANKS(
        assemble(rows, [](MatrixRow& row, GlobalIndex, GlobalIndex) { row.add(1, {0}); }),
        UsageError, "expected an offset for each of 2 axes");
    EXPECT_THROW_ON_ALL_RANKS(assemble(rows, [](MatrixRow& row, GlobalIndex i,
                                                GlobalIndex j) { row.add_at(1, i, j + 1); }),
                              UsageError,
                              "expected the index of a cell whose row this process knows");
    // An error on one rank alone.
    EXPECT_THROW_ON_ALL_RANKS(
        assemble(rows, [&](MatrixRow&, GlobalIndex i,
                           GlobalIndex) { require<Error>(i != 11, "the last plane"); }),
        Error, "the last plane");
}

TEST(SolverArrays, CopyTheInteriorAndFillThePadding) {
    const Communicator comm(MPI_COMM_WORLD);
    const Exec exec;
    const BlockOptions options{.padding = {1, 2}, .boundary = Widths{2, 1}, .periodic = true};
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2),
                             {block(16, options), block(13, options)});
    auto u = make_solver_arrays<double**>(exec, "u", comm, layout);
    EXPECT_EQ(u.unpadded.layout(), without_padding(layout));
    fill_with(exec, u.unpadded, [](GlobalIndex i, GlobalIndex j) {
        return static_cast<double>(100 * i.value() + j.value());
    });
    u.pad(exec);
    const auto wrapped = [](std::int64_t i, std::int64_t n) { return (i + n) % n; };
    for (std::size_t l = 0; l < u.padded.view().extent(0); ++l)
        for (std::size_t m = 0; m < u.padded.view().extent(1); ++m) {
            const std::int64_t i = u.padded.global_index(0, LocalIndex(l)).value();
            const std::int64_t j = u.padded.global_index(1, LocalIndex(m)).value();
            EXPECT_EQ(u.padded.view()(l, m),
                      static_cast<double>(100 * wrapped(i, 16) + wrapped(j, 13)));
        }
    Kokkos::deep_copy(exec, u.unpadded.view(), -1.0);
    u.unpad(exec);
    exec.fence("the copy is complete");
    for (std::size_t l = 0; l < u.unpadded.view().extent(0); ++l)
        for (std::size_t m = 0; m < u.unpadded.view().extent(1); ++m)
            EXPECT_EQ(
                u.unpadded.view()(l, m),
                100.0 * static_cast<double>(u.unpadded.global_index(0, LocalIndex(l)).value()) +
                    static_cast<double>(u.unpadded.global_index(1, LocalIndex(m)).value()));
}

// Kernels use the extents of one array to read or write another array.
TEST(SolverArraysErrors, OtherLayouts) {
    const Communicator comm(MPI_COMM_WORLD);
    const Exec exec;
    const BlockOptions options{.padding = 1, .periodic = true};
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(12, options), block(7, options)});
    auto u = make_solver_arrays<double**>(exec, "u", comm, layout);
    const auto make = [&](const ArrayLayout& other) {
        return make_dist_view<double**, Kokkos::LayoutRight, Exec::memory_space>(exec, "other",
                                                                                 comm, other);
    };
    const auto fits = make(without_padding(layout));
    const auto stencil =
        unpadded_stencil<double**>(exec, comm, StencilOperator{u.plan, Identity{}});
    for (const auto& other :
         {make(layout), make(ArrayLayout(layout.grid(), {block(12), block(5)}))}) {
        EXPECT_THROW(u.pad(exec, other), ShapeError);
        EXPECT_THROW(stencil(exec, other, fits), ShapeError);
        EXPECT_THROW(stencil(exec, fits, other), ShapeError);
    }
    // The plans still work after the errors.
    fill(exec, u.unpadded, 3);
    u.pad(exec);
    u.pad(exec, u.unpadded);
    stencil(exec, u.unpadded, fits);
    exec.fence("the stencil has been applied");
    for (std::size_t n = 0; n < fits.view().size(); ++n) EXPECT_EQ(fits.view().data()[n], 3);
}

} // namespace distview::testing
