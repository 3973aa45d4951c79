// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/redistribution_binding.hpp>

#include <distview/comm/impl/exchange_parts.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";

using Peer = RedistributionRole::Peer;
using End = MoveTransfer::End;

End section(const Field& field) {
    End end{field.data, field.element_size, false, {}};
    std::copy(field.strides.begin(), field.strides.end(), end.strides.begin());
    return end;
}

End remote_section(const ReadablePeer::RemoteField& remote, std::int64_t element_size) {
    End end{const_cast<char*>(remote.data), element_size, false, {}};
    std::copy(remote.strides.begin(), remote.strides.end(), end.strides.begin());
    return end;
}

End packed(char* data, std::int64_t element_size) { return {data, element_size, true, {}}; }

} // namespace

PackedPlaces::PackedPlaces(std::span<const Peer> peers, const std::vector<int>& wanted,
                           std::span<const Field> fields, const DeviceSetting& device,
                           bool received) {
    std::int64_t total = 0;
    for (const Peer& peer : peers) {
        if (std::find(wanted.begin(), wanted.end(), peer.rank) == wanted.end()) continue;
        Place place{peer.rank, peer.process, total, 0, {}};
        for (const Field& field : fields) {
            place.bytes = at_line(place.bytes);
            place.fields.push_back(place.bytes);
            place.bytes += peer.elements * field.element_size;
        }
        PersistentMessages::require_countable(place.bytes, name);
        total += at_line(place.bytes);
        m_places.push_back(std::move(place));
    }
    std::tie(m_buffer, m_on_device) = message_buffers(device, total, received);
}

const PackedPlaces::Place* PackedPlaces::of(int rank) const noexcept {
    for (const Place& place : m_places)
        if (place.rank == rank) return &place;
    return nullptr;
}

RedistributionBinding::RedistributionBinding(const RedistributionSchedule& schedule,
                                             const RedistributionRole& role, const Fields& fields,
                                             PeerTransports transports, const SharedRounds& rounds,
                                             SyncLine* ready, bool writes, bool crowded,
                                             const DeviceSetting& device)
    : m_device(device), m_transports(std::move(transports)), m_writes(writes), m_crowded(crowded) {
    const std::size_t pairs = device.layer ? fields.sources.size() : 0;
    for (auto* const transfers : {&m_transfers.pack, &m_transfers.local, &m_transfers.incoming})
        transfers->resize(pairs);
    for (const Field& field : fields.sources) m_identities.push_back(field.identity);
    for (const Field& field : fields.targets) m_identities.push_back(field.identity);
    add_packing(schedule, role, fields);
    add_incoming(schedule, role, fields);
    add_round(schedule, role, fields, rounds, 0);
    if (m_writes) add_written(schedule, role, fields);
    const auto give = [&](std::vector<DeviceMoves>& moves,
                          const std::vector<std::vector<MoveTransfer>>& transfers) {
        for (const auto& each : transfers) moves.emplace_back(*device.layer, each);
    };
    give(m_on_device.pack, m_transfers.pack);
    give(m_on_device.local, m_transfers.local);
    give(m_on_device.incoming, m_transfers.incoming);
    m_transfers = {};
    make_direct(ready);
    append_rounds(schedule, role, fields, rounds, ready);
}

void RedistributionBinding::make_direct(SyncLine* ready) {
    std::vector<DirectExchange::Source> sources;
    for (const auto& [peer, readable] : m_transports.sources)
        sources.push_back({peer, readable.ready, readable.done});
    std::vector<DirectExchange::Reader> readers;
    for (const auto& [peer, done] : m_transports.readers) readers.push_back({peer, done});
    m_direct = DirectExchange(name, ready, std::move(sources), std::move(readers), m_crowded);
}

void RedistributionBinding::add_batch(std::vector<Batch>& batches,
                                      std::vector<std::vector<MoveTransfer>>& transfers,
                                      std::size_t pair, MoveTransfer transfer, Batch::Kind kind) {
    if (m_device.layer) {
        transfers[pair].push_back(std::move(transfer));
        return;
    }
    const auto begin = static_cast<int>(m_units.units.size());
    m_units.append(std::move(transfer));
    const auto end = static_cast<int>(m_units.units.size());
    if (!batches.empty() && batches.back().pair == pair && batches.back().end == begin)
        batches.back().end = end;
    else
        batches.push_back({pair, begin, end, kind});
}

/// For those that get messages.
void RedistributionBinding::add_packing(const RedistributionSchedule& schedule,
                                        const RedistributionRole& role, const Fields& fields) {
    std::vector<int> wanted;
    for (const int rank : role.send_ranks())
        if (sends_message_to(rank)) wanted.push_back(rank);
    m_packed = PackedPlaces(role.sends, wanted, fields.sources, m_device, false);
    for (std::size_t f = 0; f < fields.sources.size(); ++f)
        for (const PackedPlaces::Place& place : m_packed.places())
            add_batch(m_pack, m_transfers.pack, f,
                      MoveTransfer(schedule, role.runs_from, place.process,
                                   section(fields.sources[f]),
                                   packed(m_packed.data(place, f), fields.sources[f].element_size)),
                      Batch::Kind::pack);
}

void RedistributionBinding::add_incoming(const RedistributionSchedule& schedule,
                                         const RedistributionRole& role, const Fields& fields) {
    std::vector<int> buffered;
    for (const int rank : role.receive_ranks()) {
        if (m_writes) {
            if (!m_transports.readers.contains(rank)) buffered.push_back(rank);
            continue;
        }
        const auto source = m_transports.sources.find(rank);
        if (source == m_transports.sources.end()) buffered.push_back(rank);
    }
    m_received = PackedPlaces(role.receives, buffered, fields.sources, m_device, true);

    for (const Peer& peer : role.receives) {
        // Those that write here need no help; what stays here goes with what is written elsewhere.
        if (m_writes && (m_transports.readers.contains(peer.rank) ||
                         (peer.rank == role.rank && !m_transports.sources.empty())))
            continue;
        const auto source = m_transports.sources.find(peer.rank);
        const ReadablePeer* const readable =
            m_writes || source == m_transports.sources.end() ? nullptr : &source->second;
        const PackedPlaces::Place* const place = m_received.of(peer.rank);
        Partner partner;
        partner.rank = peer.rank;
        for (std::size_t f = 0; f < fields.targets.size(); ++f) {
            const std::int64_t size = fields.sources[f].element_size;
            partner.bytes += peer.elements * size;
            if (readable && peer.rank != role.rank && !readable->fields[f].data) continue; // packed
            const End from = peer.rank == role.rank ? section(fields.sources[f])
                             : place                ? packed(m_received.data(*place, f), size)
                                                    : remote_section(readable->fields[f], size);
            const bool stays = peer.rank == role.rank;
            add_batch(stays ? m_local : partner.batches,
                      stays ? m_transfers.local : m_transfers.incoming, f,
                      MoveTransfer(schedule, role.runs_to, peer.process, from,
                                   section(fields.targets[f])));
        }
        if (peer.rank == role.rank) continue;
        if (!readable) {
            m_incoming.push_back(std::move(partner));
            continue;
        }
        partner.transport = readable->transport;
        m_in_place.push_back(std::move(partner));
    }
}

/// Elements of borrowed arrays: packs those that others read, and takes those that others have packed.
void RedistributionBinding::add_round(const RedistributionSchedule& schedule,
                                      const RedistributionRole& role, const Fields& fields,
                                      const SharedRounds& rounds, std::int64_t round) {
    if (m_writes || m_device.layer) return;
    const RedistributionRuns sent = rounds.part(role.runs_from, round);
    const RedistributionRuns received = rounds.part(role.runs_to, round);
    for (const Peer& peer : role.sends) {
        if (rounds.bytes() == 0 || !m_transports.readers.contains(peer.rank)) continue;
        PackedBegins begins(packed_elements(schedule, sent, peer.process));
        for (std::size_t f = 0; f < fields.sources.size(); ++f) {
            const std::int64_t size = fields.sources[f].element_size;
            if (!rounds.packs(f)) continue;
            const End to = packed(rounds.place(peer.rank) + begins.append(size), size);
            add_batch(m_pack, m_transfers.pack, f,
                      MoveTransfer(schedule, sent, peer.process, section(fields.sources[f]), to),
                      Batch::Kind::pack);
        }
    }
    for (Partner& partner : m_in_place) {
        const ReadablePeer& owner = m_transports.sources.at(partner.rank);
        const auto peer = std::find_if(role.receives.begin(), role.receives.end(),
                                       [&](const Peer& p) { return p.rank == partner.rank; });
        PackedBegins begins(packed_elements(schedule, received, peer->process));
        for (std::size_t f = 0; f < fields.targets.size(); ++f) {
            const std::int64_t size = fields.sources[f].element_size;
            if (owner.fields[f].data) continue;
            const End from = packed(const_cast<char*>(owner.packed) + begins.append(size), size);
            add_batch(
                partner.batches, m_transfers.incoming, f,
                MoveTransfer(schedule, received, peer->process, from, section(fields.targets[f])));
        }
    }
}

void RedistributionBinding::append_rounds(const RedistributionSchedule& schedule,
                                          const RedistributionRole& role, const Fields& fields,
                                          const SharedRounds& rounds, SyncLine* ready) {
    m_shared = rounds.memory();
    m_shared_bytes = rounds.bytes();
    m_round_count = rounds.count();
    for (std::int64_t round = 1; round < rounds.count(); ++round) {
        Prepared prepared;
        for (const Partner& partner : m_in_place)
            prepared.in_place.push_back({partner.rank, partner.transport, 0, {}});
        auto step = std::make_shared<RedistributionBinding>(fields, PeerTransports(m_transports),
                                                            std::move(prepared), ready, m_crowded);
        step->m_is_later_round = true;
        step->add_round(schedule, role, fields, rounds, round);
        append(std::move(step));
    }
}

/// Everything that is written in place, in the order in which it lies in the source.
void RedistributionBinding::add_written(const RedistributionSchedule& schedule,
                                        const RedistributionRole& role, const Fields& fields) {
    if (m_transports.sources.empty()) return;
    m_written.transport = Transport::direct;
    for (std::size_t f = 0; f < fields.sources.size(); ++f) {
        const auto begin = static_cast<int>(m_units.units.size());
        for (const Peer& peer : role.sends) {
            const auto target = m_transports.sources.find(peer.rank);
            const bool stays = peer.rank == role.rank;
            if (!stays && target == m_transports.sources.end()) continue;
            const std::int64_t size = fields.targets[f].element_size;
            const End to =
                stays ? section(fields.targets[f]) : remote_section(target->second.fields[f], size);
            m_units.append(MoveTransfer(schedule, role.runs_from, peer.process,
                                        section(fields.sources[f]), to),
                           MoveUnits::interleaved_elements);
        }
        const auto end = static_cast<int>(m_units.units.size());
        m_units.order_by_source(begin, end);
        m_written.batches.push_back({f, begin, end});
    }
}

void RedistributionBinding::hold_targets(const Arena& arena, std::span<const Field> targets) {
    for (const Field& target : targets)
        if (auto owner = arena.owner_of(target.data, 1)) m_targets.push_back(std::move(owner));
    m_held.reserve(m_targets.size());
}

void RedistributionBinding::start_sends(std::uint64_t epoch) {
    m_held.clear(); // room was made: allocates nothing
    for (const std::weak_ptr<void>& target : m_targets) m_held.push_back(target.lock());
    m_epoch = epoch;
    m_direct.begin(epoch, &m_watch);
    m_messages.start_sends();
}

void RedistributionBinding::make_requests(MPI_Comm comm, int tag) {
    if (m_prepared)
        return m_messages.make({name, comm, tag, m_prepared->sent}, m_prepared->sends,
                               m_prepared->receives);
    std::vector<PersistentMessages::Message> sends;
    for (const PackedPlaces::Place& place : m_packed.places())
        if (sends_message_to(place.rank))
            sends.push_back({place.rank, m_packed.buffer().data() + place.offset, place.bytes});
    std::vector<PersistentMessages::Message> receives;
    for (const Partner& partner : m_incoming) {
        const PackedPlaces::Place& place = *m_received.of(partner.rank);
        receives.push_back({place.rank, m_received.buffer().data() + place.offset, place.bytes});
    }
    m_messages.make({name, comm, tag, m_packed.buffer().memory()}, sends, receives);
}

bool RedistributionBinding::Fields::are_of_that_type() const noexcept {
    const auto is = [&](const Field& field) { return field.element_code == element_code; };
    return element_code == 0 || (std::all_of(sources.begin(), sources.end(), is) &&
                                 std::all_of(targets.begin(), targets.end(), is));
}

bool RedistributionBinding::is_for(const Fields& fields) const noexcept {
    // Taken for new ones, these are refused on all ranks.
    if (!fields.are_of_that_type()) return false;
    if (m_device.layer != fields.layer || combines_copies != fields.combines_copies ||
        m_identities.size() != fields.sources.size() + fields.targets.size())
        return false;
    const auto is_same = [](const Field& field, std::uint64_t identity) {
        return field.identity == identity;
    };
    const auto middle = m_identities.begin() + static_cast<std::ptrdiff_t>(fields.sources.size());
    return std::equal(fields.sources.begin(), fields.sources.end(), m_identities.begin(),
                      is_same) &&
           std::equal(fields.targets.begin(), fields.targets.end(), middle, is_same);
}

void RedistributionBinding::stage(const DeviceQueue& queue, const Partner& partner) const {
    const PackedPlaces::Place* const place = m_received.of(partner.rank);
    if (!place || m_device.messages != Transport::staged) return;
    m_device.layer->copy(queue, m_received.kernel_buffer().data() + place->offset,
                         m_received.buffer().data() + place->offset,
                         static_cast<std::size_t>(place->bytes));
}

const RedistributionBinding::Partner* RedistributionBinding::wait_for_elements() {
    Waiter waiter(m_crowded);
    Yielder yielder;
    while (m_messages.left() > 0 || m_direct.left() > 0) {
        if (const int source = m_direct.next_arrival(); source >= 0) {
            if (!m_writes) return &m_in_place[static_cast<std::size_t>(source)];
            if (m_direct.left() == 0) return &m_written;
            continue;
        }
        if (const int message = m_messages.next_received(); message >= 0)
            return &m_incoming[static_cast<std::size_t>(message)];
        // Messages that are still under way need this thread: it must not sleep.
        if (m_messages.left() > 0 ? yielder.yield() : m_direct.wait(waiter)) look();
    }
    return nullptr;
}

void RedistributionBinding::look() const {
    m_watch.look(
        name, m_direct.progress(),
        // Readers are waited for when all elements have come: until then it is these that are missing.
        [&](const auto& visit) {
            if (m_direct.left() > 0 || m_messages.left() == 0) m_direct.for_each_missing(visit);
        },
        [&](const auto& visit) { m_messages.for_each_missing(visit); });
}

void RedistributionBinding::wait_for_readers() {
    Yielder yielder;
    while (!m_messages.sends_are_done())
        if (yielder.yield()) look();
    Waiter waiter(m_crowded);
    while (!m_direct.readers_done())
        if (m_direct.wait(waiter)) look();
    m_held.clear();
    m_under_way = false;
}

std::string RedistributionBinding::describe() const {
    std::string result;
    if (m_is_later_round) return result;
    const auto add = [&](const char* direction, int rank, std::string_view transport,
                         std::int64_t bytes) {
        result += text("\n  ", direction, " rank ", rank, ": ", transport, ", ", bytes, " bytes");
    };
    for (const Partner& partner : m_in_place) {
        add("from", partner.rank, to_string(partner.transport), partner.bytes);
        if (!m_prepared && m_transports.sources.at(partner.rank).packs_fields())
            result += text(", packed by that rank in ", m_round_count,
                           m_round_count == 1 ? " round" : " rounds");
    }
    const std::string_view message = to_string(m_device.messages);
    for (const Partner& partner : m_incoming) add("from", partner.rank, message, partner.bytes);
    for (const auto& [rank, done] : m_transports.readers)
        result += m_writes ? text("\n  from rank ", rank, ": direct, written in place")
                           : text("\n  to rank ", rank, ": read in place");
    if (m_writes)
        for (const auto& [rank, target] : m_transports.sources)
            result += text("\n  to rank ", rank, ": direct, written in place");
    for (const PackedPlaces::Place& place : m_packed.places())
        if (sends_message_to(place.rank)) add("to", place.rank, message, place.bytes);
    if (m_prepared) {
        for (const PersistentMessages::Message& sent : m_prepared->sends)
            add("to", sent.peer, message, sent.bytes);
        result += m_prepared->note;
    }
    return result;
}

} // namespace distview::impl
