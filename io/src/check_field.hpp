// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/io/file_options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// Extents of the whole array.
std::vector<std::int64_t> shape_of(const AnyDistView& array);
/// "float64 of shape (3, 4)"
std::string describe_field(const ElementType& element, const std::vector<std::int64_t>& shape);
/// Throws ShapeError unless the array can be filled from `stored`, which is called `where` in the error.
void check_field(const std::string& caller, const std::string& where, const StoredField& stored,
                 const AnyDistView& array);

} // namespace distview::impl
