// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/call_line.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::impl {

/// Begins the text of an error; the calls and their ranks follow.
inline constexpr const char* expected_the_same = "expected the same call on all ranks, got ";

/// Ranks that make the same call.
struct RankGroup {
    std::string call;
    std::vector<int> ranks; ///< ascending
};
void add_to_groups(std::vector<RankGroup>& groups, const std::string& call, int rank);
/// "sum on rank 0; max on ranks 1 to 3".
std::string describe_groups(const std::vector<RankGroup>& groups);

/// A tenth of a second, in which other ranks may come that an error would like to name.
class Moment {
public:
    /// Lets others run; false once it is over.
    bool lasts() const;

private:
    std::chrono::steady_clock::time_point m_end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
};

/// Counts the collective calls of a communicator on this rank, tells the node's other ranks which one this is,
/// and looks at theirs. Plain memory: no MPI.
///
/// Calls are counted where they are made by the program; those that they are made of belong to them.
class Calls {
public:
    /// A rank of this node, this one included.
    struct Rank {
        int rank = 0;
        CallLine* line = nullptr;
    };
    /// A call of this rank.
    struct Call {
        std::uint64_t count = 0; ///< on the rank's line, from 1
        CallPlace place{};
        CallWord word{};
    };
    /// `ranks`: ascending. `memory` keeps all lines.
    Calls(int rank, std::vector<Rank> ranks, std::shared_ptr<void> memory, bool crowded);
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    /// What waiting loops do now and then, and what is done before an error is thrown because another rank does not
    /// come: throws one that tells if its process has ended. Both may throw.
    void set_checks(std::function<void()> idle, std::function<void()> before_error) {
        m_idle = std::move(idle);
        m_before_error = std::move(before_error);
    }
    void idle() const {
        if (m_idle) m_idle();
    }
    void before_error() const {
        if (m_before_error) m_before_error();
    }

    int rank() const noexcept { return m_rank; }
    bool crowded() const noexcept { return m_crowded; }
    const std::vector<Rank>& ranks() const noexcept { return m_ranks; }
    CallLine& line() noexcept { return *m_line; }
    /// The call under way, or the last one.
    const Call& current() const noexcept { return m_call; }
    bool is_under_way() const noexcept { return m_depth > 0; }

    /// Begins a call, or a part of the one under way.
    void enter(CallWord word) noexcept {
        if (m_depth++ > 0) return;
        ++m_last.index;
        m_meetings = 0;
        begin({m_call.count + 1, m_last, word});
    }
    void enter(std::string_view name) noexcept;
    /// Ends what enter() began.
    void leave(bool failed) noexcept {
        if (--m_depth > 0) return;
        if (failed) mark_failed(m_call);
        if (m_has_met) m_last = {m_call.place.meetings + 1, 0, 0};
        m_has_met = false;
        m_line->ended.store(m_call.count, std::memory_order_release);
    }
    /// Says that this rank takes no further part in a call.
    void mark_failed(const Call& call) noexcept;

    /// Begins to meet, in the call under way: returns the number of the meeting in it.
    std::uint64_t begin_meeting() noexcept {
        m_line->meeting.store(m_call.count << 16 | (m_meetings & 0xffff),
                              std::memory_order_release);
        return m_meetings++;
    }
    void end_meeting() noexcept { m_line->meeting.store(0, std::memory_order_release); }
    /// All ranks have met: they are in step, at that place.
    void note_met(const CallPlace& place) noexcept;

    /// How what this rank waits for would come.
    enum class Way { meeting, memory, message };
    /// Why `peer` will do nothing more in a call, as far as its line tells. Look once more whether it has
    /// arrived before you believe it.
    std::optional<std::string> why_not(int peer, const Call& call, Way way) const;
    /// Whether this rank was at that place in an earlier call, which it has left by an error.
    bool has_been_at(const CallPlace& place) const {
        return place != m_call.place && find(*m_line, place).has_value();
    }
    /// Whether what `other` brings to a meeting is meant for the one that this rank is in.
    bool meets(const Rank& other, const MeetingRecord& theirs, const MeetingRecord& mine) const;

    /// The calls at that place of all ranks of the node that have come so far, waiting a moment for others.
    std::string describe_calls(const CallPlace& place) const;

private:
    /// A call that a line remembers.
    struct Seen {
        Call call{};
        bool failed = false;
        bool ended = false;
    };
    static std::optional<Seen> find(const CallLine& line, const CallPlace& place);
    /// The meeting that a line's rank waits in: its call, and its number there.
    static std::optional<std::pair<Seen, std::uint64_t>> meeting_of(const CallLine& line);
    static std::optional<Seen> read(const CallLine& line, std::uint64_t count);
    static std::string describe(const CallLine& line, const Call& call);
    bool has_met(const CallPlace& place, std::uint64_t number) const noexcept;
    void begin(const Call& call) noexcept {
        m_call = call;
        CallLine::Call& told = m_line->call(call.count);
        told.set_place(call.place);
        told.word.store(call.word.bits, std::memory_order_release);
        told.failed.store(false, std::memory_order_release);
        m_line->count.store(call.count, std::memory_order_release);
    }
    const Rank* find(int rank) const noexcept;

    int m_rank;
    std::vector<Rank> m_ranks;
    std::shared_ptr<void> m_memory;
    CallLine* m_line = nullptr;
    bool m_crowded;
    CallPlace m_last{}; ///< the place before that of the next call
    Call m_call{};
    std::uint64_t m_meetings = 0; ///< begun in the call
    bool m_has_met = false;       ///< in it
    int m_depth = 0;
    std::function<void()> m_idle;
    std::function<void()> m_before_error;
};

/// Makes a call whose action returns a reference, without what a CollectiveCall costs.
template <class Action>
auto& in_call(Calls& calls, CallWord word, Action&& action) {
    calls.enter(word);
    try {
        auto& result = action();
        calls.leave(false);
        return result;
    } catch (...) {
        calls.leave(true);
        throw;
    }
}

} // namespace distview::impl
