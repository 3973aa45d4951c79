// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/matched_arrays.hpp>

#include <distview/core/text.hpp>

#include <cstdint>

namespace distview::impl {

namespace {

/// Whether process p holds the same cell of two axes with one cell each, or holds neither cell.
bool same_cell(const AxisLayout& a, const AxisLayout& b, int p) {
    const LocalRange cell = a.interior_local(p);
    return a.type() == b.type() && cell.size() == b.interior_local(p).size() &&
           (cell.empty() ||
            a.to_global(p, cell.begin) == b.to_global(p, b.interior_local(p).begin));
}

/// Whether `from` has one cell along the axis and `to` has other cells.
bool is_spread(const SectionPlace& to, const SectionPlace& from, int axis) {
    if (from.layout.extent(axis) != 1) return false;
    const AxisLayout& a = to.layout.axis(axis);
    const int p = to.layout.coordinates(to.process)[static_cast<std::size_t>(axis)];
    return a.size() != 1 ||
           (p < from.layout.grid().extent(axis) && !same_cell(a, from.layout.axis(axis), p));
}

/// The position of the one cell that is spread along an axis.
std::int64_t spread_position(const char* caller, const SectionPlace& to, const SectionPlace& from,
                             int axis) {
    const auto p = from.layout.coordinates(from.process)[static_cast<std::size_t>(axis)];
    const LocalRange cells = from.layout.axis(axis).interior_local(p);
    require<ShapeError>(cells.size() == 1, [&] {
        return text(caller, ": '", from.label(), "' has one cell along axis ", axis,
                    " to spread over '", to.label(), "', but process ", from.process, " of a ",
                    from.layout.describe(), "\ndoes not hold this cell, and needs it for process ",
                    to.process, " of a ", to.layout.describe(),
                    "\nto align them: RedistributionPlan(comm, layout of '", from.label(),
                    "', reduced_layout(layout of '", to.label(), "', ", axis,
                    ", AxisResult::everywhere))");
    });
    return cells.begin.value();
}

} // namespace

CellMatch match_cells(const char* caller, const SectionPlace& to, const SectionPlace& from,
                      Cells cells) {
    CellMatch match;
    std::uint32_t spread = 0;
    for (int d = 0; d < to.layout.rank(); ++d) {
        match.factor[static_cast<std::size_t>(d)] = 1;
        if (is_spread(to, from, d)) spread |= 1U << d;
    }
    match.spreads = spread != 0;
    try {
        match.shift =
            shift_between(caller, to.layout, to.process, from.layout, from.process, cells, spread);
    } catch (const ShapeError& error) {
        throw ShapeError(text(
            error.what(), advice(to, from, [&](int axis) { return (spread >> axis & 1U) != 0; })));
    }
    const GridCoordinates at = to.layout.coordinates(to.process);
    for (int d = 0; match.spreads && d < to.layout.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const bool has_cells = cells == Cells::owned
                                   ? !to.layout.axis(d).owned_local(at[i]).empty()
                                   : !to.layout.axis(d).interior_local(at[i]).empty();
        if ((spread >> d & 1U) == 0 || !has_cells) continue;
        match.factor[i] = 0;
        match.shift[i] = spread_position(caller, to, from, d);
    }
    return match;
}

} // namespace distview::impl
