// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace distview {

namespace impl {

/// Whether kernels number `count` items with 32-bit indices. The limit is half of what these can count, because Kokkos
/// rounds the count up to whole blocks of threads, and in a reduction to one chunk per block.
constexpr bool fits_in_32_bits(std::int64_t count) noexcept {
    return count <= std::int64_t{1} << 30;
}

} // namespace impl

/// Allocates a View of run-time extents; `properties` is what Kokkos::view_alloc returns.
///
/// Shapes:  extents[i] for i < View::rank(); static extents of View must agree; C order without gaps if the array
///          layout is LayoutStride
/// Space:   initialisation, if any, runs on the instance in `properties`
/// Errors:  Error if no memory can be that large
template <ViewLike View, class AllocationProperties>
View allocate_view(const AllocationProperties& properties, const Extents& extents) {
    impl::section_bytes(extents, static_cast<int>(View::rank()), sizeof(typename View::value_type));
    typename View::array_layout shape;
    [[maybe_unused]] std::size_t stride = 1;
    for (std::size_t d = View::rank(); d-- > 0;) {
        shape.dimension[d] = static_cast<std::size_t>(extents[d]);
        if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
            shape.stride[d] = stride;
            stride *= std::max<std::size_t>(shape.dimension[d], 1);
        }
    }
    return View(properties, shape);
}

/// The subview inside one half-open range per axis.
template <ViewLike View, class Ranges>
auto subview_of_ranges(const View& view, const Ranges& ranges) {
    if constexpr (View::rank() == 0)
        return view; // Kokkos has no subviews of rank 0
    else
        return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) {
            return Kokkos::subview(
                view, std::pair(ranges[Axis].begin.value(), ranges[Axis].end.value())...);
        }(std::make_index_sequence<View::rank()>());
}

} // namespace distview
