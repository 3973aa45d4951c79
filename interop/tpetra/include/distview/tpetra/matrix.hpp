// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/matrix_rows.hpp>
#include <distview/tpetra/map.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace distview::tpetra {

namespace impl {
struct MatrixState;
}

/// An assembled matrix: a Tpetra::CrsMatrix. Copies are shallow.
///
/// Collective: construction, over the map's communicator
class Matrix {
public:
    /// A matrix of the rows that assemble() made.
    ///
    ///     const auto a = tpetra::Matrix(map, assemble(map.numbering(), coefficients));
    ///
    /// Errors:  UsageError if the rows and the map have different numberings or different unknowns per cell; those of
    ///          the other constructor (thrown on all ranks)
    Matrix(const Map& map, const MatrixRows& rows);
    /// A matrix of lists: the row at position r of the map has values[k] in column columns[k] for k in
    /// [begin[r], begin[r + 1]). If a column occurs twice in a row, its values are added.
    ///
    /// Indices: columns are rows of the map, on any rank
    /// Cost:    a copy of the rows; Tpetra sorts the columns and sends messages to find their ranks
    /// Errors:  ShapeError if the lists' lengths do not fit, UsageError if a column is no row of the map, SolverError
    ///          with the text of Tpetra's exception (thrown on all ranks)
    Matrix(const Map& map, const std::vector<std::int64_t>& begin,
           const std::vector<std::int64_t>& columns, const std::vector<double>& values);

    const Map& map() const;
    /// Number of stored entries on this rank.
    std::int64_t local_entries() const;

    const std::shared_ptr<const impl::MatrixState>& state() const noexcept { return m_state; }

private:
    std::shared_ptr<const impl::MatrixState> m_state;
};

/// Replaces the values of a matrix of assemble(), for time steps: entries of `rows` get their values there, all other
/// entries become zero. A Solver of the matrix makes its preconditioner anew in its next solve().
///
/// Collective: over the map's communicator
/// Cost:       entries are looked up and written; Tpetra's fillComplete(), which knows the columns already
/// Errors:     UsageError if the rows do not fit their numbering, or the map has another one; SolverError if `rows` has
///             an entry that the matrix does not have: the matrix's values are then undefined (thrown on all ranks)
void set_values(const Matrix& matrix, const MatrixRows& rows);

} // namespace distview::tpetra
