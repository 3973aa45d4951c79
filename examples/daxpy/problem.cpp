// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.hpp"

#include <distview/algorithms/fill.hpp>
#include <distview/comm/collectives.hpp>

#include <cmath>
#include <vector>

namespace daxpy {

distview::ArrayLayout make_layout(const Options& options, const distview::ProcessGrid& grid) {
    return distview::ArrayLayout(grid, {distview::block_cyclic(options.rows, 1),
                                        distview::block_cyclic(options.columns, options.block)});
}

void set_x(const Exec& exec, const Array& x) {
    distview::fill_with(
        exec, x,
        KOKKOS_LAMBDA(std::int64_t r, std::int64_t i) { return static_cast<double>(r + i + 2); });
}

void set_y(const Exec& exec, const Array& y) {
    distview::fill_with(
        exec, y, KOKKOS_LAMBDA(std::int64_t r, std::int64_t i) {
            return static_cast<double>(10 + r + i + 2);
        });
}

bool is_result(double result, double alpha, double s) {
    const double y = 10 + s;
    return result == alpha * s + y || result == std::fma(alpha, s, y);
}

Check check(const distview::Communicator& comm, const Array& y, double alpha) {
    const auto view = y.view();
    std::vector<double> columns(view.extent(1));
    for (std::size_t j = 0; j < columns.size(); ++j)
        columns[j] = static_cast<double>(y.global_index(1, distview::LocalIndex(j)) + 1);
    Check mine;
    for (std::size_t i = 0; i < view.extent(0); ++i) {
        const auto row = static_cast<double>(y.global_index(0, distview::LocalIndex(i)) + 1);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            mine.sum.add(view(i, j));
            if (!is_result(view(i, j), alpha, row + columns[j])) ++mine.mismatches;
        }
    }
    return {program::total(comm, mine.sum),
            distview::all_reduce(comm, distview::ReduceOperation::sum, mine.mismatches)};
}

} // namespace daxpy
