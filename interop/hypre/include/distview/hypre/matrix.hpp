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
    HYPRE_IJMatrix get() const noexcept { return m_matrix ? m_matrix->get() : nullptr; }
    operator HYPRE_IJMatrix() const noexcept { return get(); }
    operator HYPRE_ParCSRMatrix() const noexcept { return get() ? m_object : nullptr; }
    /// The lowest row of this process whose entry on the diagonal was 0, or none, when the matrix was made; -1: no row.
    std::int64_t zero_on_diagonal() const noexcept { return m_zero; }

private:
    friend Matrix ij_matrix(const MatrixRows& rows);
    explicit Matrix(const RowNumbering& rows) : m_rows(rows) {}

    RowNumbering m_rows;
    std::shared_ptr<Handle<HYPRE_IJMatrix>> m_matrix;
    HYPRE_ParCSRMatrix m_object = nullptr;
    std::int64_t m_zero = -1;
};

/// A ParCSR matrix from rows that assemble() made.
///
/// Collective: over the numbering's communicator
/// Cost:       hypre's own copy of the entries; for a moment 4 or 8 bytes an entry more, and some 24 bytes a row
/// Errors:     UsageError if hypre is not running, or rows are not contiguous, not those of their numbering or more than a
///             HYPRE_BigInt counts, or rows or entries of a rank more than a HYPRE_Int; SolverError of hypre (thrown on all ranks)
Matrix ij_matrix(const MatrixRows& rows);

} // namespace distview::hypre
