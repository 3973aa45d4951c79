// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/impl/flat_cells.hpp>

namespace distview {

namespace impl {

/// Elements that can be multiplied and added.
template <class T>
concept MultipliedAndAdded = requires(const T& a, const T& b) { static_cast<T>(a * a + b * b); };

template <ViewLike X, ViewLike Y>
struct AxpbyBody {
    using value_type = typename Y::value_type;
    value_type alpha;
    ShiftedView<X> x;
    value_type beta;
    Y y;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        y(at...) =
            static_cast<value_type>(alpha * static_cast<value_type>(x(at...)) + beta * y(at...));
    }
};

template <ViewLike X, ViewLike Y>
struct ScaledCopyBody {
    using value_type = typename Y::value_type;
    value_type alpha;
    ShiftedView<X> x;
    Y y;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        y(at...) = static_cast<value_type>(alpha * static_cast<value_type>(x(at...)));
    }
};

} // namespace impl

/// y = alpha * x + beta * y, cell by cell.
///
/// If beta is 0, y is written without being read: it may hold NaNs or be uninitialised (as in BLAS).
///
/// Collective: no (local)
/// Shapes:     x and y have the same distribution; see copy()
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    reads the cells of x and y, writes those of y; x and y may be the same array
/// Cost:       no allocation, no fence
/// Errors:     those of copy()
template <ExecutionSpace Exec, DistViewLike X, WritableDistView Y>
    requires(AccessibleFrom<X, Exec> && AccessibleFrom<Y, Exec> && SameRank<X, Y> &&
             ElementsConvertTo<X, Y> && impl::MultipliedAndAdded<typename Y::value_type>)
void axpby(const Exec& exec, const typename Y::non_const_value_type& alpha, const X& x,
           const typename Y::non_const_value_type& beta, const Y& y,
           Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("axpby");
    if (beta == typename Y::non_const_value_type(0))
        impl::launch_for_pair(
            caller, exec, x, y, cells,
            [&]<class ViewX, class ViewY>(const impl::ShiftedView<ViewX>& from, const ViewY& to) {
                return impl::ScaledCopyBody<ViewX, ViewY>{alpha, from, to};
            });
    else
        impl::launch_for_pair(
            caller, exec, x, y, cells,
            [&]<class ViewX, class ViewY>(const impl::ShiftedView<ViewX>& from, const ViewY& to) {
                return impl::AxpbyBody<ViewX, ViewY>{alpha, from, beta, to};
            });
}

/// y = alpha * y, cell by cell.
///
/// Collective: no (local)
/// Space:      one kernel on `exec`; on return work may still run there
/// Cost:       no allocation, no fence
template <ExecutionSpace Exec, WritableDistView Y>
    requires(AccessibleFrom<Y, Exec> && impl::MultipliedAndAdded<typename Y::value_type>)
void scale(const Exec& exec, const typename Y::non_const_value_type& alpha, const Y& y,
           Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("scale");
    impl::launch_for_pair(
        caller, exec, y, y, cells,
        [&]<class ViewX, class ViewY>(const impl::ShiftedView<ViewX>& from, const ViewY& to) {
            return impl::ScaledCopyBody<ViewX, ViewY>{alpha, from, to};
        });
}

} // namespace distview
