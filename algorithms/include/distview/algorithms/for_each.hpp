// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/algorithms/concepts.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/checked_kernel.hpp>
#include <distview/algorithms/impl/global_maps.hpp>
#include <distview/algorithms/reading.hpp>

#include <string>
#include <tuple>

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
template <ExecutionSpace Exec, DistViewLike View, CellFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const View& view, const Functor& functor,
              Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each");
    impl::launch_for(caller, exec, view, cells, functor);
    impl::note_written(view, cells);
}

/// The same in a kernel of that name, for profilers; `cells` are Cells or a LocalBox.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, CellFunctor<View> Functor,
          ChoiceOfCells Which = Cells>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const std::string& label, const View& view, const Functor& functor,
              const Which& cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each");
    impl::launch_for(caller, label, exec, view, cells, functor);
    impl::note_written(view, cells);
}

/// The same for the cells of a box, such as PaddingExchangePlan::inner_cells(): positions in
/// view.view(), padding too if the box has any; what the section has not is left out.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, CellFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const View& view, const Functor& functor, const LocalBox& cells) {
    static constexpr impl::Caller caller("for_each");
    impl::launch_for(caller, exec, view, cells, functor);
    impl::note_written(view, cells);
}

namespace impl {
/// The kernel of for_each() and of apply_stencil(), which is collective, in the checking mode; `named` is a Reading.
template <ExecutionSpace Exec, DistViewLike View, class Functor, class Named, class Which>
void for_each_checked(const Caller& caller, bool is_collective, const Exec& exec,
                      const std::string& label, const View& view, const Functor& functor,
                      const Named& named, const Which& cells) {
    CheckedKernel kernel{caller.name, label, is_collective};
    kernel.writes.push_back(checked_array(exec, view, cells));
    std::apply(
        [&](const auto&... read) { (kernel.reads.push_back(checked_array(exec, read)), ...); },
        named.reads);
    std::apply(
        [&](const auto&... written) {
            (kernel.writes.push_back(checked_array(exec, written, cells)), ...);
        },
        named.writes);
    exec.fence("distview::check: arrays of the kernel are saved");
    run_checked(kernel, [&] {
        launch_for(caller, label, exec, view, cells, functor);
        exec.fence("distview::check: what the kernel has written is compared");
    });
}
} // namespace impl

/// The same for a kernel that names the arrays whose padding it reads, so that the checking mode (set_check()) can tell
/// whether that is valid; how far it reads is found out:
///
///     for_each(exec, "diffuse", next, KOKKOS_LAMBDA(int i, int j) {
///         v(i, j) = 0.5 * k(i, j) * (u(i, j - 1) + u(i, j + 1));
///     }, reading(now, coefficient));
///
/// Arrays that it writes besides `view`, at the same indices, are named by reading(...).writing(...); their padding is
/// not valid afterwards.
///
/// Collective: no (local)
/// Shapes:     in the checking mode the functor is called several times for each cell, and arrays that are named are
///             as they were before each: it changes nothing else
/// Cost:       without the checking mode that of for_each()
/// Errors:     in the checking mode UsageError, on this rank alone, if what is computed depends on padding that is not
///             valid, with array, side, depth and kernel; nothing has been written then. Other ranks get an error in the
///             next call in which they wait for this one
template <ExecutionSpace Exec, DistViewLike View, CellFunctor<View> Functor, class Reads,
          class Writes, ChoiceOfCells Which = Cells>
    requires AccessibleFrom<View, Exec>
void for_each(const Exec& exec, const std::string& label, const View& view, const Functor& functor,
              const Reading<Reads, Writes>& named, const Which& cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each");
    if (impl::is_checking())
        impl::for_each_checked(caller, false, exec, label, view, functor, named, cells);
    else
        impl::launch_for(caller, label, exec, view, cells, functor);
    impl::note_written(view, cells);
    std::apply([&](const auto&... written) { (impl::note_written(written, cells), ...); },
               named.writes);
}

namespace impl {
/// Calls functor(gi, gj, ...) for every cell of `cells`; `WithLocal`: functor(i, j, ..., gi, gj, ...).
template <bool WithLocal, ExecutionSpace Exec, DistViewLike View, class Functor>
void for_each_mapped(const Caller& caller, const std::string& label, const Exec& exec,
                     const View& view, const Functor& functor, Cells cells) {
    with_global_maps(exec, view, [&]<class Maps>(const Maps& maps) {
        launch_for(caller, label, exec, view, cells,
                   GlobalBody<Functor, Maps, View::rank(), WithLocal>{functor, maps});
    });
    note_written(view, cells);
}
} // namespace impl

/// Calls functor(gi, gj, ...) for every cell of a section with its indices in the whole array.
///
/// Collective: no (local)
/// Indices:    GlobalIndex: the interior's from 0, negative or extent(d) and above in boundary padding
///             (Cells::owned); on unstructured axes the labels
/// Space:      one kernel on `exec`; on return work may still run there
/// Cost:       that of for_each(); on a device, with a cyclic or unstructured axis, also a DeviceLayout
template <ExecutionSpace Exec, DistViewLike View, GlobalFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_global(const Exec& exec, const View& view, const Functor& functor,
                     Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each_global");
    impl::for_each_mapped<false>(caller, caller.label(), exec, view, functor, cells);
}
/// The same in a kernel of that name, for profilers.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, GlobalFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_global(const Exec& exec, const std::string& label, const View& view,
                     const Functor& functor, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each_global");
    impl::for_each_mapped<false>(caller, label, exec, view, functor, cells);
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
template <ExecutionSpace Exec, DistViewLike View, CellAndGlobalFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_with_global(const Exec& exec, const View& view, const Functor& functor,
                          Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each_with_global");
    impl::for_each_mapped<true>(caller, caller.label(), exec, view, functor, cells);
}
/// The same in a kernel of that name, for profilers.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, CellAndGlobalFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_with_global(const Exec& exec, const std::string& label, const View& view,
                          const Functor& functor, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each_with_global");
    impl::for_each_mapped<true>(caller, label, exec, view, functor, cells);
}

} // namespace distview
