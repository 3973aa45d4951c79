// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "generator.hpp"
#include "options.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ptrans {

/// The matrices of a run; a_transposed is A^T, in the shape of C.
enum class Matrix { a, c, a_transposed };

/// Elements of one of the matrices at some rows and columns.
///
/// HPCC: element k of a sequence, A(i,j) = value(X_(1 + i + j * m)) and C(i,j) = value(X_(1 + j + i * m));
/// Chapel, counting from 1: A(i,j) = erf(i) * cos(j), C(i,j) = sin(j) * cbrt(i). Each element combines
/// one value of its row and one of its column: a jump from the column's state (HPCC), or a
/// product (Chapel).
///
/// Indices: global, from 0 on
/// Cost:    O(rows + columns) to make; one multiplication and addition per element
class Elements {
public:
    Elements(const Options& options, Matrix matrix, std::span<const std::int64_t> rows,
             std::span<const std::int64_t> columns);

    /// Element in the row and the column at these places in the lists.
    double operator()(std::size_t row, std::size_t column) const noexcept {
        return m_is_hpcc ? value_of(m_jumps[row](m_states[column]))
                         : m_row_factors[row] * m_column_factors[column];
    }

private:
    bool m_is_hpcc;
    std::vector<Jump> m_jumps;
    std::vector<std::uint32_t> m_states;
    std::vector<double> m_row_factors;
    std::vector<double> m_column_factors;
};

/// The factor of element (i, j) in the weighted sum; the matrix has `columns` columns.
constexpr std::int64_t weight(std::int64_t i, std::int64_t j, std::int64_t columns) noexcept {
    return (i * columns + j) % 1009 + 1;
}

} // namespace ptrans
