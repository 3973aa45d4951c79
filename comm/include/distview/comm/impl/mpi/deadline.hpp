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

/// Limits how long a rank waits for others in a communicator's call, and names the missing ranks.
///
/// A waiting rank calls check() now and then, and its line shows when. A rank without a recent check does
/// not wait, and counts as missing. If the deadline of one rank passes, all ranks of its node stop waiting.
class Deadline {
public:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    struct Setting {
        Seconds limit{0};    ///< 0: none
        bool aborts = false; ///< ends the job instead of throwing
    };
    /// Reads DISTVIEW_DEADLINE and DISTVIEW_DEADLINE_ABORT; throws UsageError if a value is invalid.
    static Setting from_environment();

    /// `calls` must outlive this object.
    Deadline(MPI_Comm comm, Calls& calls, Setting setting)
        : m_comm(comm), m_calls(&calls), m_setting(setting) {}

    Seconds limit() const noexcept { return m_setting.limit; }
    void set_limit(Seconds limit) noexcept { m_setting.limit = limit; }
    bool is_set() const noexcept { return m_setting.limit.count() > 0; }

    /// For waiting loops: throws DeadlineError if a rank of the node, this one included, waited too long in a call.
    void check();
    /// Restarts the time limit: the others arrived where this rank waited, and its next wait counts anew.
    void begin_again() noexcept { m_call = {}; }
    /// Throws DeadlineError if a rank of the node has waited too long; called before a less helpful error.
    void throw_if_passed() const;
    /// Whether a wait that began at `since` has lasted too long.
    bool is_late(Clock::time_point since) const noexcept {
        return is_set() && Clock::now() - since > m_setting.limit;
    }
    /// For a rank that has closed the communicator and waits for the others: reports the ranks of
    /// its node that do not close it. Throws nothing, because MPI waits for them in any case.
    void tell_closing() const noexcept;

private:
    void tell(const std::string& what) const;
    std::vector<Calls::Rank> missing(Clock::time_point now) const;
    /// Text about the passed deadline and the last known call of each missing rank.
    std::string describe(const std::vector<Calls::Rank>& missing) const;
    /// `is_first`: no other rank has reported the passed deadline.
    [[noreturn]] void fail(Clock::time_point now, bool is_first) const;
    /// The longest time between two checks of a waiting rank. A rank that has not checked for longer does not wait.
    Clock::duration patience() const;

    MPI_Comm m_comm;
    Calls* m_calls;
    Setting m_setting;
    std::pair<std::uint64_t, std::uint64_t> m_call{}; ///< count of the call, and meetings in it
    Clock::time_point m_since{};                      ///< when this rank began to wait in that call
};

} // namespace distview::impl
