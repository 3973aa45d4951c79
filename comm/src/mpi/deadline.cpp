// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/deadline.hpp>

#include <distview/core/error.hpp>
#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace distview::impl {

namespace {

/// Nanoseconds of a clock that all processes of a node share.
std::int64_t stamp(std::chrono::steady_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

} // namespace

Deadline::Setting Deadline::from_environment() {
    Setting setting;
    if (const char* const value = std::getenv("DISTVIEW_DEADLINE"); value && *value != '\0') {
        const std::string_view given = value;
        double seconds = 0;
        const auto [end, error] =
            std::from_chars(given.data(), given.data() + given.size(), seconds);
        const bool is_read = error == std::errc() && end == given.data() + given.size();
        require<UsageError>(is_read && std::isfinite(seconds) && seconds >= 0, [&] {
            return text("DISTVIEW_DEADLINE: expected a number of seconds >= 0, got '",
                        shortened(given), '\'');
        });
        setting.limit = Seconds(seconds);
    }
    if (const char* const value = std::getenv("DISTVIEW_DEADLINE_ABORT"); value && *value != '\0') {
        const std::string_view given = value;
        require<UsageError>(given == "0" || given == "1", [&] {
            return text("DISTVIEW_DEADLINE_ABORT: expected 0 or 1, got '", shortened(given), '\'');
        });
        setting.aborts = given == "1";
    }
    return setting;
}

Deadline::Clock::duration Deadline::patience() const {
    // A rank that shares its processor checks rarely.
    constexpr Seconds least{0.2};
    constexpr Seconds most{5};
    return std::chrono::duration_cast<Clock::duration>(
        std::clamp(m_setting.limit / 2, least, most));
}

/// The ranks of the node that neither wait nor have given up.
std::vector<Calls::Rank> Deadline::missing(Clock::time_point now) const {
    std::vector<Calls::Rank> result;
    const std::int64_t lately = stamp(now - patience());
    for (const Calls::Rank& other : m_calls->ranks())
        if (other.rank != m_calls->rank() &&
            !other.line->deadline_passed.load(std::memory_order_acquire) &&
            other.line->looked.load(std::memory_order_acquire) < lately)
            result.push_back(other);
    return result;
}

std::string Deadline::describe(const std::vector<Calls::Rank>& missing) const {
    return text("a deadline of ", m_setting.limit.count(),
                " s has passed: ", m_calls->describe_waiting(missing));
}

void Deadline::fail(Clock::time_point now, bool is_first) const {
    std::vector<int> ranks;
    const std::vector<Calls::Rank> others = missing(now);
    for (const Calls::Rank& rank : others) ranks.push_back(rank.rank);
    const std::string what = describe(others);
    if (is_first) {
        m_calls->line().deadline_passed.store(true, std::memory_order_release);
        tell(what);
    }
    throw DeadlineError(text(what, ". This communicator cannot be used any more"), ranks);
}

void Deadline::throw_if_passed() const {
    if (!is_set() || !m_calls->deadline_has_passed()) return;
    // If this rank has waited in this call, it gives up now and is not missing.
    if (m_call == std::pair{m_calls->current().count, m_calls->places().meetings})
        m_calls->line().deadline_passed.store(true, std::memory_order_release);
    fail(Clock::now(), false);
}

/// Reports to the message sink. If the setting says so, ends the job; without a sink, first reports on standard error.
void Deadline::tell(const std::string& what) const {
    const bool is_told = report(Severity::warning, what);
    if (!m_setting.aborts) return;
    if (!is_told) std::fputs(text("distview: ", what, '\n').c_str(), stderr);
    MPI_Abort(m_comm, EXIT_FAILURE);
}

void Deadline::tell_closing() const noexcept {
    try {
        std::vector<Calls::Rank> others;
        for (const Calls::Rank& other : m_calls->ranks())
            if (!other.line->closes.load(std::memory_order_acquire)) others.push_back(other);
        m_calls->note_far_rank(-1);
        tell(describe(others));
    } catch (...) {
        return; // no memory for the text
    }
}

void Deadline::check() {
    if (!is_set()) return;
    const Clock::time_point now = Clock::now();
    CallLine& line = m_calls->line();
    const std::pair call{m_calls->current().count, m_calls->places().meetings};
    // Computing between two checks does not count as waiting.
    const bool has_waited =
        call == m_call && line.looked.load(std::memory_order_relaxed) >= stamp(now - patience());
    if (m_calls->deadline_has_passed()) {
        if (has_waited) line.deadline_passed.store(true, std::memory_order_release);
        fail(now, false);
    }
    line.looked.store(stamp(now), std::memory_order_release);
    if (!has_waited) {
        m_call = call;
        m_since = now;
    } else if (now - m_since > m_setting.limit) {
        fail(now, true);
    }
}

} // namespace distview::impl
