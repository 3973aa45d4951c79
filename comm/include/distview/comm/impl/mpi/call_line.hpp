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

/// Names of plans, as errors and the report give them.
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
/// From the highest bits: kind (8), then number of the plan (24) and of its set of arrays (16) and 16 of 0, or hash
/// of the call's name (48, without those 8).
struct CallWord {
    /// Of a plan's calls: the plan times 4, and what is called: 0 execute() or start(), 1 combine(), 2 bind(), 3 a call
    /// that finds nothing to do.
    enum class Kind : std::uint8_t {
        none,
        named,    ///< the call's line has its name
        fill = 4, ///< of a PaddingExchangePlan
        combine,
        bind,
        skip_fill, ///< require() of what is valid
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

    std::uint64_t bits = 0;

    static constexpr CallWord of_plan(Kind kind, std::uint64_t plan, std::uint64_t set) noexcept {
        return {static_cast<std::uint64_t>(kind) << 56 | (plan & 0xffffff) << 32 |
                (set & 0xffff) << 16};
    }
    /// The number of the plan, as of_plan() keeps it; 0 of other calls.
    constexpr std::uint64_t plan() const noexcept {
        return kind() <= Kind::named ? 0 : bits >> 32 & 0xffffff;
    }
    static constexpr CallWord of_name(std::string_view name) noexcept {
        std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
        for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        return {static_cast<std::uint64_t>(Kind::named) << 56 | (hash >> 8 & 0xffffffffffffu)};
    }
    constexpr Kind kind() const noexcept { return static_cast<Kind>(bits >> 56); }
    /// Of a bound plan: one that does not begin by a meeting.
    constexpr bool is_execution() const noexcept {
        return kind() >= Kind::fill && static_cast<int>(kind()) % 4 != 2;
    }
    /// For people: "PaddingExchangePlan #3 execute, set 2".
    std::string describe(std::string_view name) const;

    friend constexpr bool operator==(CallWord, CallWord) noexcept = default;
};

/// Where a call stands among the calls of a communicator. Ranks that make the same calls count alike, since calls that
/// end by an error count as others do.
struct CallPlace {
    std::uint64_t meetings = 0; ///< times that all ranks have met before
    /// Counts the calls since then, from 1: the one in which they met, if any, is the first.
    std::uint64_t index = 0;
    /// Of the call: where it began 0, then counts the executions in it, and what follows each.
    std::uint64_t part = 0;

    constexpr bool is_in_call_of(const CallPlace& other) const noexcept {
        return index != 0 && index == other.index && meetings == other.meetings;
    }
    friend constexpr auto operator<=>(const CallPlace&, const CallPlace&) noexcept = default;
    // Implied by the other, but nvcc does not define it then.
    friend constexpr bool operator==(const CallPlace&, const CallPlace&) noexcept = default;
};

/// Where the calls of several ranks stand that come to a meeting.
struct CallPlaces {
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    std::uint64_t meetings = 0;       ///< of CallPlace
    std::uint64_t other_meetings = 0; ///< the greatest, if they do not all have the same
    // Ranks whose calls are compared by their place, CallLine::skips not being set:
    std::uint64_t first = none; ///< lowest index
    std::uint64_t last = 0;     ///< highest index

    /// Whether some of them have been where others are, in another call.
    constexpr bool differ() const noexcept { return meetings != other_meetings || first < last; }
    static constexpr CallPlaces combined(const CallPlaces& one, const CallPlaces& other) noexcept {
        return {std::min(one.meetings, other.meetings),
                std::max(one.other_meetings, other.other_meetings),
                std::min(one.first, other.first), std::max(one.last, other.last)};
    }
};

/// A rank's record in a meeting: its call, and the values to combine over all ranks. Plain 64-bit numbers
/// and characters, to be sent as bytes.
struct MeetingRecord {
    std::uint64_t attempt = 0; ///< number of the attempt to meet, from 1
    CallPlaces places{};
    std::uint64_t call = 0; ///< the call's word
    std::uint64_t step = 0; ///< hash of what this meeting is for
    std::int64_t rank = 0;  ///< the record's rank; of several the one that sent it
    /// Not 0: ranks do not come, for a deadline has passed.
    std::uint64_t is_late = 0;
    /// Combined by the minimum.
    std::array<std::uint64_t, 5> least{};
    std::array<char, 40> name{};        ///< of what this meeting is for
    std::array<char, 40> call_name{};   ///< of the call, if its word has none
    std::array<char, 240> difference{}; ///< not empty: ranks do not make the same call
};

/// A value in memory that others read while it may be written.
template <class Value>
class SharedValue {
public:
    /// `count`: not 0, and another one each time.
    void write(std::uint64_t count, const Value& value) noexcept;
    /// Whether the value of that count is there.
    bool read(std::uint64_t count, Value& value) const noexcept;
    /// 0 while it is written.
    std::uint64_t count() const noexcept { return m_count.load(sync_order::arrive); }

private:
    static constexpr std::size_t words = sizeof(Value) / sizeof(std::uint64_t);
    static_assert(sizeof(Value) == words * sizeof(std::uint64_t));

    std::atomic<std::uint64_t> m_count{0};
    std::array<std::atomic<std::uint64_t>, words> m_words{};
};
using SharedRecord = SharedValue<MeetingRecord>;
/// Why an attempt to meet failed, for people; its count is the attempt.
using ReasonText = std::array<char, 1024>;

/// How an attempt to meet ended on a node.
struct Outcome {
    enum class Kind : std::uint8_t {
        open,
        between_nodes, ///< all ranks of the node have come: it is for the other nodes to say
        met,
        failed,
    };
    Kind kind = Kind::open;
    /// Where it failed: CallPlaces::first of those that came to it, as far as it was known; or no_index.
    std::uint64_t index = 0;

    static constexpr std::uint64_t no_index = (std::uint64_t{1} << 40) - 1;
};

/// How the last attempts ended. An attempt ends once, and the same for all ranks: either all have met, or nobody has.
class Outcomes {
public:
    /// Of one that is no longer remembered: failed, at index 0.
    Outcome of(std::uint64_t attempt) const noexcept;
    /// Ends an attempt, if nobody has yet; returns how it did end. `between_nodes` ends nothing, but then only
    /// `from_between`, by the rank that said so or when a rank has ended, does.
    Outcome decide(std::uint64_t attempt, Outcome outcome, bool from_between = false) noexcept;

private:
    static constexpr std::uint64_t kept = 64;
    std::array<std::atomic<std::uint64_t>, kept> m_words{}; ///< attempt, index, kind
};

/// The first 47 characters of a text, in memory that others read.
class SharedText {
public:
    void set(std::string_view text) noexcept;
    void copy(const SharedText& other) noexcept;
    std::string get() const;

private:
    std::array<std::atomic<std::uint64_t>, 6> m_words{};
};

/// Ranks that explain failed attempts: of each the first one that throws.
class ReasonTellers {
public:
    /// The rank that explains the attempt: `rank`, if there is none yet; -1 if it is no longer remembered.
    int claim(std::uint64_t attempt, int rank) noexcept;

private:
    std::array<std::atomic<std::uint64_t>, 4> m_words{}; ///< attempt, rank (24 bits)
};

/// Where a rank tells the other ranks of its node which collective call of a communicator it is in. In shared
/// memory; only its rank writes it, but for sleepers and outcomes. Nothing here knows MPI or processes.
struct CallLine {
    /// The state of one call, of the last few that are remembered.
    struct Call {
        std::atomic<std::uint64_t> meetings{0}, index{0}, part{0}; ///< the call's CallPlace
        std::atomic<std::uint64_t> word{0};
        std::atomic<std::uint64_t> whole{0}; ///< word of the call that it is part of
        std::atomic<bool> failed{false};     ///< whether the call ended by an exception
        SharedText name{};

        void set_place(const CallPlace& place) noexcept {
            index.store(0, std::memory_order_release); // of no call, until the others are written
            meetings.store(place.meetings, std::memory_order_release);
            part.store(place.part, std::memory_order_release);
            index.store(place.index, std::memory_order_release);
        }
        CallPlace place() const noexcept;
    };
    static constexpr std::uint64_t kept_calls = 64;
    /// Records of the last meeting may still be read while ranks try to meet again; so may, to describe an error,
    /// those of the attempt before.
    using Records = std::array<SharedRecord, 4>;
    static SharedRecord& slot(Records& records, const MeetingRecord& of) noexcept {
        return records[of.places.meetings % 2 * 2 + of.attempt % 2];
    }

    SyncLine met;  ///< epoch: the last attempt to meet that the rank has brought its record to
    SyncLine told; ///< epoch: the last one whose result it has told its node
    std::atomic<std::uint64_t> count{0}; ///< of the calls that the rank has begun, on this line
    std::atomic<std::uint64_t> ended{0}; ///< the same at the end of its last call
    /// The rank that an execution of this one waits for, when it looked last: progress there (40 bits), rank + 1;
    /// 0: for messages.
    std::atomic<std::uint64_t> waits_for{0};
    std::atomic<std::uint64_t> looks{0};  ///< how often it did
    std::atomic<std::int64_t> process{0}; ///< as the operating system counts
    std::atomic<std::int64_t> started{0}; ///< when the process was, by the operating system's clock
    /// Whether it knows of a process of the communicator that has ended.
    std::atomic<bool> knows_end{false};
    /// When the rank last looked around while it waited, in nanoseconds of the node's steady clock; only with a deadline.
    std::atomic<std::int64_t> looked{0};
    /// Whether it has waited longer than the deadline of the communicator, which is lost then, or gives up since another has.
    std::atomic<bool> deadline_passed{false};
    /// Whether the call under way waits for all others to come to it, whatever they call before: nobody compares it by
    /// its place.
    std::atomic<bool> skips{false};
    /// Whether it closes the communicator: its last call.
    std::atomic<bool> closes{false};
    /// Where in the program the calls are made whose counts are in (after, last]; of programs that say so.
    SharedText site{};
    std::atomic<std::uint64_t> site_after{0}, site_last{0};
    std::array<Call, kept_calls> calls{};
    Records records{};
    Records results{};
    SharedValue<ReasonText> reason{}; ///< the last one that the rank explained for all of its node
    // Valid on the line of the node's lowest rank:
    Outcomes outcomes{};
    ReasonTellers tellers{};

    Call& call(std::uint64_t of_count) noexcept { return calls[of_count % kept_calls]; }
    const Call& call(std::uint64_t of_count) const noexcept { return calls[of_count % kept_calls]; }
    /// Whether what was read of a call was of that one: its place is written again one call earlier than its
    /// count says.
    bool remembers(std::uint64_t of_count) const noexcept {
        return count.load(std::memory_order_acquire) + 1 < of_count + kept_calls;
    }
};

} // namespace distview::impl
