// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/call_line.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace distview::impl {

/// First words of an error text; the calls and their ranks follow.
inline constexpr const char* expected_the_same = "expected the same call on all ranks, got ";

/// Ranks that make the same call.
struct RankGroup {
    std::string call;
    std::vector<int> ranks; ///< ascending
};
void add_to_groups(std::vector<RankGroup>& groups, const std::string& call, int rank);
/// "sum on rank 0; max on ranks 1 to 3".
std::string describe_groups(const std::vector<RankGroup>& groups);

/// "heat.cpp:42".
std::string describe_site(const std::source_location& where);

/// A short wait for other ranks that an error text names if they arrive.
class Moment {
public:
    explicit Moment(std::chrono::milliseconds lasting = std::chrono::milliseconds(100))
        : m_end(std::chrono::steady_clock::now() + lasting) {}
    /// Lets other threads run; false once the wait is over.
    bool lasts() const;

private:
    std::chrono::steady_clock::time_point m_end;
};

/// Counts the collective calls of a communicator on this rank, shows the current one to the
/// node's other ranks and reads theirs. Uses plain memory, no MPI.
///
/// Only calls of the program are counted; calls within them belong to them. Executions of plans
/// are counted everywhere, because no meeting checks whether ranks agree on them.
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
        CallWord whole{}; ///< the call that contains this part, or the call itself
    };
    /// `ranks`: ascending. `memory` keeps all lines alive.
    Calls(int rank, std::vector<Rank> ranks, std::shared_ptr<void> memory, bool oversubscribed);
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    /// Waiting loops call `idle` now and then. `before_error` runs before an error about a rank that does
    /// not arrive, and throws instead if its process has ended or a deadline has passed. Both may throw.
    void set_checks(std::function<void()> idle, std::function<void()> before_error) {
        m_idle = std::move(idle);
        m_before_error = std::move(before_error);
    }
    void idle();
    /// Runs a function of the program while this rank waits. Collective calls in it are refused.
    void ask(const std::function<void()>& question);
    /// Keeps an exception of idle() if the rank cannot leave its wait; the next idle() throws it again.
    void keep_interruption(std::exception_ptr interruption) {
        m_interruption = std::move(interruption);
    }
    bool is_interrupted() const noexcept { return m_interruption != nullptr; }
    const std::exception_ptr& interruption() const noexcept { return m_interruption; }
    void before_error() const {
        if (m_before_error) m_before_error();
    }

    int rank() const noexcept { return m_rank; }
    bool oversubscribed() const noexcept { return m_oversubscribed; }
    const std::vector<Rank>& ranks() const noexcept { return m_ranks; }
    /// Null if the rank is not on this node.
    const Rank* find(int rank) const noexcept;
    /// Whether this rank can read the calls of `rank`, which is then on this node.
    bool is_near(int rank) const noexcept { return find(rank) != nullptr; }
    CallLine& line() noexcept { return *m_line; }
    /// The ranks of this node that close the communicator.
    RankGroup closing_ranks() const;
    /// Whether a rank of this node knows of a process that has ended.
    bool end_is_known() const noexcept {
        for (const Rank& other : m_ranks)
            if (other.line->knows_end.load(std::memory_order_acquire)) return true;
        return false;
    }
    /// Whether a rank of this node has waited longer than the communicator's deadline.
    bool deadline_has_passed() const noexcept {
        for (const Rank& other : m_ranks)
            if (other.line->deadline_passed.load(std::memory_order_acquire)) return true;
        return false;
    }
    /// Outcomes of attempts to meet on this node.
    Outcomes& outcomes() const noexcept { return m_ranks.front().line->outcomes; }
    /// The call under way, or the last one.
    const Call& current() const noexcept { return m_call; }
    /// Whether a call of this rank has begun and not ended; for any thread.
    bool is_under_way() const noexcept {
        return m_line->ended.load(std::memory_order_acquire) !=
               m_line->count.load(std::memory_order_acquire);
    }

    /// Begins a call, or a part of the one under way; UsageError within ask().
    void enter(CallWord word) {
        if (m_depth > 0) return enter_part(word, {});
        m_depth = 1;
        ++m_index;
        m_part = 0;
        m_skips = std::exchange(m_next_skips, false);
        // Stored before other ranks can see the call.
        if (m_skips) m_line->skips.store(true, std::memory_order_release);
        begin(word, word);
    }
    void enter(std::string_view name);
    /// Ends what enter() began.
    void leave(CallWord word, bool failed) noexcept {
        if (--m_depth == 0) {
            if (failed) mark_failed(m_call);
            m_line->ended.store(m_call.count, std::memory_order_release);
            end_skipping();
        } else if (word.is_execution()) {
            if (failed) mark_failed(m_call);
            begin_part(m_call.whole); // the containing call goes on
        }
    }
    /// Makes the next call wait until all other ranks reach it, whatever they call before. No effect within a call.
    void skip_with_next() noexcept { m_next_skips = m_depth == 0; }
    /// Number of calls, and parts of calls, that have begun.
    std::uint64_t begun() const noexcept { return m_call.count; }
    /// Counts a failed function as one call, unless its own call or execution began since begun() was `begun_before`.
    void count_failed(std::uint64_t begun_before, std::string_view name) noexcept;
    /// Makes the last call: closes the communicator.
    void close() noexcept;
    /// Publishes that this rank takes no further part in a call; for any thread.
    void mark_failed(const Call& call) noexcept;
    /// Number of calls, and parts of calls, that failed on this rank; for any thread.
    std::uint64_t failures() const noexcept { return m_failures; }
    /// Whether an execution has failed on this rank since the last meeting of all ranks.
    bool has_failed() const noexcept { return m_has_failed; }
    /// Number of meetings of all ranks, before the last call or within it; for any thread.
    std::uint64_t meetings() const noexcept { return m_line->call(m_line->count).meetings; }

    /// Position of the call under way, for a meeting.
    CallPlaces places() const noexcept {
        if (m_skips) return {m_meetings, m_meetings, CallPlaces::none, 0};
        return {m_meetings, m_meetings, m_index, m_index};
    }
    /// Whether the failed meeting was for a call that this rank has passed, or that it waits
    /// for the others to leave. `tries`: this rank's attempts to meet in its call.
    bool has_passed(const Outcome& failed, int tries) const noexcept;
    /// Records that all ranks have met: they are at the same position, in the call under way.
    void note_met() noexcept;
    /// Publishes whether this rank is about to leave the call under way with an error.
    void note_left(bool leaves) noexcept {
        m_line->call(m_call.count).failed.store(leaves, std::memory_order_release);
    }

    /// Channel by which an awaited rank would answer: a meeting, shared memory or a message.
    enum class Way { meeting, memory, message };
    /// Why another rank will do nothing more in a call.
    enum class Reason { none, other_call, error, end, closed, waiting };
    /// Reason as shown by the peer's line. Before using it, check again whether the awaited data has arrived.
    Reason find_reason(int peer, const Call& call, Way way) const;
    /// Text of the reason for the user; may wait a moment for other ranks, whose calls it names.
    std::string explain(Reason reason, int peer, const Call& call, Way way) const;

    /// Whether this rank certainly waits in a circle: ranks of the node that wait for each other in memory. Circles
    /// form after errors, when calls cannot be compared. Publishes that this rank has polled in vain in `call` for an
    /// action of `peer` (-1: for messages only). `progress` changes with everything that this rank receives or does.
    /// Detection needs several polls of all ranks in the circle; it does not see circles of more than 16 ranks.
    bool waits_in_circle(int peer, const Call& call, std::uint64_t progress);

    /// Remembers where the program made a plan; ignores plans that this library makes for
    /// itself. Any thread may call forget_plan().
    void note_plan(std::uint64_t number, const std::source_location& made) noexcept;
    void forget_plan(std::uint64_t number) noexcept {
        const std::lock_guard lock(m_plans_mutex);
        m_plans.erase(plan_key(number));
    }
    /// Sets the program location of calls until leave_site(), such as "heat.py:42"; false if a location is already set.
    bool enter_site(std::string_view site) noexcept;
    void leave_site() noexcept {
        m_line->site_last.store(m_call.count, std::memory_order_release);
        m_has_site = false;
    }

    /// Text for the user: where this rank waits, and the last known call of each missing rank of its node.
    std::string describe_waiting(const std::vector<Rank>& missing) const;
    /// Records the rank of another node for which this rank waits; -1: none.
    void note_far_rank(int rank) noexcept { m_far_rank = rank; }

    /// The call of `other` at the position of this rank's `call`, or in a meeting; empty if there is neither.
    std::string call_of(const Rank& other, const Call& call) const;

private:
    /// A call that a line remembers.
    struct Seen {
        Call call{};
        bool failed = false;
        bool ended = false;
    };
    /// Ranks in a circle: each waits for the next one, and the last one for the first.
    struct Circle {
        struct Waiting {
            const CallLine* line = nullptr;
            std::uint64_t for_what = 0; ///< CallLine::waits_for
            std::uint64_t looks = 0;
        };
        std::array<Waiting, 16> ranks{};
        std::size_t count = 0;
    };
    Circle find_circle() const;
    static std::optional<Seen> read(const CallLine& line, std::uint64_t count);
    static std::optional<Seen> latest(const CallLine& line) {
        return read(line, line.count.load(std::memory_order_acquire));
    }
    static std::optional<Seen> find_part(const CallLine& line, const CallPlace& place);
    static std::optional<Seen> find_call(const CallLine& line, const CallPlace& place);
    static bool makes_another(const CallLine& line, const Call& call);
    static bool has_passed(const CallLine& line, const CallPlace& place);
    static bool has_left_before(const CallLine& line, const CallPlace& place);
    static bool closes_before(const CallLine& line, const CallPlace& place);
    static std::string describe(const CallLine& line, const Call& call, CallWord word);
    static constexpr std::uint64_t plan_key(std::uint64_t number) noexcept {
        return CallWord::of_plan(CallWord::Kind::fill, number, 0).plan();
    }
    std::string describe_site(const CallLine& line, const Call& call) const;
    bool waits_in_meeting(const CallLine& line) const noexcept;
    std::string describe_calls(const Call& call) const;
    void begin(CallWord word, CallWord whole) noexcept {
        m_call = {m_call.count + 1, {m_meetings, m_index, m_part}, word, whole};
        CallLine::Call& told = m_line->call(m_call.count);
        told.set_place(m_call.place);
        told.word.store(word.bits, std::memory_order_release);
        told.whole.store(whole.bits, std::memory_order_release);
        told.failed.store(false, std::memory_order_release);
        m_line->count.store(m_call.count, std::memory_order_release);
    }
    void end_skipping() noexcept {
        if (std::exchange(m_skips, false)) m_line->skips.store(false, std::memory_order_release);
    }
    void enter_part(CallWord word, std::string_view name);
    void begin_part(CallWord word) noexcept {
        ++m_part;
        m_line->call(m_call.count + 1).name.copy(m_line->call(m_call.count).name);
        begin(word, m_call.whole);
    }

    int m_rank;
    std::vector<Rank> m_ranks;
    std::shared_ptr<void> m_memory;
    CallLine* m_line = nullptr;
    bool m_oversubscribed;
    std::uint64_t m_meetings = 0; ///< as in CallPlace
    std::uint64_t m_index = 0;
    std::uint64_t m_part = 0;
    bool m_next_skips = false;
    bool m_skips = false; ///< as CallLine::skips
    std::atomic<bool> m_has_failed{false};
    std::atomic<std::uint64_t> m_failures{0};
    Call m_call{};
    Circle m_circle{}; ///< as found by the previous poll
    int m_depth = 0;
    int m_asks = 0; ///< calls of ask() under way
    int m_far_rank = -1;
    bool m_has_site = false;
    mutable std::mutex m_plans_mutex;
    std::map<std::uint64_t, std::source_location> m_plans; ///< where the program made them
    std::exception_ptr m_interruption;
    std::function<void()> m_idle;
    std::function<void()> m_before_error;
};

/// Runs a function that makes at most one call. If it throws before that call begins, the failure counts as the call.
template <class Action>
decltype(auto) counted(Calls& calls, std::string_view name, Action&& action) {
    const std::uint64_t begun = calls.begun();
    try {
        return action();
    } catch (...) {
        calls.count_failed(begun, name);
        throw;
    }
}

/// Makes a call whose action returns a reference; cheaper than a CollectiveCall.
template <class Action>
auto& in_call(Calls& calls, CallWord word, Action&& action) {
    calls.enter(word);
    try {
        auto& result = action();
        calls.leave(word, false);
        return result;
    } catch (...) {
        calls.leave(word, true);
        throw;
    }
}

} // namespace distview::impl
