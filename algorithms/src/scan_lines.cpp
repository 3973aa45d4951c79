// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/scan_lines.hpp>

#include <utility>

namespace distview::impl {

namespace {

/// The cells of all places, place after place, whatever their indices are; ghosts are padding behind them.
AxisSpec blocks_of_cells(const AxisLayout& axis) {
    std::vector<std::int64_t> bounds{0};
    std::vector<Widths> ghosts;
    for (int p = 0; p < axis.grid_size(); ++p) {
        const std::int64_t cells = axis.interior_local(p).size();
        bounds.push_back(bounds.back() + cells);
        ghosts.push_back({0, axis.is_block() ? 0 : axis.local_extent(p) - cells});
    }
    const BlockOptions at_the_end{.padding = {}, .boundary = ghosts.back(), .periodic = false};
    return block_bounds(std::move(bounds), at_the_end, std::move(ghosts));
}

} // namespace

bool is_in_order(const AxisLayout& axis) {
    return axis.is_block() || (axis.type() == DistType::cyclic && axis.grid_size() == 1);
}

ArrayLayout positions_layout(const ArrayLayout& layout, int axis) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d)
        axes.push_back(d == axis || layout.axis(d).is_block() ? axis_spec(layout.axis(d))
                                                              : blocks_of_cells(layout.axis(d)));
    return {layout.grid(), axes};
}

ArrayLayout ordered_layout(const ArrayLayout& layout, int axis) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d)
        axes.push_back(d == axis ? block(layout.extent(d)) : blocks_of_cells(layout.axis(d)));
    return {layout.grid(), axes};
}

RedistributionOptions ordered_options(const ArrayLayout& layout, int axis) {
    RedistributionOptions options;
    if (layout.axis(axis).type() != DistType::unstructured) return options;
    options.from_slice.resize(static_cast<std::size_t>(layout.rank()));
    options.from_slice[static_cast<std::size_t>(axis)] = {0, layout.extent(axis), 1};
    options.to_slice = options.from_slice;
    return options;
}

} // namespace distview::impl
