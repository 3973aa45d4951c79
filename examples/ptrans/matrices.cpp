// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrices.hpp"

#include <cmath>

namespace ptrans {

namespace {

double erf_of(double x) { return std::erf(x); }
double cos_of(double x) { return std::cos(x); }
double sin_of(double x) { return std::sin(x); }
double cbrt_of(double x) { return std::cbrt(x); }

std::vector<double> factors(double (*function)(double), std::span<const std::int64_t> indices) {
    std::vector<double> result;
    result.reserve(indices.size());
    for (const std::int64_t i : indices) result.push_back(function(static_cast<double>(i + 1)));
    return result;
}

} // namespace

Elements::Elements(const Options& options, Matrix matrix, std::span<const std::int64_t> rows,
                   std::span<const std::int64_t> columns)
    : m_is_hpcc(options.variant == Variant::hpcc) {
    if (m_is_hpcc) {
        // A is numbered along its columns, A^T and C along their rows; the larger step is m in both cases.
        const std::int64_t row_step = matrix == Matrix::a ? 1 : options.m;
        const std::int64_t column_step = matrix == Matrix::a ? options.m : 1;
        const std::uint32_t seed = matrix == Matrix::c ? options.seed_c : options.seed_a;
        for (const std::int64_t i : rows)
            m_jumps.emplace_back(static_cast<std::uint64_t>(i * row_step));
        for (const std::int64_t j : columns)
            m_states.push_back(Jump(static_cast<std::uint64_t>(1 + j * column_step))(seed));
        return;
    }
    switch (matrix) {
    case Matrix::a:
        m_row_factors = factors(erf_of, rows);
        m_column_factors = factors(cos_of, columns);
        break;
    case Matrix::a_transposed:
        m_row_factors = factors(cos_of, rows);
        m_column_factors = factors(erf_of, columns);
        break;
    case Matrix::c:
        m_row_factors = factors(cbrt_of, rows);
        m_column_factors = factors(sin_of, columns);
        break;
    }
}

} // namespace ptrans
