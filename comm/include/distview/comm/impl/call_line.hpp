// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/neighbour_sync.hpp>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace distview::impl {

/// What a collective call is, in 64 bits: equal on all ranks that make the same call.
///
/// From the highest bits: kind (8), then number of the plan (24) and of its set of arrays (16), or hash of the call's
/// name (48).
struct CallWord {
    enum class Kind : std::uint8_t {
        none,
        named, ///< the call's line has its name
        fill,  ///< PaddingExchangePlan::execute() or start()
        combine,
        redistribute, ///< RedistributionPlan::execute() or start()
        redistribute_combine,
        bind, ///< of a PaddingExchangePlan
        bind_redistribution,
    };
    /// A set of arrays that the plan does not know yet.
    static constexpr std::uint64_t new_set = 0xffff;

    std::uint64_t bits = 0;

    static constexpr CallWord of_plan(Kind kind, std::uint64_t plan, std::uint64_t set) noexcept {
        return {static_cast<std::uint64_t>(kind) << 56 | (plan & 0xffffff) << 32 |
                (set & 0xffff) << 16};
    }
    static constexpr CallWord of_name(std::string_view name) noexcept {
        std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
        for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        return {static_cast<std::uint64_t>(Kind::named) << 56 | (hash >> 8 & 0xffffffffffffu)};
    }
    constexpr Kind kind() const noexcept { return static_cast<Kind>(bits >> 56); }
    /// For people: "PaddingExchangePlan #3 execute, set 2".
    std::string describe(std::string_view name) const;

    friend constexpr bool operator==(CallWord, CallWord) noexcept = default;
};

/// Where a call stands among the calls of a communicator. Ranks that make the same calls count alike. An error
/// may reach some ranks a few calls after others: `failures` differ then, until all meet again.
struct CallPlace {
    std::uint64_t meetings = 0; ///< calls before it in which all ranks met
    std::uint64_t failures = 0; ///< calls since the last of them that ended by an error
    std::uint64_t index = 0;    ///< counts the calls since the last of these, from 1

    friend constexpr auto operator<=>(const CallPlace&, const CallPlace&) noexcept = default;
};

/// What a rank tells in a meeting: what it met for, and what is combined of all ranks. Plain 64-bit numbers
/// and characters, to be sent as bytes.
struct MeetingRecord {
    CallPlace place{};        ///< of the call of the rank whose record this is
    CallPlace latest{};       ///< of all: combined by the maximum
    std::uint64_t number = 0; ///< of the meeting in the call, from 0
    std::uint64_t call = 0;   ///< the call's word
    std::uint64_t step = 0;   ///< hash of what this meeting is for
    std::int64_t rank = 0;    ///< whose record this is; of several the one that sent it
    /// Combined by the minimum.
    std::array<std::uint64_t, 5> least{};
    /// Combined by AND.
    std::uint64_t flags = ~std::uint64_t{0};
    std::array<char, 40> name{};        ///< of what this meeting is for
    std::array<char, 40> call_name{};   ///< of the call, if its word has none
    std::array<char, 240> difference{}; ///< not empty: ranks do not make the same call
};

/// A record in memory that others read while it may be written.
class SharedRecord {
public:
    /// `count`: not 0, and another one each time.
    void write(std::uint64_t count, const MeetingRecord& record) noexcept;
    /// Whether the record of that count is there.
    bool read(std::uint64_t count, MeetingRecord& record) const noexcept;

private:
    static constexpr std::size_t words = sizeof(MeetingRecord) / sizeof(std::uint64_t);
    static_assert(sizeof(MeetingRecord) == words * sizeof(std::uint64_t));

    std::atomic<std::uint64_t> m_count{0};
    std::array<std::atomic<std::uint64_t>, words> m_words{};
};

/// Where a rank tells the other ranks of its node which collective call of a communicator it is in. In shared
/// memory; only its rank writes it, but for sleepers. Nothing here knows MPI or processes.
struct CallLine {
    /// One of the last calls.
    struct Call {
        std::atomic<std::uint64_t> meetings{0}, failures{0}, index{0}; ///< its CallPlace
        std::atomic<std::uint64_t> word{0};
        std::atomic<bool> failed{false}; ///< it ended by an exception
        std::array<std::atomic<std::uint64_t>, 6> name{};

        void set_place(const CallPlace& place) noexcept;
        CallPlace place() const noexcept;
        void set_name(std::string_view name) noexcept;
        std::string get_name() const;
    };
    static constexpr std::uint64_t kept_calls = 64;
    static constexpr std::uint64_t kept_records = 4;
    using Records = std::array<SharedRecord, kept_records>;

    SyncLine met;  ///< its epoch: records that the rank has brought to meetings
    SyncLine told; ///< results of meetings that it has told its node
    std::atomic<std::uint64_t> count{0}; ///< of the calls that the rank has begun, on this line
    std::atomic<std::uint64_t> ended{0}; ///< the same at the end of its last call
    /// While it waits in a meeting: count of the call, from bit 16 on, and number of the meeting; else 0.
    std::atomic<std::uint64_t> meeting{0};
    std::atomic<std::int64_t> process{0}; ///< as the operating system counts
    std::atomic<std::int64_t> started{0}; ///< when the process was, by the operating system's clock
    std::array<Call, kept_calls> calls{};
    Records records{};
    Records results{};

    Call& call(std::uint64_t of_count) noexcept { return calls[of_count % kept_calls]; }
    const Call& call(std::uint64_t of_count) const noexcept { return calls[of_count % kept_calls]; }
    /// Whether what was read of a call was of that one: its place is written again one call earlier than its
    /// count says.
    bool remembers(std::uint64_t of_count) const noexcept {
        return count.load(std::memory_order_acquire) + 1 < of_count + kept_calls;
    }
};

} // namespace distview::impl
