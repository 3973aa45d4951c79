// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "section.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace distview::perf {

/// The sections that hold the cells for the padding: all sections have the same shape, so offsets are equal too.
struct Owners {
    const double* below = nullptr;
    const double* here = nullptr;
    const double* above = nullptr;
};

/// Fills the padding of a section in one sweep over its rows, both ends of a row at once, so that every cache
/// line of the border is loaded once: the loop of an author who knows the shape, instead of one loop nest for
/// each of 26 boxes.
class RowSweep {
public:
    explicit RowSweep(const Section& section)
        : m(section), m_axis(static_cast<std::size_t>(section.split_axis)) {}

    /// Fills the padding that wraps round onto the section itself.
    void fill_own(double* array) const {
        const Owners self{array, array, array};
        sweep(array, self, [&](std::size_t axis, int side) {
            return m.ranks == 1 || axis != m_axis || side == 0;
        });
    }
    /// Fills the padding whose cells neighbours own.
    void fill_others(double* array, const Owners& owners) const {
        if (m.ranks == 1) return;
        sweep(array, owners,
              [&](std::size_t axis, int side) { return axis != m_axis || side != 0; });
    }

private:
    /// `takes(axis, side)`: whether padding on that side of the axis (0: neither) belongs to the sweep.
    template <class Takes>
    void sweep(double* array, const Owners& owners, const Takes& takes) const {
        for (int k = -1; k <= 1; ++k)
            for (int j = -1; j <= 1; ++j)
                if (takes(0, k) && takes(1, j))
                    rows(array, owners, k, j, (k != 0 || j != 0) && takes(2, 0), takes(2, -1));
    }

    /// Fills the rows on these sides of the two slower axes.
    void rows(double* array, const Owners& owners, int side_k, int side_j, bool middle,
              bool ends) const {
        const int side = m_axis == 0 ? side_k : m_axis == 1 ? side_j : 0;
        const std::int64_t back =
            side_k * m.cells[0] * m.stride(0) + side_j * m.cells[1] * m.stride(1);
        const double* const low = owner(owners, m_axis == 2 ? -1 : side) - back;
        const double* const here = owner(owners, side) - back;
        const double* const high = owner(owners, m_axis == 2 ? +1 : side) - back;
        const std::int64_t n = m.cells[2];
        const std::int64_t w = m.width[2];
        const auto bytes = static_cast<std::size_t>(n) * sizeof(double);
        const auto each_row = [&](auto fill) {
            for (std::int64_t k = begin(0, side_k); k < end(0, side_k); ++k)
                for (std::int64_t j = begin(1, side_j); j < end(1, side_j); ++j)
                    fill(k * m.stride(0) + j * m.stride(1) + w);
        };
        if (middle && !ends)
            each_row([=](std::int64_t r) { std::memcpy(array + r, here + r, bytes); });
        else if (ends && w == 1)
            each_row([=](std::int64_t r) {
                if (middle) std::memcpy(array + r, here + r, bytes);
                array[r - 1] = low[r + n - 1];
                array[r + n] = high[r];
            });
        else if (ends)
            each_row([=](std::int64_t r) {
                if (middle) std::memcpy(array + r, here + r, bytes);
                for (std::int64_t i = 0; i < w; ++i) array[r - w + i] = low[r + n - w + i];
                for (std::int64_t i = 0; i < w; ++i) array[r + n + i] = high[r + i];
            });
    }

    std::int64_t begin(std::size_t axis, int side) const {
        return side < 0 ? 0 : side == 0 ? m.width[axis] : m.width[axis] + m.cells[axis];
    }
    std::int64_t end(std::size_t axis, int side) const {
        return begin(axis, side) + (side == 0 ? m.cells[axis] : m.width[axis]);
    }
    static const double* owner(const Owners& owners, int side) {
        return side < 0 ? owners.below : side > 0 ? owners.above : owners.here;
    }

    Section m;
    std::size_t m_axis;
};

} // namespace distview::perf
