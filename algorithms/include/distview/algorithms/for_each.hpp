// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/global_maps.hpp>

#include <string>

namespace distview {

/// Calls functor(i, j, ...) for every cell of a section with its indices in view.view().
///
/// The loop that one would write by hand around a stencil: every host thread takes an equal run of
/// cells, row after row, and the axis that is contiguous in memory is the innermost, vectorised
/// loop; on a GPU every thread takes one cell. The functor captures the Kokkos Views that it works
/// on and may read any element of them, padding included, but calls run at once and in any order:
/// one must not read what another writes.
///
///     auto u = a.view(), v = b.view();
///     for_each(exec, b, KOKKOS_LAMBDA(int i, int j) { v(i, j) = u(i, j - 1) + u(i, j + 1); });
///
/// The functor may declare its indices as int or as std::int64_t; `auto` is whichever is faster on
/// `exec` and long enough for the section.
///
/// Collective: no (local)
/// Indices:    local, all padding included: what view.view() takes
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    what the functor does. Afterwards no padding of `view` is valid (DistView::valid_padding()), unless its
///             elements are const; of other arrays that the functor writes, DistView::mark_written() says so
/// Cost:       no allocation, no fence
/// Errors:     UsageError if the functor declares ints and the section is longer than 2^31-1
template <ExecutionSpace Exec, DistViewLike View, class Functor>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const View& view, const Functor& functor,
              Cells cells = Cells::interior) {
    static const impl::Caller caller("for_each");
    impl::launch_for(caller, exec, view, cells, functor);
    impl::note_written(view);
}

/// The same in a kernel of that name, for profilers; `cells` are Cells or a LocalBox.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, class Functor, class Which = Cells>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const std::string& label, const View& view, const Functor& functor,
              const Which& cells = Cells::interior) {
    static const impl::Caller caller("for_each");
    impl::launch_for(caller, label, exec, view, cells, functor);
    impl::note_written(view);
}

/// The same for the cells of a box, such as PaddingExchangePlan::inner_cells(): positions in
/// view.view(), padding too if the box has any; what the section has not is left out.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, class Functor>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const View& view, const Functor& functor, const LocalBox& cells) {
    static const impl::Caller caller("for_each");
    impl::launch_for(caller, exec, view, cells, functor);
    impl::note_written(view);
}

/// Calls functor(gi, gj, ...) for every cell of a section with its indices in the whole array.
///
/// Collective: no (local)
/// Indices:    GlobalIndex: the interior's from 0, negative or extent(d) and above in boundary padding
///             (Cells::owned); on unstructured axes the labels
/// Space:      one kernel on `exec`; on return work may still run there
/// Cost:       that of for_each(); with a cyclic or unstructured axis also a DeviceLayout
template <ExecutionSpace Exec, DistViewLike View, class Functor>
    requires AccessibleFrom<View, Exec>
void for_each_global(const Exec& exec, const View& view, const Functor& functor,
                     Cells cells = Cells::interior) {
    static const impl::Caller caller("for_each_global");
    impl::with_global_maps(exec, view, [&]<class Maps>(const Maps& maps) {
        impl::launch_for(caller, exec, view, cells,
                         impl::GlobalBody<Functor, Maps, View::rank(), false>{functor, maps});
    });
    impl::note_written(view);
}

/// Calls functor(i, j, ..., gi, gj, ...) with a cell's indices in view.view() and those in the whole array, as
/// for_each() and for_each_global() give them:
///
///     for_each_with_global(exec, a, KOKKOS_LAMBDA(int i, int j, GlobalIndex gi, GlobalIndex gj) {
///         v(i, j) = x0 + dx * gi.value() * gj.value();
///     });
///
/// Collective: no (local)
/// Errors:     UsageError if the functor declares ints and the section is longer than 2^31-1
template <ExecutionSpace Exec, DistViewLike View, class Functor>
    requires AccessibleFrom<View, Exec>
void for_each_with_global(const Exec& exec, const View& view, const Functor& functor,
                          Cells cells = Cells::interior) {
    static const impl::Caller caller("for_each_with_global");
    impl::with_global_maps(exec, view, [&]<class Maps>(const Maps& maps) {
        impl::launch_for(caller, exec, view, cells,
                         impl::GlobalBody<Functor, Maps, View::rank(), true>{functor, maps});
    });
    impl::note_written(view);
}

} // namespace distview
