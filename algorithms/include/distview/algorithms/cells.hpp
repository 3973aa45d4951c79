// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/checked_section.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/local_box.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace distview {

/// Which of a section's elements an algorithm works on. Never communication padding, never ghosts.
///
///     section      C7 | 8 .. 15 | B16        (process 1 of BlockLayout's example)
///     interior          8 .. 15              the cells that the program computes; the default
///     owned             8 .. 15   B16        and the boundary padding: the protocol's elements
///
/// **On a periodic axis the boundary padding mirrors cells of the interior's other end: a sum over
/// `owned` counts these twice.**
///
/// Every cell of a block or cyclic axis belongs to exactly one process either way. Cyclic and
/// unstructured axes have no padding; there both mean the same: what is no ghost.
enum class Cells { interior, owned };

namespace impl {

/// Where a section would have elements of a block axis, were it long enough.
template <DistViewLike View>
LocalRange positions_of(const View& view, int axis, GlobalRange elements) {
    const AxisLayout& layout = view.layout().axis(axis);
    const int p = view.coordinate(axis);
    return {layout.to_local(p, elements.begin), layout.to_local(p, elements.end)};
}
/// Whether an axis ends in two walls, beyond which there are no elements.
inline bool has_walls(const AxisLayout& axis) { return axis.is_block() && !axis.periodic(); }

} // namespace impl

/// Positions in view.view() whose elements are as their owners have them: those that no exchange writes, boundary
/// padding too, and around them as many as DistView::valid_padding() says, as far as the array goes; without corners
/// none of these.
///
/// Collective: no (local)
template <DistViewLike View>
LocalBox valid_cells(const View& view) {
    const ValidPadding valid = view.valid_padding();
    LocalBox cells{};
    for (int d = 0; d < View::rank(); ++d) {
        const bool is_copy = view.layout().axis(d).periodic(); // boundary padding is
        const LocalRange own = is_copy ? view.interior_range(d) : view.owned_range(d);
        const Widths around = valid.has_corners() ? valid.depth(d) : Widths(0);
        const auto extent = static_cast<std::int64_t>(view.view().extent(static_cast<unsigned>(d)));
        LocalRange& range = cells[static_cast<std::size_t>(d)];
        range = {std::max(own.begin - around.low, LocalIndex(0)),
                 std::min(own.end + around.high, LocalIndex(extent))};
        const AxisLayout& axis = view.layout().axis(d);
        if (!impl::has_walls(axis)) continue;
        const LocalRange there = impl::positions_of(view, d, axis.global_range());
        range = {std::max(range.begin, there.begin), std::min(range.end, there.end)};
    }
    return cells;
}

namespace impl {

/// An algorithm writes elements: padding that copies them is old from now on.
template <DistViewLike View>
void note_written(const View& view) noexcept {
    if constexpr (!std::is_const_v<typename View::value_type>) view.mark_written();
}

/// Cells of a section: a range of positions in view() along every axis.
template <int Rank>
struct CellBox {
    /// An array without axes is one cell of an axis that nobody indexes.
    static constexpr int axes = Rank > 0 ? Rank : 1;

    std::int64_t begin[axes] = {};
    std::int64_t end[axes] = {};

    std::int64_t count() const noexcept {
        std::int64_t result = 1;
        for (int d = 0; d < axes; ++d) result *= end[d] > begin[d] ? end[d] - begin[d] : 0;
        return result;
    }
};

template <DistViewLike View>
CellBox<View::rank()> cell_box(const View& view, Cells cells) {
    CellBox<View::rank()> box;
    if constexpr (View::rank() == 0) box.end[0] = 1;
    for (int d = 0; d < View::rank(); ++d) {
        const LocalRange range =
            cells == Cells::owned ? view.owned_range(d) : view.interior_range(d);
        box.begin[d] = range.begin.value();
        box.end[d] = range.end.value();
    }
    return box;
}

/// The positions of `box` that the section has.
template <DistViewLike View>
CellBox<View::rank()> cell_box(const View& view, const LocalBox& box) {
    CellBox<View::rank()> result;
    if constexpr (View::rank() == 0) result.end[0] = 1;
    for (int d = 0; d < View::rank(); ++d) {
        const LocalRange& range = box[static_cast<std::size_t>(d)];
        const auto extent = static_cast<std::int64_t>(view.view().extent(static_cast<unsigned>(d)));
        result.begin[d] = range.begin.value() < 0 ? 0 : range.begin.value();
        result.end[d] = range.end.value() < extent ? range.end.value() : extent;
    }
    return result;
}

template <int Rank>
LocalBox local_box(const CellBox<Rank>& cells) {
    LocalBox box{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(Rank); ++d)
        box[d] = {LocalIndex(cells.begin[d]), LocalIndex(cells.end[d])};
    return box;
}

/// Whether boundary padding may be among such cells, here or on another rank.
inline bool has_boundary(Cells cells) { return cells == Cells::owned; }
inline bool has_boundary(const LocalBox&) { return true; }

/// An algorithm writes `cells`, Cells or a LocalBox, and no other elements.
template <DistViewLike View, class Which>
void note_written(const View& view, const Which& cells) {
    if constexpr (!std::is_const_v<typename View::value_type>) {
        const auto& state = state_of(view);
        if (!state || !state->checked) {
            view.mark_written();
            return;
        }
        state->valid_padding = ValidPadding();
        state->checked->note_written(local_box(cell_box(view, cells)), has_boundary(cells));
    }
}

} // namespace impl

} // namespace distview
