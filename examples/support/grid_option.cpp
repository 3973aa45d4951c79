// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_option.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <charconv>
#include <system_error>
#include <vector>

namespace program {

namespace {

/// The positive numbers between letters x; none if the value is anything else.
std::vector<int> numbers_of(const std::string& value) {
    std::vector<int> numbers;
    const char* at = value.data();
    const char* const end = at + value.size();
    while (true) {
        int number = 0;
        const auto [stop, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number <= 0) return {};
        numbers.push_back(number);
        if (stop == end) return numbers;
        if (*stop != 'x') return {};
        at = stop + 1;
    }
}

} // namespace

distview::ProcessGrid grid_of_option(const std::string& value, int rank_count, int axes) {
    if (value.empty()) return distview::ProcessGrid::balanced(rank_count, axes);
    const std::vector<int> extents = numbers_of(value);
    distview::require<distview::UsageError>(static_cast<int>(extents.size()) == axes, [&] {
        return distview::text("--grid: expected ",
                              axes == 2 ? "PxQ, rows and columns of processes such as 3x2"
                                        : "PxQxR, processes along the three axes such as 3x2x1",
                              ", got '", value, '\'');
    });
    bool fits = true;
    long long processes = 1;
    for (const int extent : extents) {
        processes *= extent; // at most 2^31 times rank_count
        fits = fits && processes <= rank_count;
        if (!fits) break;
    }
    distview::require<distview::UsageError>(fits && processes == rank_count, [&] {
        return distview::text("--grid: expected a grid of ", rank_count,
                              " processes, as many as there are ranks, got ", value);
    });
    return distview::ProcessGrid(extents);
}

} // namespace program
