// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix.hpp"

#include <distview/comm/communicator.hpp>

#include <cmath>
#include <vector>

namespace hpl {

/// How well x solves the equations; over all ranks.
struct Check {
    double residual = 0;
    double tolerance = 16; ///< right if residual < tolerance

    /// Overflow makes the residual infinite; such a residual does not pass.
    bool passed() const noexcept { return std::isfinite(residual) && residual < tolerance; }
};

/// HPL's residual |A x - b| / (2^-53 * (|A| |x| + |b|) * n), of largest absolute values and sums of rows, from newly
/// generated elements. Whole rows are dealt out to the ranks, so the bits are the same on any number of ranks.
///
/// Collective: over comm; all ranks pass the same x
Check check(const Exec& exec, const distview::Communicator& comm, const Options& options,
            const std::vector<double>& x);

} // namespace hpl
