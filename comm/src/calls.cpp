// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/calls.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <thread>

namespace distview::impl {

Calls::Calls(int rank, std::vector<Rank> ranks, std::shared_ptr<void> memory, bool crowded)
    : m_rank(rank), m_ranks(std::move(ranks)), m_memory(std::move(memory)), m_crowded(crowded) {
    m_line = find(rank)->line;
}

const Calls::Rank* Calls::find(int rank) const noexcept {
    const auto found = std::lower_bound(m_ranks.begin(), m_ranks.end(), rank,
                                        [](const Rank& a, int b) { return a.rank < b; });
    return found != m_ranks.end() && found->rank == rank ? &*found : nullptr;
}

void Calls::enter(std::string_view name) noexcept {
    if (m_depth == 0) m_line->call(m_call.count + 1).set_name(name);
    enter(CallWord::of_name(name));
}

void Calls::mark_failed(const Call& call) noexcept {
    // One that is no longer remembered has been replaced by a later one.
    if (call.count + CallLine::kept_calls > m_call.count)
        m_line->call(call.count).failed.store(true, std::memory_order_release);
    // Of several calls that end by one error, as one inside another, one counts.
    if (call.place.meetings == m_last.meetings && call.place.failures == m_last.failures)
        m_last = {m_last.meetings, m_last.failures + 1, 0};
}

void Calls::note_met(const CallPlace& place) noexcept {
    m_has_met = true;
    if (place == m_call.place) return;
    // The call goes on there. Its old place stays, for ranks that have still to read what this one brought.
    m_line->call(m_call.count + 1).set_name(m_line->call(m_call.count).get_name());
    begin({m_call.count + 1, place, m_call.word});
}

std::optional<Calls::Seen> Calls::read(const CallLine& line, std::uint64_t count) {
    const std::uint64_t ended = line.ended.load(std::memory_order_acquire);
    const CallLine::Call& call = line.call(count);
    const Seen seen{{count, call.place(), {call.word.load(std::memory_order_acquire)}},
                    call.failed.load(std::memory_order_acquire),
                    ended >= count};
    if (!line.remembers(count)) return std::nullopt;
    return seen;
}

std::string Calls::describe(const CallLine& line, const Call& call) {
    return call.word.describe(line.call(call.count).get_name());
}

std::optional<Calls::Seen> Calls::find(const CallLine& line, const CallPlace& place) {
    for (std::uint64_t count = line.count.load(std::memory_order_acquire); count > 0; --count) {
        if (!line.remembers(count)) break;
        const CallPlace at = line.call(count).place();
        if (at < place) break;
        if (at == place) return read(line, count);
    }
    return std::nullopt;
}

std::optional<std::pair<Calls::Seen, std::uint64_t>> Calls::meeting_of(const CallLine& line) {
    const std::uint64_t meeting = line.meeting.load(std::memory_order_acquire);
    if (meeting == 0) return std::nullopt;
    const std::optional<Seen> seen = read(line, meeting >> 16);
    if (!seen || line.meeting.load(std::memory_order_acquire) != meeting) return std::nullopt;
    return std::pair(*seen, meeting & 0xffff);
}

/// Whether this rank has come to that meeting already.
bool Calls::has_met(const CallPlace& place, std::uint64_t number) const noexcept {
    if (m_depth > 0 && place == m_call.place) return number < m_meetings;
    return place.meetings < m_last.meetings + (m_has_met ? 1 : 0);
}

std::optional<std::string> Calls::why_not(int peer, const Call& call, Way way) const {
    const Rank* const other = find(peer);
    if (!other) return std::nullopt;
    const CallLine& line = *other->line;
    const auto differing = [&] { return text(expected_the_same, describe_calls(call.place)); };
    const auto theirs = find(line, call.place);
    if (theirs && theirs->call.word != call.word) return differing();
    // A message may be on the way, or one that says that no other comes.
    if (way == Way::message) return std::nullopt;
    if (theirs && theirs->failed) {
        // Perhaps because it has met another call.
        for (const Rank& third : m_ranks)
            if (const auto its = find(*third.line, call.place); its && its->call.word != call.word)
                return differing();
        const std::string name = describe(line, theirs->call);
        return way == Way::meeting
                   ? text("rank ", peer, " has left ", name, " with an error")
                   : text("process ", peer,
                          " has abandoned an exchange that this process takes part in (", name,
                          ')');
    }
    if (theirs && way == Way::meeting && theirs->ended)
        return text("rank ", peer, " has left ", describe(line, theirs->call),
                    " without doing what this rank waits for");
    const auto meeting = meeting_of(line);
    if (!meeting) return std::nullopt;
    const auto& [at, number] = *meeting;
    if (way == Way::memory) {
        if (has_met(at.call.place, number)) return std::nullopt;
        return text("rank ", peer, " waits in ", describe(line, at.call),
                    " for this rank, which waits for something that it does in ",
                    describe(*m_line, call));
    }
    if (theirs) return std::nullopt;
    // Where an error has reached the two in different calls, they need not be at one place. If this rank has been
    // at the other's, that one finds the difference.
    const bool may_meet = at.call.place.meetings == call.place.meetings &&
                          at.call.place.failures != call.place.failures &&
                          !find(*m_line, at.call.place);
    if (may_meet && at.call.word != call.word) return differing();
    return std::nullopt;
}

bool Calls::meets(const Rank& other, const MeetingRecord& theirs, const MeetingRecord& mine) const {
    if (theirs.place == mine.place) return theirs.number == mine.number;
    if (theirs.place.meetings != mine.place.meetings || theirs.number != mine.number ||
        theirs.place.failures == mine.place.failures)
        return false;
    // See why_not(); the other may be here as well, where it has read this rank's record already.
    const auto at_mine = find(*other.line, mine.place);
    const auto at_theirs = find(*other.line, theirs.place);
    if (find(*m_line, theirs.place) || !at_theirs || at_theirs->failed) return false;
    return !at_mine || (at_mine->call.word == m_call.word && !at_mine->failed);
}

std::string Calls::describe_calls(const CallPlace& place) const {
    // Of who is on the way, the call is told as well.
    const Moment moment;
    const auto call_of = [&](const Rank& other) {
        std::optional<Seen> seen = find(*other.line, place);
        if (const auto meeting = meeting_of(*other.line); !seen && meeting) seen = meeting->first;
        return seen;
    };
    while (moment.lasts() && !std::all_of(m_ranks.begin(), m_ranks.end(), call_of)) {
    }
    std::vector<RankGroup> groups;
    for (const Rank& other : m_ranks)
        if (const std::optional<Seen> seen = call_of(other))
            add_to_groups(groups, describe(*other.line, seen->call), other.rank);
    return describe_groups(groups);
}

bool Moment::lasts() const {
    std::this_thread::yield();
    return std::chrono::steady_clock::now() < m_end;
}

void add_to_groups(std::vector<RankGroup>& groups, const std::string& call, int rank) {
    for (RankGroup& group : groups)
        if (group.call == call) return group.ranks.push_back(rank);
    groups.push_back({call, {rank}});
}

std::string describe_groups(const std::vector<RankGroup>& groups) {
    std::string result;
    for (const RankGroup& group : groups) {
        result += text(result.empty() ? "" : "; ", group.call,
                       group.ranks.size() > 1 ? " on ranks " : " on rank ");
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            std::size_t last = i; // of consecutive ranks
            while (last + 1 < group.ranks.size() && group.ranks[last + 1] == group.ranks[last] + 1)
                ++last;
            result += text(i > 0 ? ", " : "", group.ranks[i]);
            if (last > i) result += text(last > i + 1 ? " to " : ", ", group.ranks[last]);
            i = last;
        }
    }
    return result;
}

} // namespace distview::impl
