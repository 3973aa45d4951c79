// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/dim_data.hpp>

#include <distview_testing/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace distview::testing {

/// The kinds of random padding.
enum class PaddingKind {
    expressible, ///< as 0.10 requires: equal across seams, within the neighbour's elements
    any          ///< permitted in 0.9
};

inline Widths random_widths(Random& random, std::int64_t most) {
    return {random.integer(0, most + 1), random.integer(0, most + 1)};
}

/// A block axis of any split, with boundary padding, periodic or not, and random padding at each seam.
inline AxisSpec random_block(Random& random, int grid_size, PaddingKind kind) {
    const std::int64_t n = random_extent(random, 20, grid_size);
    BlockOptions options;
    options.boundary = random.chance(0.5) ? Widths() : random_widths(random, 3);
    options.periodic = random.chance(0.4);
    const auto choice = random.integer(0, 4);
    std::vector<std::int64_t> bounds = random_bounds(random, n, grid_size);
    if (choice == 0 || choice == 1) {
        // Uniform padding is valid for the split if no block is smaller.
        const AxisSpec plain = choice == 0 ? block(n) : regular_block(n);
        const ArrayLayout layout(ProcessGrid{grid_size}, {plain});
        std::int64_t smallest = n;
        for (int p = 0; p < grid_size; ++p)
            smallest = std::min(smallest, layout.axis(0).local_extent(p));
        options.padding = kind == PaddingKind::any
                              ? random_widths(random, 4)
                              : Widths(random.integer(0, std::min<std::int64_t>(smallest, 3) + 1));
        return choice == 0 ? block(n, options) : regular_block(n, options);
    }
    std::vector<Widths> paddings(static_cast<std::size_t>(grid_size));
    const auto owned = [&](std::size_t p) {
        return bounds[p + 1] - bounds[p] + (p == 0 ? options.boundary.low : 0) +
               (p + 1 == paddings.size() ? options.boundary.high : 0);
    };
    for (std::size_t p = 0; p + 1 < paddings.size(); ++p) {
        const std::int64_t most = std::min({owned(p), owned(p + 1), std::int64_t(4)});
        const bool free = kind == PaddingKind::any;
        paddings[p].high = random.chance(0.3) ? 0 : random.integer(0, (free ? 5 : most) + 1);
        paddings[p + 1].low = free ? random.integer(0, 6) : paddings[p].high;
    }
    if (choice == 2) return block_bounds(std::move(bounds), options); // one width, here 0
    return block_bounds(std::move(bounds), options, std::move(paddings));
}

inline AxisSpec random_unstructured(Random& random, int grid_size) {
    const bool one_to_one = random.chance(0.5);
    std::vector<std::int64_t> pool;
    for (std::int64_t label = -8; label < 14; ++label)
        if (random.chance(0.5)) pool.push_back(label);
    random.shuffle(pool);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(grid_size));
    if (one_to_one) {
        for (const std::int64_t label : pool)
            lists[static_cast<std::size_t>(random.integer(0, grid_size))].push_back(label);
    } else {
        for (auto& list : lists) {
            random.shuffle(pool);
            list.assign(pool.begin(),
                        pool.begin() +
                            random.integer(0, static_cast<std::int64_t>(pool.size()) + 1));
        }
    }
    return unstructured(std::move(lists), one_to_one);
}

inline AxisSpec random_axis(Random& random, int grid_size, PaddingKind kind) {
    switch (random.integer(0, 5)) {
    case 0: return cyclic(random_extent(random, 20, grid_size));
    case 1: return block_cyclic(random_extent(random, 30, grid_size), random.integer(1, 12));
    case 2: return random_unstructured(random, grid_size);
    default: return random_block(random, grid_size, kind);
    }
}

/// A layout of 0 to 7 axes on up to 12 processes; empty sections are common.
inline ArrayLayout random_layout(Random& random, PaddingKind kind) {
    const auto rank = static_cast<int>(random.integer(0, 8));
    if (rank == 0) return ArrayLayout();
    const auto process_count = static_cast<int>(random.integer(1, 13));
    const std::vector<int> grid = random_process_grid(random, process_count, rank);
    std::vector<AxisSpec> axes;
    for (const int extent : grid) axes.push_back(random_axis(random, extent, kind));
    return {ProcessGrid{std::span<const int>(grid)}, axes};
}

/// The descriptions of the sections of all processes.
inline std::vector<protocol::SectionDescription> exported(const ArrayLayout& layout,
                                                          const protocol::Version& version) {
    std::vector<protocol::SectionDescription> result;
    for (int p = 0; p < layout.process_count(); ++p)
        result.push_back(protocol::export_section(layout, p, version));
    return result;
}

} // namespace distview::testing
