// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "problem.hpp"

#include <cstdint>
#include <optional>

namespace daxpy {

/// Results of the BLAS, for comparison with the expression; times are medians, each on the slowest rank.
struct BlasReport {
    double seconds = 0;       ///< one call for each contiguous piece of a section
    double block_seconds = 0; ///< one call for each block of each row
    std::int64_t calls = 0;   ///< largest number on any rank
    std::int64_t blocks = 0;  ///< largest number on any rank
    double wrap_seconds = 0;  ///< to make a separate array of one block, on the slowest rank
};

/// All results of a run; complete on every rank.
struct Report {
    Options options;
    distview::ProcessGrid grid;
    int threads = 1;                     ///< of each rank
    std::int64_t elements_of_a_rank = 0; ///< of x, and of y; largest number on any rank
    double seconds = 0;                  ///< of the expression, median, slowest rank
    Check check;                         ///< of the last expression; mismatches of all runs
    std::optional<BlasReport> blas;
    /// One cache of the machine of rank 0; 0 if the system does not report it.
    std::int64_t last_level_cache_bytes = 0;
    double triad_gbs = 0; ///< median, on all ranks
    std::int64_t triad_array_bytes = 0;
};

/// Runs the expression, the BLAS and the triad in turns and checks every result. Y is set anew before
/// each run, so the number of trials does not change results.
///
/// Collective: over comm
/// Errors:     distview::Error if a BLAS was given other addresses than those of the section (thrown
///             on all ranks)
Report measure(const Exec& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);

} // namespace daxpy
