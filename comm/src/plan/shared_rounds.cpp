// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/shared_rounds.hpp>

#include "plan/message_layout.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>

namespace distview::impl {

namespace {

/// Most rounds of an execution: their data structures must stay small compared with the elements that they move.
constexpr std::int64_t most_rounds = 256;

std::int64_t product(const PartIndex& parts) {
    std::int64_t result = 1;
    for (const std::int64_t number : parts) result *= number;
    return result;
}

} // namespace

PartIndex choose_parts(const Communicator& comm, int rank,
                       const std::function<std::int64_t(const PartIndex&)>& excess,
                       const std::function<std::int64_t(const PartIndex&, int)>& longest,
                       const std::function<std::int64_t(const PartIndex&)>& rounds) {
    PartIndex parts = one_part;
    for (;;) {
        std::array<std::int64_t, 1 + max_rank> numbers{excess(parts)};
        for (int d = 0; d < rank; ++d) numbers[static_cast<std::size_t>(1 + d)] = longest(parts, d);
        all_reduce(comm, ReduceOperation::max, std::span<std::int64_t>(numbers));
        const auto axis = std::max_element(numbers.begin() + 1, numbers.end());
        if (numbers[0] <= 0 || *axis <= 1) return parts;
        PartIndex more = parts;
        more[static_cast<std::size_t>(axis - numbers.begin()) - 1] *= 2;
        if (rounds(more) > most_rounds) return parts;
        parts = more;
    }
}

SharedRounds::SharedRounds(const Communicator& comm, const RedistributionSchedule& schedule,
                           const RedistributionRole& role, const ArraySet& arrays)
    : m_schedule(&schedule), m_role(&role), m_calls(&state_of(comm)->calls()),
      m_arena(arrays.layer ? nullptr : state_of(comm)->arena().get()), m_sources(arrays.sources) {
    const auto longest = [&](const PartIndex& parts, int d) {
        const auto i = static_cast<std::size_t>(d);
        std::int64_t result = 0;
        for (const RedistributionRole::Peer& peer : role.sends) {
            if (!has_pack(peer)) continue;
            const auto runs = schedule.runs_with(role.runs_from, peer.process);
            result = std::max(result, part_length(runs[i], parts[i]));
        }
        return needed(parts) > 0 ? result : 0;
    };
    m_parts = choose_parts(
        comm, schedule.rank(),
        [this](const PartIndex& parts) { return needed(parts) - tuning::shared_round_bytes; },
        std::cref(longest), product);
}

bool SharedRounds::is_borrowed(const Field& source) const {
    return m_arena && !(source.data && m_arena->find(source.data));
}

std::int64_t SharedRounds::packed_bytes(const RedistributionRole::Peer& peer,
                                        const PartIndex& parts) const {
    if (!has_pack(peer)) return 0;
    const std::int64_t elements =
        packed_elements(*m_schedule, m_role->runs_from, peer.process, parts);
    std::int64_t bytes = 0;
    for (const Field& source : m_sources)
        if (is_borrowed(source)) bytes = at_line(bytes) + elements * source.element_size;
    return at_line(bytes);
}

std::int64_t SharedRounds::needed(const PartIndex& parts) const {
    std::int64_t bytes = 0;
    for (const RedistributionRole::Peer& peer : m_role->sends) bytes += packed_bytes(peer, parts);
    return bytes;
}

void SharedRounds::allocate(CommunicatorState& state) {
    if (!m_role) return;
    for (const Field& source : m_sources) m_borrowed.push_back(is_borrowed(source) ? 1 : 0);
    std::map<int, std::int64_t> bytes;
    for (const RedistributionRole::Peer& peer : m_role->sends)
        bytes[peer.rank] = packed_bytes(peer, m_parts);
    m_packs = ReaderPacks(state.arena().get(), bytes);
}

std::int64_t SharedRounds::count() const noexcept { return product(m_parts); }

RedistributionRuns SharedRounds::part(const RedistributionRuns& runs, std::int64_t round) const {
    if (count() == 1) return runs;
    PartIndex index{};
    for (std::size_t d = 0; d < m_parts.size(); ++d) {
        index[d] = round % m_parts[d];
        round /= m_parts[d];
    }
    return part_of(runs, m_schedule->rank(), m_parts, index);
}

} // namespace distview::impl
