// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include <distview/core/process_grid.hpp>

#include <cstdint>
#include <optional>

namespace shallow_water {

/// L2 norms (square root of the sum of squares over the interior) of a float64 run.
struct ReferenceNorms {
    double h, u, v;
};

/// The norms of an independent program for this size, mode (and grid, on which mode P depends).
std::optional<ReferenceNorms> reference_norms(const Options& options,
                                              const distview::ProcessGrid& grid, std::int64_t step);

} // namespace shallow_water
