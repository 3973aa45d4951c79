// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <string>

namespace program {

/// The process grid that an option asks for, "3x2" for 3 rows and 2 columns, "3x2x1" for three axes; without a value,
/// as nearly square as can be.
///
/// Errors: distview::UsageError if the value is no grid of so many axes or not one of `rank_count` processes
distview::ProcessGrid grid_of_option(const std::string& value, int rank_count, int axes = 2);

} // namespace program
