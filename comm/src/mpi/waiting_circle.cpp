// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/calls.hpp>

namespace distview::impl {

namespace {

/// The lowest bits of CallLine::waits_for hold rank + 1; the higher bits hold a hash of the waiting rank's progress.
constexpr int rank_bits = 24;

std::uint64_t word_of(int peer, std::uint64_t progress) {
    std::uint64_t hash = progress * 0x9e3779b97f4a7c15u;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
    return peer < 0 ? 0 : (hash >> rank_bits << rank_bits) + static_cast<std::uint64_t>(peer) + 1;
}

} // namespace

/// Follows the waits from this rank on until the path returns to this rank; empty if it does not return.
Calls::Circle Calls::find_circle() const {
    Circle circle;
    const CallLine* line = m_line;
    while (line && circle.count < circle.ranks.size()) {
        Circle::Waiting& waiting = circle.ranks[circle.count++];
        waiting = {line, line->waits_for.load(), 0};
        const auto next = waiting.for_what & ((std::uint64_t{1} << rank_bits) - 1);
        const Rank* const rank = next > 0 ? find(static_cast<int>(next) - 1) : nullptr;
        line = rank ? rank->line : nullptr;
        if (line != m_line) continue;
        std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with waits_in_circle()
        for (std::size_t i = 0; i < circle.count; ++i)
            circle.ranks[i].looks = circle.ranks[i].line->looks.load();
        return circle;
    }
    return {};
}

bool Calls::waits_in_circle(int peer, const Call& call, std::uint64_t progress) {
    m_line->waits_for.store(word_of(peer, progress ^ call.count * 0xc2b2ae3d27d4eb4fu));
    m_line->looks.fetch_add(1);
    std::atomic_thread_fence(std::memory_order_seq_cst); // pairs with the fence of find_circle()
    // A rank may have received its data just now. So the circle is read again after every rank has polled twice
    // more (its fences show all earlier writes): first the polls, then the waits. An unchanged circle is stuck.
    bool have_looked = m_circle.count > 0;
    for (std::size_t i = 0; i < m_circle.count; ++i)
        have_looked &= m_circle.ranks[i].line->looks.load() >= m_circle.ranks[i].looks + 2;
    const Circle now = find_circle();
    bool is_same = now.count == m_circle.count;
    for (std::size_t i = 0; is_same && i < now.count; ++i)
        is_same = now.ranks[i].line == m_circle.ranks[i].line &&
                  now.ranks[i].for_what == m_circle.ranks[i].for_what;
    if (!is_same) m_circle = now;
    return is_same && have_looked;
}

} // namespace distview::impl
