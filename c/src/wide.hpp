// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/core/dist_view.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace distview::c {

/// The side on which axes of extent 1 are added, up to max_rank axes, so that kernels are compiled for one number of axes
/// rather than for nine. Processes keep their numbers. Behind: axes keep their numbers, for errors. Before: the last axis,
/// along which kernels run, stays the last.
enum class Added { before, behind };

ArrayLayout widened(const ArrayLayout& layout, Added added);
AnyDistView widened(const AnyDistView& view, Added added, bool as_bytes);

/// An array of any strides with elements T, const or not.
template <class T>
using Wide =
    DistView<std::conditional_t<std::is_const_v<T>, const std::remove_const_t<T>, T>********,
             Kokkos::LayoutStride, Kokkos::HostSpace>;

/// The same for kernels that walk along its last axis (LayoutRight) or its first axis (LayoutLeft). For any strides,
/// kernels would be compiled once for every axis.
template <class T, class Order>
struct Walked : Wide<T> {
    using array_layout = Order;
    explicit Walked(const Wide<T>& array) : Wide<T>(array) {}
};

/// The side on which axes are added so that the fastest axis is the last one or, in column-major order, the first one.
inline Added added_for(const distview_array& array) noexcept {
    return array.column_major ? Added::behind : Added::before;
}

/// ShapeError if the array is read-only. Functions that write elements as bytes call it: a Wide of bytes does not check.
void check_may_write(const distview_array& array, const char* function);

/// Calls use(array) with an array as a Walked array; its axes were added on the side `added`.
template <class T, class Use>
void with_walked(const Wide<T>& array, Added added, Use&& use) {
    if (added == Added::before)
        use(Walked<T, Kokkos::LayoutRight>(array));
    else
        use(Walked<T, Kokkos::LayoutLeft>(array));
}

/// Marks the array as written, for calls that write elements of a Wide: a Wide does not track padding.
inline void note_written(const distview_array& array) noexcept { array.view.mark_written(); }

/// Opaque elements, used to move elements of any type.
template <std::size_t Bytes>
struct alignas(1) Raw {
    unsigned char bytes[Bytes];
};

namespace impl {
template <class T>
struct IsRaw : std::false_type {};
template <std::size_t Bytes>
struct IsRaw<Raw<Bytes>> : std::true_type {};
} // namespace impl

/// The array as a Wide<T>, made once and kept. ShapeError if it has other elements, strides that are negative or not of
/// whole elements, or memory that the host cannot access, or if it is read-only while T is neither const nor Raw.
template <class T>
const Wide<T>& wide(const distview_array& array, Added added) {
    using Element = std::remove_const_t<T>;
    constexpr bool is_raw = impl::IsRaw<Element>::value;
    // All calls for one array use the same T, const or not, or its Raw.
    auto& place = array.wide[(added == Added::before ? 0u : 3u) + (is_raw               ? 2u
                                                                   : std::is_const_v<T> ? 1u
                                                                                        : 0u)];
    static_assert(!is_raw || !std::is_const_v<T>);
    if constexpr (!is_raw && !std::is_const_v<T>) check_may_write(array, "distview_array");
    if (!place)
        place =
            std::make_shared<Wide<T>>(dist_view_cast<Wide<T>>(widened(array.view, added, is_raw)));
    return *static_cast<const Wide<T>*>(place.get());
}

} // namespace distview::c
