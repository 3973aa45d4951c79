// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rounds.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <utility>

namespace distview::impl {

namespace {

/// Element sizes that a redistribution can move.
bool is_movable_size(std::int64_t bytes) noexcept {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// Minimum bytes of a rank's run, if the array has enough.
constexpr std::int64_t least_run = std::int64_t{1} << 20;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

} // namespace

std::int64_t MovableArray::bytes_below(int axis) const noexcept {
    std::int64_t bytes = array.section().element.bytes;
    for (std::size_t d = static_cast<std::size_t>(axis) + 1; d < extents.size(); ++d)
        bytes *= extents[d];
    return bytes;
}

MovableArray make_movable(const AnyDistView& array, const std::vector<int>& permutation) {
    MovableArray result{array, permutation, {}, std::max(array.rank(), 1)};
    const std::int64_t bytes = array.section().element.bytes;
    if (array.rank() == 0 || !is_movable_size(bytes)) {
        std::int64_t part_bytes = 16;
        while (bytes % part_bytes != 0) part_bytes /= 2;
        const bool has_parts = !is_movable_size(bytes);
        require<ShapeError>(array.rank() + (has_parts ? 1 : 0) <= max_rank, [&] {
            return text("files: expected at most ", max_rank - 1, " axes of elements of ", bytes,
                        " bytes, got ", array.rank());
        });
        AnySection section = array.section();
        std::vector<int> grid;
        std::vector<AxisSpec> axes;
        for (int d = 0; d < array.rank(); ++d) {
            grid.push_back(array.layout().grid().extent(d));
            axes.push_back(axis_spec(array.layout().axis(d)));
        }
        const auto append = [&](std::int64_t extent, std::int64_t stride) {
            result.permutation.push_back(static_cast<int>(grid.size()));
            grid.push_back(1);
            axes.push_back(block(extent));
            section.extents.push_back(extent);
            section.strides.push_back(stride);
        };
        if (array.rank() == 0) append(1, bytes);
        if (has_parts) {
            append(bytes / part_bytes, part_bytes);
            section.element = {ElementKind::opaque, part_bytes};
        }
        result.array = AnyDistView(section, ArrayLayout(ProcessGrid(grid), axes), array.process());
    }
    for (const int axis : result.permutation) result.extents.push_back(result.array.extent(axis));
    return result;
}

OwnBox own_box(const MovableArray& movable) {
    const AnyDistView& array = movable.array;
    const GridCoordinates at = array.layout().coordinates(array.process());
    OwnBox box;
    std::int64_t offset = 0;
    for (const int axis : movable.permutation) {
        const auto a = static_cast<std::size_t>(axis);
        const LocalRange mine = array.layout().axis(axis).interior_local(at[a]);
        const std::int64_t stride = array.section().strides[a];
        box.extents.push_back(mine.size());
        box.strides.push_back(stride);
        offset += mine.begin.value() * stride;
        box.is_empty = box.is_empty || mine.empty();
    }
    box.data = static_cast<char*>(array.section().data) + (box.is_empty ? 0 : offset);
    return box;
}

bool has_rows_in_order(const MovableArray& movable) {
    for (std::size_t d = 0; d < movable.permutation.size(); ++d) {
        const AxisLayout& axis = movable.array.layout().axis(movable.permutation[d]);
        if (axis.type() == DistType::unstructured) return false;
        const bool is_whole = axis.grid_size() == 1;
        if (!is_whole && !(d == 0 && axis.is_block())) return false;
    }
    return true;
}

Rounds::Rounds(const MovableArray& movable, int rank, int size, std::int64_t buffer_bytes,
               const std::vector<std::int64_t>& most_below)
    : m_extents(movable.extents), m_rank(rank), m_size(size) {
    // Rows must fit into the buffers and, unless they are small anyway, suffice for one row a rank.
    while (m_axis + 1 < movable.axes && (movable.bytes_below(m_axis) > buffer_bytes ||
                                         (m_extents[static_cast<std::size_t>(m_axis)] < size &&
                                          movable.bytes_below(m_axis) > least_run)))
        ++m_axis;
    m_below = movable.bytes_below(m_axis);
    const std::int64_t rows = m_extents[static_cast<std::size_t>(m_axis)];
    for (int d = 0; d < m_axis; ++d) m_leading *= m_extents[static_cast<std::size_t>(d)];
    // In a round no rank gets more than a buffer holds, nor has more to send.
    const std::int64_t row_of_rank =
        std::max<std::int64_t>(most_below[static_cast<std::size_t>(m_axis)], 1);
    const std::int64_t each =
        std::clamp<std::int64_t>(buffer_bytes / m_below, 1, std::max<std::int64_t>(rows, 1));
    m_band = std::clamp<std::int64_t>(std::min(each * size, buffer_bytes / row_of_rank), 1,
                                      std::max<std::int64_t>(rows, 1));
    m_bands = ceil_div(rows, m_band);
    const std::int64_t least = std::min(ceil_div(std::min(least_run, buffer_bytes), m_below), each);
    m_rows_each = std::max(ceil_div(m_band, size), least);
    if (m_rows_each > m_band) m_rows_each = m_band;
}

Round Rounds::round(std::int64_t number) const {
    Round result;
    const auto axis = static_cast<std::size_t>(m_axis);
    const std::int64_t first_row = number % m_bands * m_band;
    const std::int64_t rows = std::min(m_band, m_extents[axis] - first_row);
    std::int64_t leading = number / m_bands;
    result.slices.resize(m_extents.size());
    std::int64_t box_begin = (leading * m_extents[axis] + first_row) * m_below;
    for (std::size_t d = m_extents.size(); d-- > 0;) {
        if (d > axis) result.slices[d] = {0, m_extents[d], 1};
        if (d == axis) result.slices[d] = {first_row, rows, 1};
        if (d < axis) {
            result.slices[d] = {leading % m_extents[d], 1, 1};
            leading /= m_extents[d];
        }
    }
    // If a round does not need all ranks, ranks take turns.
    const std::int64_t writers = ceil_div(rows, m_rows_each);
    const std::int64_t first_writer = number * writers % (m_size - writers + 1);
    std::vector<std::int64_t> bounds;
    for (std::int64_t p = 0; p <= m_size; ++p)
        bounds.push_back(std::clamp<std::int64_t>((p - first_writer) * m_rows_each, 0, rows));
    std::vector<int> grid(m_extents.size(), 1);
    grid[axis] = m_size;
    std::vector<AxisSpec> axes;
    for (std::size_t d = 0; d < m_extents.size(); ++d)
        axes.push_back(d == axis ? block_bounds(bounds) : block(result.slices[d].count));
    result.layout = ArrayLayout(ProcessGrid(grid), axes);
    result.begin = box_begin + bounds[static_cast<std::size_t>(m_rank)] * m_below;
    result.end = box_begin + bounds[static_cast<std::size_t>(m_rank) + 1] * m_below;
    result.all_end = box_begin + rows * m_below;
    return result;
}

} // namespace distview::impl
