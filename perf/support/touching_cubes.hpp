// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "perf.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::perf {

/// Cubes of n^3 cells on each rank, side by side along one axis, with walls at the edges, as the graph of a 27-point
/// stencil: each cell is joined to the cells it touches. Cells are numbered in the C order of the whole brick.
struct TouchingCubes {
    using Cell = std::array<std::int64_t, 3>;
    using Indices = std::vector<std::int64_t>;

    std::int64_t n = 0;
    std::size_t split_axis = 0;

    std::int64_t extent(std::size_t axis) const {
        return axis == split_axis ? n * communicator().size() : n;
    }
    bool contains(const Cell& cell) const {
        for (std::size_t d = 0; d < 3; ++d)
            if (cell[d] < 0 || cell[d] >= extent(d)) return false;
        return true;
    }
    std::int64_t index(const Cell& cell) const {
        return (cell[0] * extent(1) + cell[1]) * extent(2) + cell[2];
    }
    Cell cell(std::int64_t index) const {
        return {index / extent(2) / extent(1), index / extent(2) % extent(1), index % extent(2)};
    }
    /// Whether a cell of this rank touches a cell of another rank.
    bool is_given(std::int64_t index) const {
        const std::int64_t along = cell(index)[split_axis];
        return (along % n == 0 && along > 0) ||
               (along % n == n - 1 && along < extent(split_axis) - 1);
    }
    /// The cells of this rank.
    Indices own() const {
        Indices result;
        Cell cell{};
        for (cell[0] = 0; cell[0] < n; ++cell[0])
            for (cell[1] = 0; cell[1] < n; ++cell[1])
                for (cell[2] = 0; cell[2] < n; ++cell[2]) {
                    Cell global = cell;
                    global[split_axis] += n * communicator().rank();
                    result.push_back(index(global));
                }
        return result;
    }
    /// The cells that own cells touch, repeated for each such own cell.
    Indices touched(const Indices& own) const {
        Indices result;
        for (const std::int64_t index_of_own : own)
            for (std::int64_t number = 0; number < 27; ++number) {
                Cell other = cell(index_of_own);
                other[0] += number / 9 - 1;
                other[1] += number / 3 % 3 - 1;
                other[2] += number % 3 - 1;
                if (contains(other)) result.push_back(index(other));
            }
        return result;
    }
    /// The expected value of the element with this index.
    static double value_at(std::int64_t index) { return static_cast<double>(index % 999983); }
};

/// Writes elements anew, so that only this rank's cache holds them.
inline void rewrite(const std::vector<double*>& elements) {
    for (double* const element : elements) {
        volatile double* const written = element;
        *written = *written;
    }
}

} // namespace distview::perf
