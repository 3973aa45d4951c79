// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "handles.hpp"

#include <distview/core/dist_view.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace distview::c {

/// Where axes of extent 1 are added until there are max_rank of them. Kernels are then compiled for one number of axes
/// rather than for nine. Processes are numbered as they were. Behind, axes keep their numbers, for errors; before, the
/// last axis stays the last one, along which kernels run.
enum class Added { before, behind };

ArrayLayout widened(const ArrayLayout& layout, Added added);
AnyDistView widened(const AnyDistView& view, Added added, bool as_bytes);

/// Any array with elements T, const or not.
template <class T>
using Wide =
    DistView<std::conditional_t<std::is_const_v<T>, const std::remove_const_t<T>, T>********,
             Kokkos::LayoutStride, Kokkos::HostSpace>;

/// The same for kernels that walk along its last axis (LayoutRight) or along its first one (LayoutLeft). For one of any
/// strides they would be compiled for every axis.
template <class T, class Order>
struct Walked : Wide<T> {
    using array_layout = Order;
    explicit Walked(const Wide<T>& array) : Wide<T>(array) {}
};

/// Where axes are added so that the fastest one is the last one, or, of arrays in column-major order, the first one.
inline Added added_for(const distview_array& array) noexcept {
    return array.column_major ? Added::behind : Added::before;
}

/// ShapeError if the array is read-only. Those who write elements as bytes call it: a Wide of bytes does not know.
void check_may_write(const distview_array& array, const char* function);

/// Calls use(array) with an array, to which axes were added so, as a Walked one.
template <class T, class Use>
void with_walked(const Wide<T>& array, Added added, Use&& use) {
    if (added == Added::before)
        use(Walked<T, Kokkos::LayoutRight>(array));
    else
        use(Walked<T, Kokkos::LayoutLeft>(array));
}

/// For calls that write elements of a Wide: the array, whose padding it knows nothing of, was written.
inline void note_written(const distview_array& array) noexcept { array.view.mark_written(); }

/// Opaque elements, by which those of any type are moved.
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
/// whole elements, memory that the host does not reach, or is read-only while T is not const and no Raw.
template <class T>
const Wide<T>& wide(const distview_array& array, Added added) {
    using Element = std::remove_const_t<T>;
    constexpr bool is_raw = impl::IsRaw<Element>::value;
    // Of an array all calls come with one T, const or not, or its Raw.
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
