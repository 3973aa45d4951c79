// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/padding_exchange_core.hpp>

#include "schedule/for_each_product.hpp"

#include <distview/comm/impl/tuning.hpp>
#include <distview/core/error.hpp>
#include <distview/core/process_grid.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <variant>

namespace distview::impl {

namespace {

/// Most processes whose schedules are compared: processes of regular blocks hardly differ.
constexpr int most_processes = 64;
constexpr std::size_t most_grids = 24;
constexpr int most_depths = 4;

/// Axes from the slowest to the fastest in memory.
std::vector<std::size_t> memory_order(const Field& field, int rank) {
    std::vector<std::size_t> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return field.strides[a] > field.strides[b];
    });
    return order;
}

/// The box of a region in a section without gaps.
RunNest nest_of(const PaddingRegion& region, const Extents& extents, std::int64_t element_size,
                const std::vector<std::size_t>& order) {
    RunNest nest;
    nest.run_bytes = element_size;
    std::int64_t stride = element_size;
    bool is_run = true;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
        const std::int64_t count = region.extents[*d];
        if (is_run)
            nest.run_bytes *= count;
        else if (count > 1)
            nest.axes.insert(nest.axes.begin(), {count, stride});
        is_run = is_run && count == extents[*d];
        stride *= extents[*d];
    }
    return nest;
}

/// Copies on the process of the schedule.
ExchangeShape shape_on(const PaddingExchangeSchedule& schedule, std::span<const Field> fields,
                       const std::vector<char>& borrowed) {
    ExchangeShape shape;
    const ArrayLayout& layout = schedule.layout();
    const Extents extents = layout.local_extents(schedule.process());
    for (std::size_t f = 0; f < fields.size(); ++f) {
        const auto order = memory_order(fields[f], layout.rank());
        const auto add = [&](const PaddingRegion& region) {
            RunNest nest = nest_of(region, extents, fields[f].element_size, order);
            const bool is_near = region.peer == schedule.process();
            nest.is_packed =
                !is_near &&
                (borrowed[f] != 0 || (nest.runs() > 1 && nest.run_bytes < tuning::long_row_bytes));
            shape.nests.push_back(std::move(nest));
        };
        schedule.for_each_received(add);
        schedule.for_each_local(add);
        std::int64_t bytes = fields[f].element_size;
        for (int d = 0; d < layout.rank(); ++d) bytes *= extents[static_cast<std::size_t>(d)];
        shape.section_bytes = std::max(shape.section_bytes, bytes);
    }
    return shape;
}

/// Copies on the process that copies most: the other processes wait for it.
std::optional<ExchangeShape> worst_shape(const ArrayLayout& layout,
                                         const PaddingExchangeOptions& options,
                                         std::span<const Field> fields,
                                         const std::vector<char>& borrowed) {
    std::optional<ExchangeShape> worst;
    const auto cost = [](const ExchangeShape& shape) {
        std::int64_t lines = 0;
        for (const RunNest& nest : shape.nests)
            lines += nest.runs() * std::max(nest.run_bytes, tuning::cache_line);
        return lines;
    };
    try {
        const int count = layout.process_count();
        const int step = 1 + (count - 1) / most_processes;
        for (int process = 0; process < count; process += step) {
            ExchangeShape shape =
                shape_on(PaddingExchangeSchedule(layout, process, options), fields, borrowed);
            if (!worst || cost(shape) > cost(*worst)) worst = std::move(shape);
        }
    } catch (const Error&) {
        return {}; // some process has less padding than these widths
    }
    return worst;
}

/// The same array on another grid; empty if an axis cannot be cut differently.
std::optional<ArrayLayout> on_grid(const ArrayLayout& layout, const ProcessGrid& grid) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d) {
        AxisSpec spec = axis_spec(layout.axis(d));
        if (grid.extent(d) != layout.axis(d).grid_size()) {
            auto* const blocks = std::get_if<BlockSpec>(&spec.value);
            if (!blocks || !blocks->bounds.empty() || !blocks->paddings.empty()) return {};
            // An axis on one process has no padding but boundary padding.
            Widths& padding = blocks->options.padding;
            const Widths boundary = layout.axis(d).as_block().boundary();
            padding = {std::max(padding.low, boundary.low), std::max(padding.high, boundary.high)};
            blocks->options.boundary = boundary;
        }
        axes.push_back(std::move(spec));
    }
    try {
        return ArrayLayout(grid, axes);
    } catch (const Error&) {
        return {};
    }
}

/// "2x1".
std::string grid_name(const ProcessGrid& grid) {
    std::string name = grid.describe();
    std::erase(name, ' ');
    return name;
}

} // namespace

std::vector<ExchangeShape> exchange_shapes(const ArrayLayout& layout,
                                           const PaddingExchangeOptions& options,
                                           std::span<const Field> fields,
                                           const std::vector<char>& borrowed) {
    std::vector<ExchangeShape> shapes;
    const auto add = [&](ExchangeShape::Kind kind, const std::string& what,
                         const ArrayLayout& other, const PaddingExchangeOptions& with) {
        std::optional<ExchangeShape> shape = worst_shape(other, with, fields, borrowed);
        if (!shape || shape->nests.empty()) return;
        shape->kind = kind;
        shape->what = what;
        shapes.push_back(std::move(*shape));
    };
    add(ExchangeShape::Kind::as_it_is, grid_name(layout.grid()), layout, options);
    if (shapes.empty()) return shapes; // no exchange

    const auto rank = static_cast<std::size_t>(layout.rank());
    std::size_t grids = 0;
    for_each_product(layout.process_count(), layout.rank(), {}, [&](const Factors& extents) {
        if (grids++ >= most_grids) return;
        const auto grid = ProcessGrid(std::span(extents).first(rank));
        if (grid == layout.grid()) return;
        if (const auto other = on_grid(layout, grid))
            add(ExchangeShape::Kind::process_grid, grid_name(grid), *other, options);
    });

    std::vector<Widths> widths;
    for (int d = 0; d < layout.rank(); ++d) {
        Widths deepest;
        if (layout.axis(d).is_block()) {
            const BlockLayout& block = layout.axis(d).as_block();
            deepest = block.periodic() ? block.boundary() : block.widest_padding();
        }
        if (!options.widths.empty()) deepest = options.widths[static_cast<std::size_t>(d)];
        widths.push_back(deepest);
    }
    std::int64_t filled = 0;
    for (const Widths width : widths) filled = std::max({filled, width.low, width.high});
    for (std::int64_t depth = 1; depth < filled && depth <= most_depths; ++depth) {
        PaddingExchangeOptions narrower = options;
        narrower.widths = widths;
        for (Widths& width : narrower.widths)
            width = {std::min(width.low, depth), std::min(width.high, depth)};
        add(ExchangeShape::Kind::depth, text(depth), layout, narrower);
    }
    return shapes;
}

} // namespace distview::impl
