// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "section.hpp"

#include <distview/comm/communicator.hpp>

#include <cmath>
#include <cstdint>

namespace shallow_water {

/// Statistics of one field over the interior, accumulated in double.
struct Statistics {
    double sum = 0;
    double min = 0;  ///< NaN if a value is NaN
    double max = 0;  ///< NaN if a value is NaN
    double l2 = 0;   ///< square root of the sum of squares
    double wsum = 0; ///< sum weighted by (global cell number mod 1009) + 1; reveals swapped cells
    /// Sum modulo 2^64 of a hash of each cell's number and the bits of its value: equal digests mean
    /// equal bits, on any process grid.
    std::uint64_t digest = 0;

    bool is_finite() const { return std::isfinite(min) && std::isfinite(max); }
};

/// The statistics of a field in an owned section, over all ranks. Cells are numbered row by row from
/// the south-west, with row_length cells in a row.
///
/// Collective: over comm
/// Space:      on the calling thread; kernels that write the field must have finished
template <class Real>
Statistics statistics(const distview::Communicator& comm, const Section& section,
                      std::int64_t row_length, const Field<Real>& field);

} // namespace shallow_water
