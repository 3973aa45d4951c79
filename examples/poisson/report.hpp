// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "solve.hpp"

#include <string>

namespace poisson {

std::string to_json(const Report& report);
/// The same as a table for people.
std::string to_table(const Report& report);

/// A number with all its bits, as C99 writes it: 0x1.8p+1 for 3.
std::string hex_float(double number);

} // namespace poisson
