// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview {

namespace {

/// Whether `factors` factors of at most `largest` can reach the product `count`.
bool can_reach(std::int64_t count, std::int64_t largest, std::size_t factors) {
    std::int64_t product = 1;
    for (std::size_t i = 0; i < factors && product < count; ++i) product *= largest;
    return product >= count;
}

/// Writes `count` as descending factors of at most `largest`, the first as small as possible, then
/// the second, and so on; false if no such factors exist.
bool factorise(int count, int largest, std::span<const int> divisors, std::span<int> factors) {
    if (factors.empty()) return count == 1;
    for (const int first : divisors) {
        if (first > largest) return false;
        if (count % first != 0 || !can_reach(count, first, factors.size())) continue;
        factors[0] = first;
        if (factorise(count / first, first, divisors, factors.subspan(1))) return true;
    }
    return false;
}

} // namespace

ProcessGrid ProcessGrid::balanced(int process_count, int rank) {
    require<LayoutError>(process_count >= 1 && rank >= 0 && rank <= max_rank, [&] {
        return text("ProcessGrid::balanced: expected at least 1 process and 0 to ", max_rank,
                    " axes, got ", process_count, " processes and ", rank, " axes");
    });
    require<LayoutError>(rank > 0 || process_count == 1, [&] {
        return text("ProcessGrid::balanced: a grid without axes has 1 process, got ",
                    process_count);
    });

    std::vector<int> divisors;
    for (int d = 1; static_cast<std::int64_t>(d) * d <= process_count; ++d) {
        if (process_count % d != 0) continue;
        divisors.push_back(d);
        if (d != process_count / d) divisors.push_back(process_count / d);
    }
    std::sort(divisors.begin(), divisors.end());

    std::vector<int> extents(static_cast<std::size_t>(rank), 1);
    factorise(process_count, process_count, divisors, extents);
    return ProcessGrid(extents);
}

std::string ProcessGrid::describe() const {
    if (m_rank == 0) return "1";
    std::string result = std::to_string(extent(0));
    for (int axis = 1; axis < m_rank; ++axis) result += " x " + std::to_string(extent(axis));
    return result;
}

} // namespace distview
