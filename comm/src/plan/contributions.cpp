// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/contributions.hpp"

#include <algorithm>
#include <limits>

namespace distview::impl {

namespace {

/// Fewest values for a thread of their own: some 10 us of work.
constexpr std::size_t share_values = 8192;

} // namespace

std::vector<std::int64_t> share_ends(const std::vector<Contribution>& contributions, int threads) {
    std::vector<std::int64_t> positions;
    for (const Contribution& of_rank : contributions)
        positions.insert(positions.end(), of_rank.positions->begin(), of_rank.positions->end());
    const std::size_t shares =
        std::min(static_cast<std::size_t>(std::max(threads, 1)), positions.size() / share_values);
    std::vector<std::int64_t> ends;
    auto begin = positions.begin();
    for (std::size_t share = 1; share < shares; ++share) {
        const auto end =
            positions.begin() + static_cast<std::ptrdiff_t>(positions.size() * share / shares);
        std::nth_element(begin, end, positions.end());
        ends.push_back(*end);
        begin = end;
    }
    ends.push_back(std::numeric_limits<std::int64_t>::max());
    return ends;
}

DeviceSums device_sums(const std::vector<Contribution>& contributions, std::int64_t element_size) {
    struct Value {
        std::int64_t position;
        std::int64_t place; ///< see PointSums::values
    };
    std::vector<Value> values;
    for (const Contribution& of_rank : contributions)
        for (std::size_t i = 0; i < of_rank.positions->size(); ++i) {
            const std::int64_t offset = of_rank.offset(i, element_size);
            values.push_back({(*of_rank.positions)[i],
                              of_rank.data
                                  ? static_cast<std::int64_t>(
                                        reinterpret_cast<std::uintptr_t>(of_rank.data + offset))
                                  : ~offset});
        }
    std::stable_sort(values.begin(), values.end(),
                     [](const Value& a, const Value& b) { return a.position < b.position; });
    DeviceSums sums;
    for (const Value& value : values) {
        if (sums.positions.empty() || sums.positions.back() != value.position) {
            sums.positions.push_back(value.position);
            sums.first.push_back(static_cast<std::int64_t>(sums.values.size()));
        }
        sums.values.push_back(value.place);
    }
    sums.first.push_back(static_cast<std::int64_t>(sums.values.size()));
    return sums;
}

} // namespace distview::impl
