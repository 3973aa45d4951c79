// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace program {

/// All grids of `rank_count` processes: first those nearest to a cube, as in ProcessGrid::balanced(); among grids with
/// the same extents in another order, first those that split the first axis more.
std::vector<distview::ProcessGrid> grids_of(int rank_count, int axes);

/// The process grid that an option names: "3x2" for 3 rows and 2 columns, "3x2x1" for three axes. Without a value, the
/// most nearly square grid with at most as many processes along an axis as `cells`, or without that limit if none fits.
///
/// Errors: distview::UsageError if the value is not a grid with this number of axes, or not of `rank_count` processes
distview::ProcessGrid grid_of_option(const std::string& value, int rank_count, int axes = 2,
                                     std::span<const std::int64_t> cells = {});

} // namespace program
