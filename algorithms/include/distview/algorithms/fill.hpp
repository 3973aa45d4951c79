// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/concepts.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/global_maps.hpp>

#include <string>
#include <type_traits>

namespace distview {

/// An array whose elements may be written.
template <class T>
concept WritableDistView = DistViewLike<T> && !std::is_const_v<typename T::value_type>;

namespace impl {

template <ViewLike View>
struct FillBody {
    View view;
    typename View::non_const_value_type value;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        view(at...) = value;
    }
};

template <ViewLike View, class Function, class Maps>
struct FillWithBody {
    View view;
    Function function;
    Maps maps;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        view(at...) = static_cast<typename View::value_type>(
            value(std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(), at...));
    }

private:
    template <int... Axis, class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION auto value(std::integer_sequence<int, Axis...>,
                                           Indices... at) const {
        return function(maps.global(Axis, at)...);
    }
};

template <ExecutionSpace Exec, WritableDistView View, class Function>
void fill_with_function(const Caller& caller, const std::string& label, const Exec& exec,
                        const View& view, const Function& function, Cells cells) {
    with_global_maps(exec, view, [&]<class Maps>(const Maps& maps) {
        launch_for(
            caller, label, exec, view, cells,
            FillWithBody<typename View::view_type, Function, Maps>{view.view(), function, maps});
    });
    note_written(view, cells);
}

} // namespace impl

/// Sets every cell to one value.
///
/// Collective: no (local)
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    writes the cells only, never communication padding. To set a whole section with all its padding, use
///             Kokkos::deep_copy(exec, view.view(), value)
/// Cost:       no allocation, no fence
template <ExecutionSpace Exec, WritableDistView View>
    requires AccessibleFrom<View, Exec>
void fill(const Exec& exec, const View& view, const typename View::non_const_value_type& value,
          Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("fill");
    impl::launch_for(caller, exec, view, cells,
                     impl::FillBody<typename View::view_type>{view.view(), value});
    impl::note_written(view, cells);
}

/// Sets every cell to a function of its global indices.
///
///     fill_with(exec, u, KOKKOS_LAMBDA(GlobalIndex i, GlobalIndex j) { return 100.0 * i + j; });
///
/// The result does not depend on how the array is distributed.
///
/// Collective: no (local)
/// Indices:    GlobalIndex: from 0 in the interior; negative, or extent(d) and above, in boundary padding
///             (Cells::owned); labels on unstructured axes
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    writes the cells only
/// Cost:       no allocation, no fence; on a device, an array with a cyclic or unstructured axis needs a DeviceLayout
template <ExecutionSpace Exec, WritableDistView View, GlobalFunctor<View> Function>
    requires AccessibleFrom<View, Exec>
void fill_with(const Exec& exec, const View& view, const Function& function,
               Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("fill_with");
    impl::fill_with_function(caller, caller.label(), exec, view, function, cells);
}
/// Same, with `label` as the kernel's name in profilers.
///
/// Collective: no (local)
template <ExecutionSpace Exec, WritableDistView View, GlobalFunctor<View> Function>
    requires AccessibleFrom<View, Exec>
void fill_with(const Exec& exec, const std::string& label, const View& view,
               const Function& function, Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("fill_with");
    impl::fill_with_function(caller, label, exec, view, function, cells);
}

} // namespace distview
