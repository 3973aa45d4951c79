// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "problem.hpp"

#include <cstdint>
#include <optional>

namespace daxpy {

/// What the BLAS did beside the expression; times are medians, of the slowest rank each.
struct BlasReport {
    double seconds = 0;       ///< one call for each piece of memory in a section: one, if it is one
    double block_seconds = 0; ///< one call for each block of each row
    std::int64_t calls = 0;   ///< most of any rank
    std::int64_t blocks = 0;  ///< most of any rank
    double wrap_seconds = 0;  ///< to make one block an array of its own, of the slowest rank
};

/// All that a run has to say; complete on every rank.
struct Report {
    Options options;
    distview::ProcessGrid grid;
    int threads = 1;                     ///< of each rank
    std::int64_t elements_of_a_rank = 0; ///< of x, and of y; most of any rank
    double seconds = 0;                  ///< of the expression, median, slowest rank
    Check check;                         ///< of the last expression; mismatches of all runs
    std::optional<BlasReport> blas;
    /// Of one cache of the machine of rank 0; 0 if it does not say.
    std::int64_t last_level_cache_bytes = 0;
    double triad_gbs = 0; ///< median, on all ranks
    std::int64_t triad_array_bytes = 0;
};

/// Runs the expression, the BLAS and the triad in turns and checks every result. Y is set anew before
/// each run, so that the number of trials changes nothing.
///
/// Collective: over comm
/// Errors:     distview::Error if a BLAS was given other addresses than those of the section (thrown
///             on all ranks)
Report measure(const Exec& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);

} // namespace daxpy
