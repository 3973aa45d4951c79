// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

// Before records are sent, on each rank

/// Bytes of the copy whose bandwidth is measured: as much as an exchange moves. Copies of much more are slower, so that
/// short runs would not show beside them.
inline constexpr std::size_t bandwidth_bytes = std::size_t{1} << 20;

/// Measures how long copies take in this process, now: of a long run, and of the nests of the plans that took most time,
/// as they are and as they could be. All ranks should measure at the same time, as they exchange at the same time.
///
/// Cost: some 20 ms, and for each shape five passes over its section
void measure_copies(RankReport& report);

// On rank 0, of the records of all ranks; pure but for write_report()

/// Bytes that went by one transport, over all ranks and executions; each counted once.
struct TransportTotal {
    std::string transport{};
    std::int64_t bytes = 0;
    std::int64_t messages = 0;
};

/// Pairs of ranks, (reader, owner).
using RankPairs = std::set<std::pair<int, int>>;

/// Why elements were not read in place.
struct Reason {
    std::string why{};
    RankPairs pairs{};
};

/// One rank's share of a plan: seconds of an execution, medians, which one that was interrupted does not move.
struct RankTimes {
    int rank = 0;
    double median = 0;
    double percentile99 = 0;
    double copying = 0; ///< a call, less waiting and packing
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

/// A time of RankTimes, and in which lines of JSON it is, in this order.
struct NamedTime {
    using Member = double RankTimes::*; // nvcc writes a declarator that GCC warns of
    Member member;
    const char* name;
    bool is_of_plan; ///< mean over ranks
    bool is_of_rank;
};
inline constexpr std::array named_times{
    NamedTime{&RankTimes::median, "median_seconds", false, true},
    NamedTime{&RankTimes::percentile99, "percentile99_seconds", false, true},
    NamedTime{&RankTimes::copying, "copying_seconds", true, true},
    NamedTime{&RankTimes::waiting, "waiting_seconds", true, true},
    NamedTime{&RankTimes::packing, "packing_seconds", true, true},
    NamedTime{&RankTimes::step, "step_seconds", true, false},
    NamedTime{&RankTimes::total, "total_seconds", true, false},
    NamedTime{&RankTimes::total_waiting, "total_waiting_seconds", true, false},
    NamedTime{&RankTimes::total_packing, "total_packing_seconds", true, false},
    NamedTime{&RankTimes::work, "work_seconds", false, true},
    NamedTime{&RankTimes::late, "late_seconds", false, true},
    NamedTime{&RankTimes::waiting_for_late, "waiting_for_late_seconds", false, false},
};

/// The plans of one geometry, over all ranks.
struct PlanSummary {
    std::string label{}; ///< "PaddingExchangePlan #2"
    std::string geometry{};
    /// By rank, null where it has none; in the reports that the summary was made of. At least one rank has one.
    std::vector<const PlanRecord*> records{};
    std::int64_t plans = 0;
    std::int64_t executions = 0;
    std::int64_t binds = 0;
    double binding =
        0; ///< seconds of all executions that bound arrays, on the rank where it is longest
    std::vector<TransportTotal> transports{};
    std::vector<Reason> reasons{};
    RankPairs packed{};             ///< reads of what the owner of borrowed memory has packed
    std::vector<RankTimes> ranks{}; ///< ranks with timed executions
    double bandwidth_share = 0;     ///< of a copy's, while bytes are packed and copied

    /// The rank whose median is longest; of no time without ranks.
    RankTimes slowest() const;
    /// Means over ranks.
    RankTimes mean() const;
};

/// `ranks`: by rank; those of rank -1 are missing.
std::vector<PlanSummary> summaries_of(std::span<const RankReport> ranks);

/// A change that would help a program, and the time it would save.
struct Advice {
    /// "process_grid", "depth", "unwritten", "imbalance", "oversubscription", "borrowed", "messages", "staging",
    /// "short_runs", "many_plans", "binding", "call".
    std::string kind{};
    std::string plan{}; ///< label, or empty
    std::string sentence{};
    /// Predicted time as a share of what it is now: of an execution, or of a step where the sentence says so.
    std::optional<double> share{};
};

/// Advice that gathered numbers allow. Copies have been measured (ExchangeShape::seconds).
std::vector<Advice> advise(std::span<const RankReport> ranks, std::span<const PlanSummary> plans);

/// Writes what has been gathered, JSON lines if the name ends in ".json", else text. The first report of a process to a
/// file replaces what was there, others follow it. A file that cannot be written is said to the message sink.
void write_report(const std::string& file, std::span<const RankReport> ranks);

/// "12.3 us", "1.5 MB", "0.42".
std::string duration_text(double seconds);
std::string bytes_text(std::int64_t bytes);
std::string share_text(double share);
/// "rank 0 from rank 1, rank 1 from rank 0 and 4 more".
std::string pairs_text(const RankPairs& pairs);

} // namespace distview::impl
