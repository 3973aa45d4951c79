// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"

#include <distview/comm/collectives.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace hpl {

namespace {

/// The largest absolute value; infinite if a value is infinite or NaN.
double norm(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values)
        largest = std::abs(value) <= std::numeric_limits<double>::max()
                      ? std::max(largest, std::abs(value))
                      : std::numeric_limits<double>::infinity();
    return largest;
}

std::vector<std::int64_t> numbers(std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> result(static_cast<std::size_t>(end - begin));
    std::iota(result.begin(), result.end(), begin);
    return result;
}

} // namespace

Check check(const Exec& exec, const distview::Communicator& comm, const Options& options,
            const std::vector<double>& x) {
    const auto rows =
        numbers(options.n * comm.rank() / comm.size(), options.n * (comm.rank() + 1) / comm.size());
    const auto columns = numbers(0, options.n + 1);
    const Elements elements(options, rows, columns);
    const std::size_t n = x.size();
    std::vector<double> differences(rows.size()), sums(rows.size()), right_side(rows.size());
    Kokkos::parallel_for("hpl::check", Kokkos::RangePolicy<Exec>(exec, 0, rows.size()),
                         [&](std::size_t i) {
                             double product = 0;
                             double sum = 0;
                             for (std::size_t j = 0; j < n; ++j) {
                                 const double a = elements(i, j);
                                 product += a * x[j];
                                 sum += std::abs(a);
                             }
                             right_side[i] = elements(i, n);
                             differences[i] = product - right_side[i];
                             sums[i] = sum;
                         });
    exec.fence("hpl::check: the rows are multiplied");
    std::array norms{norm(differences), norm(sums), norm(right_side)};
    distview::all_reduce(comm, distview::ReduceOperation::max, std::span<double>(norms));
    const auto [difference, of_a, of_b] = norms;
    Check result;
    if (difference != 0)
        result.residual =
            difference / (0x1p-53 * (of_a * norm(x) + of_b) * static_cast<double>(options.n));
    return result;
}

} // namespace hpl
