// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/call_line.hpp>

#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace distview::impl {

namespace {

constexpr std::array plans{plan_names::padding_exchange, plan_names::redistribution,
                           plan_names::gather, plan_names::ghost_exchange, plan_names::migration};
static_assert(static_cast<std::size_t>(CallWord::Kind::migrate) / 4 == plans.size());
constexpr std::array functions{"execute", "combine", "bind", "require, nothing to fill"};

} // namespace

std::string CallWord::describe(std::string_view name) const {
    if (kind() == Kind::none) return "no call";
    if (kind() == Kind::named) return std::string(name);
    const std::size_t type = static_cast<std::size_t>(kind()) / 4 - 1;
    if (kind() < Kind::fill || type >= plans.size()) return "another version's call";
    std::string call =
        text(plans[type], " #", plan(), ' ', functions[static_cast<std::size_t>(kind()) % 4]);
    if (kind() == Kind::skip_fill) return call;
    if (const std::uint64_t operation = bits & 0xffff; operation > operations.size())
        call += text(" with factors of hash ", operation);
    else if (operation > 0)
        call += text('(', operations[operation - 1], ')');
    const std::uint64_t set = bits >> 16 & 0xffff;
    return set == new_set ? call + ", new arrays" : text(call, ", set ", set);
}

/// The count is 0 during the write: no reader accepts a mix of two values.
template <class Value>
void SharedValue<Value>::write(std::uint64_t count, const Value& value) noexcept {
    const auto values = std::bit_cast<std::array<std::uint64_t, words>>(value);
    m_count.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < words; ++i) m_words[i].store(values[i], sync_order::publish);
    m_count.store(count, sync_order::publish);
}

template <class Value>
bool SharedValue<Value>::read(std::uint64_t of, Value& value) const noexcept {
    if (count() != of) return false;
    std::array<std::uint64_t, words> values;
    for (std::size_t i = 0; i < words; ++i) values[i] = m_words[i].load(sync_order::arrive);
    if (m_count.load(std::memory_order_relaxed) != of) return false;
    value = std::bit_cast<Value>(values);
    return true;
}

template class SharedValue<MeetingRecord>;
template class SharedValue<ReasonText>;

namespace {

/// Fields from the highest bits down: the lowest 22 bits of the attempt, the index (40), the kind (2).
constexpr int index_bits = 40;
constexpr int kind_bits = 2;

std::uint64_t word_of(std::uint64_t attempt, const Outcome& outcome) {
    return attempt << (index_bits + kind_bits) |
           std::min(outcome.index, Outcome::no_index) << kind_bits |
           static_cast<std::uint64_t>(outcome.kind);
}

/// The outcome of an attempt, from a word of this attempt, of an earlier or of a later one.
Outcome outcome_in(std::uint64_t word, std::uint64_t attempt) {
    constexpr std::uint64_t attempts = std::uint64_t{1} << (64 - index_bits - kind_bits);
    const std::uint64_t ahead = ((word >> (index_bits + kind_bits)) - attempt) % attempts;
    if (word == 0 || ahead >= attempts / 2) return {};
    if (ahead > 0) return {Outcome::Kind::failed, 0};
    return {static_cast<Outcome::Kind>(word & 3), word >> kind_bits & Outcome::no_index};
}

} // namespace

Outcome Outcomes::of(std::uint64_t attempt) const noexcept {
    return outcome_in(m_words[attempt % kept].load(std::memory_order_acquire), attempt);
}

Outcome Outcomes::decide(std::uint64_t attempt, Outcome outcome, bool from_between) noexcept {
    std::atomic<std::uint64_t>& word = m_words[attempt % kept];
    std::uint64_t seen = word.load(std::memory_order_acquire);
    while (true) {
        const Outcome is = outcome_in(seen, attempt);
        const bool may_decide =
            from_between ? is.kind == Outcome::Kind::between_nodes : is.kind == Outcome::Kind::open;
        if (!may_decide) return is;
        if (word.compare_exchange_weak(seen, word_of(attempt, outcome), std::memory_order_acq_rel))
            return outcome;
    }
}

CallPlace CallLine::Call::place() const noexcept {
    const auto read = [&] {
        const std::uint64_t at = index.load(std::memory_order_acquire);
        const std::uint64_t before = meetings.load(std::memory_order_acquire);
        return CallPlace{before, at, part.load(std::memory_order_acquire)};
    };
    const CallPlace place = read();
    return place == read() ? place : CallPlace{};
}

void SharedText::set(std::string_view text) noexcept {
    std::array<std::uint64_t, std::tuple_size_v<decltype(m_words)>> words{};
    std::memcpy(words.data(), text.data(), end_of_text(text, sizeof(words) - 1));
    for (std::size_t i = 0; i < words.size(); ++i)
        m_words[i].store(words[i], std::memory_order_release);
}

void SharedText::copy(const SharedText& other) noexcept {
    for (std::size_t i = 0; i < m_words.size(); ++i)
        m_words[i].store(other.m_words[i].load(std::memory_order_acquire),
                         std::memory_order_release);
}

std::string SharedText::get() const {
    std::array<std::uint64_t, std::tuple_size_v<decltype(m_words)>> words{};
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = m_words[i].load(std::memory_order_acquire);
    std::string result(sizeof(words), '\0');
    std::memcpy(result.data(), words.data(), sizeof(words));
    result.resize(std::min(result.size(), result.find('\0')));
    return result;
}

int ReasonTellers::claim(std::uint64_t attempt, int rank) noexcept {
    constexpr int rank_bits = 24;
    std::atomic<std::uint64_t>& word = m_words[attempt % m_words.size()];
    const std::uint64_t mine = attempt << rank_bits | static_cast<std::uint64_t>(rank);
    std::uint64_t seen = word.load(std::memory_order_acquire);
    while (seen >> rank_bits < attempt)
        if (word.compare_exchange_weak(seen, mine, std::memory_order_acq_rel)) return rank;
    if (seen >> rank_bits > attempt) return -1;
    return static_cast<int>(seen & ((std::uint64_t{1} << rank_bits) - 1));
}

} // namespace distview::impl
