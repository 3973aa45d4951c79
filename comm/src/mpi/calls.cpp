// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/calls.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <thread>

namespace distview::impl {

namespace {

/// Name of a rank's last call.
constexpr const char* closing = "MPI_Finalize or MPI_Comm_free";

/// Whether all groups make the same execution of the same plan, with arrays that count as different sets.
bool differ_in_arrays_alone(const std::vector<RankGroup>& groups) {
    const auto without_arrays = [](const std::string& call) {
        for (const char* arrays : {", new arrays", ", set "})
            if (const std::size_t at = call.rfind(arrays); at != std::string::npos)
                return call.substr(0, at);
        return std::string();
    };
    return groups.size() > 1 && std::all_of(groups.begin(), groups.end(), [&](const RankGroup& g) {
               const std::string call = without_arrays(g.call);
               return !call.empty() && call == without_arrays(groups.front().call);
           });
}

/// Remedies, in each language.
constexpr const char* arrays_hint = "; arrays must be new to a plan on all ranks or on none: where "
                                    "memory is freed and allocated between calls, "
                                    "one rank may get an old address again (Fortran: create the "
                                    "plan with moving=.true., or call forget() on all "
                                    "ranks; C: distview_padding_plan_forget() on all ranks; C++ "
                                    "and Python: pass the same array objects on all "
                                    "ranks, or new ones on all)";

/// Whether a source file belongs to the program: not to this library, nor to the compiler's
/// headers, such as that of make_unique().
bool is_of_program(std::string_view file) {
    constexpr std::string_view here = "comm/src/mpi/calls.cpp";
    const std::string_view own = std::source_location::current().file_name();
    const std::string_view root = own.substr(0, own.size() - here.size());
    for (const std::string_view folder :
         {"algorithms/", "c/", "comm/", "core/", "interop/", "io/", "python/"})
        if (file.starts_with(root) && file.substr(root.size()).starts_with(folder)) return false;
    return !file.empty() && file.find("/include/distview/") == file.npos &&
           file.find("/include/c++/") == file.npos;
}

} // namespace

Calls::Calls(int rank, std::vector<Rank> ranks, std::shared_ptr<void> memory, bool oversubscribed)
    : m_rank(rank), m_ranks(std::move(ranks)), m_memory(std::move(memory)),
      m_oversubscribed(oversubscribed) {
    m_line = find(rank)->line;
}

void Calls::idle() {
    if (!m_interruption) {
        if (m_idle) m_idle();
        return;
    }
    // A rank that cannot leave continues to wait, and MPI may need it to complete messages of others.
    try {
        if (m_idle) m_idle();
    } catch (...) { // the first exception is thrown
    }
    std::rethrow_exception(std::exchange(m_interruption, nullptr));
}

const Calls::Rank* Calls::find(int rank) const noexcept {
    const auto found = std::lower_bound(m_ranks.begin(), m_ranks.end(), rank,
                                        [](const Rank& a, int b) { return a.rank < b; });
    return found != m_ranks.end() && found->rank == rank ? &*found : nullptr;
}

/// Raises the depth like a call: calls in `question` would become its parts, even if this rank waits between calls.
void Calls::ask(const std::function<void()>& question) {
    ++m_asks, ++m_depth;
    const auto end = [](Calls* calls) {
        --calls->m_depth;
        if (calls->m_asks > 0) --calls->m_asks; // unless close() has ended all
    };
    const std::unique_ptr<Calls, decltype(end)> asking(this, end);
    question();
}

void Calls::enter(std::string_view name) {
    if (m_depth > 0) return enter_part(CallWord::of_name(name), name);
    m_line->call(m_call.count + 1).name.set(name);
    enter(CallWord::of_name(name));
}

void Calls::enter_part(CallWord word, std::string_view name) {
    require<UsageError>(m_asks == 0, [&] {
        return text(word.describe(name), ": called by a signal handler while this rank waits in ",
                    describe(*m_line, m_call, m_call.whole),
                    "; let it set a flag, and call when the wait is over");
    });
    ++m_depth;
    if (word.is_execution()) begin_part(word);
}

void Calls::mark_failed(const Call& call) noexcept {
    ++m_failures;
    // The slot of a call that is no longer remembered belongs to a later one.
    if (call.count + CallLine::kept_calls > m_line->count.load(std::memory_order_acquire))
        m_line->call(call.count).failed.store(true, std::memory_order_release);
    if (call.word.is_execution()) m_has_failed = true;
}

void Calls::count_failed(std::uint64_t begun_before, std::string_view name) noexcept {
    if (m_asks > 0 || begun() > begun_before) return;
    if (m_depth == 0) {
        enter(name);
        leave({}, true);
        return;
    }
    // Counts as many parts as an execution.
    begin_part(CallWord::of_name(name));
    mark_failed(m_call);
    begin_part(m_call.whole);
}

void Calls::close() noexcept {
    m_asks = 0; // MPI frees the communicator, also within ask()
    enter(closing);
    m_line->closes.store(true, std::memory_order_release);
}

RankGroup Calls::closing_ranks() const {
    RankGroup result{closing, {}};
    for (const Rank& other : m_ranks)
        if (other.line->closes.load(std::memory_order_acquire)) result.ranks.push_back(other.rank);
    return result;
}

bool Calls::has_passed(const Outcome& failed, int tries) const noexcept {
    // More calls than a program makes before it handles an error. Without a limit, two ranks
    // that retry different calls would never stop.
    constexpr int most_tries = 1000;

    // A rank that closes takes part in no other attempt.
    for (const Rank& other : m_ranks)
        if (other.line->closes.load(std::memory_order_acquire)) return false;
    if (failed.index == Outcome::no_index) return false;
    return m_skips ? tries < most_tries : failed.index < m_index;
}

void Calls::note_met() noexcept {
    m_call.place = {++m_meetings, 1, 0};
    m_index = 1;
    m_part = 0;
    m_has_failed = false;
    m_line->call(m_call.count).set_place(m_call.place);
    end_skipping();
}

std::optional<Calls::Seen> Calls::read(const CallLine& line, std::uint64_t count) {
    const std::uint64_t ended = line.ended.load(std::memory_order_acquire);
    const CallLine::Call& call = line.call(count);
    const Seen seen{{count,
                     call.place(),
                     {call.word.load(std::memory_order_acquire)},
                     {call.whole.load(std::memory_order_acquire)}},
                    call.failed.load(std::memory_order_acquire),
                    ended >= count};
    if (!line.remembers(count)) return std::nullopt;
    return seen;
}

std::string Calls::describe(const CallLine& line, const Call& call, CallWord word) {
    return word.describe(line.call(call.count).name.get());
}

/// The last part of the call that the line's rank made at the position of a call.
std::optional<Calls::Seen> Calls::find_call(const CallLine& line, const CallPlace& place) {
    if (place.index == 0) return std::nullopt;
    for (std::uint64_t count = line.count.load(std::memory_order_acquire); count > 0; --count) {
        if (!line.remembers(count)) break;
        const CallPlace at = line.call(count).place();
        if (at.index != 0 && at < place && !at.is_in_call_of(place)) break;
        if (!at.is_in_call_of(place)) continue;
        const std::optional<Seen> seen = read(line, count);
        if (seen && seen->call.place.is_in_call_of(place)) return seen;
    }
    return std::nullopt;
}

/// The part of a call that the line's rank made at exactly that position.
std::optional<Calls::Seen> Calls::find_part(const CallLine& line, const CallPlace& place) {
    const std::optional<Seen> last = find_call(line, place);
    for (std::uint64_t count = last ? last->call.count : 0; count > 0; --count) {
        const std::optional<Seen> seen = read(line, count);
        if (!seen || !seen->call.place.is_in_call_of(place)) break;
        if (seen->call.place == place) return seen;
    }
    return std::nullopt;
}

/// Whether the line's rank made another call at the position of `call`, and does not wait there for all other ranks.
bool Calls::makes_another(const CallLine& line, const Call& call) {
    const std::optional<Seen> whole = find_call(line, call.place);
    if (!whole) return false;
    if (whole->call.whole != call.whole)
        return whole->ended || !line.skips.load(std::memory_order_acquire);
    const std::optional<Seen> part = find_part(line, call.place);
    return part && part->call.word != call.word;
}

/// Whether the line's rank is in a later call without the meeting that had to come first (`place` may be forgotten).
bool Calls::has_passed(const CallLine& line, const CallPlace& place) {
    const std::optional<Seen> last = latest(line);
    return place.index != 0 && last && last->call.place.meetings == place.meetings &&
           last->call.place.index > place.index;
}

/// Whether the line's rank has finished or skipped the call at that position without making that part.
bool Calls::has_left_before(const CallLine& line, const CallPlace& place) {
    const std::optional<Seen> last = latest(line);
    if (!last || !(last->call.place.is_in_call_of(place) ? last->ended : place < last->call.place))
        return false;
    for (std::uint64_t count = last->call.count; count > 0; --count) {
        if (!line.remembers(count)) return false;
        const CallPlace at = line.call(count).place();
        if (at == place) return false;
        if (at.index != 0 && at < place) return true;
    }
    return true;
}

/// Whether the line's rank closes the communicator and has never reached that position.
bool Calls::closes_before(const CallLine& line, const CallPlace& place) {
    if (!line.closes.load(std::memory_order_acquire) || place.index == 0) return false;
    if (const std::optional<Seen> whole = find_call(line, place)) return whole->call.place < place;
    const std::optional<Seen> last = latest(line);
    return last && last->call.place.index != 0 && last->call.place < place;
}

/// Whether the line's rank waits in an open attempt to meet. This rank, which is in no meeting, has not joined it.
bool Calls::waits_in_meeting(const CallLine& line) const noexcept {
    const std::uint64_t attempt = line.met.epoch.load(std::memory_order_acquire);
    return attempt > 0 && outcomes().of(attempt).kind == Outcome::Kind::open;
}

Calls::Reason Calls::find_reason(int peer, const Call& call, Way way) const {
    const Rank* const other = find(peer);
    if (!other) return Reason::none;
    const CallLine& line = *other->line;
    if (m_skips && way == Way::meeting) // wherever the peer is, it may still arrive
        return line.closes.load(std::memory_order_acquire) ? Reason::closed : Reason::none;
    if (makes_another(line, call)) return Reason::other_call;
    // A message may be under way: with data, or one that announces the end.
    if (way == Way::message) {
        if (closes_before(line, call.place)) return Reason::closed;
        if (has_left_before(line, call.place)) return Reason::end;
        // Read in this order: a rank that waits in a meeting begins no call meanwhile.
        const bool waits = waits_in_meeting(line);
        const std::optional<Seen> last = latest(line);
        if (!waits || !last || call.place < last->call.place) return Reason::none;
        const bool has_not_begun = last->call.place.index != 0 && last->call.place < call.place;
        return has_not_begun || line.skips.load(std::memory_order_acquire) ? Reason::waiting
                                                                           : Reason::none;
    }
    const std::optional<Seen> theirs =
        way == Way::memory ? find_part(line, call.place) : find_call(line, call.place);
    // A failure within a call need not end it.
    const bool is_part = theirs && theirs->call.word != theirs->call.whole;
    if (theirs && theirs->failed && (way == Way::memory || !is_part)) return Reason::error;
    if (line.closes.load(std::memory_order_acquire)) return Reason::closed;
    if (way == Way::memory) {
        if (has_left_before(line, call.place)) return Reason::end;
        return waits_in_meeting(line) ? Reason::waiting : Reason::none;
    }
    if (theirs && theirs->ended) return Reason::end;
    return !theirs && has_passed(line, call.place) ? Reason::other_call : Reason::none;
}

std::string Calls::explain(Reason reason, int peer, const Call& call, Way way) const {
    if (reason == Reason::none) return {};
    const CallLine& line = *find(peer)->line;
    const std::string mine = describe(*m_line, call, call.word);
    // The peer may have stopped because it found a rank in another call.
    const bool another = std::any_of(m_ranks.begin(), m_ranks.end(), [&](const Rank& third) {
        return makes_another(*third.line, call);
    });
    if (another || reason == Reason::other_call)
        return text(expected_the_same, describe_calls(call));
    switch (reason) {
    case Reason::none:
    case Reason::other_call: break;
    case Reason::error:
        return way == Way::meeting
                   ? text("rank ", peer, " has left ", mine, " with an error")
                   : text("rank ", peer,
                          " has abandoned an exchange that this rank takes part in (", mine, ')');
    case Reason::end:
        return text("rank ", peer, " has left ", mine, " without a step that this rank needs");
    case Reason::closed:
        return text("rank ", peer, " is in ", closing, ": it will not call ", mine, " any more");
    case Reason::waiting: {
        const std::optional<Seen> its = latest(line);
        return text("deadlock: rank ", peer, " waits for all ranks in ",
                    its ? describe(line, its->call, its->call.whole) : "a call",
                    ", and this rank waits for rank ", peer, " in ", mine);
    }
    }
    return {};
}

std::string Calls::call_of(const Rank& other, const Call& call) const {
    std::optional<Seen> seen = find_call(*other.line, call.place);
    if (seen && seen->call.whole != call.whole)
        return describe(*other.line, seen->call, seen->call.whole);
    if (seen) seen = find_part(*other.line, call.place);
    if (!seen && waits_in_meeting(*other.line)) seen = latest(*other.line);
    return seen ? describe(*other.line, seen->call, seen->call.word) : std::string();
}

/// The calls of the node's ranks that have arrived so far; waits a moment for the others.
std::string Calls::describe_calls(const Call& call) const {
    const Moment moment;
    const auto is_there = [&](const Rank& other) { return !call_of(other, call).empty(); };
    while (moment.lasts() && !std::all_of(m_ranks.begin(), m_ranks.end(), is_there)) {
    }
    const std::string mine = describe(*m_line, call, call.word);
    const bool in_other_calls = std::any_of(m_ranks.begin(), m_ranks.end(), [&](const Rank& other) {
        const std::optional<Seen> seen = find_call(*other.line, call.place);
        return seen && seen->call.whole != call.whole;
    });
    std::vector<RankGroup> groups;
    for (const Rank& other : m_ranks)
        if (const std::string theirs = call_of(other, call); !theirs.empty())
            add_to_groups(groups,
                          in_other_calls && theirs == mine ? describe(*m_line, call, call.whole)
                                                           : theirs,
                          other.rank);
    return describe_groups(groups);
}

void Calls::note_plan(std::uint64_t number, const std::source_location& made) noexcept {
    if (!is_of_program(made.file_name())) return;
    const std::lock_guard lock(m_plans_mutex);
    try {
        m_plans.insert_or_assign(plan_key(number), made);
    } catch (...) {
        return; // no memory: errors will not name the place
    }
}

bool Calls::enter_site(std::string_view site) noexcept {
    if (m_has_site) return false;
    m_has_site = true;
    m_line->site_last.store(0,
                            std::memory_order_release); // of no call, until the rest is written
    m_line->site.set(site);
    m_line->site_after.store(m_call.count, std::memory_order_release);
    m_line->site_last.store(~std::uint64_t{0}, std::memory_order_release);
    return true;
}

/// Where the program made a rank's last call, if that is known.
std::string Calls::describe_site(const CallLine& line, const Call& call) const {
    if (line.site_after.load(std::memory_order_acquire) < call.count &&
        call.count <= line.site_last.load(std::memory_order_acquire))
        return text(", made at ", line.site.get());
    const std::lock_guard lock(m_plans_mutex);
    const auto plan = m_plans.find(call.word.plan());
    if (plan == m_plans.end()) return {};
    return text(", of the plan made at ", impl::describe_site(plan->second));
}

std::string Calls::describe_waiting(const std::vector<Rank>& missing) const {
    const std::string mine = describe(*m_line, m_call, m_call.word);
    std::string result = text("rank ", m_rank, " waits in ", mine, describe_site(*m_line, m_call));
    for (const Rank& other : missing) {
        const std::optional<Seen> last = latest(*other.line);
        result += text("; rank ", other.rank, " is missing: ");
        if (!last || last->call.count == 0) {
            result += "it has made no call on this communicator";
            continue;
        }
        const std::string theirs = describe(*other.line, last->call, last->call.whole);
        result += text(last->ended ? "it was last seen leaving " : "it was last seen in ", theirs,
                       ", its call ", last->call.count, " (call ", m_call.count, " of this rank)",
                       describe_site(*other.line, last->call));
    }
    if (!missing.empty()) return result;
    if (m_far_rank >= 0)
        return text(result, " for rank ", m_far_rank, " on another node; this node's ranks wait");
    std::vector<RankGroup> groups;
    for (const Rank& other : m_ranks)
        if (const std::optional<Seen> last = latest(*other.line); last && last->call.count > 0)
            add_to_groups(groups, describe(*other.line, last->call, last->call.word), other.rank);
    return text(result,
                "; the ranks of this node wait, or have given up: ", describe_groups(groups));
}

std::string describe_site(const std::source_location& where) {
    const std::string_view file = where.file_name();
    return text(file.substr(file.rfind('/') + 1), ':', where.line());
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
    if (differ_in_arrays_alone(groups)) result += arrays_hint;
    return result;
}

} // namespace distview::impl
