// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <string>

namespace program {

/// The process grid that an option asks for, "3x2" for 3 rows and 2 columns; without a value, as
/// nearly square as can be.
///
/// Errors: distview::UsageError if the value is no grid or not one of `rank_count` processes
distview::ProcessGrid grid_of_option(const std::string& value, int rank_count);

} // namespace program
