// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "padding_oracle.hpp"

#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace distview::testing {

namespace {

/// Positions of the first cell after the low padding, and of the first cell of the high padding.
struct Kept {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t size() const { return end - begin; }
};

Kept kept(const AxisGeometry& axis, int p) {
    const auto i = static_cast<std::size_t>(p);
    const bool first = p == 0;
    const bool last = p + 1 == axis.process_count();
    const std::int64_t edge_low = first ? axis.boundary.low : 0;
    const std::int64_t edge_high = last ? axis.boundary.high : 0;
    const std::int64_t begin = first ? 0 : axis.padding[i].low;
    const std::int64_t owned = edge_low + axis.blocks[i] + edge_high;
    // On a periodic axis boundary padding is a copy; otherwise it is an element like any other.
    if (axis.periodic) return {begin + edge_low, begin + edge_low + axis.blocks[i]};
    return {begin, begin + owned};
}

std::int64_t extent_of(const AxisGeometry& axis, int p) {
    const auto i = static_cast<std::size_t>(p);
    const bool first = p == 0;
    const bool last = p + 1 == axis.process_count();
    return (first ? axis.boundary.low : axis.padding[i].low) + axis.blocks[i] +
           (last ? axis.boundary.high : axis.padding[i].high);
}

/// Global index of the first cell of a section.
std::int64_t first_global(const AxisGeometry& axis, int p) {
    if (p == 0) return 0;
    const auto i = static_cast<std::size_t>(p);
    const std::int64_t before =
        std::accumulate(axis.blocks.begin(), axis.blocks.begin() + p, axis.boundary.low);
    return before - axis.padding[i].low;
}

std::int64_t width(const AxisGeometry& axis, int p, int side) {
    const Kept mine = kept(axis, p);
    return side < 0 ? mine.begin : extent_of(axis, p) - mine.end;
}

} // namespace

bool AxisGeometry::can_fill(int p, int side) const {
    const bool at_wall = !periodic && p == (side < 0 ? 0 : process_count() - 1);
    return at_wall || !asked || asked_width(side) <= width(*this, p, side);
}

void AxisGeometry::work_out() {
    const std::int64_t interior = std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
    m_cells.assign(blocks.size(), {});
    for (int p = 0; p < process_count(); ++p) {
        const Kept mine = kept(*this, p);
        auto& cells = m_cells[static_cast<std::size_t>(p)];
        for (std::int64_t l = 0; l < extent_of(*this, p); ++l) {
            AxisCell cell;
            cell.global = cell.source = first_global(*this, p) + l;
            cell.direction = l < mine.begin ? -1 : l >= mine.end ? 1 : 0;
            if (cell.direction == 0) {
                cell.source_process = p;
                cell.source_local = l;
            } else {
                const std::int64_t distance = l < mine.begin ? mine.begin - l : l - mine.end + 1;
                cell.reached = distance <= asked_width(cell.direction);
                // The protocol's mirror: eL + ((g - eL) mod N).
                const std::int64_t g = cell.global - boundary.low;
                std::int64_t rounds = 0;
                if (periodic && interior > 0) {
                    cell.source = boundary.low + (g % interior + interior) % interior;
                    rounds = (cell.global - cell.source) / interior;
                }
                for (int q = 0; q < process_count() && cell.reached; ++q) {
                    const std::int64_t there = cell.source - first_global(*this, q);
                    const Kept theirs = kept(*this, q);
                    if (there < theirs.begin || there >= theirs.end) continue;
                    cell.filled = true;
                    cell.source_process = q;
                    cell.source_local = there;
                    cell.steps =
                        cell.direction * (q + static_cast<int>(rounds) * process_count() - p);
                }
            }
            cells.push_back(cell);
        }
    }
}

std::int64_t AxisGeometry::asked_width(int side) const {
    if (!asked) return std::numeric_limits<std::int64_t>::max();
    return side < 0 ? asked->low : asked->high;
}

ArrayLayout ArrayGeometry::layout() const {
    std::vector<AxisSpec> specs;
    for (const AxisGeometry& axis : axes) specs.push_back(axis.spec);
    return {ProcessGrid(std::span<const int>(grid)), specs};
}

PaddingExchangeOptions ArrayGeometry::options() const {
    PaddingExchangeOptions options;
    options.stencil = stencil;
    if (!asks_widths) return options;
    for (const AxisGeometry& axis : axes) options.widths.push_back(axis.asked.value());
    return options;
}

int ArrayGeometry::process_count() const {
    return std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>());
}

std::vector<int> ArrayGeometry::coordinates(int process) const {
    std::vector<int> result(grid.size());
    for (std::size_t d = grid.size(); d-- > 0; process /= grid[d]) result[d] = process % grid[d];
    return result;
}

std::vector<std::int64_t> ArrayGeometry::extents(int process) const {
    const std::vector<int> at = coordinates(process);
    std::vector<std::int64_t> result;
    for (std::size_t d = 0; d < axes.size(); ++d) result.push_back(axes[d].extent(at[d]));
    return result;
}

bool ArrayGeometry::is_valid(int process) const {
    const std::vector<int> at = coordinates(process);
    for (std::size_t d = 0; d < axes.size(); ++d)
        if (!axes[d].is_valid(at[d])) return false;
    return true;
}

bool ArrayGeometry::is_valid() const {
    for (const AxisGeometry& axis : axes)
        for (int p = 0; p < axis.process_count(); ++p)
            if (!axis.is_valid(p)) return false;
    return true;
}

ExpectedCell ArrayGeometry::expected_cell(const std::vector<int>& at, const Position& position,
                                          std::int64_t number) const {
    ExpectedCell cell;
    cell.position = position;
    cell.number = number;
    cell.source_process = 0;
    int padded_axes = 0;
    bool reached = true;
    for (std::size_t d = 0; d < axes.size(); ++d) {
        const AxisCell& along = axes[d].cells(at[d])[static_cast<std::size_t>(position[d])];
        padded_axes += along.direction != 0;
        reached = reached && (along.direction == 0 || along.filled);
        cell.global[d] = along.source;
        if (along.source_process < 0) {
            cell.source_process = -1;
            continue;
        }
        if (cell.source_process >= 0)
            cell.source_process = cell.source_process * grid[d] + along.source_process;
        cell.source_number =
            cell.source_number * axes[d].extent(along.source_process) + along.source_local;
    }
    cell.kept = padded_axes == 0;
    cell.filled = reached && (stencil == Stencil::box ? padded_axes >= 1 : padded_axes == 1);
    return cell;
}

std::string ArrayGeometry::describe() const {
    std::string result = text(stencil == Stencil::box ? "box" : "faces", ", ", layout().describe());
    for (std::size_t d = 0; d < axes.size(); ++d) {
        result += text("\n  axis ", d, ": blocks ", tuple_text(axes[d].blocks), ", padding");
        for (const Widths widths : axes[d].padding)
            result += text(" (", widths.low, ", ", widths.high, ')');
        if (axes[d].asked)
            result += text(", asked (", axes[d].asked->low, ", ", axes[d].asked->high, ')');
    }
    return result;
}

namespace {

Widths random_widths(Random& random, std::int64_t most_low, std::int64_t most_high) {
    return {random.integer(0, most_low + 1), random.integer(0, most_high + 1)};
}

/// Distributes n elements like the three kinds of block layout, written with loops.
std::vector<std::int64_t> balanced_blocks(std::int64_t n, int process_count) {
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(process_count), 0);
    for (std::int64_t i = 0; i < n; ++i) ++blocks[static_cast<std::size_t>(i % process_count)];
    return blocks;
}

std::vector<std::int64_t> regular_blocks(std::int64_t n, int process_count) {
    std::int64_t block = 0;
    while (block * process_count < n) ++block;
    std::vector<std::int64_t> blocks;
    for (int p = 0; p < process_count; ++p, n -= blocks.back())
        blocks.push_back(std::min(n, block));
    return blocks;
}

std::vector<std::int64_t> bounds_of(const std::vector<std::int64_t>& blocks) {
    std::vector<std::int64_t> bounds{0};
    for (const std::int64_t block : blocks) bounds.push_back(bounds.back() + block);
    return bounds;
}

} // namespace

AxisGeometry random_axis(Random& random, int process_count, const GeometryLimits& limits,
                         bool with_options) {
    AxisGeometry axis;
    axis.periodic = random.chance(0.5);
    const bool valid = limits.valid_only || random.chance(0.9);
    const bool wide = random.chance(0.3);
    const std::int64_t most = wide ? std::max<std::int64_t>(limits.block / 4, 1) : limits.block;
    const std::int64_t widest = wide ? 3 * most : limits.width;

    const int kind = static_cast<int>(random.integer(0, 3));
    const std::int64_t n = random_extent(random, most * process_count, process_count);
    if (kind == 0)
        axis.blocks = balanced_blocks(n, process_count);
    else if (kind == 1)
        axis.blocks = regular_blocks(n, process_count);
    else
        for (int p = 0; p < process_count; ++p)
            axis.blocks.push_back(random.chance(0.2) ? 0 : random.integer(0, most + 1));

    const int last = process_count - 1;
    axis.boundary = random_widths(random, widest, widest);
    const bool by_process = kind == 2 && random.chance(0.5);
    const Widths uniform = random_widths(random, widest, widest);
    for (int p = 0; p < process_count; ++p)
        axis.padding.push_back(by_process ? random_widths(random, widest, widest) : uniform);

    const BlockOptions options{
        .padding = uniform, .boundary = axis.boundary, .periodic = axis.periodic};
    if (kind == 0)
        axis.spec = block(n, options);
    else if (kind == 1)
        axis.spec = regular_block(n, options);
    else
        axis.spec = block_bounds(bounds_of(axis.blocks), options,
                                 by_process ? axis.padding : std::vector<Widths>());

    if (with_options) {
        Widths least(widest, widest); // least widths of the paddings that have a source
        for (int p = 0; p < process_count && valid; ++p) {
            if (p > 0 || axis.periodic) least.low = std::min(least.low, width(axis, p, -1));
            if (p < last || axis.periodic) least.high = std::min(least.high, width(axis, p, 1));
        }
        axis.asked = random_widths(random, least.low, least.high);
    }
    axis.work_out();
    return axis;
}

ArrayGeometry random_geometry(Random& random, const std::vector<int>& grid,
                              const GeometryLimits& limits) {
    ArrayGeometry geometry;
    geometry.grid = grid;
    geometry.stencil = random.chance(0.7) ? Stencil::box : Stencil::faces;
    geometry.asks_widths = random.chance(0.3);
    for (const int process_count : grid)
        geometry.axes.push_back(random_axis(random, process_count, limits, geometry.asks_widths));
    return geometry;
}

GeometryLimits limits_for(int axis_count) {
    switch (axis_count) {
    case 0:
    case 1: return {.block = 40, .width = 5};
    case 2: return {.block = 9, .width = 3};
    case 3: return {.block = 5, .width = 2};
    case 4: return {.block = 3, .width = 2};
    default: return {.block = 2, .width = 1};
    }
}

} // namespace distview::testing
