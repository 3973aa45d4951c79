// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/meeting.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace distview::impl {

namespace {

template <std::size_t size>
void put(std::array<char, size>& to, std::string_view what) {
    to.fill('\0');
    std::memcpy(to.data(), what.data(), end_of_text(what, size - 1));
}

std::string_view get(const auto& characters) { return {characters.data()}; }

std::string describe(const MeetingRecord& record, bool with_step) {
    const std::string call = CallWord{record.call}.describe(get(record.call_name));
    const std::string_view step = get(record.name);
    return !with_step || step.empty() || step == call ? call : text(call, " (", step, ')');
}

/// Text about the difference between the records of two nodes.
std::string describe_difference(const MeetingRecord& one, const MeetingRecord& other) {
    const bool same_call = one.call == other.call;
    if (!same_call || one.step != other.step)
        return text(expected_the_same, describe(one, same_call), " on rank ", one.rank, "; ",
                    describe(other, same_call), " on rank ", other.rank);
    const bool is_behind = one.places.first < other.places.first;
    return text(expected_the_same, describe(one, false), " on rank ",
                is_behind ? one.rank : other.rank, "; another one on rank ",
                is_behind ? other.rank : one.rank);
}

/// Text for other nodes: why this rank ends its node's attempt.
std::string describe_end(const MeetingRecord& mine, const std::exception_ptr& why) {
    std::string reason = "interrupted";
    try {
        if (why) std::rethrow_exception(why);
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
    }
    return text("rank ", mine.rank, " has given up ", describe(mine, false), ": ", reason);
}

/// The lowest index of the calls that met; no_index if they cannot be compared.
std::uint64_t first_index(const CallPlaces& places) {
    return places.meetings == places.other_meetings ? std::min(places.first, Outcome::no_index)
                                                    : Outcome::no_index;
}

} // namespace

MeetingRecord combined(const MeetingRecord& one, const MeetingRecord& other) {
    MeetingRecord result = one;
    result.places = CallPlaces::combined(one.places, other.places);
    for (std::size_t i = 0; i < result.least.size(); ++i)
        result.least[i] = std::min(one.least[i], other.least[i]);
    result.is_late = std::max(one.is_late, other.is_late);
    if (!get(one.difference).empty()) return result;
    if (!get(other.difference).empty()) {
        result.difference = other.difference;
    } else if (one.call != other.call || one.step != other.step || result.places.differ() ||
               one.attempt != other.attempt) {
        const bool in_order = one.rank < other.rank;
        put(result.difference, describe_difference(in_order ? one : other, in_order ? other : one));
    }
    return result;
}

void Meeting::tell(const MeetingRecord& mine) {
    CallLine& line = m_calls.line();
    CallLine::slot(line.records, mine).write(mine.attempt, mine);
    publish(line.met, mine.attempt, m_calls.oversubscribed());
}

/// Finds a rank's record for this attempt; false if the rank has not written it.
bool Meeting::find_record(const CallLine::Records& records, std::uint64_t attempt,
                          MeetingRecord& theirs) {
    return std::any_of(records.begin(), records.end(),
                       [&](const SharedRecord& record) { return record.read(attempt, theirs); });
}

/// Ends the attempt as failed, unless it has already ended.
Outcome Meeting::fail(const MeetingRecord& mine) {
    CallPlaces places = mine.places;
    MeetingRecord theirs;
    for (const Calls::Rank& other : m_calls.ranks())
        if (find_record(other.line->records, m_attempt, theirs))
            places = CallPlaces::combined(places, theirs.places);
    return m_calls.outcomes().decide(m_attempt, {Outcome::Kind::failed, first_index(places)});
}

/// Ends the attempt because of an interruption, unless all have arrived. If the communicator `is_lost`,
/// also ends it while the node's lowest rank, which may have ended, exchanges records with other nodes.
void Meeting::leave(const MeetingRecord& mine, bool is_lost) {
    m_calls.note_left(true); // first, because others check it once the attempt has failed
    Outcome end = fail(mine);
    if (is_lost && end.kind == Outcome::Kind::between_nodes)
        end =
            m_calls.outcomes().decide(m_attempt, {Outcome::Kind::failed, Outcome::no_index}, true);
    if (end.kind != Outcome::Kind::failed) m_calls.note_left(false);
}

/// Called during waits: ends the attempt if it finds that not all ranks will arrive.
void Meeting::look_around(const MeetingRecord& mine) {
    const auto leave_for = [&](bool is_lost) {
        m_calls.keep_interruption(std::current_exception());
        leave(mine, is_lost);
    };
    try {
        m_calls.idle();
    } catch (const MpiError&) {
        leave_for(true);
    } catch (const DeadlineError&) {
        leave_for(true);
    } catch (...) {
        leave_for(m_calls.deadline_has_passed() || m_calls.end_is_known());
    }
    MeetingRecord theirs;
    for (const Calls::Rank& other : m_calls.ranks()) {
        if (other.rank == m_calls.rank()) continue;
        const Calls::Reason reason =
            m_calls.find_reason(other.rank, m_calls.current(), Calls::Way::meeting);
        if (reason == Calls::Reason::none || find_record(other.line->records, m_attempt, theirs))
            continue;
        fail(mine);
        return;
    }
}

/// Waits until is_there(); false if the attempt fails.
template <class IsThere>
bool Meeting::wait_for(SyncLine& line, const MeetingRecord& mine, const IsThere& is_there) {
    Waiter waiter(m_calls.oversubscribed());
    while (true) {
        const std::uint64_t seen = line.epoch.load(sync_order::arrive) & ~gone_bit;
        if (is_there()) return true;
        bool time_has_passed = false;
        while (!time_has_passed && (line.epoch.load(sync_order::arrive) & ~gone_bit) == seen)
            time_has_passed = waiter.wait(line, seen + 1);
        if (!time_has_passed) continue;
        if (outcome().kind == Outcome::Kind::failed) return false;
        look_around(mine);
    }
}

/// Reads the records of all ranks of the node, unless the attempt fails.
void Meeting::hear_node(const MeetingRecord& mine, MeetingRecord& all) {
    MeetingRecord theirs;
    for (const Calls::Rank& other : m_calls.ranks()) {
        if (other.rank == m_calls.rank()) continue;
        const auto is_there = [&] { return find_record(other.line->records, m_attempt, theirs); };
        if (!wait_for(other.line->met, mine, is_there)) return;
        all = combined(all, theirs);
        if (get(all.difference).empty()) continue;
        fail(mine);
        return;
    }
    if (!m_between) m_calls.outcomes().decide(m_attempt, {Outcome::Kind::met, 0});
}

/// The exception that this rank has to throw, if any. Every waiting rank checks the deadline for itself.
std::exception_ptr Meeting::interruption() {
    if (!m_calls.is_interrupted()) {
        try {
            m_calls.idle();
        } catch (...) {
            m_calls.keep_interruption(std::current_exception());
        }
    }
    return m_calls.interruption();
}

/// Tells the other nodes, which may arrive later and already have this node's record, that it does not go on.
void Meeting::withdraw(MeetingRecord mine, const std::exception_ptr& why) {
    mine.is_late = m_calls.deadline_has_passed() ? 1 : 0;
    put(mine.difference, describe_end(mine, why));
    m_between->withdraw(mine);
}

/// After hear_node(), on the node's lowest rank: exchanges the node's record with other nodes, publishes the result.
void Meeting::speak_for_node(const MeetingRecord& mine, MeetingRecord& all, int tries) {
    Outcomes& outcomes = m_calls.outcomes();
    const Outcome here = outcomes.decide(m_attempt, {Outcome::Kind::between_nodes, 0});
    if (here.kind == Outcome::Kind::failed) {
        if (here.index != Outcome::no_index)
            all.places.first = std::min(all.places.first, here.index);
        // A rank that throws another exception, or tries again, does not explain the failure for the others.
        const bool throws = !m_calls.is_interrupted() && !m_calls.has_passed(here, tries);
        all.is_late = m_calls.deadline_has_passed() ? 1 : 0;
        if (!get(mine.difference).empty())
            put(all.difference, get(mine.difference));
        else if (all.is_late)
            put(all.difference, describe_end(mine, interruption()));
        else
            put(all.difference, throws ? agreed_reason(mine) : explain(mine));
    }
    try {
        all = m_between->combine(all);
    } catch (...) {
        m_calls.note_left(true);
        outcomes.decide(m_attempt, {Outcome::Kind::failed, Outcome::no_index}, true);
        // Otherwise `all` has already reported a difference to the other nodes.
        if (get(all.difference).empty()) withdraw(mine, std::current_exception());
        throw;
    }
    CallLine& line = m_calls.line();
    CallLine::slot(line.results, mine).write(m_attempt, all);
    const bool have_met = get(all.difference).empty();
    const Outcome end = outcomes.decide(
        m_attempt, {have_met ? Outcome::Kind::met : Outcome::Kind::failed, first_index(all.places)},
        true);
    // Another rank of this node has ended the attempt meanwhile.
    if (have_met && end.kind != Outcome::Kind::met) withdraw(mine, interruption());
    publish(line.told, m_attempt, m_calls.oversubscribed());
}

/// After hear_node(): waits for the result that the node's lowest rank gets from the other nodes.
void Meeting::hear_result(const MeetingRecord& mine, MeetingRecord& all) {
    const CallLine& first = *m_calls.ranks().front().line;
    const auto is_there = [&] { return outcome().kind == Outcome::Kind::met; };
    if (wait_for(m_calls.ranks().front().line->told, mine, is_there))
        find_record(first.results, m_attempt, all);
}

/// The calls of the ranks that have arrived so far; if these are the same, the steps they meet for.
Meeting::Description Meeting::describe_calls(const MeetingRecord& mine) const {
    std::vector<RankGroup> calls, steps;
    bool is_complete = true;
    const std::string own = describe(mine, false);
    for (const Calls::Rank& other : m_calls.ranks()) {
        MeetingRecord theirs = mine;
        bool is_here =
            other.rank == m_calls.rank() || find_record(other.line->records, m_attempt, theirs);
        const std::string there = m_calls.call_of(other, m_calls.current());
        // The other rank may have arrived with another call than the one it made at this rank's position.
        is_here &= there.empty() || (there == own && theirs.call == mine.call);
        is_complete &= is_here || (!there.empty() && there != own);
        if (is_here) add_to_groups(steps, describe(theirs, true), other.rank);
        if (is_here || !there.empty())
            add_to_groups(calls, is_here ? describe(theirs, false) : there, other.rank);
    }
    return {describe_groups(calls.size() > 1 ? calls : steps), calls.size() > 1 || steps.size() > 1,
            is_complete};
}

/// Why this rank refuses the attempt: names the closing ranks of the node, and the calls of ranks that arrived.
std::string Meeting::explain_refusal() const {
    std::vector<RankGroup> calls{m_calls.closing_ranks()};
    MeetingRecord theirs;
    for (const Calls::Rank& other : m_calls.ranks())
        if (!other.line->closes.load(std::memory_order_acquire) &&
            find_record(other.line->records, m_attempt, theirs))
            add_to_groups(calls, describe(theirs, false), other.rank);
    return text(expected_the_same, describe_groups(calls));
}

/// Why the attempt has failed, as explained by the first rank of the node that throws, unless
/// that rank has ended or has explained a later attempt meanwhile.
std::string Meeting::agreed_reason(const MeetingRecord& mine) const {
    const int teller = m_calls.ranks().front().line->tellers.claim(m_attempt, m_calls.rank());
    if (teller < 0) return explain(mine);
    const bool is_mine = teller == m_calls.rank();
    const SharedValue<ReasonText>& reason = m_calls.find(teller)->line->reason;
    ReasonText told{};
    const Moment moment(std::chrono::seconds(1)); // longer than explain() takes
    do {
        if (reason.read(m_attempt, told)) return told.data();
    } while (!is_mine && reason.count() <= m_attempt && moment.lasts());
    std::string why = explain(mine);
    if (!is_mine) return why;
    put(told, shortened(why, told.size() - 4));
    m_calls.line().reason.write(m_attempt, told);
    return why;
}

/// Text for the user: why the attempt has failed. Waits a moment for other ranks, whose calls it names.
std::string Meeting::explain(const MeetingRecord& mine) const {
    const Moment moment;
    Description calls = describe_calls(mine);
    while (!calls.is_complete && moment.lasts()) calls = describe_calls(mine);
    if (calls.differ) return text(expected_the_same, calls.text);
    // Difference reported by other nodes; the rank that received it may have left by now.
    MeetingRecord all;
    if (find_record(m_calls.ranks().front().line->results, m_attempt, all) &&
        !get(all.difference).empty())
        return std::string(get(all.difference));
    for (const Calls::Rank& other : m_calls.ranks()) {
        if (other.rank == m_calls.rank()) continue;
        const Calls::Call& call = m_calls.current();
        const auto reason = m_calls.find_reason(other.rank, call, Calls::Way::meeting);
        if (reason != Calls::Reason::none)
            return m_calls.explain(reason, other.rank, call, Calls::Way::meeting);
    }
    return text("not all ranks have arrived in ", describe(mine, true));
}

std::optional<MeetingRecord> Meeting::attempt(MeetingRecord mine, int tries) {
    mine.attempt = ++m_attempt;
    mine.places = m_calls.places();
    m_calls.note_far_rank(-1);
    tell(mine);
    MeetingRecord all = mine;
    if (m_calls.is_interrupted()) leave(mine, false);
    hear_node(mine, all);
    if (m_between && speaks())
        speak_for_node(mine, all, tries);
    else if (m_between && outcome().kind != Outcome::Kind::failed)
        hear_result(mine, all);
    const Outcome end = outcome();
    if (end.kind == Outcome::Kind::met) {
        m_calls.note_met();
        return all;
    }
    if (m_calls.is_interrupted()) m_calls.idle();
    if (m_calls.has_passed(end, tries)) return std::nullopt;
    m_calls
        .before_error(); // a passed deadline explains the failure without a wait for other ranks' calls
    const std::string why = agreed_reason(mine);
    m_calls.before_error();
    MeetingRecord result;
    if (find_record(m_calls.ranks().front().line->results, m_attempt, result) && result.is_late)
        throw DeadlineError(why, {});
    throw UsageError(why);
}

/// Fills in the call, and the step for which this rank meets.
void Meeting::describe_call(MeetingRecord& mine, std::string_view name) const {
    mine.call = m_calls.current().word.bits;
    mine.step = CallWord::of_name(name).bits;
    mine.rank = m_calls.rank();
    put(mine.name, name);
    put(mine.call_name, m_calls.line().call(m_calls.current().count).name.get());
}

/// Whether another rank of this node, or another node, has begun a later attempt to meet than this rank.
bool Meeting::others_come() const {
    for (const Calls::Rank& other : m_calls.ranks())
        if (other.line->met.epoch.load(std::memory_order_acquire) > m_attempt) return true;
    return m_between && speaks() && m_between->has_come(m_attempt + 1);
}

bool Meeting::refuse() noexcept {
    try {
        if (!others_come()) return true;
        MeetingRecord mine;
        describe_call(mine, "");
        mine.attempt = ++m_attempt;
        put(mine.difference, explain_refusal());
        // No position: the position of a closing rank does not show which calls others have passed.
        const std::uint64_t meetings = m_calls.places().meetings;
        mine.places = {meetings, meetings, CallPlaces::none, 0};
        tell(mine);
        fail(mine);
        MeetingRecord all = mine;
        if (m_between && speaks()) speak_for_node(mine, all, 1);
        return true;
    } catch (...) {
        return false;
    }
}

MeetingRecord Meeting::meet(MeetingRecord mine, std::string_view name) {
    describe_call(mine, name);
    for (int tries = 1;; ++tries)
        if (const std::optional<MeetingRecord> all = attempt(mine, tries)) return *all;
}

} // namespace distview::impl
