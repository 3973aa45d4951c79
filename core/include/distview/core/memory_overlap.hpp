// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>

#include <cstdint>
#include <span>

namespace distview {

/// Where the elements of a section lie: of an AnySection, or of a View. Refers to extents and strides, as
/// many of each, at most max_rank; strides are in bytes.
struct ElementPlaces {
    const void* data = nullptr; ///< the element with index 0 along every axis
    std::int64_t element_bytes = 0;
    std::span<const std::int64_t> extents{};
    std::span<const std::int64_t> strides{};
};

/// Whether two sections have a byte in common.
///
/// Sections that lie between each other's elements, as the slices [::2] and [1::2] of one array, have none.
/// That is told exactly, but for sections so intricate that it takes more than 10 000 steps, which are said
/// to overlap. Sections without elements overlap with nothing.
///
/// Collective: no (local)
/// Cost:       no allocation; O(number of axes) for arrays that lie apart and for most slices of one array
bool memory_overlaps(const ElementPlaces& a, const ElementPlaces& b) noexcept;
bool memory_overlaps(const AnySection& a, const AnySection& b) noexcept;

} // namespace distview
