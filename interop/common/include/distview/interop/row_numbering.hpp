// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/index_types.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace distview {

/// The order in which the cells of an array are rows of a matrix.
enum class RowOrder {
    by_rank, ///< the cells of rank 0 first, then of rank 1, ...; each rank's in C order
    global,  ///< the C order of the whole array, independent of owners
};

/// The order of the rows, and the number of rows per cell.
///
/// Collective: no (local)
struct RowNumberingOptions {
    RowOrder order = RowOrder::by_rank;
    /// Number of unknowns of a cell in a system of equations (displacements, concentrations). If it is above 1, the
    /// layout's last axis, on one process, counts the unknowns. PETSc's Vec, AIJ matrix and MatShell get the number as
    /// block size, hypre's BoomerAMG as number of functions, MueLu as number of equations. hypre's pfmg ignores it: it
    /// treats the unknowns as cells along one more axis.
    int unknowns_per_cell = 1;
};

/// The layout without padding and ghosts, for the arrays of solvers.
///
/// Collective: no (local)
ArrayLayout without_padding(const ArrayLayout& layout);

/// Numbers the interior cells of an array as rows of a matrix and elements of a vector.
///
/// Solver stacks need the rows of a rank to follow each other. On a 2 x 2 grid, rank 0 then has rows 0 to 3:
///
///     RowNumbering rows(comm, layout);      // 4 x 4 cells on 2 x 2 processes:    0  1 |  4  5
///     rows.row(GlobalIndex(1), GlobalIndex(2))          // 6                      2  3 |  6  7
///     rows.index(6)                                     // (1, 2)                 -----+------
///     rows.first_row(), rows.local_rows()               // 4, 4 on rank 1         8  9 | 12 13
///
/// Rows are computed from interior sizes along each axis, for all layouts of axes. Padding makes no difference: an
/// array and its twin without padding have the same numbers. If labels are known in part (unstructured_local()), a rank
/// knows the rows of the labels that it has, ghosts included.
///
/// In a system of equations the last axis counts the unknowns of a cell, which C order stores as u v u v ...:
///
///     const ArrayLayout layout(ProcessGrid{2, 2, 1}, {block(40), block(30), block(2)});
///     RowNumbering rows(comm, layout, {.unknowns_per_cell = 2});
///     rows.row(i, j, GlobalIndex(1))                    // rows.row(i, j, GlobalIndex(0)) + 1
///
/// A value type: copies share their tables.
///
/// Collective: construction, over comm; the rest is local
/// Indices:    global interior indices from 0, on unstructured axes labels; rows from 0
/// Cost:       memory proportional to the processes along each axis; labels known in part add two collectives and a
///             GhostExchangePlan, which finds their owners; ghosts add an exchange of their rows
/// Errors:     UsageError if the layout's grid does not fit the communicator, ranks pass different arguments, or, with
///             several unknowns per cell, the last axis has another extent or several processes; LayoutError if a label
///             is on several processes (UsageError if labels are known in part, as from a GhostExchangePlan), if an
///             axis with ghosts known in part is not the only axis, and for RowOrder::global unless labels are 0 to
///             n - 1 (thrown on all ranks)
class RowNumbering {
public:
    RowNumbering(const Communicator& comm, const ArrayLayout& layout,
                 const RowNumberingOptions& options = {});
    RowNumbering(const Communicator& comm, const ArrayLayout& layout, RowOrder order)
        : RowNumbering(comm, layout, RowNumberingOptions{.order = order}) {}
    // Copies share one numbering and moves are copies, because an empty numbering does not exist.
    RowNumbering(const RowNumbering&) = default;
    RowNumbering& operator=(const RowNumbering&) = default;

    const Communicator& communicator() const noexcept;
    /// The layout without padding, even if the numbering was made from a padded one.
    const ArrayLayout& layout() const noexcept;
    RowOrder order() const noexcept;
    /// The option: with n unknowns, rows n k to n k + n - 1 are the unknowns of one cell.
    int unknowns_per_cell() const noexcept;

    /// Rows of the whole matrix, and of one process.
    std::int64_t rows() const noexcept;
    std::int64_t local_rows() const noexcept;
    std::int64_t local_rows(int process) const noexcept;
    /// Whether the rows of each rank follow each other and the rows of the rank before: always for by_rank; for the
    /// global order if no axis is unstructured and only the first axis of more than one index is distributed, as block.
    bool is_contiguous() const noexcept;
    /// The lowest row of a process.
    ///
    /// Errors: UsageError unless is_contiguous()
    std::int64_t first_row() const;
    std::int64_t first_row(int process) const;

    /// The row of the n-th cell of this process, in C order.
    std::int64_t row_of_cell(std::int64_t cell) const noexcept;
    /// The rows of all cells of this process, in the form that PETSc's IS and Tpetra's Map accept.
    std::vector<std::int64_t> local_row_numbers() const;

    /// The row of a cell; -1 if the cell does not exist or its label is not known here.
    std::int64_t row(std::span<const GlobalIndex> index) const noexcept;
    template <std::same_as<GlobalIndex>... Indices>
    std::int64_t row(Indices... index) const noexcept {
        const std::array<GlobalIndex, sizeof...(Indices)> all{index...};
        return row(std::span<const GlobalIndex>(all));
    }
    /// The cell of a row; entries beyond the array's rank are 0.
    ///
    /// Errors: UsageError if the row does not exist, or belongs to a process whose labels are not known here
    std::array<GlobalIndex, max_rank> index(std::int64_t row) const;
    /// The process that owns a row; -1 if this process does not know it: in the global order, if labels are known in
    /// part and another process owns the row's label.
    ///
    /// Errors: UsageError if the row does not exist
    int owner(std::int64_t row) const;

private:
    struct State;
    std::shared_ptr<const State> m_state;
};

namespace impl {
/// The order of the rows and the layout, for error texts.
std::string describe(const RowNumbering& rows);
} // namespace impl

} // namespace distview
