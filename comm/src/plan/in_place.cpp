// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/in_place.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/plan/exchange_parts.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";

using Kind = Batch::Kind;
using Peer = RedistributionRole::Peer;

/// The part of a side that this process exchanges with itself; null if there is none.
const Peer* own(const std::vector<Peer>& peers, int rank) {
    const auto found = std::find_if(peers.begin(), peers.end(),
                                    [&](const Peer& peer) { return peer.rank == rank; });
    return found == peers.end() ? nullptr : &*found;
}

/// Where the elements for one process lie in a buffer.
struct Slot {
    std::int64_t offset = 0;
    PackedFields packed;
};

/// Slots of a buffer by rank.
class Slots {
public:
    void add(int rank, std::int64_t elements, std::span<const Field> fields) {
        Slot slot{m_bytes, PackedFields(elements, fields)};
        PersistentMessages::require_countable(slot.packed.bytes, name);
        m_bytes += slot.packed.bytes;
        m_slots.emplace(rank, std::move(slot));
    }
    std::int64_t bytes() const noexcept { return m_bytes; }
    const Slot* of(int rank) const {
        const auto found = m_slots.find(rank);
        return found == m_slots.end() ? nullptr : &found->second;
    }

private:
    std::map<int, Slot> m_slots;
    std::int64_t m_bytes = 0;
};

/// Prepares an execution in which everything is packed before anything is written.
class Packing {
public:
    explicit Packing(const InPlaceSetting& setting)
        : m_setting(setting), m_role(setting.role), m_fields(setting.arrays) {
        m_keeps = own(m_role.receives, m_role.rank);
        m_packs_own = m_keeps && !own_is_fixed();
        for (const Peer& peer : m_role.sends)
            if (peer.rank != m_role.rank || m_packs_own)
                m_out.add(peer.rank, peer.elements, m_fields.sources);
        // Of what is too large nothing is made but a place to name, which tells what would be needed.
        constexpr std::int64_t line = 64;
        m_fits = setting.buffer_bytes == 0 || m_out.bytes() <= setting.buffer_bytes;
        m_sent = exchange_memory(*setting.comm.state(), m_fits ? m_out.bytes() : line,
                                 setting.required != Transport::message);
    }

    OfferedPacks offer() const {
        OfferedPacks result;
        for (const int reader : m_setting.lines.readers())
            result.packs.push_back(m_sent.get() + (m_fits ? m_out.of(reader)->offset : 0));
        return result;
    }

    /// Bytes that it takes once transports are known.
    std::int64_t needed(const PeerTransports& transports) {
        m_in = {};
        for (const Peer& peer : m_role.receives) {
            const auto source = transports.sources.find(peer.rank);
            if (peer.rank != m_role.rank && source == transports.sources.end())
                m_in.add(peer.rank, peer.elements, m_fields.sources);
        }
        return m_out.bytes() + m_in.bytes();
    }

    ExchangeProgram prepare(const PeerTransports& transports) {
        ExchangeProgram step;
        const MessageBuffer received(static_cast<std::size_t>(m_in.bytes()));
        step.sent = m_sent;
        step.packs_for_readers = true;
        step.held.push_back(received.memory());
        step.workspace_bytes = static_cast<std::size_t>(m_out.bytes() + m_in.bytes());
        step.note = text("\n  in place: ", m_out.bytes(),
                         " bytes are packed before anything is overwritten");
        for (std::size_t f = 0; f < m_fields.sources.size(); ++f)
            for (const Peer& peer : m_role.sends)
                if (const Slot* const slot = m_out.of(peer.rank))
                    add_transfer(step, step.pack, f, Kind::pack,
                                 MoveTransfer(m_setting.schedule, m_role.runs_from, peer.process,
                                              section_end(m_fields.sources[f]),
                                              packed_end(at(m_sent.get(), *slot, f), size(f))));
        for (const Peer& peer : m_role.sends)
            if (const Slot* const slot = m_out.of(peer.rank);
                peer.rank != m_role.rank && !transports.readers.contains(peer.rank))
                step.sends.push_back(
                    {{peer.rank, m_sent.get() + slot->offset, slot->packed.bytes}, {}});
        for (const Peer& peer : m_role.receives)
            if (peer.rank == m_role.rank)
                add_moves(step, step.local, peer, m_packs_own ? m_sent.get() : nullptr,
                          m_out.of(peer.rank));
            else
                add_partner(step, transports, peer, received.data());
        return step;
    }

private:
    std::int64_t size(std::size_t f) const { return m_fields.sources[f].element_size; }
    static char* at(char* buffer, const Slot& slot, std::size_t f) {
        return buffer + slot.offset + slot.packed.begins[f];
    }
    MoveTransfer own_transfer(std::size_t f) const {
        return MoveTransfer(m_setting.schedule, m_role.runs_to, m_keeps->process,
                            section_end(m_fields.sources[f]), section_end(m_fields.targets[f]));
    }
    /// Whether what stays on this process stays where it is, and need not be packed.
    bool own_is_fixed() const {
        for (std::size_t f = 0; f < m_fields.sources.size(); ++f)
            if (size(f) != m_fields.targets[f].element_size || !own_transfer(f).is_fixed())
                return false;
        return true;
    }

    /// From a slot of a buffer, or from the section if there is none.
    void add_moves(ExchangeProgram& step, std::vector<Batch>& batches, const Peer& peer,
                   char* buffer, const Slot* slot) const {
        for (std::size_t f = 0; f < m_fields.targets.size(); ++f)
            add_transfer(step, batches, f, Kind::move,
                         buffer ? MoveTransfer(m_setting.schedule, m_role.runs_to, peer.process,
                                               packed_end(at(buffer, *slot, f), size(f)),
                                               section_end(m_fields.targets[f]))
                                : own_transfer(f));
    }

    void add_partner(ExchangeProgram& step, const PeerTransports& transports, const Peer& peer,
                     char* received) const {
        const auto source = transports.sources.find(peer.rank);
        const Slot* const slot = m_in.of(peer.rank);
        Incoming partner;
        partner.rank = peer.rank;
        for (std::size_t f = 0; f < m_fields.sources.size(); ++f)
            partner.bytes += peer.elements * size(f);
        if (slot) {
            add_moves(step, partner.batches, peer, received, slot);
        } else {
            const Slot there{0, PackedFields(peer.elements, m_fields.sources)};
            add_moves(step, partner.batches, peer, const_cast<char*>(source->second.packed),
                      &there);
        }
        if (source == transports.sources.end()) {
            partner.message = {peer.rank, received + slot->offset, slot->packed.bytes};
            step.received.push_back(std::move(partner));
            return;
        }
        partner.transport = source->second.transport;
        step.in_place.push_back(std::move(partner));
    }

    const InPlaceSetting& m_setting;
    const RedistributionRole& m_role;
    const ArraySet& m_fields;
    const Peer* m_keeps = nullptr;
    bool m_packs_own = false;
    bool m_fits = true;
    Slots m_out;
    Slots m_in;
    std::shared_ptr<char> m_sent;
};

} // namespace

PackedFields::PackedFields(std::int64_t elements, std::span<const Field> fields) {
    for (const Field& field : fields) {
        begins.push_back(bytes);
        bytes += at_line(elements * field.element_size);
    }
}

std::shared_ptr<char> exchange_memory(CommunicatorState& state, std::int64_t bytes,
                                      bool is_shared) {
    const auto size = static_cast<std::size_t>(bytes);
    if (is_shared && bytes > 0)
        if (auto memory = state.arena()->allocate(size))
            return std::static_pointer_cast<char>(memory);
    const MessageBuffer buffer(size);
    return {buffer.memory(), buffer.data()};
}

void require_room(const InPlaceSetting& setting, std::int64_t needed) {
    const std::int64_t most = all_reduce(setting.comm, ReduceOperation::max, needed);
    require<UsageError>(setting.buffer_bytes == 0 || most <= setting.buffer_bytes, [&] {
        return text(name, ": in place, expected buffer_bytes of at least ", most,
                    " for these arrays, got ", setting.buffer_bytes);
    });
}

std::shared_ptr<ExchangeBinding> bind_packed(const InPlaceSetting& setting) {
    std::optional<Packing> packing;
    OfferedPacks packs;
    std::exception_ptr failure;
    try {
        packing.emplace(setting);
        packs = packing->offer();
    } catch (...) {
        failure = std::current_exception();
    }
    agree(setting.comm, name, failure);
    PeerTransports transports;
    std::int64_t needed = 0;
    try {
        // Sections are not offered: what is in them is overwritten while others may still read.
        transports = find_transports(*setting.comm.state(), name, setting.tag, {}, packs,
                                     setting.role.receive_ranks(), setting.lines, setting.required);
        needed = packing->needed(transports);
    } catch (...) {
        failure = std::current_exception();
    }
    require_room(setting, needed);
    std::shared_ptr<ExchangeBinding> binding;
    try {
        if (!failure) {
            ExchangeProgram step = packing->prepare(transports);
            binding = std::make_shared<ExchangeBinding>(
                ExchangeBinding::Setting{name, setting.lines.ready(), setting.crowded},
                std::move(transports), std::move(step));
        }
    } catch (...) {
        failure = std::current_exception();
    }
    agree(setting.comm, name, failure);
    return binding;
}

std::shared_ptr<ExchangeBinding> bind_in_place(const InPlaceSetting& setting, bool is_same) {
    return is_same && is_involution(setting.schedule) ? bind_exchanging(setting)
                                                      : bind_packed(setting);
}

} // namespace distview::impl
