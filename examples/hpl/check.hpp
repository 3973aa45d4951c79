// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrix.hpp"

#include <distview/comm/communicator.hpp>

#include <cmath>
#include <vector>

namespace hpl {

/// How well x solves the equations; of all ranks.
struct Check {
    double residual = 0;
    double tolerance = 16; ///< right if residual < tolerance

    /// Numbers that overflow make the residual infinite, and say nothing.
    bool passed() const noexcept { return std::isfinite(residual) && residual < tolerance; }
};

/// HPL's residual |A x - b| / (2^-53 * (|A| |x| + |b|) * n), of largest absolute values and sums of rows, from elements made
/// anew. Whole rows are dealt out to the ranks, so that it has the same bits on any number of these.
///
/// Collective: over comm; all ranks pass the same x
Check check(const Exec& exec, const distview::Communicator& comm, const Options& options,
            const std::vector<double>& x);

} // namespace hpl
