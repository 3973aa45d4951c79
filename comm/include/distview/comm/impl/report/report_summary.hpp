// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// Bytes that went by one transport, over all ranks and executions; each counted once.
struct TransportTotal {
    std::string transport{};
    std::int64_t bytes = 0;
    std::int64_t messages = 0;
};

/// Why elements were not read in place, and of which pairs of ranks, (reader, owner).
struct Reason {
    std::string why{};
    std::vector<std::pair<int, int>> pairs{};
};

/// One rank's share of a plan: seconds of an execution, medians, which one that was interrupted does not move.
struct RankTimes {
    int rank = 0;
    double median = 0;
    double percentile99 = 0;
    double copying = 0; ///< time besides waiting and packing
    double waiting = 0;
    double packing = 0;
    double total = 0; ///< of all executions, but those that bound arrays
    double total_waiting = 0;
    double total_packing = 0;
    double step = 0;             ///< median time from one execution to the next
    double work = 0;             ///< of a step, outside of calls of the communicator
    double late = 0;             ///< median time after the first rank of its node
    double waiting_for_late = 0; ///< of the waiting, until the last rank of the node began
};

/// The plans of one geometry, over all ranks.
struct PlanSummary {
    std::string label{}; ///< "PaddingExchangePlan #2"
    std::string geometry{};
    std::int64_t plans = 0;
    std::int64_t executions = 0;
    std::int64_t binds = 0;
    double binding =
        0; ///< seconds of all executions that bound arrays, on the rank where it is longest
    std::vector<TransportTotal> transports{};
    std::vector<Reason> reasons{};
    Reason packed{}; ///< pairs that read what the owner of borrowed memory has packed
    std::vector<RankTimes> ranks{}; ///< ranks with timed executions
    double bandwidth_share = 0;     ///< of a copy's, while bytes are packed and copied

    /// The rank whose median is longest; of no time without ranks.
    RankTimes slowest() const;
    /// Means over ranks.
    RankTimes mean() const;
};

/// `ranks`: by rank; those of rank -1 are missing.
std::vector<PlanSummary> summaries_of(std::span<const RankReport> ranks);

/// The record of that plan on a rank, null if it has none.
const PlanRecord* record_of(const RankReport& rank, const PlanSummary& plan);

/// "12.3 us", "1.5 MB", "0.42".
std::string duration_text(double seconds);
std::string bytes_text(std::int64_t bytes);
std::string share_text(double share);
/// "rank 0 from rank 1, rank 1 from rank 0 and 4 more".
std::string pairs_text(const std::vector<std::pair<int, int>>& pairs);

} // namespace distview::impl
