// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/c/array.h>

#include <distview/core/any_dist_view.hpp>

#include <cstdint>
#include <vector>

namespace distview::c {

/// An element type of the program's; UsageError if it is none.
ElementType element_of(std::int32_t element, const char* function);
std::int32_t number_of(const ElementType& element) noexcept;

/// Strides in bytes of a section without gaps.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& extents,
                                     std::int64_t element_bytes, int order);

/// Memory of the program's; UsageError for what is not said as the header has it. What fits it is AnyDistView's to
/// check.
AnySection section_of(const distview_memory& memory, const char* function);
distview_memory memory_of(const AnyDistView& view) noexcept;

} // namespace distview::c
