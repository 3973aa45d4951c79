// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_option.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <system_error>
#include <utility>

namespace program {

namespace {

/// The positive numbers between letters x; empty if the value has any other form.
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

/// Appends to `all` the lists that begin with `extents` and continue with `axes` more numbers whose product is `left`.
void add_extents(const std::vector<int>& extents, int left, int axes,
                 std::vector<std::vector<int>>& all) {
    for (int extent = axes > 1 ? 1 : left; extent <= left; ++extent) {
        if (left % extent != 0) continue;
        std::vector<int> more = extents;
        more.push_back(extent);
        if (axes > 1)
            add_extents(more, left / extent, axes - 1, all);
        else
            all.push_back(more);
    }
}

std::vector<int> descending(std::vector<int> extents) {
    std::sort(extents.begin(), extents.end(), std::greater());
    return extents;
}

} // namespace

std::vector<distview::ProcessGrid> grids_of(int rank_count, int axes) {
    std::vector<std::vector<int>> all;
    add_extents({}, rank_count, axes, all);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::pair(descending(a), b) < std::pair(descending(b), a);
    });
    return {all.begin(), all.end()};
}

distview::ProcessGrid grid_of_option(const std::string& value, int rank_count, int axes,
                                     std::span<const std::int64_t> cells) {
    if (value.empty()) {
        const std::vector<distview::ProcessGrid> all = grids_of(rank_count, axes);
        const auto fits = [&](const distview::ProcessGrid& grid) {
            for (std::size_t d = 0; d < cells.size(); ++d)
                if (grid.extent(static_cast<int>(d)) > cells[d]) return false;
            return true;
        };
        const auto found = std::find_if(all.begin(), all.end(), fits);
        return found != all.end() ? *found : all.front();
    }
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
                              " processes, one for each rank, got ", value);
    });
    return distview::ProcessGrid(extents);
}

} // namespace program
