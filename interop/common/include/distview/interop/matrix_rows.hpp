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

/// This process's rows of a sparse matrix in compressed form; columns are numbered like rows.
///
/// All stacks fill their matrices from it. Within a row, columns ascend and each occurs once.
///
/// Collective: no (local)
struct MatrixRows {
    RowNumbering numbering;
    std::vector<std::int64_t> offsets{0}; ///< each row's first entry, then the number of entries
    std::vector<std::int64_t> columns{};
    std::vector<double> values{};

    std::int64_t local_rows() const noexcept {
        return static_cast<std::int64_t>(offsets.size()) - 1;
    }
    std::int64_t local_entries() const noexcept { return offsets.back(); }
};

/// The matrix row of one cell, while assemble() fills it.
///
/// Collective: no (local)
class MatrixRow {
public:
    /// Adds to the entry of the cell at a distance of `offset`, such as {-1, 0, 0}. A periodic axis wraps around; an
    /// entry outside of the domain is dropped. On axes of one or two cells several offsets address one cell: their
    /// values are summed.
    ///
    /// Errors: UsageError unless each axis has an offset, which is 0 on unstructured axes (thrown on all ranks)
    void add(double value, std::initializer_list<std::int64_t> offset);
    /// Adds to the entry of the cell with this index; on unstructured axes the index is a label.
    ///
    /// Errors: UsageError if the cell does not exist, or its row is not known here (thrown on all ranks)
    template <std::same_as<GlobalIndex>... Indices>
    void add_at(double value, Indices... index) {
        const std::array<GlobalIndex, sizeof...(Indices)> all{index...};
        add_cell(value, all);
    }

    /// The row's own number, and the number of its cell among the cells of this process.
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
    std::array<GlobalIndex, max_rank> m_first{}; ///< the first cell of this process, on block axes
    std::array<std::int64_t, max_rank> m_extents{};
    std::int64_t m_number = 0;
    std::int64_t m_cell = 0;
    std::vector<Entry> m_entries;
};

namespace impl {

using RowFunction = std::function<void(MatrixRow&, const GlobalIndex*)>;

MatrixRows assemble_rows(const RowNumbering& numbering, const RowFunction& function);

/// Throws UsageError unless `rows` satisfies the statements of MatrixRows. A stack would detect the fault on one rank
/// only, and the other ranks would wait.
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

/// Assembles a matrix from the equation of one cell: coefficients(row, i, j, ...) adds the entries of the row of cell
/// (i, j, ...).
///
///     const auto matrix = assemble(rows, [&](MatrixRow& row, GlobalIndex i, GlobalIndex j) {
///         row.add(4, {0, 0});
///         for (int step : {-1, 1}) row.add(-1, {step, 0}), row.add(-1, {0, step});
///     });
///
/// assemble() computes the rows of neighbours by arithmetic, without communication, and handles periodic axes,
/// irregular and empty blocks, cyclic axes and corners alike. `coefficients` has to state the boundary condition:
/// assemble() drops entries outside of the domain and does not change the others. `coefficients` declares its indices
/// as GlobalIndex, one for each axis.
///
/// Collective: over the numbering's communicator; the function is called for each interior cell of this process, in the
///             order of rows, on the host
/// Indices:    global, from 0; on unstructured axes labels
/// Cost:       16 bytes an entry and 8 a row; no message except for an agreement at the end. Each entry is inserted in
///             the order of columns when it is added, at no cost if entries are added in that order. A row of n entries
///             in another order (all cells of several processes in the order of global indices, say) takes a time that
///             grows with n^2.
/// Errors:     UsageError if the function has another number of indices; the errors of MatrixRow; exceptions of
///             the function (thrown on all ranks)
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
