// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>

#include <cstdint>
#include <span>

namespace distview {

/// The memory positions of a section's elements, for an AnySection or a View. `extents` and `strides` have the same
/// length, at most max_rank, and refer to memory of the caller; strides are in bytes.
struct ElementPlaces {
    const void* data = nullptr; ///< the element with index 0 along every axis
    std::int64_t element_bytes = 0;
    std::span<const std::int64_t> extents{};
    std::span<const std::int64_t> strides{};
};

/// Whether two sections share a byte.
///
/// Interleaved sections, such as the slices [::2] and [1::2] of one array, share none. The answer is exact, except
/// for sections so intricate that the search exceeds 10 000 steps: it then reports an overlap.
/// Sections without elements overlap with nothing.
///
/// Collective: no (local)
/// Cost:       no allocation; O(number of axes) for arrays that lie apart and for most slices of one array
bool memory_overlaps(const ElementPlaces& a, const ElementPlaces& b) noexcept;
bool memory_overlaps(const AnySection& a, const AnySection& b) noexcept;

} // namespace distview
