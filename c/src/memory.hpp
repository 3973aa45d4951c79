// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/c/array.h>

#include <distview/core/any_dist_view.hpp>

#include <cstdint>
#include <vector>

namespace distview::c {

/// The program's element type; UsageError if it is not an element type.
ElementType element_of(std::int32_t element, const char* function);
std::int32_t number_of(const ElementType& element) noexcept;

/// Strides in bytes of a section without gaps.
std::vector<std::int64_t> strides_of(const std::vector<std::int64_t>& extents,
                                     std::int64_t element_bytes, int order);

/// The program's memory as a section; UsageError if the description breaks the header's rules. AnyDistView checks whether
/// it fits a layout.
AnySection section_of(const distview_memory& memory, const char* function);
distview_memory memory_of(const AnyDistView& view) noexcept;

} // namespace distview::c
