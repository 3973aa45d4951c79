// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/redistribution_program.hpp>

#include "plan/message_layout.hpp"

#include <distview/core/text.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace distview::impl {

namespace {

using Peer = RedistributionRole::Peer;
using End = MoveTransfer::End;
using Kind = Batch::Kind;

End remote_end(const ReadablePeer::RemoteField& remote, std::int64_t element_size) {
    return {const_cast<char*>(remote.data), element_size, false, remote.strides};
}

class RedistributionBuilder {
public:
    RedistributionBuilder(const RedistributionSchedule& schedule, const RedistributionRole& role,
                          const ArraySet& arrays, const PeerTransports& transports,
                          const SharedRounds& rounds, bool writes, const DeviceSetting& device)
        : m_schedule(schedule), m_role(role), m_arrays(arrays), m_transports(transports),
          m_rounds(rounds), m_device(device) {
        m_program.writes = writes;
    }

    std::vector<ExchangeProgram> build() {
        place_messages();
        add_sends();
        for (const Peer& peer : m_role.receives) add_received(peer);
        if (m_program.writes) add_written();
        if (m_device.layer) give_to_device();
        std::vector<ExchangeProgram> result;
        const ExchangeProgram later = without_moves(m_program);
        result.push_back(std::move(m_program));
        const bool has_rounds = !result.front().writes && !m_device.layer;
        for (std::int64_t round = 0; round < m_rounds.count() && has_rounds; ++round) {
            if (round > 0) result.push_back(later);
            add_round(result.back(), round);
        }
        return result;
    }

private:
    std::size_t field_count() const { return m_arrays.sources.size(); }
    std::int64_t size(std::size_t f) const { return m_arrays.sources[f].element_size; }
    PackedFields packed(const Peer& peer) const {
        return packed_fields(peer.elements, m_arrays.sources);
    }
    std::int64_t element_bytes(const Peer& peer) const {
        std::int64_t bytes = 0;
        for (std::size_t f = 0; f < field_count(); ++f) bytes += peer.elements * size(f);
        return bytes;
    }
    bool sends_message_to(int rank) const {
        return m_program.writes ? !m_transports.sources.contains(rank)
                                : !m_transports.readers.contains(rank);
    }
    bool gets_message_from(int rank) const {
        return m_program.writes ? !m_transports.readers.contains(rank)
                                : !m_transports.sources.contains(rank);
    }

    void place_messages() {
        std::map<int, std::int64_t> sent, received;
        for (const Peer& peer : m_role.sends)
            if (peer.rank != m_role.rank && sends_message_to(peer.rank))
                sent[peer.rank] = packed(peer).bytes;
        for (const Peer& peer : m_role.receives) {
            if (peer.rank == m_role.rank)
                m_program.local_bytes = element_bytes(peer);
            else if (gets_message_from(peer.rank))
                received[peer.rank] = packed(peer).bytes;
        }
        m_places = lay_out(m_program, plan_names::redistribution, m_device, sent, received,
                           m_rounds.packs());
    }

    void add(std::vector<Batch>& batches, std::size_t f, Kind kind, MoveTransfer transfer) {
        if (m_device.layer)
            m_moves[{&batches, f}].push_back(std::move(transfer));
        else
            add_transfer(m_program, batches, f, kind, std::move(transfer));
    }

    /// Adds packing field by field, so that one kernel packs a field for all receivers.
    void add_sends() {
        for (std::size_t f = 0; f < field_count(); ++f)
            for (const Peer& peer : m_role.sends) {
                const auto place = m_places.sent.find(peer.rank);
                if (place == m_places.sent.end()) continue;
                add(m_program.pack, f, Kind::pack,
                    MoveTransfer(
                        m_schedule, m_role.runs_from, peer.process,
                        section_end(m_arrays.sources[f]),
                        packed_end(place->second.kernel + packed(peer).begins[f], size(f))));
            }
    }

    void add_received(const Peer& peer) {
        const bool stays = peer.rank == m_role.rank;
        // Ranks that write here need no moves; add_written() includes elements that stay on this rank.
        if (m_program.writes &&
            (m_transports.readers.contains(peer.rank) || (stays && !m_transports.sources.empty())))
            return;
        const ReadablePeer* const readable =
            m_program.writes || stays ? nullptr : m_transports.source(peer.rank);
        const MessagePlace place =
            stays || readable ? MessagePlace{} : m_places.received.at(peer.rank);
        const PackedFields fields = packed(peer);
        Incoming incoming = place.incoming(peer.rank);
        incoming.bytes = 0;
        for (std::size_t f = 0; f < field_count(); ++f) {
            incoming.bytes += peer.elements * size(f);
            if (readable && !readable->fields[f].data) continue; // packed, see add_round()
            const End from = stays      ? section_end(m_arrays.sources[f])
                             : readable ? remote_end(readable->fields[f], size(f))
                                        : packed_end(place.kernel + fields.begins[f], size(f));
            add(stays            ? m_program.local
                : m_device.layer ? m_program.last
                                 : incoming.batches,
                f, Kind::move,
                MoveTransfer(m_schedule, m_role.runs_to, peer.process, from,
                             section_end(m_arrays.targets[f])));
        }
        if (stays) return;
        if (readable) {
            if (readable->packs_fields())
                incoming.note = text(", packed by that rank in ", m_rounds.count(),
                                     m_rounds.count() == 1 ? " round" : " rounds");
            m_program.in_place.push_back(std::move(incoming));
        } else {
            m_program.received.push_back(std::move(incoming));
        }
    }

    /// Adds the elements that are written in place, in their order in the source.
    void add_written() {
        for (const auto& [rank, target] : m_transports.sources) {
            const auto peer = std::find_if(m_role.sends.begin(), m_role.sends.end(),
                                           [&](const Peer& p) { return p.rank == rank; });
            m_program.in_place.push_back({.rank = rank, .bytes = element_bytes(*peer)});
        }
        if (m_transports.sources.empty()) return;
        for (std::size_t f = 0; f < field_count(); ++f) {
            const auto begin = static_cast<int>(m_program.units.units.size());
            for (const Peer& peer : m_role.sends) {
                const ReadablePeer* const target = m_transports.source(peer.rank);
                const bool stays = peer.rank == m_role.rank;
                if (!stays && !target) continue;
                const End to =
                    stays ? section_end(m_arrays.targets[f])
                          : remote_end(target->fields[f], m_arrays.targets[f].element_size);
                add_transfer(m_program, m_program.written.batches, f, Kind::move,
                             MoveTransfer(m_schedule, m_role.runs_from, peer.process,
                                          section_end(m_arrays.sources[f]), to),
                             tuning::interleaved_unit_elements);
            }
            m_program.units.order_by_source(begin, static_cast<int>(m_program.units.units.size()));
        }
    }

    /// Makes the program of a later round, for the same ranks, without moves.
    static ExchangeProgram without_moves(const ExchangeProgram& first) {
        ExchangeProgram later;
        for (const Incoming& from : first.in_place) later.in_place.push_back({.rank = from.rank});
        return later;
    }

    /// Adds elements of borrowed arrays: packs elements that others read, and moves elements that others packed.
    void add_round(ExchangeProgram& program, std::int64_t round) const {
        const RedistributionRuns sent = m_rounds.part(m_role.runs_from, round);
        const RedistributionRuns received = m_rounds.part(m_role.runs_to, round);
        for (const Peer& peer : m_role.sends) {
            if (m_rounds.packs().bytes() == 0 || !m_transports.readers.contains(peer.rank))
                continue;
            const PackedFields fields =
                packed_fields(packed_elements(m_schedule, sent, peer.process), m_arrays.sources,
                              m_rounds.borrowed());
            for (std::size_t f = 0; f < field_count(); ++f) {
                if (m_rounds.borrowed()[f] == 0) continue;
                const End to =
                    packed_end(m_rounds.packs().of(peer.rank) + fields.begins[f], size(f));
                add_transfer(program, program.pack, f, Kind::pack,
                             MoveTransfer(m_schedule, sent, peer.process,
                                          section_end(m_arrays.sources[f]), to));
            }
        }
        for (Incoming& incoming : program.in_place) {
            const ReadablePeer& owner = m_transports.sources.at(incoming.rank);
            const auto peer = std::find_if(m_role.receives.begin(), m_role.receives.end(),
                                           [&](const Peer& p) { return p.rank == incoming.rank; });
            const PackedFields fields =
                packed_fields(packed_elements(m_schedule, received, peer->process),
                              m_arrays.sources, packed_by(owner));
            for (std::size_t f = 0; f < field_count(); ++f) {
                if (owner.fields[f].data) continue;
                const End from = packed_end(owner.packed + fields.begins[f], size(f));
                add_transfer(program, incoming.batches, f, Kind::move,
                             MoveTransfer(m_schedule, received, peer->process, from,
                                          section_end(m_arrays.targets[f])));
            }
        }
    }

    void give_to_device() {
        for (const auto& [key, transfers] : m_moves) {
            const auto [batches, field] = key;
            const auto table = static_cast<int>(m_program.moves.size());
            m_program.moves.push_back(move_table(*m_device.layer, transfers));
            batches->push_back(
                {field, table, table + 1, batches == &m_program.pack ? Kind::pack : Kind::move});
        }
    }

    const RedistributionSchedule& m_schedule;
    const RedistributionRole& m_role;
    const ArraySet& m_arrays;
    const PeerTransports& m_transports;
    const SharedRounds& m_rounds;
    DeviceSetting m_device;
    MessagePlaces m_places;
    ExchangeProgram m_program;
    /// On a device: transfers by list of the program and field, one kernel for each.
    std::map<std::pair<std::vector<Batch>*, std::size_t>, std::vector<MoveTransfer>> m_moves;
};

} // namespace

std::vector<ExchangeProgram>
redistribution_programs(const RedistributionSchedule& schedule, const RedistributionRole& role,
                        const ArraySet& arrays, const PeerTransports& transports,
                        const SharedRounds& rounds, bool writes, const DeviceSetting& device) {
    return RedistributionBuilder(schedule, role, arrays, transports, rounds, writes, device)
        .build();
}

void add_transfer(ExchangeProgram& program, std::vector<Batch>& batches, std::size_t field,
                  Batch::Kind kind, MoveTransfer transfer, std::int64_t unit_elements) {
    const auto begin = static_cast<int>(program.units.units.size());
    program.units.append(std::move(transfer), unit_elements);
    append_batch(batches, {field, begin, static_cast<int>(program.units.units.size()), kind});
}

} // namespace distview::impl
