// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/shared_rounds.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/plan/exchange_parts.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

/// Rounds of an execution: what is known of them must stay small beside what they move.
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
    PartIndex parts;
    parts.fill(1);
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

std::int64_t PackedBegins::append(std::int64_t element_size) noexcept {
    return std::exchange(m_bytes, m_bytes + at_line(m_elements * element_size));
}

SharedRounds::SharedRounds(const Communicator& comm, const RedistributionSchedule& schedule,
                           const RedistributionRole& role, std::span<const Field> sources)
    : m_schedule(&schedule), m_role(&role), m_calls(&comm.state()->calls()), m_sources(sources),
      m_borrowed(borrowed_fields(*comm.state()->arena(), sources)) {
    const auto longest = [&](const PartIndex& parts, int d) {
        const auto i = static_cast<std::size_t>(d);
        std::int64_t result = 0;
        for (const RedistributionRole::Peer& peer : role.sends) {
            if (!has_pack(peer)) continue;
            const auto runs = schedule.runs_with(role.runs_from, peer.process);
            result = std::max(result, (count_elements(runs[i]) + parts[i] - 1) / parts[i]);
        }
        return place_readers(parts, nullptr) > 0 ? result : 0;
    };
    m_parts = choose_parts(
        comm, schedule.rank(),
        [&](const PartIndex& parts) {
            return place_readers(parts, nullptr) - tuning::shared_round_bytes;
        },
        longest, product);
}

std::int64_t SharedRounds::place_readers(const PartIndex& parts,
                                         std::map<int, std::int64_t>* places) const {
    std::int64_t bytes = 0;
    for (const RedistributionRole::Peer& peer : m_role->sends) {
        if (!has_pack(peer)) continue;
        const auto runs = m_schedule->runs_with(m_role->runs_from, peer.process);
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < static_cast<std::size_t>(m_schedule->rank()); ++d)
            elements *= (count_elements(runs[d]) + parts[d] - 1) / parts[d];
        PackedBegins packed(elements);
        for (std::size_t f = 0; f < m_sources.size(); ++f)
            if (packs(f)) packed.append(m_sources[f].element_size);
        if (places) places->emplace(peer.rank, bytes);
        bytes += packed.bytes();
    }
    return bytes;
}

OfferedPacks SharedRounds::offer(CommunicatorState& state, const std::vector<int>& readers) {
    OfferedPacks result{std::vector<const char*>(readers.size(), nullptr), true};
    if (!m_role) return result;
    m_bytes = place_readers(m_parts, &m_places);
    if (m_bytes == 0) return result;
    m_memory =
        std::static_pointer_cast<char>(state.arena()->allocate(static_cast<std::size_t>(m_bytes)));
    result.complete = m_memory != nullptr;
    for (std::size_t r = 0; r < readers.size() && m_memory; ++r)
        result.packs[r] = place(readers[r]);
    return result;
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
