// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

using Cell = std::vector<std::int64_t>;

/// An axis of any kind with n indices; labels are 0 to n - 1, or others if `any_labels`. If `known` >= 0, an
/// unstructured axis knows only the labels of that coordinate, as after an import.
inline AxisSpec random_axis(Random& random, std::int64_t n, int processes, bool any_labels,
                            int known = -1) {
    const bool is_periodic = random.chance(0.4);
    switch (random.integer(0, 5)) {
    case 0: return block(n, {.periodic = is_periodic});
    case 1: return block_bounds(random_bounds(random, n, processes), {.periodic = is_periodic});
    case 2: return block_cyclic(n, random.integer(1, 4));
    case 3: return regular_block(n, {.periodic = is_periodic});
    default: break;
    }
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < n; ++i) labels.push_back(any_labels ? 7 * i - 20 : i);
    random.shuffle(labels);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(processes));
    for (const std::int64_t label : labels)
        lists[static_cast<std::size_t>(random.integer(0, processes))].push_back(label);
    if (known < 0) return unstructured(lists, true);
    return unstructured_local(n, known, lists[static_cast<std::size_t>(known)], true);
}

/// One to three axes on a random grid. If `known` >= 0, unstructured axes know only the labels of that process.
inline ArrayLayout random_numbered_layout(Random& random, int ranks, bool any_labels,
                                          int known = -1) {
    const int axes = static_cast<int>(random.integer(1, 4));
    const std::vector<int> extents = random_process_grid(random, ranks, axes);
    const ProcessGrid grid{std::span<const int>(extents)};
    std::vector<AxisSpec> specs;
    for (int d = 0; d < axes; ++d)
        specs.push_back(
            random_axis(random, random.integer(0, 9), grid.extent(d), any_labels,
                        known < 0 ? -1 : grid.coordinates(known)[static_cast<std::size_t>(d)]));
    return {grid, specs};
}

/// Calls visit(cell) for the interior cells of a process in C order.
template <class Visit>
void for_each_cell_of(const ArrayLayout& layout, int process, const Visit& visit) {
    const GridCoordinates at = layout.coordinates(process);
    Cell cell(static_cast<std::size_t>(layout.rank()));
    const auto along = [&](const auto& self, std::size_t d) -> void {
        if (d == cell.size()) return visit(std::as_const(cell));
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        const LocalRange mine = axis.interior_local(at[d]);
        for (LocalIndex l = mine.begin; l < mine.end; ++l) {
            cell[d] = axis.to_global(at[d], l).value();
            self(self, d + 1);
        }
    };
    along(along, 0);
}

/// The row of each cell, by counting the cells of all processes, one process after the other.
inline std::map<Cell, std::int64_t> counted_rows(const ArrayLayout& layout) {
    std::map<Cell, std::int64_t> rows;
    for (int p = 0; p < layout.process_count(); ++p)
        for_each_cell_of(layout, p, [&](const Cell& cell) {
            rows.emplace(cell, static_cast<std::int64_t>(rows.size()));
        });
    return rows;
}

inline std::vector<GlobalIndex> indices_of(const Cell& cell) {
    std::vector<GlobalIndex> indices;
    for (const std::int64_t i : cell) indices.emplace_back(i);
    return indices;
}

} // namespace distview::testing
