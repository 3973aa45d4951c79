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
/// Calls are numbered where they are made by the program; those that they are made of keep the number and are
/// told apart by steps. A rank leaves a call with the number that it had, whatever happened: so ranks that
/// were in different calls are in step again afterwards.
class Calls {
public:
    /// A rank of this node, this one included.
    struct Rank {
        int rank = 0;
        CallLine* line = nullptr;
    };
    /// `ranks`: ascending. `memory` keeps all lines.
    Calls(int rank, std::vector<Rank> ranks, std::shared_ptr<void> memory, bool crowded);
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;

    /// What waiting loops do now and then; may throw.
    void set_idle(std::function<void()> idle) { m_idle = std::move(idle); }
    void idle() const {
        if (m_idle) m_idle();
    }

    int rank() const noexcept { return m_rank; }
    bool crowded() const noexcept { return m_crowded; }
    const std::vector<Rank>& ranks() const noexcept { return m_ranks; }
    CallLine& line() noexcept { return *m_line; }

    /// Begins a call, or a part of the one under way.
    void enter(CallWord word) noexcept {
        if (m_depth++ > 0) return;
        m_word = word;
        m_step = 0;
        m_line->call(++m_number).word.store(word.bits, std::memory_order_release);
        m_line->number.store(m_number, std::memory_order_release);
    }
    void enter(std::string_view name) noexcept;
    /// Ends what enter() began.
    void leave(bool failed) noexcept {
        if (--m_depth > 0) return;
        if (failed) mark_failed(m_number);
        m_line->ended.store(m_number, std::memory_order_release);
    }
    /// Says that this rank takes no further part in a call.
    void mark_failed(std::uint64_t number) noexcept;

    std::uint64_t number() const noexcept { return m_number; }
    CallWord word() const noexcept { return m_word; }
    /// Number of the call and of the next step in it.
    std::uint64_t next_stamp() noexcept { return m_number << 16 | (m_step++ & 0xffff); }

    enum class Stage {
        meeting, ///< who has left the call does not come any more
        exchange ///< who has left it may still be on the way, in a message
    };
    /// Why `peer` will not arrive in call `number`, as far as its line tells. Look once more whether it has
    /// arrived before you believe it.
    std::optional<std::string> why_not(int peer, std::uint64_t number, CallWord word, Stage stage);

    /// The call of that number on every rank of the node that has come so far, waiting a moment for others.
    std::string describe_calls(std::uint64_t number) const;
    std::string describe_own(std::uint64_t number) const;

private:
    const Rank* find(int rank) const noexcept;
    /// Word of a call that a line remembers.
    static std::optional<CallWord> word_at(const CallLine& line, std::uint64_t number) noexcept;

    int m_rank;
    std::vector<Rank> m_ranks;
    std::shared_ptr<void> m_memory;
    CallLine* m_line = nullptr;
    bool m_crowded;
    std::uint64_t m_number = 0;
    std::uint64_t m_step = 0;
    int m_depth = 0;
    CallWord m_word{};
    std::function<void()> m_idle;
};

} // namespace distview::impl
