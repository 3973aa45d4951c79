// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/meeting.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstring>

namespace distview::impl {

namespace {

template <std::size_t size>
void put(std::array<char, size>& to, std::string_view what) {
    to.fill('\0');
    std::memcpy(to.data(), what.data(), std::min(what.size(), size - 1));
}

std::string_view get(const auto& characters) { return {characters.data()}; }

std::string describe(const MeetingRecord& record) {
    const std::string call = CallWord{record.call}.describe(get(record.call_name));
    const std::string_view step = get(record.name);
    return step.empty() || step == call ? call : text(call, " (", step, ')');
}

/// Ends what Calls::begin_meeting() began.
class WaitsInMeeting {
public:
    explicit WaitsInMeeting(Calls& calls) noexcept : m_calls(calls) {}
    ~WaitsInMeeting() { m_calls.end_meeting(); }
    WaitsInMeeting(const WaitsInMeeting&) = delete;
    WaitsInMeeting& operator=(const WaitsInMeeting&) = delete;

private:
    Calls& m_calls;
};

} // namespace

MeetingRecord combined(const MeetingRecord& one, const MeetingRecord& other) {
    MeetingRecord result = one;
    result.latest = std::max(one.latest, other.latest);
    for (std::size_t i = 0; i < result.least.size(); ++i)
        result.least[i] = std::min(one.least[i], other.least[i]);
    result.flags &= other.flags;
    if (!get(one.difference).empty()) return result;
    if (!get(other.difference).empty()) {
        result.difference = other.difference;
    } else if (one.call != other.call || one.step != other.step || !is_same_meeting(one, other)) {
        const bool in_order = one.rank < other.rank;
        const MeetingRecord& first = in_order ? one : other;
        const MeetingRecord& second = in_order ? other : one;
        put(result.difference, text(expected_the_same, describe(first), " on rank ", first.rank,
                                    "; ", describe(second), " on rank ", second.rank));
    }
    return result;
}

bool is_same_meeting(const MeetingRecord& one, const MeetingRecord& other) noexcept {
    return one.number == other.number && one.place.meetings == other.place.meetings &&
           (one.place.failures != other.place.failures || one.place == other.place);
}

bool is_before(const MeetingRecord& one, const MeetingRecord& other) noexcept {
    if (is_same_meeting(one, other)) return false;
    return one.place != other.place ? one.place < other.place : one.number < other.number;
}

void Meeting::tell(const MeetingRecord& mine) {
    CallLine& line = m_calls.line();
    ++m_count;
    line.records[m_count % CallLine::kept_records].write(m_count, mine);
    publish(line.met, m_count, m_calls.crowded());
}

/// Whether `from` has told a record for this meeting.
bool Meeting::find_record(const Calls::Rank& from, SyncLine& line, const CallLine::Records& records,
                          const MeetingRecord& mine, MeetingRecord& theirs) const {
    std::uint64_t count = line.epoch.load(sync_order::arrive) & ~gone_bit;
    for (std::uint64_t looked = 0; looked < CallLine::kept_records && count > 0; ++looked, --count)
        if (records[count % CallLine::kept_records].read(count, theirs) &&
            m_calls.meets(from, theirs, mine))
            return true;
    return false;
}

/// Why not all come, as far as the lines tell: of those that this rank does not wait for yet as well.
template <class IsThere>
std::string Meeting::find_reason(const Calls::Rank& awaited, const IsThere& is_there,
                                 const MeetingRecord& mine) const {
    for (const Calls::Rank& other : m_calls.ranks()) {
        if (other.rank == m_calls.rank()) continue;
        const auto reason = m_calls.why_not(other.rank, m_calls.current(), Calls::Way::meeting);
        MeetingRecord theirs;
        const auto has_come = [&] {
            return other.rank == awaited.rank
                       ? is_there()
                       : find_record(other, other.line->met, other.line->records, mine, theirs);
        };
        if (reason && !has_come()) return *reason;
    }
    return {};
}

/// Why no record comes, or nothing and the record.
std::string Meeting::wait_for(const Calls::Rank& from, SyncLine& line,
                              const CallLine::Records& records, const MeetingRecord& mine,
                              MeetingRecord& theirs) const {
    const auto is_there = [&] { return find_record(from, line, records, mine, theirs); };
    Waiter waiter(m_calls.crowded());
    while (true) {
        const std::uint64_t seen = line.epoch.load(sync_order::arrive) & ~gone_bit;
        if (is_there()) return {};
        bool time_has_passed = false;
        while (!time_has_passed && (line.epoch.load(sync_order::arrive) & ~gone_bit) == seen)
            time_has_passed = waiter.wait(line, seen + 1);
        if (!time_has_passed) continue;
        m_calls.idle();
        if (std::string reason = find_reason(from, is_there, mine); !reason.empty()) return reason;
    }
}

/// What came of those that are there, waiting a moment for others.
std::string Meeting::describe_meetings(const MeetingRecord& mine) const {
    std::vector<RankGroup> groups;
    const Moment moment;
    for (const Calls::Rank& other : m_calls.ranks()) {
        MeetingRecord theirs = mine;
        const auto is_there = [&] {
            return find_record(other, other.line->met, other.line->records, mine, theirs);
        };
        while (!is_there() && moment.lasts()) {
        }
        if (is_there()) add_to_groups(groups, describe(theirs), other.rank);
    }
    return describe_groups(groups);
}

std::string Meeting::hear_node(const MeetingRecord& mine, MeetingRecord& all) const {
    for (const Calls::Rank& other : m_calls.ranks()) {
        if (other.rank == m_calls.rank()) continue;
        MeetingRecord theirs;
        const std::string reason =
            wait_for(other, other.line->met, other.line->records, mine, theirs);
        if (!reason.empty()) return reason;
        if (theirs.call != mine.call)
            return text(expected_the_same, m_calls.describe_calls(mine.place));
        if (theirs.step != mine.step) return text(expected_the_same, describe_meetings(mine));
        all = combined(all, theirs);
    }
    return {};
}

std::string Meeting::hear_result(const MeetingRecord& mine, MeetingRecord& all) const {
    const Calls::Rank& first = m_calls.ranks().front();
    const std::string reason = wait_for(first, first.line->told, first.line->results, mine, all);
    return reason.empty() ? std::string(get(all.difference)) : reason;
}

std::string Meeting::hear_other_nodes(const MeetingRecord& mine, const std::string& here,
                                      MeetingRecord& all) {
    CallLine& line = m_calls.line();
    if (&line != m_calls.ranks().front().line) return here.empty() ? hear_result(mine, all) : here;
    all.rank = mine.rank;
    put(all.difference, here);
    all = m_between->combine(all);
    ++m_result_count;
    line.results[m_result_count % CallLine::kept_records].write(m_result_count, all);
    publish(line.told, m_result_count, m_calls.crowded());
    return here.empty() ? std::string(get(all.difference)) : here;
}

MeetingRecord Meeting::meet(MeetingRecord mine, std::string_view name) {
    mine.place = mine.latest = m_calls.current().place;
    mine.number = m_calls.begin_meeting();
    mine.call = m_calls.current().word.bits;
    mine.step = CallWord::of_name(name).bits;
    mine.rank = m_calls.rank();
    put(mine.name, name);
    put(mine.call_name, m_calls.line().call(m_calls.current().count).get_name());
    const WaitsInMeeting waits(m_calls);
    tell(mine);
    MeetingRecord all = mine;
    std::string difference = hear_node(mine, all);
    if (m_between) difference = hear_other_nodes(mine, difference, all);
    if (!difference.empty()) {
        m_calls.before_error();
        throw UsageError(difference);
    }
    m_calls.note_met(all.latest);
    return all;
}

} // namespace distview::impl
