// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>

#include <chrono>

namespace shallow_water {

/// Seconds that `work` takes on the slowest rank: fence, barrier, start, work, fence, stop.
///
/// Collective: over comm
template <class Work>
double timed(const Exec& exec, const distview::Communicator& comm, Work&& work) {
    using Clock = std::chrono::steady_clock;
    exec.fence("shallow_water::timed: nothing earlier is timed");
    distview::agree(comm, "timed", nullptr); // a barrier: nobody leaves before all have come
    const Clock::time_point start = Clock::now();
    work();
    exec.fence("shallow_water::timed: the work has finished");
    const std::chrono::duration<double> seconds = Clock::now() - start;
    return distview::all_reduce(comm, distview::ReduceOperation::max, seconds.count());
}

} // namespace shallow_water
