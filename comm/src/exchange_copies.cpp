// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/exchange_copies.hpp>

#include "device_copies.hpp"
#include "exchange_elements.hpp"
#include "message_layout.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace distview::impl {

namespace {

using Partner = ExchangeCopies::Partner;

/// Builds ExchangeCopies in two passes: the buffers' sizes come first, then addresses.
class Builder {
public:
    Builder(ExchangeKind kind, int process, const ExchangeParts& parts,
            std::span<const Field> fields, const PeerTransports& transports,
            const MessageRules& rules, const Arena& arena, const DeviceSetting& device)
        : m_kind(kind), m_process(process), m_parts(parts), m_fields(fields),
          m_transports(transports), m_rules(rules), m_arena(arena), m_device(device) {}

    ExchangeCopies build(SharedPack shared_pack) {
        m_copies.shared_pack = std::move(shared_pack);
        lay_out_buffers();
        if (m_kind == ExchangeKind::fill) add_local();
        add_packing();
        for (Partner& partner : m_copies.receives) add_incoming(partner);
        for (Partner& partner : m_copies.in_place) add_incoming(partner);
        if (m_kind == ExchangeKind::combine) add_combinations();
        if (m_device.layer) give_to_device(m_copies, m_parts.taken, *m_device.layer);
        return std::move(m_copies);
    }

private:
    const ReadablePeer* source(int peer) const {
        const auto found = m_transports.sources.find(peer);
        return found == m_transports.sources.end() ? nullptr : &found->second;
    }
    bool is_cma(int peer) const {
        const ReadablePeer* const found = source(peer);
        return found && found->transport == Transport::cma;
    }
    /// Whether what comes from a process lies in the receive buffer before it is used.
    bool is_buffered(int peer) const {
        return !source(peer) || (m_kind == ExchangeKind::combine && is_cma(peer));
    }
    std::int64_t element_size(const ExchangePart& part) const {
        return m_fields[part.field].element_size;
    }

    void lay_out_buffers() {
        const auto lay_out = [&](const std::vector<ExchangePart>& parts,
                                 const std::function<bool(int)>& has_messages, bool received) {
            return lay_out_messages(parts, m_fields, has_messages, m_rules, m_arena, m_device,
                                    received);
        };
        MessageLayout sends = lay_out(
            m_parts.given, [this](int peer) { return !m_transports.readers.contains(peer); },
            false);
        MessageLayout receives = lay_out(
            m_parts.taken, [this](int peer) { return peer != m_process && is_buffered(peer); },
            true);
        m_copies.sends = std::move(sends.messages);
        m_copies.send_buffer = std::move(sends.buffer);
        m_copies.receive_buffer = std::move(receives.buffer);
        m_copies.on_device.received = std::move(receives.staged);
        m_given_places = std::move(sends.places);
        m_taken_places = std::move(receives.places);

        std::map<int, Partner> in_place;
        for (Partner& message : receives.messages)
            if (source(message.peer))
                add_to(in_place[message.peer], std::move(message));
            else
                m_copies.receives.push_back(std::move(message));
        for (std::size_t i = 0; i < m_parts.taken.size(); ++i) {
            const ExchangePart& part = m_parts.taken[i];
            if (part.region.peer == m_process || is_buffered(part.region.peer)) continue;
            Partner& partner = in_place[part.region.peer];
            partner.peer = part.region.peer;
            partner.bytes += packed_bytes(part, element_size(part));
            partner.parts.push_back(i);
            partner.boxes.push_back(positions(part));
        }
        for (auto& [peer, partner] : in_place) m_copies.in_place.push_back(std::move(partner));
    }

    /// Who is read has no messages: what would be several is one.
    static void add_to(Partner& partner, Partner message) {
        if (partner.parts.empty()) {
            partner = std::move(message);
            return;
        }
        partner.bytes += message.bytes;
        for (const std::size_t part : message.parts) partner.parts.push_back(part);
        for (const LocalBox& box : message.boxes) partner.boxes.push_back(box);
    }

    /// A part's elements in this section, and in this section as seen from the other side of a periodic
    /// axis; in another process's memory.
    Elements mine(const ExchangePart& part) const {
        const Field& field = m_fields[part.field];
        return elements(field.data, field.strides, part.region.begin, part.rank);
    }
    Elements mirrored(const ExchangePart& part) const {
        const Field& field = m_fields[part.field];
        return elements(field.data, field.strides, part.region.peer_begin, part.rank);
    }
    Elements remote(const ExchangePart& part) const {
        const ReadablePeer::RemoteField& field = source(part.region.peer)->fields[part.field];
        return elements(const_cast<char*>(field.data), field.strides, part.region.peer_begin,
                        part.rank);
    }

    /// Hands over the copies of one field and one process at a time: only these are worth joining.
    class Group {
    public:
        Group(std::vector<CopyBox>& boxes, bool whole) : m_boxes(boxes), m_whole(whole) {}
        ~Group() { flush(); }
        Group(const Group&) = delete;
        Group& operator=(const Group&) = delete;
        void add(const ExchangePart& part, const CopyBox& box) {
            if (part.field != m_field || part.region.peer != m_peer) flush();
            m_field = part.field;
            m_peer = part.region.peer;
            m_copies.push_back(box);
        }

    private:
        void flush() {
            if (m_whole)
                append_whole(m_boxes, m_copies);
            else
                append_copies(m_boxes, std::move(m_copies));
            m_copies.clear();
        }
        std::vector<CopyBox>& m_boxes;
        bool m_whole;
        std::vector<CopyBox> m_copies;
        std::size_t m_field = 0;
        int m_peer = -1;
    };

    /// First what others get, then, if that goes in messages, what can be copied while they are under way.
    void add_local() {
        std::vector<ExchangePart> rest;
        {
            Group group(m_copies.local, m_device.layer != nullptr);
            const bool at_once = m_device.layer || m_copies.sends.empty() || has_array_twice();
            for (const ExchangePart& part : m_parts.taken)
                if (part.region.peer == m_process && at_once)
                    add_local(group, part);
                else if (part.region.peer == m_process)
                    add_given(group, part, rest);
        }
        m_copies.local_given = static_cast<int>(m_copies.local.size());
        Group group(m_copies.local, m_device.layer != nullptr);
        for (const ExchangePart& part : rest) add_local(group, part);
    }
    /// Adds what others get of a part that comes from this process, and the remains to `rest`.
    void add_given(Group& group, const ExchangePart& part, std::vector<ExchangePart>& rest) const {
        std::vector<LocalBox> remains{positions(part)};
        for (const ExchangePart& given : m_parts.given) {
            if (!meet(given, part)) continue;
            std::vector<LocalBox> left;
            for (const LocalBox& box : remains) {
                const LocalBox common = intersection(box, positions(given), part.rank);
                if (!is_empty(common, part.rank)) add_local(group, piece_of(part, common));
                append_difference(left, box, positions(given), part.rank);
            }
            remains = std::move(left);
        }
        for (const LocalBox& box : remains) rest.push_back(piece_of(part, box));
    }
    /// Nobody keeps a program from it; then one field's copies may be another's elements.
    bool has_array_twice() const {
        for (std::size_t i = 0; i < m_fields.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (m_fields[i].data == m_fields[j].data) return true;
        return false;
    }
    void add_local(Group& group, const ExchangePart& part) const {
        group.add(part, box_of(part, element_size(part), mirrored(part), mine(part)));
    }

    /// Calls visit(part, index) for parts ordered by process.
    template <class Visit>
    static void for_each_by_peer(const std::vector<ExchangePart>& parts, Visit&& visit) {
        std::vector<std::size_t> order(parts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return parts[a].region.peer < parts[b].region.peer;
        });
        for (const std::size_t i : order) visit(parts[i], i);
    }

    /// What others read first, then message by message.
    ///
    /// Box by box: others have read the buffer, so that its lines must be fetched back one after the other,
    /// which goes best along one stream of them.
    void add_packing() {
        if (!m_device.layer) add_shared_packing();
        m_copies.shared_end = static_cast<int>(m_copies.pack.size());
        for (Partner& message : m_copies.sends) {
            message.begin = static_cast<int>(m_copies.pack.size());
            for (const std::size_t i : message.parts)
                if (m_given_places[i]) add_packing(m_parts.given[i], m_given_places[i]);
            message.end = static_cast<int>(m_copies.pack.size());
        }
    }
    void add_shared_packing() {
        std::map<int, char*> places;
        for (const auto& [reader, done] : m_transports.readers)
            places[reader] = m_copies.shared_pack.of(reader);
        for_each_by_peer(m_parts.given, [&](const ExchangePart& part, std::size_t) {
            const Field& field = m_fields[part.field];
            const auto place = places.find(part.region.peer);
            if (place == places.end() ||
                !SharedPack::is_packed(m_kind, part, field.element_size, field.strides))
                return;
            add_packing(part, place->second);
            place->second += packed_bytes(part, field.element_size);
        });
    }
    void add_packing(const ExchangePart& part, char* place) {
        static const std::vector<ExchangePart> none;
        const Field& field = m_fields[part.field];
        const Elements to = packed(place, part, field.element_size);
        if (m_device.layer)
            append_packing(m_copies.pack, part, field, to,
                           m_kind == ExchangeKind::fill ? m_parts.taken : none, m_process);
        else
            append_copy(m_copies.pack, box_of(part, field.element_size, mine(part), to));
    }

    /// What to copy when elements of a process are here.
    void add_incoming(Partner& partner) {
        const int peer = partner.peer;
        const bool to_fill = m_kind == ExchangeKind::fill;
        partner.begin = static_cast<int>(m_copies.incoming.size());
        if (!partner.in_array && (to_fill || is_cma(peer))) {
            Group group(m_copies.incoming, m_device.layer != nullptr);
            const ReadablePeer* const readable = source(peer);
            const char* shared = readable ? readable->packed : nullptr;
            for (const std::size_t i : partner.parts) {
                const ExchangePart& part = m_parts.taken[i];
                const std::int64_t size = element_size(part);
                Elements from = readable ? remote(part) : packed(m_taken_places[i], part, size);
                if (readable && !m_device.layer &&
                    SharedPack::is_packed(m_kind, part, size,
                                          readable->fields[part.field].strides)) {
                    from = packed(const_cast<char*>(shared), part, size);
                    shared += packed_bytes(part, size);
                }
                const Elements to = to_fill ? mine(part) : packed(m_taken_places[i], part, size);
                group.add(part, box_of(part, size, from, to));
            }
        }
        partner.end = static_cast<int>(m_copies.incoming.size());
    }

    void add_combinations() {
        for (std::size_t i = 0; i < m_parts.taken.size(); ++i) {
            const ExchangePart& part = m_parts.taken[i];
            const int peer = part.region.peer;
            Elements from;
            if (peer == m_process) {
                from = mirrored(part);
            } else if (is_buffered(peer)) {
                from = packed(m_taken_places[i], part, element_size(part));
            } else {
                from = remote(part);
            }
            const auto begin = static_cast<int>(m_copies.combined.size());
            const CopyBox box = box_of(part, element_size(part), from, mine(part));
            if (m_device.layer)
                append_whole_combination(m_copies.combined, box);
            else
                append_combination(m_copies.combined, box);
            m_copies.combinations.push_back(
                {part.field, begin, static_cast<int>(m_copies.combined.size())});
        }
    }

    ExchangeKind m_kind;
    int m_process;
    const ExchangeParts& m_parts;
    std::span<const Field> m_fields;
    const PeerTransports& m_transports;
    MessageRules m_rules;
    const Arena& m_arena;
    DeviceSetting m_device;
    std::vector<char*> m_given_places; ///< by part: where it lies in a buffer, else null
    std::vector<char*> m_taken_places;
    ExchangeCopies m_copies;
};

} // namespace

ExchangeCopies make_copies(ExchangeKind kind, int process, const ExchangeParts& parts,
                           std::span<const Field> fields, const PeerTransports& transports,
                           SharedPack shared_pack, const MessageRules& rules, const Arena& arena,
                           const DeviceSetting& device) {
    return Builder(kind, process, parts, fields, transports, rules, arena, device)
        .build(std::move(shared_pack));
}

} // namespace distview::impl
