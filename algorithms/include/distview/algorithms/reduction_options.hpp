// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>

namespace distview {

/// How sum(), dot() and the norms add up.
///
///     const double total = sum(exec, comm, u, {.reproducible = true});
///
/// A reproducible sum is the exact sum of the cells, rounded once to the nearest double (ties to even). It has
/// the same bits for any number of ranks and threads, any layout, any order of cells, on host and device. So has a
/// reproducible norm, but for norm1() of complex cells: their absolute values are those of the platform's hypot(), which
/// may differ in the last bit between machines and between host and device.
struct ReductionOptions {
    Cells cells = Cells::interior;
    bool reproducible = false;
};

} // namespace distview
