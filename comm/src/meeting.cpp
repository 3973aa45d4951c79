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

template <class Slots>
bool find_record(const Slots& slots, std::uint64_t stamp, MeetingRecord& record) {
    return std::any_of(slots.begin(), slots.end(),
                       [&](const SharedRecord& slot) { return slot.read(stamp, record); });
}

} // namespace

MeetingRecord combined(const MeetingRecord& one, const MeetingRecord& other) {
    MeetingRecord result = one;
    for (std::size_t i = 0; i < result.least.size(); ++i)
        result.least[i] = std::min(one.least[i], other.least[i]);
    result.flags &= other.flags;
    if (!get(one.difference).empty()) return result;
    if (!get(other.difference).empty()) {
        result.difference = other.difference;
    } else if (one.call != other.call || one.step != other.step || one.stamp != other.stamp) {
        const bool in_order = one.rank < other.rank;
        const MeetingRecord& first = in_order ? one : other;
        const MeetingRecord& second = in_order ? other : one;
        put(result.difference, text(expected_the_same, describe(first), " on rank ", first.rank,
                                    "; ", describe(second), " on rank ", second.rank));
    }
    return result;
}

void Meeting::tell(const MeetingRecord& mine) {
    CallLine& line = m_calls.line();
    line.records[m_count++ % CallLine::kept_records].write(mine);
    publish(line.met, mine.stamp, m_calls.crowded());
}

/// False: it will not come, and why.
template <class Slots>
bool Meeting::wait_for(const Calls::Rank& other, SyncLine& line, const Slots& slots,
                       const MeetingRecord& mine, MeetingRecord& theirs, std::string& why_not) {
    const auto is_there = [&] { return find_record(slots, mine.stamp, theirs); };
    Waiter waiter(m_calls.crowded());
    while (!is_there()) {
        const bool has_passed = (line.epoch.load(sync_order::arrive) & ~gone_bit) > mine.stamp;
        if (!has_passed && !waiter.wait(line, mine.stamp)) continue;
        m_calls.idle();
        const auto reason =
            m_calls.why_not(other.rank, m_calls.number(), m_calls.word(), Calls::Stage::meeting);
        if (is_there()) return true;
        if (!reason && !has_passed) continue;
        why_not = reason ? *reason
                         : text("rank ", other.rank, " has gone on from ",
                                m_calls.describe_own(m_calls.number()), " without this rank");
        return false;
    }
    return true;
}

/// What came of those that are there, waiting a moment for others.
std::string Meeting::describe_steps(const MeetingRecord& mine) const {
    std::vector<RankGroup> groups;
    const Moment moment;
    for (const Calls::Rank& other : m_calls.ranks()) {
        MeetingRecord theirs = mine;
        const auto is_there = [&] { return find_record(other.line->records, mine.stamp, theirs); };
        while (other.rank != m_calls.rank() && !is_there() && moment.lasts()) {
        }
        if (other.rank == m_calls.rank() || is_there())
            add_to_groups(groups, describe(theirs), other.rank);
    }
    return describe_groups(groups);
}

std::string Meeting::hear_node(const MeetingRecord& mine, MeetingRecord& all) {
    for (const Calls::Rank& other : m_calls.ranks()) {
        if (other.rank == m_calls.rank()) continue;
        MeetingRecord theirs;
        std::string why_not;
        if (!wait_for(other, other.line->met, other.line->records, mine, theirs, why_not))
            return why_not;
        if (theirs.call != mine.call)
            return text(expected_the_same, m_calls.describe_calls(m_calls.number()));
        if (theirs.step != mine.step) return text(expected_the_same, describe_steps(mine));
        all = combined(all, theirs);
    }
    return {};
}

std::string Meeting::hear_result(const MeetingRecord& mine, MeetingRecord& all) {
    const Calls::Rank& first = m_calls.ranks().front();
    std::string why_not;
    if (!wait_for(first, first.line->told, first.line->results, mine, all, why_not)) return why_not;
    return std::string(get(all.difference));
}

std::string Meeting::hear_other_nodes(const MeetingRecord& mine, const std::string& here,
                                      MeetingRecord& all) {
    CallLine& line = m_calls.line();
    if (&line != m_calls.ranks().front().line) return here.empty() ? hear_result(mine, all) : here;
    all.rank = mine.rank;
    put(all.difference, here);
    all = m_between->combine(all);
    line.results[m_result_count++ % CallLine::kept_records].write(all);
    publish(line.told, all.stamp, m_calls.crowded());
    return here.empty() ? std::string(get(all.difference)) : here;
}

MeetingRecord Meeting::meet(MeetingRecord mine, std::string_view name) {
    mine.stamp = m_calls.next_stamp();
    mine.call = m_calls.word().bits;
    mine.step = CallWord::of_name(name).bits;
    mine.rank = m_calls.rank();
    put(mine.name, name);
    put(mine.call_name, m_calls.line().name(m_calls.number()));
    tell(mine);
    MeetingRecord all = mine;
    std::string difference = hear_node(mine, all);
    if (m_between) difference = hear_other_nodes(mine, difference, all);
    require<UsageError>(difference.empty(), difference);
    return all;
}

} // namespace distview::impl
