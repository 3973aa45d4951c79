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
    /// The matrix of assemble().
    ///
    ///     const auto a = tpetra::Matrix(map, assemble(map.numbering(), coefficients));
    ///
    /// Errors:  UsageError if the rows are not those of the map (thrown on all ranks)
    Matrix(const Map& map, const MatrixRows& rows);
    /// The rows of this rank: row r, the r-th of the map's, has values[k] in column columns[k] for k in
    /// [begin[r], begin[r + 1]); values of one column twice are added.
    ///
    /// Indices: columns are rows of the map, on any rank
    /// Cost:    a copy of the rows; Tpetra finds the columns' ranks: messages, sorting
    /// Errors:  ShapeError if the lists' lengths do not fit, UsageError if a column is no row of the map, SolverError
    ///          with the text of Tpetra's exception (thrown on all ranks)
    Matrix(const Map& map, const std::vector<std::int64_t>& begin,
           const std::vector<std::int64_t>& columns, const std::vector<double>& values);

    const Map& map() const;
    /// Numbers of stored elements on this rank.
    std::int64_t local_entries() const;

    const std::shared_ptr<const impl::MatrixState>& state() const noexcept { return m_state; }

private:
    std::shared_ptr<const impl::MatrixState> m_state;
};

/// Gives a matrix of assemble() other values, for time steps: sets the entries of `rows` and all others to zero. A
/// Solver of the matrix makes its preconditioner anew in its next solve().
///
/// Collective: over the map's communicator
/// Cost:       entries are looked up and written; Tpetra's fillComplete() of known columns
/// Errors:     UsageError if the rows are not those of the map; SolverError if rows have an entry that the matrix does
///             not have; its values are then undefined (thrown on all ranks)
void set_values(const Matrix& matrix, const MatrixRows& rows);

} // namespace distview::tpetra
