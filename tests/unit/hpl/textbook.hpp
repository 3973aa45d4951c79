// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "generator.hpp"
#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

/// A matrix on one process, row by row.
struct Dense {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> elements = std::vector<double>(rows * columns);

    double& operator()(std::size_t i, std::size_t j) { return elements[i * columns + j]; }
    double operator()(std::size_t i, std::size_t j) const { return elements[i * columns + j]; }
    hpl::Block block() {
        return hpl::Block(elements.data(), Kokkos::LayoutStride(rows, columns, columns, 1));
    }
};

/// HPL's [A | b], computed state by state.
inline Dense hpl_matrix(std::size_t n, std::uint64_t seed) {
    Dense ab{n, n + 1};
    std::uint64_t state = seed;
    for (std::size_t j = 0; j <= n; ++j)
        for (std::size_t i = 0; i < n; ++i) {
            state = 6364136223846793005U * state + 1;
            ab(i, j) = hpl::value_of(state);
        }
    return ab;
}

/// LU with partial pivoting of the first `steps` columns, by the three nested loops of a textbook.
inline std::vector<std::int64_t> factorise_by_the_textbook(Dense& a, std::size_t steps) {
    std::vector<std::int64_t> pivots;
    for (std::size_t k = 0; k < steps; ++k) {
        std::size_t p = k;
        for (std::size_t i = k; i < a.rows; ++i)
            if (std::abs(a(i, k)) > std::abs(a(p, k))) p = i;
        pivots.push_back(static_cast<std::int64_t>(p));
        for (std::size_t j = 0; j < a.columns; ++j) std::swap(a(k, j), a(p, j));
        for (std::size_t i = k + 1; i < a.rows; ++i) {
            a(i, k) /= a(k, k);
            for (std::size_t j = k + 1; j < a.columns; ++j)
                a(i, j) = hpl::minus_product(a(i, j), a(i, k), a(k, j));
        }
    }
    return pivots;
}

/// The largest |P * original - L * U| for a factorised matrix.
inline double factor_error(Dense original, const Dense& factors,
                           const std::vector<std::int64_t>& pivots) {
    for (std::size_t k = 0; k < pivots.size(); ++k)
        for (std::size_t j = 0; j < original.columns; ++j)
            std::swap(original(k, j), original(static_cast<std::size_t>(pivots[k]), j));
    double error = 0;
    for (std::size_t i = 0; i < original.rows; ++i)
        for (std::size_t j = 0; j < original.columns; ++j) {
            double sum = original(i, j);
            for (std::size_t k = 0; k < pivots.size() && k <= i && k <= j; ++k)
                sum -= (k == i ? 1 : factors(i, k)) * factors(k, j);
            error = std::max(error, std::abs(sum));
        }
    return error;
}

} // namespace distview::testing
