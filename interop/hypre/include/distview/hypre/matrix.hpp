// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/handle.hpp>
#include <distview/interop/matrix_rows.hpp>

#include <HYPRE_parcsr_mv.h>

#include <cstdint>
#include <memory>

namespace distview::hypre {

/// A matrix of hypre's IJ interface, and the numbering of its rows. Made by ij_matrix(); copies share it.
///
/// Collective: no (local)
class Matrix {
public:
    const RowNumbering& rows() const noexcept { return m_rows; }
    HYPRE_IJMatrix get() const noexcept { return m_state ? m_state->matrix.get() : nullptr; }
    operator HYPRE_IJMatrix() const noexcept { return get(); }
    operator HYPRE_ParCSRMatrix() const noexcept { return get() ? m_state->object : nullptr; }
    /// The lowest row of this process whose diagonal entry was 0 or absent when the matrix got its values; -1: no row.
    std::int64_t zero_on_diagonal() const noexcept { return m_state ? m_state->zero : -1; }
    /// How often set_values() has been called for it.
    std::int64_t changes() const noexcept { return m_state ? m_state->changes : 0; }

private:
    struct State {
        Handle<HYPRE_IJMatrix> matrix{};
        HYPRE_ParCSRMatrix object = nullptr;
        std::int64_t zero = -1;
        std::int64_t changes = 0;
    };
    friend Matrix ij_matrix(const MatrixRows& rows);
    friend void set_values(const Matrix& matrix, const MatrixRows& rows);
    explicit Matrix(const RowNumbering& rows) : m_rows(rows) {}

    RowNumbering m_rows;
    std::shared_ptr<State> m_state;
};

/// A ParCSR matrix from rows that assemble() made.
///
/// Collective: over the numbering's communicator
/// Cost:       hypre's own copy of the entries; temporarily 4 or 8 bytes an entry more, and some 24 bytes a row
/// Errors:     UsageError if hypre is not running, rows are not contiguous, rows do not fit their numbering, or a
///             HYPRE_BigInt cannot count the rows, or a HYPRE_Int the rows or entries of a rank; SolverError of hypre
///             (thrown on all ranks)
Matrix ij_matrix(const MatrixRows& rows);

/// Replaces the values of a matrix of ij_matrix(), for time steps: sets the entries of `rows` and all others to zero. A
/// Solver of the matrix sets up anew in its next solve().
///
/// Collective: over the numbering's communicator
/// Cost:       entries are looked up twice and written; temporarily 12 or 16 bytes an entry, and some 24 bytes a row
/// Errors:     UsageError if hypre is not running, the matrix was moved from, or rows are not those of its numbering;
///             SolverError if rows have an entry that the matrix does not have; the matrix's values are then undefined
///             (thrown on all ranks)
void set_values(const Matrix& matrix, const MatrixRows& rows);

} // namespace distview::hypre
