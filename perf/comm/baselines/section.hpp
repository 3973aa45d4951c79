// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace distview::perf {

/// One rank's part of a periodic float64 array whose ranks lie in a row along one axis, in the terms of an author
/// who writes an exchange for this shape only: three axes, the last one fastest, and the same number of cells on
/// every rank. With two axes the first has 1 cell and no padding.
struct Section {
    std::array<std::int64_t, 3> cells{};
    std::array<std::int64_t, 3> width{}; ///< padding on both sides
    int split_axis = 0;
    int rank = 0;
    int ranks = 1;

    std::int64_t extent(std::size_t axis) const { return cells[axis] + 2 * width[axis]; }
    std::int64_t stride(std::size_t axis) const {
        return axis == 2 ? 1 : axis == 1 ? extent(2) : extent(1) * extent(2);
    }
    std::int64_t size() const { return extent(0) * stride(0); }
    int below() const { return (rank + ranks - 1) % ranks; }
    int above() const { return (rank + 1) % ranks; }
};

/// A region of padding; its source has the same offsets in every section.
struct Box {
    std::int64_t source = 0;      ///< offset of the first element in its owner's section
    std::int64_t destination = 0; ///< offset in the section whose padding it is
    std::array<std::int64_t, 3> extent{};
    std::int64_t elements() const { return extent[0] * extent[1] * extent[2]; }
};

/// The boxes whose owner is `side` away along the split axis: -1 below, +1 above, 0 this section.
inline std::vector<Box> boxes(const Section& section, int side) {
    std::vector<Box> result;
    const int alone = section.ranks == 1 ? 1 : 0;
    std::array<int, 3> d{};
    for (d[0] = -1; d[0] <= 1; ++d[0])
        for (d[1] = -1; d[1] <= 1; ++d[1])
            for (d[2] = -1; d[2] <= 1; ++d[2]) {
                const int away = alone ? 0 : d[static_cast<std::size_t>(section.split_axis)];
                if (away != side || d == std::array{0, 0, 0}) continue;
                Box box;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const std::int64_t n = section.cells[axis];
                    const std::int64_t w = section.width[axis];
                    const std::int64_t stride = section.stride(axis);
                    box.extent[axis] = d[axis] == 0 ? n : w;
                    box.source += stride * (d[axis] < 0 ? n : w);
                    box.destination += stride * (d[axis] < 0 ? 0 : d[axis] == 0 ? w : w + n);
                }
                if (box.elements() > 0) result.push_back(box);
            }
    return result;
}

inline std::int64_t elements(const std::vector<Box>& boxes) {
    std::int64_t sum = 0;
    for (const Box& box : boxes) sum += box.elements();
    return sum;
}

/// Strides and extents of the rows of a box.
struct Rows {
    std::int64_t plane = 0; ///< strides
    std::int64_t row = 0;
};

/// The plain loops: memcpy for long rows, assignments for short ones of constant length.
inline void copy_rows(const double* from, Rows f, double* to, Rows t,
                      const std::array<std::int64_t, 3>& extent) {
    const auto each = [&](auto copy) {
        for (std::int64_t k = 0; k < extent[0]; ++k)
            for (std::int64_t j = 0; j < extent[1]; ++j)
                copy(from + k * f.plane + j * f.row, to + k * t.plane + j * t.row);
    };
    switch (extent[2]) {
    case 1: return each([](const double* a, double* b) { b[0] = a[0]; });
    case 2: return each([](const double* a, double* b) { b[0] = a[0], b[1] = a[1]; });
    case 3: return each([](const double* a, double* b) { b[0] = a[0], b[1] = a[1], b[2] = a[2]; });
    default: break;
    }
    const auto bytes = static_cast<std::size_t>(extent[2]) * sizeof(double);
    each([bytes](const double* a, double* b) { std::memcpy(b, a, bytes); });
}

/// Copies boxes from their owner's section to this one.
inline void copy(const Section& section, const std::vector<Box>& boxes, const double* from,
                 double* to) {
    const Rows rows{section.stride(0), section.stride(1)};
    for (const Box& box : boxes)
        copy_rows(from + box.source, rows, to + box.destination, rows, box.extent);
}

inline double* pack(const Section& section, const std::vector<Box>& boxes, const double* from,
                    double* buffer) {
    const Rows rows{section.stride(0), section.stride(1)};
    for (const Box& box : boxes) {
        copy_rows(from + box.source, rows, buffer, {box.extent[1] * box.extent[2], box.extent[2]},
                  box.extent);
        buffer += box.elements();
    }
    return buffer;
}

inline const double* unpack(const Section& section, const std::vector<Box>& boxes,
                            const double* buffer, double* to) {
    const Rows rows{section.stride(0), section.stride(1)};
    for (const Box& box : boxes) {
        copy_rows(buffer, {box.extent[1] * box.extent[2], box.extent[2]}, to + box.destination,
                  rows, box.extent);
        buffer += box.elements();
    }
    return buffer;
}

/// The value at a global index: exact, and different everywhere.
inline double value(std::int64_t k, std::int64_t j, std::int64_t i) {
    return static_cast<double>((k * 8209 + j) * 8209 + i);
}

/// Calls visit(row, k, j) for each row of the section: k and j count from the first cell of this
/// section, negative in the padding, and `row` is the first cell of the row.
template <class Visit>
void for_each_row(const Section& s, double* array, bool padded, Visit&& visit) {
    const std::int64_t wk = padded ? s.width[0] : 0;
    const std::int64_t wj = padded ? s.width[1] : 0;
    for (std::int64_t k = -wk; k < s.cells[0] + wk; ++k)
        for (std::int64_t j = -wj; j < s.cells[1] + wj; ++j)
            visit(array + (k + s.width[0]) * s.stride(0) + (j + s.width[1]) * s.stride(1) +
                      s.width[2],
                  k, j);
}

/// Global index of this section's first cell.
inline std::array<std::int64_t, 3> first_cell(const Section& s) {
    std::array<std::int64_t, 3> first{};
    const auto axis = static_cast<std::size_t>(s.split_axis);
    first[axis] = s.rank * s.cells[axis];
    return first;
}

/// Sets the cells to value() and all padding to NaN.
inline void set(const Section& s, double* array) {
    std::fill_n(array, s.size(), std::numeric_limits<double>::quiet_NaN());
    const auto g = first_cell(s);
    for_each_row(s, array, false, [&](double* row, std::int64_t k, std::int64_t j) {
        for (std::int64_t i = 0; i < s.cells[2]; ++i) row[i] = value(g[0] + k, g[1] + j, g[2] + i);
    });
}

/// Writes the cells near the border anew, like a stencil step after which padding must be exchanged again.
inline void rewrite_border(const Section& s, double* array) {
    const auto g = first_cell(s);
    const auto near = [&](std::size_t axis, std::int64_t l) {
        return l < s.width[axis] || l >= s.cells[axis] - s.width[axis];
    };
    for_each_row(s, array, false, [&](double* row, std::int64_t k, std::int64_t j) {
        const auto write = [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) row[i] = value(g[0] + k, g[1] + j, g[2] + i);
        };
        if (near(0, k) || near(1, j)) return write(0, s.cells[2]);
        write(0, s.width[2]);
        write(s.cells[2] - s.width[2], s.cells[2]);
    });
}

/// Whether every element, padding included, is value() of its global index.
inline bool is_filled(const Section& s, double* array) {
    const auto g = first_cell(s);
    std::array<std::int64_t, 3> n = s.cells;
    n[static_cast<std::size_t>(s.split_axis)] *= s.ranks;
    const auto wrap = [&](std::size_t axis, std::int64_t l) {
        return (g[axis] + l + n[axis]) % n[axis];
    };
    bool filled = true;
    for_each_row(s, array, true, [&](double* row, std::int64_t k, std::int64_t j) {
        for (std::int64_t i = -s.width[2]; i < s.cells[2] + s.width[2]; ++i)
            filled = filled && row[i] == value(wrap(0, k), wrap(1, j), wrap(2, i));
    });
    return filled;
}

} // namespace distview::perf
