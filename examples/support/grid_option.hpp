// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace program {

/// All grids of so many processes, those that are nearest to a cube first, as ProcessGrid::balanced() has it; of the same
/// extents in another order those that split the first axis more.
std::vector<distview::ProcessGrid> grids_of(int rank_count, int axes);

/// The process grid that an option asks for, "3x2" for 3 rows and 2 columns, "3x2x1" for three axes; without a value,
/// as nearly square as can be, if there is such a grid one that has no more processes along an axis than `cells`.
///
/// Errors: distview::UsageError if the value is no grid of so many axes or not one of `rank_count` processes
distview::ProcessGrid grid_of_option(const std::string& value, int rank_count, int axes = 2,
                                     std::span<const std::int64_t> cells = {});

} // namespace program
