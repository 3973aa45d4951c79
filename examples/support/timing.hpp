// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace program {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Clock = std::chrono::steady_clock;

/// Seconds for `work` on the slowest rank: fence, barrier, start, work, fence, stop.
///
/// Collective: over comm
template <class Space, class Work>
double timed(const Space& exec, const distview::Communicator& comm, Work&& work) {
    exec.fence("program::timed: nothing earlier is timed");
    distview::agree(comm, "timed", nullptr); // a barrier: no rank leaves before all have arrived
    const Clock::time_point start = Clock::now();
    work();
    exec.fence("program::timed: the work has finished");
    const std::chrono::duration<double> seconds = Clock::now() - start;
    return distview::all_reduce(comm, distview::ReduceOperation::max, seconds.count());
}

/// The middle value; for an even number of values the larger of the two; 0 for no values.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace program
