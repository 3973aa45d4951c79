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

/// Calls functor(i, j, ...) for every cell of a section, with the cell's indices in view.view().
///
/// The loop is organised like a hand-written stencil loop. On the host, every thread computes an equal run of cells,
/// row after row, and the axis that is contiguous in memory is the innermost, vectorised loop. On a GPU every thread
/// computes one cell. The functor captures the Kokkos Views that it uses and may read any of their elements, padding
/// included. Calls run concurrently and in any order: a call must not read an element that another call writes.
///
///     auto u = a.view(), v = b.view();
///     for_each(exec, b, KOKKOS_LAMBDA(int i, int j) { v(i, j) = u(i, j - 1) + u(i, j + 1); });
///
/// The functor may declare its indices as int or as std::int64_t. If it declares them `auto`, they have the type that
/// is faster on `exec` and large enough for the section.
///
/// Collective: no (local)
/// Indices:    local, all padding included: the indices of view.view()
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    the elements that the functor accesses. Afterwards no padding of `view` is valid
///             (DistView::valid_padding()), unless its elements are const. If the functor writes other arrays, call
///             DistView::mark_written() on them
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

/// Same, with `label` as the kernel's name in profilers; `cells` is a Cells value or a LocalBox.
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

/// Same, for the cells of a box such as PaddingExchangePlan::inner_cells(). The box consists of positions in
/// view.view() and may include padding; positions outside the section are skipped.
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
/// The checking-mode kernel of for_each() and of the collective apply_stencil(); `named` is a Reading.
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

/// Same, for a kernel that names the arrays whose padding it reads, so that the checking mode (set_check()) can test
/// whether that padding is valid. The check itself finds out how far the kernel reads:
///
///     for_each(exec, "diffuse", next, KOKKOS_LAMBDA(int i, int j) {
///         v(i, j) = 0.5 * k(i, j) * (u(i, j - 1) + u(i, j + 1));
///     }, reading(now, coefficient));
///
/// Arrays that the kernel writes besides `view`, at the same indices, are named by reading(...).writing(...); their
/// padding is not valid afterwards.
///
/// Collective: no (local)
/// Shapes:     in the checking mode the kernel is run several times, and the named arrays are restored before each run:
///             the functor must change nothing else
/// Cost:       without the checking mode, that of for_each()
/// Errors:     in the checking mode UsageError, on this rank alone, if results depend on padding that is not valid; the
///             text names array, side, depth and kernel, and nothing has been written. Other ranks get an error in the
///             next call in which they wait for this rank
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

/// Calls functor(gi, gj, ...) for every cell of a section, with the cell's global indices.
///
/// Collective: no (local)
/// Indices:    GlobalIndex: from 0 in the interior; negative, or extent(d) and above, in boundary padding
///             (Cells::owned); labels on unstructured axes
/// Space:      one kernel on `exec`; on return work may still run there
/// Cost:       that of for_each(); on a device, an array with a cyclic or unstructured axis also needs a DeviceLayout
template <ExecutionSpace Exec, DistViewLike View, GlobalFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_global(const Exec& exec, const View& view, const Functor& functor,
                     Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each_global");
    impl::for_each_mapped<false>(caller, caller.label(), exec, view, functor, cells);
}
/// Same, with `label` as the kernel's name in profilers.
///
/// Collective: no (local)
template <ExecutionSpace Exec, DistViewLike View, GlobalFunctor<View> Functor>
    requires AccessibleFrom<View, Exec>
void for_each_global(const Exec& exec, const std::string& label, const View& view,
                     const Functor& functor, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("for_each_global");
    impl::for_each_mapped<false>(caller, label, exec, view, functor, cells);
}

/// Calls functor(i, j, ..., gi, gj, ...) with a cell's indices in view.view() and its global indices, as passed by
/// for_each() and for_each_global():
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
/// Same, with `label` as the kernel's name in profilers.
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
