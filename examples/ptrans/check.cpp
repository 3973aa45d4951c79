// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"

#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ptrans {

namespace {

using distview::all_reduce;
using distview::ReduceOperation;

std::vector<std::int64_t> global_indices(const Array& array, int axis) {
    std::vector<std::int64_t> indices(array.view().extent(static_cast<std::size_t>(axis)));
    for (std::size_t l = 0; l < indices.size(); ++l)
        indices[l] = array.global_index(axis, distview::LocalIndex(l));
    return indices;
}

/// The Frobenius norm of a matrix over all ranks, with elements generated anew at the section of `array`.
double frobenius_norm(const distview::Communicator& comm, const Options& options, Matrix matrix,
                      const Array& array) {
    const auto rows = global_indices(array, 0);
    const auto columns = global_indices(array, 1);
    const Elements elements(options, matrix, rows, columns);
    double squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) squares += elements(i, j) * elements(i, j);
    return std::sqrt(all_reduce(comm, ReduceOperation::sum, squares));
}

} // namespace

void set(const Options& options, Matrix matrix, const Array& array) {
    const auto rows = global_indices(array, 0);
    const auto columns = global_indices(array, 1);
    const Elements elements(options, matrix, rows, columns);
    const auto view = array.view();
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) view(i, j) = elements(i, j);
}

Check check(const distview::Communicator& comm, const Options& options, const Array& a,
            const Array& c) {
    const auto rows = global_indices(c, 0);
    const auto columns = global_indices(c, 1);
    const Elements from_a(options, Matrix::a_transposed, rows, columns);
    const Elements from_c(options, Matrix::c, rows, columns);
    const auto view = c.view();
    Check result;
    double error = 0;
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const double expected = options.beta * from_c(i, j) + from_a(i, j);
            const double difference = std::abs(expected - view(i, j));
            error = difference <= std::numeric_limits<double>::max()
                        ? std::max(error, difference)
                        : std::numeric_limits<double>::infinity();
            largest = std::max(largest, std::abs(expected));
            result.sum += view(i, j);
            result.sum_2p30.add(view(i, j) * 0x1p30);
            result.wsum_2p30.add(view(i, j) * 0x1p30, weight(rows[i], columns[j], options.m));
        }
    error = all_reduce(comm, ReduceOperation::max, error);
    largest = all_reduce(comm, ReduceOperation::max, largest);
    result.sum = all_reduce(comm, ReduceOperation::sum, result.sum);
    result.sum_2p30 = program::total(comm, result.sum_2p30);
    result.wsum_2p30 = program::total(comm, result.wsum_2p30);
    if (options.variant == Variant::hpcc) {
        const auto longest = static_cast<double>(std::max(options.m, options.n));
        result.residual = error == 0 ? 0 : error / largest / (0x1p-53 * longest);
        result.tolerance = 16;
    } else {
        result.residual = error;
        result.tolerance =
            2.2e-16 * (frobenius_norm(comm, options, Matrix::a, a) +
                       std::abs(options.beta) * frobenius_norm(comm, options, Matrix::c, c));
    }
    return result;
}

} // namespace ptrans
