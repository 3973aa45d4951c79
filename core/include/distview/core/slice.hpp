// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/axis_slice.hpp>
#include <distview/core/dist_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace distview {

/// One process's part of a slice of a whole array.
struct SectionSlice {
    /// Layout of the slice, the same on all processes; its indices begin at 0.
    ArrayLayout layout{};
    /// Position of the slice's first element along each axis in the section of the whole array, padding
    /// included, and the distance between its elements; 0 and 1 along an axis on which this process holds
    /// no element of the slice.
    Extents begin{};
    Extents step{};
};

/// Computes the layout of a slice of an array with layout `layout`, and its position in the section of `process`.
///
/// Every axis keeps its kind and its processes. A process that holds nothing of the slice gets an empty
/// section:
///
///     block         irregular blocks without padding, whatever padding the axis has
///     cyclic        blocks of block_size / step if step divides block_size and `begin` is in the first
///                   `step` cells of a round of block_size * grid_size cells; blocks of 1 if `begin` is in
///                   a block of process 0 and each step leads to the next process's block; any slice on
///                   one process. Other slices become irregular blocks if they lie in one round
///     unstructured  the whole axis only, its labels as they were, without ghosts
///
/// Collective: no (local); all processes pass the same slices
/// Indices:    slices count interior cells of `layout`; one slice for each axis, or no slices: all
///             interior cells
/// Cost:       O(grid size) along block axes, O(labels) along unstructured axes
/// Errors:     LayoutError if a slice leaves the interior, has a negative step, or is none of the above (a
///             RedistributionPlan with slices moves such data); UsageError if the layout has no such process
SectionSlice slice_section(const ArrayLayout& layout, int process,
                           const std::vector<AxisSlice>& slices);

namespace impl {

/// T with `Rank` pointers: the data type of a View of run-time extents.
template <class T, int Rank>
struct RunTimeExtents {
    using type = typename RunTimeExtents<T*, Rank - 1>::type;
};
template <class T>
struct RunTimeExtents<T, 0> {
    using type = T;
};

} // namespace impl

/// The type of a slice of a DistView.
template <DistViewLike View>
using SliceOf =
    DistView<typename impl::RunTimeExtents<typename View::value_type, View::rank()>::type,
             Kokkos::LayoutStride, typename View::device_type, typename View::memory_traits>;

/// A slice of a distributed array is a distributed array itself: the same memory with other
/// strides, in the layout of slice_section().
///
///     auto odd = slice(u, {{1, -1, 2}, {}});      // rows 1, 3, ... of the interior, all columns
///
/// Every function that accepts a DistView accepts the slice: exports, kernels over view(), redistribution. If a function
/// writes the slice, padding of the whole array is no longer valid. The slice has its own identity, so plans bind it
/// separately: keep the slice instead of slicing for every call. It keeps the memory of `view` alive, and like any
/// DistView whose memory a handle owns, it must outlive its view().
///
/// Collective: no (local); all processes pass the same slices
/// Shapes:     one slice for each axis, or no slices: the whole interior
/// Errors:     those of slice_section()
/// Example:    tests/unit/core/test_slice.cpp
template <DistViewLike View>
SliceOf<View> slice(const View& view, const std::vector<AxisSlice>& slices) {
    const SectionSlice part = slice_section(view.layout(), view.process(), slices);
    const Extents extents = part.layout.local_extents(view.process());
    const auto& whole = view.view();
    Kokkos::LayoutStride shape;
    std::int64_t offset = 0;
    bool is_empty = false;
    for (std::size_t d = 0; d < static_cast<std::size_t>(View::rank()); ++d) {
        const auto stride = static_cast<std::int64_t>(whole.stride(d));
        shape.dimension[d] = static_cast<std::size_t>(extents[d]);
        shape.stride[d] = static_cast<std::size_t>(stride * part.step[d]);
        offset += stride * part.begin[d];
        is_empty = is_empty || extents[d] == 0;
    }
    using Section = typename SliceOf<View>::view_type;
    const SliceOf<View> result(part.layout, view.process(),
                               Section(whole.data() + (is_empty ? 0 : offset), shape),
                               std::make_shared<const View>(view), view.label());
    note_slice(result, view);
    return result;
}

/// A slice of an array whose type is known at run time only.
AnyDistView slice(const AnyDistView& view, const std::vector<AxisSlice>& slices);

} // namespace distview
