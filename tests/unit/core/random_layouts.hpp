// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/padding.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::testing {

/// Widths of 0 to `most`, each side drawn separately.
inline Widths random_widths(Random& random, std::int64_t most) {
    Widths widths;
    widths.low = random.integer(0, most + 1);
    widths.high = random.integer(0, most + 1);
    return widths;
}

/// Block sizes of `process_count` processes; about a third of the blocks is empty.
inline std::vector<std::int64_t> random_block_sizes(Random& random, int process_count,
                                                    std::int64_t most) {
    std::vector<std::int64_t> sizes;
    for (int p = 0; p < process_count; ++p)
        sizes.push_back(random.chance(0.3) ? 0 : random.integer(0, most + 1));
    return sizes;
}

/// 0 and the partial sums of the sizes.
inline std::vector<std::int64_t> bounds_of_sizes(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> bounds{0};
    for (const std::int64_t size : sizes) bounds.push_back(bounds.back() + size);
    return bounds;
}

/// Communication padding of each process, never wider than the interior block from which it is
/// copied, and equally wide on both sides of a seam.
inline std::vector<Widths> random_matched_paddings(Random& random,
                                                   const std::vector<std::int64_t>& sizes) {
    std::vector<Widths> paddings(sizes.size());
    for (std::size_t p = 0; p + 1 < sizes.size(); ++p)
        paddings[p].high = paddings[p + 1].low =
            random.integer(0, std::min<std::int64_t>({sizes[p], sizes[p + 1], 3}) + 1);
    return paddings;
}

/// Lists of distinct labels of any sign and order, no label on two processes.
inline std::vector<std::vector<std::int64_t>> random_labels(Random& random, int process_count,
                                                            std::int64_t label_count) {
    std::vector<std::int64_t> labels;
    std::int64_t label = random.integer(-50, 51);
    for (std::int64_t i = 0; i < label_count; ++i) {
        labels.push_back(label);
        label += random.integer(1, 5);
    }
    random.shuffle(labels);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(process_count));
    for (const std::int64_t value : labels)
        lists[static_cast<std::size_t>(random.integer(0, process_count))].push_back(value);
    return lists;
}

} // namespace distview::testing
