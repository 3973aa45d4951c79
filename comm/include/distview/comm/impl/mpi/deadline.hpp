// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// How long a rank waits for others in a call of a communicator, and which ones it then says are missing.
///
/// Ranks that wait look now and then, and their lines say when they did: whoever has not looked lately does not wait
/// for anybody, and is missing. One rank whose deadline has passed ends the wait of all ranks of its node.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    struct Setting {
        Seconds limit{0};    ///< 0: none
        bool aborts = false; ///< ends the job instead of an exception
    };
    /// DISTVIEW_DEADLINE and DISTVIEW_DEADLINE_ABORT; throws UsageError if they cannot be read.
    static Setting from_environment();

    /// `calls` lives longer.
    Deadline(MPI_Comm comm, Calls& calls, Setting setting)
        : m_comm(comm), m_calls(&calls), m_setting(setting) {}

    Seconds limit() const noexcept { return m_setting.limit; }
    void set_limit(Seconds limit) noexcept { m_setting.limit = limit; }
    bool is_set() const noexcept { return m_setting.limit.count() > 0; }

    /// For waiting loops: throws DeadlineError if this rank has waited too long in a call, or another one of its node has.
    void check();
    /// The others have come to where this rank waited in its call: what it waits for next takes its own time.
    void begin_again() noexcept { m_call = {}; }
    /// Throws DeadlineError if a rank of the node has waited too long; before an error that would say less.
    void throw_if_passed() const;
    /// Whether a rank has waited too long since then.
    bool is_late(Clock::time_point since) const noexcept {
        return is_set() && Clock::now() - since > m_setting.limit;
    }
    /// Of a rank that has closed the communicator and waits for the others: says which ones of its node do not close it.
    /// No exception, for MPI waits for them whatever this library does.
    void tell_closing() const noexcept;

private:
    void tell(const std::string& what) const;
    std::vector<Calls::Rank> missing(Clock::time_point now) const;
    /// Text that says what has passed, and what the missing ranks were seen in last.
    std::string describe(const std::vector<Calls::Rank>& missing) const;
    /// `is_first`: no other rank has told that the deadline has passed.
    [[noreturn]] void fail(Clock::time_point now, bool is_first) const;
    /// How long a rank that waits may be without looking: one that has not looked for longer does not wait.
    Clock::duration patience() const;

    MPI_Comm m_comm;
    Calls* m_calls;
    Setting m_setting;
    std::pair<std::uint64_t, std::uint64_t> m_call{}; ///< count of the call, and meetings in it
    Clock::time_point m_since{};                      ///< when this rank began to wait in it
};

} // namespace distview::impl
