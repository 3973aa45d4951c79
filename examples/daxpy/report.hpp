// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "measure.hpp"

#include <string>

namespace daxpy {

/// Bytes that one element moves: x and y are read, y is written.
inline constexpr double bytes_per_element = 24;

std::string to_json(const Report& report);
/// The same as a table for people.
std::string to_table(const Report& report);

} // namespace daxpy
