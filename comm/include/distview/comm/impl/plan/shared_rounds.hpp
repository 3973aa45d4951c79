// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>
#include <distview/comm/impl/schedule/run_parts.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace distview::impl {

/// Numbers of parts along each axis, the same on all ranks: the longest axis is halved until `excess(parts)`
/// bytes, which a rank needs beyond what it may use, is at most 0 everywhere, or until there would be more than 256
/// `rounds(parts)`. `longest(parts, axis)` is the length of a part; at most 1 if the axis cannot be cut.
///
/// Collective.
PartIndex choose_parts(const Communicator& comm, int rank,
                       const std::function<std::int64_t(const PartIndex&)>& excess,
                       const std::function<std::int64_t(const PartIndex&, int)>& longest,
                       const std::function<std::int64_t(const PartIndex&)>& rounds);

/// Elements of borrowed source arrays, which other processes cannot map: their owner packs them into shared
/// memory, and others of its node read them there, in as many rounds as keep that memory small.
class SharedRounds {
public:
    /// Nothing is packed.
    SharedRounds() { m_parts.fill(1); }
    /// Collective. Allocates nothing.
    SharedRounds(const Communicator& comm, const RedistributionSchedule& schedule,
                 const RedistributionRole& role, std::span<const Field> sources);

    /// Takes memory from the arena. Returns what the `readers` are told.
    OfferedPacks offer(CommunicatorState& state, const std::vector<int>& readers);

    std::int64_t count() const noexcept;
    std::int64_t bytes() const noexcept { return m_memory ? m_bytes : 0; }
    const std::shared_ptr<char>& memory() const noexcept { return m_memory; }
    bool packs(std::size_t field) const noexcept {
        return field < m_borrowed.size() && m_borrowed[field] != 0;
    }
    /// The part of `runs` that a round moves.
    RedistributionRuns part(const RedistributionRuns& runs, std::int64_t round) const;
    /// The place of what is packed for a reader; null if nothing is.
    char* place(int reader) const {
        const auto found = m_places.find(reader);
        return found == m_places.end() || !m_memory ? nullptr : m_memory.get() + found->second;
    }

private:
    /// Of another process of this node.
    bool has_pack(const RedistributionRole::Peer& peer) const noexcept {
        return peer.rank != m_role->rank && m_calls->is_near(peer.rank);
    }
    /// Bytes of the longest parts for all readers; `places` gets their offsets, if it is not null.
    std::int64_t place_readers(const PartIndex& parts, std::map<int, std::int64_t>* places) const;

    const RedistributionSchedule* m_schedule = nullptr;
    const RedistributionRole* m_role = nullptr;
    const Calls* m_calls = nullptr;
    std::span<const Field> m_sources;
    std::vector<char> m_borrowed; ///< by source
    PartIndex m_parts{};
    std::map<int, std::int64_t> m_places; ///< by reader
    std::int64_t m_bytes = 0;
    std::shared_ptr<char> m_memory;
};

/// Where the packed fields of some elements for one process begin: one field behind the other.
class PackedBegins {
public:
    explicit PackedBegins(std::int64_t elements) : m_elements(elements) {}
    /// Appends the elements of a field. Returns where they begin.
    std::int64_t append(std::int64_t element_size) noexcept;
    std::int64_t bytes() const noexcept { return m_bytes; }

private:
    std::int64_t m_elements;
    std::int64_t m_bytes = 0;
};

} // namespace distview::impl
