// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/row_numbering.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace distview {

/// The rows of a sparse matrix that this process has: compressed rows, columns numbered as rows are.
///
/// All stacks fill their matrices from it. Columns ascend within a row, each once.
///
/// Collective: no (local)
struct MatrixRows {
    RowNumbering numbering;
    std::vector<std::int64_t> offsets{0}; ///< of each row's first entry, and the number of entries
    std::vector<std::int64_t> columns{};
    std::vector<double> values{};

    std::int64_t local_rows() const noexcept {
        return static_cast<std::int64_t>(offsets.size()) - 1;
    }
    std::int64_t local_entries() const noexcept { return offsets.back(); }
};

/// One row while assemble() fills it: that of a cell.
///
/// Collective: no (local)
class MatrixRow {
public:
    /// Adds to the entry of the cell that lies `offset` away, {-1, 0, 0} say. Beyond the end of a periodic axis the cells
    /// of the other end follow; what falls outside of the domain is dropped. On axes of one or two cells several
    /// offsets are one cell: their values add up.
    ///
    /// Errors: UsageError unless there is an offset for each axis, and 0 on unstructured axes (thrown on all ranks)
    void add(double value, std::initializer_list<std::int64_t> offset);
    /// Adds to the entry of the cell with an index, on unstructured axes a label.
    ///
    /// Errors: UsageError if there is none, or it is not known here (thrown on all ranks)
    template <std::same_as<GlobalIndex>... Indices>
    void add_at(double value, Indices... index) {
        const std::array<GlobalIndex, sizeof...(Indices)> all{index...};
        add_cell(value, all);
    }

    /// The row's own number, and that of its cell among the cells of this process.
    std::int64_t number() const noexcept { return m_number; }
    std::int64_t cell() const noexcept { return m_cell; }

private:
    friend class MatrixRowsBuilder;
    struct Entry {
        std::int64_t column;
        double value;
    };

    explicit MatrixRow(const RowNumbering& numbering);
    void add_cell(double value, std::span<const GlobalIndex> index);
    void add_entry(std::int64_t column, double value);

    RowNumbering m_numbering;
    std::array<GlobalIndex, max_rank> m_index{};
    std::array<GlobalIndex, max_rank> m_first{}; ///< of this process, where the axis is block
    std::array<std::int64_t, max_rank> m_extents{};
    std::int64_t m_number = 0;
    std::int64_t m_cell = 0;
    std::vector<Entry> m_entries;
};

namespace impl {

using RowFunction = std::function<void(MatrixRow&, const GlobalIndex*)>;

MatrixRows assemble_rows(const RowNumbering& numbering, const RowFunction& function);

/// Throws UsageError unless rows are as MatrixRows says: a stack that finds the fault on one rank leaves the others waiting.
void require_matrix_rows(const char* caller, const MatrixRows& rows);

template <class Coefficients, std::size_t... Axis>
RowFunction row_function(const Coefficients& coefficients, std::index_sequence<Axis...>) {
    if constexpr (std::invocable<const Coefficients&, MatrixRow&,
                                 decltype((void)Axis, GlobalIndex())...>)
        return [&coefficients](MatrixRow& row, const GlobalIndex* at) {
            coefficients(row, at[Axis]...);
        };
    else
        return {};
}

} // namespace impl

/// Makes a matrix of what one cell's equation says: coefficients(row, i, j, ...) adds the entries of the row of cell
/// (i, j, ...).
///
///     const auto matrix = assemble(rows, [&](MatrixRow& row, GlobalIndex i, GlobalIndex j) {
///         row.add(4, {0, 0});
///         for (int step : {-1, 1}) row.add(-1, {step, 0}), row.add(-1, {0, step});
///     });
///
/// Neighbours' rows are found by arithmetic, so that periodic axes, irregular and empty blocks, cyclic axes and
/// corners are one case, and nothing is communicated. What holds at the boundary is said by the function: an entry
/// outside of the domain is dropped, what it means for the others is not known here. Indices are declared as
/// GlobalIndex: their number has to be that of the axes.
///
/// Collective: over the numbering's communicator; the function is called for each interior cell of this process, in the
///             order of rows, on the host
/// Indices:    global, from 0; on unstructured axes labels
/// Cost:       16 bytes an entry and 8 a row; no message but an agreement at the end. Entries are put in the order of
///             columns as they are added, which costs nothing where they come in it. A row of n entries in another order (all cells
///             of several processes in the order of global indices, say) takes a time that grows with n^2.
/// Errors:     UsageError if the function takes another number of indices, and those of MatrixRow; what the function
///             throws (thrown on all ranks)
/// Example:    examples/poisson
template <class Coefficients>
MatrixRows assemble(const RowNumbering& numbering, const Coefficients& coefficients) {
    impl::RowFunction function;
    switch (numbering.layout().rank()) {
    case 1: function = impl::row_function(coefficients, std::make_index_sequence<1>()); break;
    case 2: function = impl::row_function(coefficients, std::make_index_sequence<2>()); break;
    case 3: function = impl::row_function(coefficients, std::make_index_sequence<3>()); break;
    case 4: function = impl::row_function(coefficients, std::make_index_sequence<4>()); break;
    default: break;
    }
    return impl::assemble_rows(numbering, function);
}

} // namespace distview
