// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// The lines of a process grid along one axis: processes whose other coordinates are equal. The place of a process in
/// its line is its coordinate along the axis.
struct GridLines {
    GridLines() = default;
    GridLines(const ProcessGrid& grid, int axis, int process);

    int length = 1; ///< places
    int count = 1;  ///< lines
    int line = 0;   ///< of this process
    int place = 0;  ///< of this process

    int process(int of_line, int at_place) const;
    /// Entry place * count + line is the process of the array's grid at this place of this line.
    std::vector<int> by_place() const;

private:
    int m_inner = 1; ///< distance in process numbers from one place to the next
};

/// The numbers of values of each line's processes. Values may be cut into slices, one for each place of a line, which
/// works on it. Describes the layouts of buffers of 8-byte words along lines.
///
/// The axes are: slice, contributing place, words of a slice of all lines. The grids have the places along the first or
/// the second axis, and the lines along the third.
class LineWords {
public:
    LineWords() = default;
    /// Makes only one slice if there are few values or places: then sending all values to all places is cheap.
    LineWords(const GridLines& lines, const std::vector<std::int64_t>& values,
              std::int64_t value_bytes);

    bool is_sliced() const noexcept { return m_slices > 1; }
    /// Number of values of a slice of this process's line; the last slice may be shorter.
    std::int64_t slice_values() const noexcept { return m_slice_values; }
    /// Values of this process's slice.
    std::int64_t own_slice_values() const noexcept;
    std::int64_t values() const noexcept { return m_values; }
    std::int64_t slice_bytes() const noexcept { return 8 * slice_words(m_lines.line); }
    /// Words of the buffers for this process's own values, and for the values of all places that it joins.
    std::int64_t own_words() const noexcept { return m_slices * slice_words(m_lines.line); }
    std::int64_t all_words() const noexcept { return m_lines.length * slice_words(m_lines.line); }

    /// All slices of the values of every place, held by that place.
    ArrayLayout own() const;
    /// The values of every place, in one slice or several, held by all places of the line.
    ArrayLayout of_all() const;
    /// The same, held by place `root` only.
    ArrayLayout at_root(int root) const;
    /// A slice of the values of all places, held by the place of that slice.
    ArrayLayout slices_of_all() const;
    /// One slice, held by its place; all slices, held by all places; all slices, held by `root`.
    ArrayLayout own_slice() const;
    ArrayLayout slices_everywhere() const;
    ArrayLayout slices_at(int root) const;
    /// All words of a line as one slice of one place: held by `root`; held by all places.
    ArrayLayout only_at(int root) const;
    ArrayLayout everywhere() const;

private:
    std::int64_t slice_words(int line) const noexcept {
        return m_words[static_cast<std::size_t>(line) + 1] -
               m_words[static_cast<std::size_t>(line)];
    }
    AxisSpec words(std::int64_t slices) const;

    GridLines m_lines;
    std::int64_t m_slices = 1;
    std::int64_t m_values = 0;
    std::int64_t m_slice_values = 0;
    std::vector<std::int64_t> m_words; ///< bounds of a slice's words, by line
};

} // namespace distview::impl
