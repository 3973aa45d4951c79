// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "solve.hpp"

#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <span>

namespace hpl {

std::vector<double> solve(const Exec& exec, const distview::Communicator& comm,
                          const Options& options, const Array& ab, const Factors& factors) {
    const auto rows = global_indices(ab, 0);
    const auto columns = global_indices(ab, 1);
    const auto view = ab.view();
    // [U | b] times (x, -1) is 0: so b is an ordinary column whose x is known from the start.
    std::vector<double> x(static_cast<std::size_t>(options.n) + 1);
    x.back() = -1;
    std::vector<double> of_columns(columns.size(), -1); // x at this process's columns

    const std::int64_t blocks = (options.n + options.nb - 1) / options.nb;
    for (std::int64_t block = blocks; block-- > 0;) {
        const std::int64_t begin = block * options.nb;
        const std::int64_t end = std::min(begin + options.nb, options.n);
        std::vector<double> sums(static_cast<std::size_t>(end - begin));
        const std::size_t right = count_below(columns, end);
        Kokkos::parallel_for(
            "hpl::solve",
            Kokkos::RangePolicy<Exec>(exec, count_below(rows, begin), count_below(rows, end)),
            [&](std::size_t i) {
                double sum = 0;
                for (std::size_t j = right; j < columns.size(); ++j)
                    sum += view(i, j) * of_columns[j];
                sums[static_cast<std::size_t>(rows[i] - begin)] = sum;
            });
        exec.fence("hpl::solve: this process's part of the sums is there");
        distview::all_reduce(comm, distview::ReduceOperation::sum, std::span(sums));

        for (std::size_t i = sums.size(); i-- > 0;) {
            const std::size_t row = static_cast<std::size_t>(begin) + i;
            double rest = -sums[i];
            for (std::size_t j = i + 1; j < sums.size(); ++j)
                rest -= factors.diagonal(row, j) * x[static_cast<std::size_t>(begin) + j];
            x[row] = rest / factors.diagonal(row, i);
        }
        for (std::size_t j = count_below(columns, begin); j < right; ++j)
            of_columns[j] = x[static_cast<std::size_t>(columns[j])];
    }
    x.pop_back();
    return x;
}

} // namespace hpl
