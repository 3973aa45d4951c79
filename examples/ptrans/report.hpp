// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "measure.hpp"

#include <string>

namespace ptrans {

std::string to_json(const Report& report);
/// The same as a table for people.
std::string to_table(const Report& report);

} // namespace ptrans
