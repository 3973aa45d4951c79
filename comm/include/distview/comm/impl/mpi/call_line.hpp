// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/neighbour_sync.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Names of plans in errors and in the report.
namespace distview::plan_names {

inline constexpr const char* padding_exchange = "PaddingExchangePlan";
inline constexpr const char* redistribution = "RedistributionPlan";
inline constexpr const char* gather = "GatherPlan";
inline constexpr const char* ghost_exchange = "GhostExchangePlan";
inline constexpr const char* migration = "MigrationPlan";
inline constexpr const char* other_program = "OtherProgram";

} // namespace distview::plan_names

namespace distview::impl {

/// A collective call in 64 bits: equal on all ranks that make the same call.
///
/// Fields from the highest bits down: the kind (8 bits), then either the plan's number (24),
/// its set of arrays (16) and its operation (16), or a hash of the call's name (48).
struct CallWord {
    /// A plan's call is coded as 4 times the plan's type plus the function: 0 execute() or
    /// start(), 1 combine(), 2 bind(), 3 a call that finds nothing to do.
    enum class Kind : std::uint8_t {
        none,
        named,    ///< the CallLine stores the name
        fill = 4, ///< execute() or start() of a PaddingExchangePlan
        combine,
        bind,
        skip_fill, ///< require() of padding that is valid already
        redistribute = 8,
        redistribute_combine,
        bind_redistribution,
        gather = 12,
        gather_combine,
        bind_gather,
        fill_ghosts = 16,
        combine_ghosts,
        bind_ghosts,
        migrate = 20,
    };
    /// A set of arrays that the plan does not know yet.
    static constexpr std::uint64_t new_set = 0xffff;

    /// Operations of combine(), the last one for all others; their numbers begin at 1. 0: none; higher numbers: a hash
    /// of a redistribution's factors.
    static constexpr std::array<std::string_view, 6> operations{
        "Sum", "Minimum", "Maximum", "Replace", "Product", "a function object of the program"};

    std::uint64_t bits = 0;

    static constexpr CallWord of_plan(Kind kind, std::uint64_t plan, std::uint64_t set,
                                      std::uint16_t operation = 0) noexcept {
        return {static_cast<std::uint64_t>(kind) << 56 | (plan & 0xffffff) << 32 |
                (set & 0xffff) << 16 | operation};
    }
    /// The plan's number as stored by of_plan(); 0 if the call is not a plan's.
    constexpr std::uint64_t plan() const noexcept {
        return kind() <= Kind::named ? 0 : bits >> 32 & 0xffffff;
    }
    static constexpr CallWord of_name(std::string_view name) noexcept {
        std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
        for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        return {static_cast<std::uint64_t>(Kind::named) << 56 | (hash >> 8 & 0xffffffffffffu)};
    }
    constexpr Kind kind() const noexcept { return static_cast<Kind>(bits >> 56); }
    /// Whether the call belongs to a bound plan and does not begin with a meeting.
    constexpr bool is_execution() const noexcept {
        return kind() >= Kind::fill && static_cast<int>(kind()) % 4 != 2;
    }
    /// Text for the user: "PaddingExchangePlan #3 execute, set 2".
    std::string describe(std::string_view name) const;

    friend constexpr bool operator==(CallWord, CallWord) noexcept = default;
};

/// Position of a call in the sequence of a communicator's calls. Ranks that make the same calls
/// have the same positions, because calls that fail are counted as well.
struct CallPlace {
    std::uint64_t meetings = 0; ///< number of earlier meetings of all ranks
    /// Number of the call since the last meeting, from 1. A call that contains this meeting has number 1.
    std::uint64_t index = 0;
    /// Part of the call, from 0: each execution in the call begins a new part, and so does its end.
    std::uint64_t part = 0;

    constexpr bool is_in_call_of(const CallPlace& other) const noexcept {
        return index != 0 && index == other.index && meetings == other.meetings;
    }
    friend constexpr auto operator<=>(const CallPlace&, const CallPlace&) noexcept = default;
    // operator<=> implies this operator, but nvcc does not define it.
    friend constexpr bool operator==(const CallPlace&, const CallPlace&) noexcept = default;
};

/// Positions of the calls of several ranks that arrive at a meeting.
struct CallPlaces {
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t meetings = 0;       ///< lowest CallPlace::meetings
    std::uint64_t other_meetings = 0; ///< highest CallPlace::meetings
    // Only ranks whose calls are compared by position (without CallLine::skips):
    std::uint64_t first = none; ///< lowest index
    std::uint64_t last = 0;     ///< highest index

    /// Whether a rank made another call at the position where another rank is.
    constexpr bool differ() const noexcept { return meetings != other_meetings || first < last; }
    static constexpr CallPlaces combined(const CallPlaces& one, const CallPlaces& other) noexcept {
        return {std::min(one.meetings, other.meetings),
                std::max(one.other_meetings, other.other_meetings),
                std::min(one.first, other.first), std::max(one.last, other.last)};
    }
};

/// A rank's record in a meeting: its call, and the values to combine over all ranks. Consists
/// of 64-bit numbers and characters, so that it can be sent as bytes.
struct MeetingRecord {
    std::uint64_t attempt = 0; ///< number of the attempt to meet, from 1
    CallPlaces places{};
    std::uint64_t call = 0; ///< the call's word
    std::uint64_t step = 0; ///< hash of the step that this meeting is for
    std::int64_t rank = 0;  ///< the rank that wrote or combined the record
    /// Not 0 if ranks do not arrive because a deadline has passed.
    std::uint64_t is_late = 0;
    /// Combined by the minimum.
    std::array<std::uint64_t, 5> least{};
    std::array<char, 40> name{};        ///< name of the step
    std::array<char, 40> call_name{};   ///< name of the call, if `call` has only its hash
    std::array<char, 240> difference{}; ///< not empty if ranks do not make the same call
};

/// A value in shared memory that other processes may read during a write.
template <class Value>
class SharedValue {
public:
    /// `count`: not 0, and different for each write.
    void write(std::uint64_t count, const Value& value) noexcept;
    /// Reads the value that was written with `count`; false if it is not there.
    bool read(std::uint64_t count, Value& value) const noexcept;
    /// 0 during a write.
    std::uint64_t count() const noexcept { return m_count.load(sync_order::arrive); }

private:
    static constexpr std::size_t words = sizeof(Value) / sizeof(std::uint64_t);
    static_assert(sizeof(Value) == words * sizeof(std::uint64_t));

    std::atomic<std::uint64_t> m_count{0};
    std::array<std::atomic<std::uint64_t>, words> m_words{};
};
using SharedRecord = SharedValue<MeetingRecord>;
/// Text for the user: why an attempt to meet failed. The count of its SharedValue is the attempt.
using ReasonText = std::array<char, 1024>;

/// How an attempt to meet ended on a node.
struct Outcome {
    enum class Kind : std::uint8_t {
        open,
        between_nodes, ///< all ranks of the node have arrived: the other nodes decide
        met,
        failed,
    };
    Kind kind = Kind::open;
    /// If it failed: CallPlaces::first of the ranks that arrived, as far as known, or no_index.
    std::uint64_t index = 0;

    static constexpr std::uint64_t no_index = (std::uint64_t{1} << 40) - 1;
};

/// Outcomes of the last attempts. An attempt ends once, with the same outcome on all ranks: all have met, or none.
class Outcomes {
public:
    /// Outcome of an attempt. An attempt that is no longer remembered counts as failed, at index 0.
    Outcome of(std::uint64_t attempt) const noexcept;
    /// Ends an attempt that is still open; returns its outcome. `between_nodes` does not end it: then only a
    /// call with `from_between` can, from the rank that set it or from any rank once the communicator is lost.
    Outcome decide(std::uint64_t attempt, Outcome outcome, bool from_between = false) noexcept;

private:
    static constexpr std::uint64_t kept = 64;
    std::array<std::atomic<std::uint64_t>, kept> m_words{}; ///< attempt, index, kind
};

/// The first 47 characters of a text, in memory that other processes read.
class SharedText {
public:
    void set(std::string_view text) noexcept;
    void copy(const SharedText& other) noexcept;
    std::string get() const;

private:
    std::array<std::atomic<std::uint64_t>, 6> m_words{};
};

/// For each failed attempt, the rank that explains it: the first one that throws.
class ReasonTellers {
public:
    /// The rank that explains the attempt: `rank` unless another was first; -1 if the attempt is forgotten.
    int claim(std::uint64_t attempt, int rank) noexcept;

private:
    std::array<std::atomic<std::uint64_t>, 4> m_words{}; ///< attempt, rank (24 bits)
};

/// Shared-memory record in which a rank shows its node which collective call of a communicator it is in. Only
/// this rank writes it, except for sleepers, outcomes and tellers. This code knows neither MPI nor processes.
struct CallLine {
    /// The state of one call; the line remembers the last `kept_calls`.
    struct Call {
        std::atomic<std::uint64_t> meetings{0}, index{0}, part{0}; ///< the call's CallPlace
        std::atomic<std::uint64_t> word{0};
        std::atomic<std::uint64_t> whole{0}; ///< word of the call that contains this part
        std::atomic<bool> failed{false};     ///< whether the call ended by an exception
        SharedText name{};

        void set_place(const CallPlace& place) noexcept {
            index.store(0, std::memory_order_release); // no call, until the rest is stored
            meetings.store(place.meetings, std::memory_order_release);
            part.store(place.part, std::memory_order_release);
            index.store(place.index, std::memory_order_release);
        }
        CallPlace place() const noexcept;
    };
    static constexpr std::uint64_t kept_calls = 64;
    /// Ranks may still read records of the last meeting while others try to meet again. To
    /// describe an error, ranks may also read records of the previous attempt.
    using Records = std::array<SharedRecord, 4>;
    static SharedRecord& slot(Records& records, const MeetingRecord& of) noexcept {
        return records[of.places.meetings % 2 * 2 + of.attempt % 2];
    }

    SyncLine met;  ///< epoch: the last attempt for which the rank wrote its record
    SyncLine told; ///< epoch: the last attempt whose result the rank published on its node
    std::atomic<std::uint64_t> count{0}; ///< calls, and parts of calls, that the rank has begun
    std::atomic<std::uint64_t> ended{0}; ///< value of `count` at the end of the rank's last call
    /// The rank for which this rank's execution waited at its last poll: a hash of the own
    /// progress (40 bits), then the awaited rank + 1. 0: the execution waits for messages.
    std::atomic<std::uint64_t> waits_for{0};
    std::atomic<std::uint64_t> looks{0};  ///< number of such polls
    std::atomic<std::int64_t> process{0}; ///< process ID
    std::atomic<std::int64_t> started{0}; ///< start time by the operating system's clock
    /// Whether the rank knows that a process of the communicator has ended.
    std::atomic<bool> knows_end{false};
    /// Time of the rank's last check while it waited, in ns of the node's steady clock; only set with a deadline.
    std::atomic<std::int64_t> looked{0};
    /// Whether the rank passed the communicator's deadline (the communicator is lost), or gave up after another.
    std::atomic<bool> deadline_passed{false};
    /// Whether the call under way waits until all other ranks reach it, whatever they call
    /// before. Other ranks then do not compare its position.
    std::atomic<bool> skips{false};
    /// Whether the rank closes the communicator, which is its last call.
    std::atomic<bool> closes{false};
    /// Program location of the calls with counts in (site_after, site_last], if the program sets it (CallSite).
    SharedText site{};
    std::atomic<std::uint64_t> site_after{0}, site_last{0};
    std::array<Call, kept_calls> calls{};
    Records records{};
    Records results{};
    SharedValue<ReasonText> reason{}; ///< last reason that it explained for its node
    // Valid on the line of the node's lowest rank:
    Outcomes outcomes{};
    ReasonTellers tellers{};

    Call& call(std::uint64_t of_count) noexcept { return calls[of_count % kept_calls]; }
    const Call& call(std::uint64_t of_count) const noexcept { return calls[of_count % kept_calls]; }
    /// Whether values read from a call's slot belong to that call: the slot is overwritten one
    /// call before `count` shows it.
    bool remembers(std::uint64_t of_count) const noexcept {
        return count.load(std::memory_order_acquire) + 1 < of_count + kept_calls;
    }
};

} // namespace distview::impl
