// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/concepts.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/impl/matched_arrays.hpp>

#include <cstddef>
#include <utility>

namespace distview {

namespace impl {

/// to(i, j, ...) = functor(a(i, j, ...), b(i, j, ...), ...)
template <std::size_t Number, ViewLike To, class Functor, class Sources>
struct TransformBody {
    To to;
    Functor functor;
    Sources sources;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        to(at...) =
            static_cast<typename To::value_type>(value(std::make_index_sequence<Number>(), at...));
    }

private:
    template <std::size_t... N, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION auto value(std::index_sequence<N...>, Indices... at) const {
        return functor(value_at<N>(sources)(at...)...);
    }
};

template <ExecutionSpace Exec, DistViewLike To, class Functor, DistViewLike... From>
void launch_transform(const Caller& caller, const Exec& exec, Cells cells, const To& to,
                      const Functor& functor, const From&... from) {
    const MatchedArrays<From...> matched(caller.name, to, cells, from...);
    const CellBox<To::rank()> box = cell_box(to, cells);
    if (box.count() > 0) matched.require_apart_from(caller.name, to, box, from...);
    note_written(to);
    const auto launch = [&]<class Sources>(const Sources& sources) {
        launch_for(caller, exec, to, cells,
                   TransformBody<sizeof...(From), typename To::view_type, Functor, Sources>{
                       to.view(), functor, sources});
    };
    if (box.count() == 0) return;
    if (matched.any_spreads) return launch(matched.spread(from...));
    if constexpr (To::rank() > 1) {
        if (matched.is_flat_with(to, box, from...)) {
            const auto sources = matched.flat(box, from...);
            using Flat = FlatView<typename To::view_type>;
            launch_flat(caller, exec, box.count(),
                        TransformBody<sizeof...(From), Flat, Functor, decltype(sources)>{
                            flat_cells(to.view(), box), functor, sources});
            return;
        }
    }
    launch(matched.shifted(from...));
}

} // namespace impl

/// Sets every cell of an array to a function of the same cell's values in other arrays.
///
///     transform(exec, w, KOKKOS_LAMBDA(double a, float b) { return a * b; }, u, v);   // w = u * v
///
/// The arrays may differ in element type, in padding and in the order of the axes in memory; this process must hold the
/// same cells of all arrays. `to` may be one of the sources, but must not share memory with other cells of a source.
/// If a source has extent 1 along an axis (see reduced_layout()) and this process holds that cell, its value is used
/// for all positions of `to` along the axis, as in NumPy's broadcasting.
///
/// Collective: no (local)
/// Shapes:     equal numbers of axes and grids; along every axis the same cells on this process, or
///             extent 1 in a source
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    reads the cells of the sources, writes those of `to`
/// Cost:       no allocation, no fence; unless the layouts are equal, unstructured labels are compared
/// Errors:     ShapeError, which names both layouts and the RedistributionPlan that aligns them, if the
///             cells differ; UsageError if `to` shares memory with other cells of a source
/// Example:    tests/unit/algorithms/test_transform.cpp
template <ExecutionSpace Exec, WritableDistView To, class Functor, DistViewLike... From>
    requires(AccessibleFrom<To, Exec> && sizeof...(From) > 0 &&
             ((AccessibleFrom<From, Exec> && From::rank() == To::rank()) && ...) &&
             ValueFunctor<Functor, From...>)
void transform(const Exec& exec, const To& to, const Functor& functor, const From&... from) {
    static constexpr impl::Caller caller("transform");
    impl::launch_transform(caller, exec, Cells::interior, to, functor, from...);
}
/// Same, for the cells selected by `cells`.
///
/// Collective: no (local)
template <ExecutionSpace Exec, WritableDistView To, class Functor, DistViewLike... From>
    requires(AccessibleFrom<To, Exec> && sizeof...(From) > 0 &&
             ((AccessibleFrom<From, Exec> && From::rank() == To::rank()) && ...) &&
             ValueFunctor<Functor, From...>)
void transform(const Exec& exec, Cells cells, const To& to, const Functor& functor,
               const From&... from) {
    static constexpr impl::Caller caller("transform");
    impl::launch_transform(caller, exec, cells, to, functor, from...);
}

} // namespace distview
