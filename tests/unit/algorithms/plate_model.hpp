// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dist_view.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

/// A plate of integers with a rule that reads two cells below and one above along each axis. One
/// wrong or old cell changes all cells that depend on it.
struct Model {
    std::int64_t rows;
    std::int64_t columns;
    bool periodic[2];
    std::vector<std::int64_t> cells{};
    /// Cells outside a wall: 0, or, if set, the value of the cell next to the wall.
    bool walls_follow = false;

    std::int64_t at(std::int64_t i, std::int64_t j) const {
        if (periodic[0]) i = (i % rows + rows) % rows;
        if (periodic[1]) j = (j % columns + columns) % columns;
        if (walls_follow) {
            i = std::clamp(i, std::int64_t{0}, rows - 1);
            j = std::clamp(j, std::int64_t{0}, columns - 1);
        }
        const bool outside = i < 0 || i >= rows || j < 0 || j >= columns;
        return outside ? 0 : cells[static_cast<std::size_t>(i * columns + j)];
    }
    void step() {
        std::vector<std::int64_t> next(cells.size());
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j)
                next[static_cast<std::size_t>(i * columns + j)] =
                    (at(i, j) + 3 * at(i - 2, j) + 5 * at(i + 1, j - 1) + 7 * at(i, j + 1) +
                     11 * at(i - 1, j - 2)) %
                    1000003;
        cells = std::move(next);
    }
};

template <class View>
struct Rule {
    View from;
    View to;
    KOKKOS_FUNCTION void operator()(int i, int j) const {
        to(i, j) = (from(i, j) + 3 * from(i - 2, j) + 5 * from(i + 1, j - 1) + 7 * from(i, j + 1) +
                    11 * from(i - 1, j - 2)) %
                   1000003;
    }
};

inline std::int64_t first_value(std::int64_t i, std::int64_t j) {
    return (i * 7919 + j * 104729) % 1009;
}

/// The number of cells of this process's interior that differ from the model's.
template <class Plate>
int count_wrong_cells(const Plate& plate, const Model& model) {
    int wrong = 0;
    const LocalRange rows = plate.interior_range(0);
    const LocalRange columns = plate.interior_range(1);
    for (auto i = rows.begin; i < rows.end; ++i)
        for (auto j = columns.begin; j < columns.end; ++j)
            wrong += plate.view()(i.value(), j.value()) !=
                     model.at(plate.global_index(0, i), plate.global_index(1, j));
    return wrong;
}

} // namespace distview::testing
