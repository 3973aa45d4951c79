// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"
#include "options.hpp"
#include "traffic.hpp"

#include <vector>

namespace ptrans {

/// One trial; of all ranks.
struct Trial {
    std::vector<int> ranks;   ///< by process of the grid
    double seconds = 0;       ///< of one transposition, slowest rank
    double first_seconds = 0; ///< of the plan's making and its first transposition
};

/// All that a run has to say; complete on every rank.
struct Report {
    Options options;
    Shape shape;
    int threads = 1; ///< of each rank's host; of a device, what runs at once
    /// What one transposition reads and writes at least, of all ranks: known ahead of time.
    std::int64_t memory_bytes = 0;
    std::vector<Trial> trials;
    Check check; ///< the sums of the last trial, the worst residual of all
    Traffic traffic;
    std::string plan; ///< how rank 0 describes it, last trial

    const Trial& worst() const;
};

/// Transposes matrices in the memory of `exec` `options.trials` times, each time on another assignment of
/// ranks to the grid, and checks every result.
///
/// A trial makes arrays and plan, transposes once, sets C anew, and then times one transposition: fence,
/// barrier, transposition, fence. With beta = 0, C is full of NaNs before.
///
/// Collective: over comm
/// Errors:     distview::Error if trials disagree on the sums, or messages with the formulas where these
///             hold (thrown on all ranks)
template <class Space>
Report measure(const Space& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);
/// The same on the space that the options name.
Report measure(const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);

} // namespace ptrans
