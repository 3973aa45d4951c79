// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/checks.hpp>

#include <cstddef>
#include <limits>

namespace distview::impl {

// Cells that are contiguous in memory, such as all cells of a section without padding, are treated as one row, whatever
// their axes: axes with few cells then cost nothing.

/// Elements of any view as one row.
template <ViewLike View>
using FlatView = Kokkos::View<typename View::value_type*, Kokkos::LayoutRight,
                              typename View::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Whether the cells of `box` follow each other in memory without gaps.
template <ViewLike View, int Rank>
bool is_flat(const View& view, const CellBox<Rank>& box) {
    std::int64_t row = 1; // number of cells found to follow each other so far
    for (int found = 0; found < Rank; ++found) {
        int next = -1;
        for (int d = 0; d < Rank; ++d) {
            const std::int64_t cells = box.end[d] - box.begin[d];
            const auto stride = static_cast<std::int64_t>(view.stride(static_cast<std::size_t>(d)));
            if (cells > 1 && stride == row) next = d;
        }
        if (next < 0) break;
        row *= box.end[next] - box.begin[next];
    }
    return row == box.count();
}

/// Whether the cells of `box` have the same order and distances in two views.
template <ViewLike A, ViewLike B, int Rank>
bool same_strides(const A& a, const B& b, const CellBox<Rank>& box) {
    for (std::size_t d = 0; d < Rank; ++d)
        if (box.end[d] - box.begin[d] > 1 && a.stride(d) != b.stride(d)) return false;
    return true;
}

/// The cells of `box`, moved by `shift`, as a row; they must be contiguous.
template <ViewLike View, int Rank>
FlatView<View> flat_cells(const View& view, const CellBox<Rank>& box,
                          const Shift<Rank>& shift = {}) {
    std::int64_t offset = 0;
    for (int d = 0; d < Rank; ++d)
        offset += (box.begin[d] + shift.by[d]) *
                  static_cast<std::int64_t>(view.stride(static_cast<std::size_t>(d)));
    return FlatView<View>(view.data() + offset, static_cast<std::size_t>(box.count()));
}

/// Calls body(i) for i from 0 to `count` - 1; returns at once.
template <ExecutionSpace Exec, class Body>
void launch_flat(const Caller& caller, const Exec& exec, std::int64_t count, const Body& body) {
    if (count == 0) return;
    CellBox<1> box;
    box.end[0] = count;
    if (!loops_by_row<Exec> && count <= std::numeric_limits<int>::max())
        launch_walk(caller.label(), exec, CellWalk<1, 0, false, int>(box), body);
    else
        launch_walk(caller.label(), exec, CellWalk<1, 0, false, std::int64_t>(box), body);
}

/// Launches `Body`, which writes `y`, over the cells of `x` and `y`, whose positions may be shifted against each other.
/// make(x, y) creates the body from the two views, or from two rows.
template <ExecutionSpace Exec, DistViewLike X, DistViewLike Y, class Make>
void launch_for_pair(const Caller& caller, const Exec& exec, const X& x, const Y& y, Cells cells,
                     const Make& make) {
    constexpr int rank = Y::rank();
    const Shift<rank> shift = shift_between(caller.name, y, x, cells);
    const CellBox<rank> box = cell_box(y, cells);
    if (box.count() > 0)
        require_apart(caller.name, visited_cells(y.view(), box),
                      visited_cells(x.view(), box, shift.by));
    note_written(y);
    if (box.count() == 0) return;
    if constexpr (rank > 1) {
        if (is_flat(y.view(), box) && same_strides(x.view(), y.view(), box)) {
            using FlatX = FlatView<typename X::view_type>;
            launch_flat(caller, exec, box.count(),
                        make(ShiftedView<FlatX>{flat_cells(x.view(), box, shift), {}},
                             flat_cells(y.view(), box)));
            return;
        }
    }
    launch_for(caller, exec, y, cells,
               make(ShiftedView<typename X::view_type>{x.view(), shift}, y.view()));
}

} // namespace distview::impl
