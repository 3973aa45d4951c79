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

/// Selects the elements of a section on which an algorithm works. Communication padding and ghosts are never selected.
///
///     section      C7 | 8 .. 15 | B16        (process 1 of BlockLayout's example)
///     interior          8 .. 15              cells that the program computes; the default
///     owned             8 .. 15   B16        interior and boundary padding: the protocol's elements
///
/// **On a periodic axis the boundary padding mirrors cells of the interior's other end: a sum over
/// `owned` counts these cells twice.**
///
/// Every cell of a block or cyclic axis belongs to exactly one process with either choice. Cyclic and unstructured axes
/// have no padding: on them both choices select all elements except ghosts.
enum class Cells { interior, owned };

namespace impl {

/// Positions that a section would give to elements of a block axis if the section were long enough.
template <DistViewLike View>
LocalRange positions_of(const View& view, int axis, GlobalRange elements) {
    const AxisLayout& layout = view.layout().axis(axis);
    const int p = view.coordinate(axis);
    return {layout.to_local(p, elements.begin), layout.to_local(p, elements.end)};
}
/// Whether an axis ends in two walls, beyond which no elements exist.
inline bool has_walls(const AxisLayout& axis) { return axis.is_block() && !axis.periodic(); }

} // namespace impl

/// Positions in view.view() whose elements equal the owners' elements. These are the elements that no exchange writes,
/// boundary padding at walls included, and around them the padding that DistView::valid_padding() reports as valid, as
/// far as the array extends. If the corners are not valid, none of this padding is included.
///
/// Collective: no (local)
template <DistViewLike View>
LocalBox valid_cells(const View& view) {
    const ValidPadding valid = view.valid_padding();
    LocalBox cells{};
    for (int d = 0; d < View::rank(); ++d) {
        const bool is_copy = view.layout().axis(d).periodic(); // whether boundary padding is a copy
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

/// Records that an algorithm writes elements: padding that copies them is outdated from now on.
template <DistViewLike View>
void note_written(const View& view) noexcept {
    if constexpr (!std::is_const_v<typename View::value_type>) view.mark_written();
}

/// Cells of a section: one range of positions in view() for each axis.
template <int Rank>
struct CellBox {
    /// An array without axes is stored as one cell along an axis that is never indexed.
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

/// The positions of `box` that lie in the section.
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

/// Whether such cells may include boundary padding, here or on another rank.
inline bool has_boundary(Cells cells) { return cells == Cells::owned; }
inline bool has_boundary(const LocalBox&) { return true; }

/// Records that an algorithm writes `cells` (Cells or a LocalBox) and no other elements.
template <DistViewLike View, class Which>
void note_written(const View& view, const Which& cells) {
    if constexpr (!std::is_const_v<typename View::value_type>) {
        const auto& state = state_of(view);
        if (!state || !state->checked || state->whole) {
            view.mark_written();
            return;
        }
        state->valid_padding = ValidPadding();
        state->checked->note_written(local_box(cell_box(view, cells)), has_boundary(cells));
    }
}

} // namespace impl

} // namespace distview
