// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/grid_lines.hpp>

#include <algorithm>
#include <numeric>

namespace distview::impl {

namespace {

/// If the contributions to a process have at most this many bytes, they are sent to all places at once, without slices.
constexpr std::int64_t few_bytes = 1 << 16;

std::vector<std::int64_t> bounds_at(int places, int root, std::int64_t size) {
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(places) + 1, 0);
    std::fill(bounds.begin() + root + 1, bounds.end(), size);
    return bounds;
}

/// One element for each place. Every place holds all elements: its own, and the others' as padding.
AxisSpec held_by_all(int places) {
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(places) + 1);
    std::iota(bounds.begin(), bounds.end(), std::int64_t{0});
    std::vector<Widths> paddings;
    for (int p = 0; p < places; ++p) paddings.push_back({p, places - 1 - p});
    return block_bounds(std::move(bounds), {}, std::move(paddings));
}

AxisSpec held_by(int places, int root, std::int64_t size) {
    return block_bounds(bounds_at(places, root, size));
}

} // namespace

GridLines::GridLines(const ProcessGrid& grid, int axis, int own_process)
    : length(grid.extent(axis)), count(grid.size() / grid.extent(axis)) {
    for (int d = axis + 1; d < grid.rank(); ++d) m_inner *= grid.extent(d);
    place = own_process / m_inner % length;
    line = own_process / m_inner / length * m_inner + own_process % m_inner;
}

int GridLines::process(int of_line, int at_place) const {
    return (of_line / m_inner * length + at_place) * m_inner + of_line % m_inner;
}

std::vector<int> GridLines::by_place() const {
    std::vector<int> processes;
    for (int p = 0; p < length; ++p)
        for (int l = 0; l < count; ++l) processes.push_back(process(l, p));
    return processes;
}

LineWords::LineWords(const GridLines& lines, const std::vector<std::int64_t>& values,
                     std::int64_t value_bytes)
    : m_lines(lines), m_values(values[static_cast<std::size_t>(lines.line)]) {
    const std::int64_t most = *std::max_element(values.begin(), values.end());
    if (lines.length > 2 && most > few_bytes / value_bytes / lines.length) m_slices = lines.length;
    // Slices begin at multiples of 16 bytes, where values of any type may begin. Several slices follow each other
    // without gaps.
    const std::int64_t together = 16 / std::gcd(std::int64_t{16}, value_bytes);
    const auto slice_of = [&](std::int64_t n) {
        const std::int64_t least = (n + m_slices - 1) / m_slices;
        return (least + together - 1) / together * together;
    };
    m_slice_values = slice_of(m_values);
    m_words.push_back(0);
    for (const std::int64_t n : values)
        m_words.push_back(m_words.back() + slice_of(n) * value_bytes / 8);
}

std::int64_t LineWords::own_slice_values() const noexcept {
    if (!is_sliced()) return m_values;
    return std::clamp<std::int64_t>(m_values - m_lines.place * m_slice_values, 0, m_slice_values);
}

AxisSpec LineWords::words(std::int64_t slices) const {
    std::vector<std::int64_t> bounds = m_words;
    for (std::int64_t& bound : bounds) bound *= slices;
    return block_bounds(std::move(bounds));
}

ArrayLayout LineWords::own() const {
    return {ProcessGrid{1, m_lines.length, m_lines.count},
            {block(m_slices), block(m_lines.length), words(1)}};
}

ArrayLayout LineWords::of_all() const {
    return {ProcessGrid{1, m_lines.length, m_lines.count},
            {block(m_slices), held_by_all(m_lines.length), words(1)}};
}

ArrayLayout LineWords::at_root(int root) const {
    return {ProcessGrid{1, m_lines.length, m_lines.count},
            {block(m_slices), held_by(m_lines.length, root, m_lines.length), words(1)}};
}

ArrayLayout LineWords::slices_of_all() const {
    return {ProcessGrid{m_lines.length, 1, m_lines.count},
            {block(m_slices), block(m_lines.length), words(1)}};
}

ArrayLayout LineWords::own_slice() const {
    return {ProcessGrid{m_lines.length, 1, m_lines.count}, {block(m_slices), block(1), words(1)}};
}

ArrayLayout LineWords::slices_everywhere() const {
    return {ProcessGrid{m_lines.length, 1, m_lines.count},
            {held_by_all(m_lines.length), block(1), words(1)}};
}

ArrayLayout LineWords::slices_at(int root) const {
    return {ProcessGrid{m_lines.length, 1, m_lines.count},
            {held_by(m_lines.length, root, m_slices), block(1), words(1)}};
}

ArrayLayout LineWords::only_at(int root) const {
    return {ProcessGrid{1, m_lines.length, m_lines.count},
            {block(1), held_by(m_lines.length, root, 1), words(m_slices)}};
}

ArrayLayout LineWords::everywhere() const {
    return {ProcessGrid{1, m_lines.length, m_lines.count},
            {block(1),
             unstructured(std::vector<std::vector<std::int64_t>>(
                 static_cast<std::size_t>(m_lines.length), {0})),
             words(m_slices)}};
}

} // namespace distview::impl
