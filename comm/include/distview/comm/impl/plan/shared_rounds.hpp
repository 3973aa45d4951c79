// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/plan/array_set.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace distview::impl {

/// Chooses the numbers of parts along each axis, the same on all ranks: halves the longest axis until no rank needs
/// more bytes than it may use (`excess(parts)` is at most 0), or until `rounds(parts)` would exceed 256.
/// `longest(parts, axis)` is the length of a part; at most 1 if the axis cannot be cut.
///
/// Collective.
PartIndex choose_parts(const Communicator& comm, int rank,
                       const std::function<std::int64_t(const PartIndex&)>& excess,
                       const std::function<std::int64_t(const PartIndex&, int)>& longest,
                       const std::function<std::int64_t(const PartIndex&)>& rounds);

/// Moves elements of borrowed source arrays, which other processes cannot map: their owner packs them into shared
/// memory, and other processes of its node read them there. Several rounds keep that memory small.
class SharedRounds {
public:
    /// Has no rounds: packs no elements.
    SharedRounds() = default;
    /// Collective. Allocates nothing. Does not pack device arrays, though other ranks' arrays may be host arrays.
    SharedRounds(const Communicator& comm, const RedistributionSchedule& schedule,
                 const RedistributionRole& role, const ArraySet& arrays);

    /// Allocates memory of the arena.
    void allocate(CommunicatorState& state);

    std::int64_t count() const noexcept;
    const ReaderPacks& packs() const noexcept { return m_packs; }
    /// By source: whether it is borrowed, and therefore packed.
    const std::vector<char>& borrowed() const noexcept { return m_borrowed; }
    /// The part of `runs` that a round moves.
    RedistributionRuns part(const RedistributionRuns& runs, std::int64_t round) const;

private:
    /// Whether the peer has a pack: it is another process of this node.
    bool has_pack(const RedistributionRole::Peer& peer) const noexcept {
        return peer.rank != m_role->rank && m_calls->is_near(peer.rank);
    }
    bool is_borrowed(const Field& source) const;
    /// Bytes of the pack for one reader, and of all packs, for the longest parts.
    std::int64_t packed_bytes(const RedistributionRole::Peer& peer, const PartIndex& parts) const;
    std::int64_t needed(const PartIndex& parts) const;

    const RedistributionSchedule* m_schedule = nullptr;
    const RedistributionRole* m_role = nullptr;
    const Calls* m_calls = nullptr;
    const Arena* m_arena = nullptr; ///< null: packs nothing
    std::span<const Field> m_sources;
    std::vector<char> m_borrowed; ///< by source
    PartIndex m_parts = one_part;
    ReaderPacks m_packs;
};

} // namespace distview::impl
