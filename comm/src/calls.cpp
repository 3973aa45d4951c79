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
    if (m_depth == 0) m_line->set_name(m_number + 1, name);
    enter(CallWord::of_name(name));
}

void Calls::mark_failed(std::uint64_t number) noexcept {
    // One that is no longer remembered has been replaced by a later one.
    if (number + CallLine::kept_calls > m_number)
        m_line->call(number).failed.store(number, std::memory_order_release);
}

std::optional<CallWord> Calls::word_at(const CallLine& line, std::uint64_t number) noexcept {
    const CallWord word{
        line.calls[number % CallLine::kept_calls].word.load(std::memory_order_acquire)};
    // Its place is about to be written again one call earlier than its number says.
    const std::uint64_t now = line.number.load(std::memory_order_acquire);
    if (now < number || now + 1 >= number + CallLine::kept_calls) return std::nullopt;
    return word;
}

std::optional<std::string> Calls::why_not(int peer, std::uint64_t number, CallWord word,
                                          Stage stage) {
    const Rank* const other = find(peer);
    if (!other) return std::nullopt;
    const CallLine& line = *other->line;
    // Before the word, which is written before it.
    const std::uint64_t ended = line.ended.load(std::memory_order_acquire);
    if (line.number.load(std::memory_order_acquire) < number) return std::nullopt;
    const std::optional<CallWord> theirs = word_at(line, number);
    if (theirs && *theirs != word) return text(expected_the_same, describe_calls(number));
    if (line.calls[number % CallLine::kept_calls].failed.load(std::memory_order_acquire) == number)
        return text("rank ", peer, " has left ", describe_own(number), " with an error");
    if (stage == Stage::meeting && ended >= number)
        return text("rank ", peer, " has left ", describe_own(number),
                    " without doing what this rank waits for");
    return std::nullopt;
}

std::string Calls::describe_own(std::uint64_t number) const {
    const std::optional<CallWord> word = word_at(*m_line, number);
    return word ? word->describe(m_line->name(number)) : std::string("an earlier call");
}

std::string Calls::describe_calls(std::uint64_t number) const {
    // Who is on the way, its call is told as well.
    const Moment moment;
    const auto has_come = [&](const Rank& other) {
        return other.line->number.load(std::memory_order_acquire) >= number;
    };
    while (!std::all_of(m_ranks.begin(), m_ranks.end(), has_come) && moment.lasts()) {
    }
    std::vector<RankGroup> groups;
    for (const Rank& other : m_ranks)
        if (const std::optional<CallWord> word = word_at(*other.line, number))
            add_to_groups(groups, word->describe(other.line->name(number)), other.rank);
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
