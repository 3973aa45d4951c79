// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"
#include "options.hpp"
#include "traffic.hpp"

#include <vector>

namespace ptrans {

/// One trial; values over all ranks.
struct Trial {
    std::vector<int> ranks;   ///< by process of the grid
    double seconds = 0;       ///< of one transposition, slowest rank
    double first_seconds = 0; ///< of building the plan and its first transposition
};

/// All results of a run; complete on every rank.
struct Report {
    Options options;
    Shape shape;
    int threads = 1; ///< concurrency of each rank's host or device
    /// Minimum of bytes that one transposition reads and writes, on all ranks: computed in advance.
    std::int64_t memory_bytes = 0;
    std::vector<Trial> trials;
    Check check; ///< sums of the last trial, worst residual of all trials
    Traffic traffic;
    std::string plan; ///< description by rank 0, last trial

    const Trial& worst() const;
};

/// Transposes matrices in the memory of `exec` `options.trials` times, each time with another assignment of
/// ranks to the grid, and checks every result.
///
/// A trial makes arrays and plan, transposes once, sets C anew, and then times one transposition: fence,
/// barrier, transposition, fence. With beta = 0, C contains only NaN beforehand.
///
/// Collective: over comm
/// Errors:     distview::Error if trials disagree on the sums, or if the formulas hold and messages differ from
///             them (thrown on all ranks)
template <class Space>
Report measure(const Space& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);
/// The same in the space that the options name.
Report measure(const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);

} // namespace ptrans
