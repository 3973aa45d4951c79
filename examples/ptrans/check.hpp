// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "matrices.hpp"

#include "exact_sum.hpp"
#include "timing.hpp"

#include <distview/core/dist_view.hpp>

#include <cmath>

namespace ptrans {

using program::Exec;
using Array = distview::DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Writes the section of a matrix.
void set(const Options& options, Matrix matrix, const Array& array);

/// Check of C; over all ranks.
struct Check {
    double residual = 0;
    double tolerance = 0; ///< right if residual <= tolerance
    double sum = 0;
    program::ExactSum sum_2p30;  ///< sum of 2^30 times the elements
    program::ExactSum wsum_2p30; ///< sum of these terms times weight()

    /// Overflow makes residual and tolerance infinite; such a result does not pass.
    bool passed() const noexcept { return std::isfinite(residual) && residual <= tolerance; }
};

/// Compares C with beta * C_0 + A^T, element by element, with all elements generated anew.
///
/// HPCC: residual = max|C_ref - C| / max|C_ref| / (2^-53 * max(m, n)), tolerance 16. Elements of A and C
/// are multiples of 2^-30 below 1: with an integer beta up to 2^22 sums are exact and the residual of a
/// correct program is 0. Chapel: residual = max|C_ref - C|, tolerance (|A|_F + |beta| |C|_F) * 2.2e-16.
/// An element that is infinite or NaN makes the residual infinite.
///
/// Collective: over comm
Check check(const distview::Communicator& comm, const Options& options, const Array& a,
            const Array& c);

} // namespace ptrans
