// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shallow_water {

/// The state of the whole domain: row-major, rows from south to north, columns from west to east.
struct Snapshot {
    std::int64_t nx = 0;
    std::int64_t ny = 0;
    std::vector<double> h;     ///< thickness in m, at the cells' centres
    std::vector<double> u;     ///< eastward speed in m/s, on the east faces
    std::vector<double> v;     ///< northward speed in m/s, on the north faces
    double cell_metres = 5000; ///< width and height of a cell
    double days = 0;           ///< simulated time
};

/// The simulated time of a run, for a picture's title.
std::string time_text(double days);

/// Draws the surface height in colour and the current as arrows, and writes it as a PNG.
///
/// Errors: distview::UsageError if the file cannot be written
void write_picture(const std::string& path, const Snapshot& snapshot);

} // namespace shallow_water
