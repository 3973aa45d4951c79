// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>

namespace distview {

/// Options of sum(), dot() and the norms.
///
///     const double total = sum(exec, comm, u, {.reproducible = true});
///
/// A reproducible sum is the exact sum of the cells, rounded once to the nearest double (ties to even). It has the same
/// bits for any number of ranks and threads, any layout, any order of cells, on host and device. Reproducible norms
/// have the same property, except norm1() of complex cells: it uses the platform's hypot(), whose last bit may differ
/// between machines and between host and device.
struct ReductionOptions {
    Cells cells = Cells::interior;
    bool reproducible = false;
};

} // namespace distview
