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
#include <vector>

namespace distview {

/// The order in which the cells of an array are rows of a matrix.
enum class RowOrder {
    by_rank, ///< those of rank 0 first, then those of rank 1; of each rank in C order
    global,  ///< the C order of the whole array, whoever owns a cell
};

/// How cells are numbered, and what the rows of one are.
///
/// Collective: no (local)
struct RowNumberingOptions {
    RowOrder order = RowOrder::by_rank;
    /// Of a system of equations: the last axis of the layout counts the unknowns of a cell (displacements, concentrations), and is
    /// on one process, so that their rows follow each other. What is made of the numbering tells the stack, whose multigrid
    /// takes unknowns apart.
    int unknowns_per_cell = 1;
};

/// The layout without padding and ghosts: that of the arrays that a solver works on.
///
/// Collective: no (local)
ArrayLayout without_padding(const ArrayLayout& layout);

/// Numbers the interior cells of an array as rows of a matrix and elements of a vector.
///
/// Solver stacks want the rows of a rank to follow each other; a block of a 2 x 2 grid is then rows 0 to 3 of
///
///     RowNumbering rows(comm, layout);      // 4 x 4 cells on 2 x 2 processes:    0  1 |  4  5
///     rows.row(GlobalIndex(1), GlobalIndex(2))          // 6                      2  3 |  6  7
///     rows.index(6)                                     // (1, 2)                 -----+------
///     rows.first_row(), rows.local_rows()               // 4, 4 on rank 1         8  9 | 12 13
///
/// All is arithmetic on interior sizes along each axis, whatever the layouts of axes. Padding makes no difference: an
/// array and its twin without padding have the same numbers. Of labels that are known in part (unstructured_local())
/// a rank knows the rows of those that it has, ghosts included.
///
/// Of a system of equations the last axis counts the unknowns of a cell, as the C order has it u v u v ...:
///
///     const ArrayLayout layout(ProcessGrid{2, 2, 1}, {block(40), block(30), block(2)});
///     RowNumbering rows(comm, layout, {.unknowns_per_cell = 2});
///     rows.row(i, j, GlobalIndex(1))                    // rows.row(i, j, GlobalIndex(0)) + 1
///
/// A value: copies share what they know.
///
/// Collective: construction, over comm; the rest is local
/// Indices:    global: those of the interior from 0, on unstructured axes labels; rows from 0
/// Cost:       memory as processes along each axis; of labels known in part one collective, a GhostExchangePlan, which
///             finds their owners, and, with ghosts, an exchange of their rows
/// Errors:     UsageError if the layout's grid is not the communicator's, ranks pass different arguments, or there are several
///             unknowns per cell and the last axis has not as many indices, on one process; LayoutError if a label is on
///             several processes (of labels known in part UsageError, as of a GhostExchangePlan), and for RowOrder::global
///             unless labels are those from 0 to n - 1 (thrown on all ranks)
class RowNumbering {
public:
    RowNumbering(const Communicator& comm, const ArrayLayout& layout,
                 const RowNumberingOptions& options = {});
    RowNumbering(const Communicator& comm, const ArrayLayout& layout, RowOrder order)
        : RowNumbering(comm, layout, RowNumberingOptions{.order = order}) {}
    // Copies share one numbering, so that moves are copies: there is no empty one.
    RowNumbering(const RowNumbering&) = default;
    RowNumbering& operator=(const RowNumbering&) = default;

    const Communicator& communicator() const noexcept;
    /// Without padding, whatever it was made of.
    const ArrayLayout& layout() const noexcept;
    RowOrder order() const noexcept;
    /// As the options said: rows n k to n k + k - 1 are those of one cell.
    int unknowns_per_cell() const noexcept;

    /// Of the whole matrix, and of one process.
    std::int64_t rows() const noexcept;
    std::int64_t local_rows() const noexcept;
    std::int64_t local_rows(int process) const noexcept;
    /// Whether each rank's rows follow each other, and those of the rank before: always by rank, in global order where
    /// the first axis of more than one process comes first and is block.
    bool is_contiguous() const noexcept;
    /// The lowest row of a process.
    ///
    /// Errors: UsageError unless is_contiguous()
    std::int64_t first_row() const;
    std::int64_t first_row(int process) const;

    /// The row of the n-th cell of this process, in C order.
    std::int64_t row_of_cell(std::int64_t cell) const noexcept;
    /// Those of all its cells: as PETSc's IS, or Tpetra's Map take them.
    std::vector<std::int64_t> local_row_numbers() const;

    /// The row of a cell; -1 if there is no such cell, or its label is not known here.
    std::int64_t row(std::span<const GlobalIndex> index) const noexcept;
    template <std::same_as<GlobalIndex>... Indices>
    std::int64_t row(Indices... index) const noexcept {
        const std::array<GlobalIndex, sizeof...(Indices)> all{index...};
        return row(std::span<const GlobalIndex>(all));
    }
    /// The cell of a row; entries from the array's rank on are 0.
    ///
    /// Errors: UsageError if there is no such row, or it is of a process whose labels are not known here
    std::array<GlobalIndex, max_rank> index(std::int64_t row) const;
    /// The process that has a row; -1 where that is not known: in the global order, of labels known in part that other
    /// processes have.
    ///
    /// Errors: UsageError if there is no such row
    int owner(std::int64_t row) const;

private:
    struct State;
    std::shared_ptr<const State> m_state;
};

} // namespace distview
