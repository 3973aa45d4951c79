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

// On each rank, before records are sent

/// Bytes of the copy whose bandwidth is measured: as many as an exchange moves. Much larger
/// copies are slower, so that short runs would not look slow in comparison.
inline constexpr std::size_t bandwidth_bytes = std::size_t{1} << 20;

/// Measures the time of copies in this process: of a long run, and of the nests of the plans executed most, as
/// they are and as they could be. All ranks should measure at the same time, as they exchange at the same time.
///
/// Cost: some 20 ms, and for each shape five passes over its section
void measure_copies(RankReport& report);

// On rank 0, from the records of all ranks; pure functions except write_report()

/// Bytes moved by one transport, over all ranks and executions; each counted once.
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

/// One rank's times of a plan, in seconds: medians of an execution, which one interrupted execution does not change.
struct RankTimes {
    int rank = 0;
    double median = 0;
    double percentile99 = 0;
    double copying = 0; ///< time of an execution without waiting and packing
    double waiting = 0;
    double packing = 0;
    double total = 0; ///< of all timed executions (PlanRecord::timed)
    double total_waiting = 0;
    double total_packing = 0;
    double step = 0;             ///< median time from one execution to the next
    double work = 0;             ///< part of a step outside of calls of the communicator
    double late = 0;             ///< median delay after the first rank of its node
    double waiting_for_late = 0; ///< part of the waiting until the last rank of the node began
};

/// A time of RankTimes, and the JSON lines that contain it, in this order.
struct NamedTime {
    using Member = double RankTimes::*; // else nvcc emits a declarator of which GCC warns
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
    /// Records by rank, null if it has none; they lie in the summarised reports. At least one is not null.
    std::vector<const PlanRecord*> records{};
    std::int64_t plans = 0;
    std::int64_t executions = 0;
    std::int64_t binds = 0;
    double binding =
        0; ///< seconds of all executions that bound arrays, on the rank with the longest time
    std::vector<TransportTotal> transports{};
    std::vector<Reason> reasons{};
    RankPairs packed{};             ///< reads of elements that the owner of borrowed memory packs
    std::vector<RankTimes> ranks{}; ///< ranks with timed executions
    double bandwidth_share = 0;     ///< share of a copy's bandwidth, while packing and copying

    /// Times of the rank with the longest median; zeros without ranks.
    RankTimes slowest() const;
    /// Means over ranks.
    RankTimes mean() const;
};

/// `ranks`: by rank; entries of rank -1 are missing.
std::vector<PlanSummary> summaries_of(std::span<const RankReport> ranks);

/// A change that would help a program, and the time it would save.
struct Advice {
    /// "process_grid", "depth", "unwritten", "imbalance", "oversubscription", "borrowed", "messages", "staging",
    /// "short_runs", "many_plans", "binding", "call".
    std::string kind{};
    std::string plan{}; ///< label, or empty
    std::string sentence{};
    /// Predicted time as a share of the present time: of an execution, or of a step if the sentence says so.
    std::optional<double> share{};
};

/// Advice from the gathered figures. Needs measured copies (ExchangeShape::seconds).
std::vector<Advice> advise(std::span<const RankReport> ranks, std::span<const PlanSummary> plans);

/// Writes the gathered figures: JSON lines if the name ends in ".json", else text. The first report of a process to a
/// file replaces its contents, later reports are appended. If the file cannot be written, reports to the message sink.
void write_report(const std::string& file, std::span<const RankReport> ranks);

/// "12.3 us", "1.5 MB", "0.42".
std::string duration_text(double seconds);
std::string bytes_text(std::int64_t bytes);
std::string share_text(double share);
/// "rank 0 from rank 1, rank 1 from rank 0 and 4 more".
std::string pairs_text(const RankPairs& pairs);

} // namespace distview::impl
