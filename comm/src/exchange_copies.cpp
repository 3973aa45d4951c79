// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/exchange_copies.hpp>

#include "device_copies.hpp"
#include "exchange_elements.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace distview::impl {

namespace {

using Partner = ExchangeCopies::Partner;

/// Builds ExchangeCopies in two passes: the buffers' sizes come first, then addresses.
class Builder {
public:
    Builder(ExchangeKind kind, int process, const ExchangeParts& parts,
            std::span<const Field> fields, const PeerTransports& transports,
            const DeviceSetting& device)
        : m_kind(kind), m_process(process), m_parts(parts), m_fields(fields),
          m_transports(transports), m_device(device) {}

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
    std::int64_t element_size(const ExchangePart& part) const {
        return m_fields[part.field].element_size;
    }

    /// The partners for whom `wants(process)`, by ascending peer, with their parts.
    template <class Wants>
    std::vector<Partner> partners(const std::vector<ExchangePart>& parts, Wants&& wants) const {
        std::map<int, Partner> by_peer;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const ExchangePart& part = parts[i];
            if (part.region.peer == m_process || !wants(part.region.peer)) continue;
            Partner& partner = by_peer[part.region.peer];
            partner.peer = part.region.peer;
            append_packed(partner.bytes, part, element_size(part));
            partner.parts.push_back(i);
            partner.boxes.push_back(positions(part));
        }
        std::vector<Partner> result;
        for (auto& [peer, partner] : by_peer) result.push_back(std::move(partner));
        return result;
    }

    /// Gives each partner a message. Returns the buffer, and the one that kernels use if it is another one.
    std::pair<MessageBuffer, MessageBuffer> lay_out(std::vector<Partner>& partners,
                                                    const std::vector<ExchangePart>& parts,
                                                    std::vector<char*>& places,
                                                    bool received) const {
        std::int64_t bytes = 0;
        for (const Partner& partner : partners) {
            PersistentMessages::require_countable(partner.bytes, "PaddingExchangePlan");
            bytes += at_line(partner.bytes);
        }
        auto [buffer, staged] = message_buffers(m_device, bytes, received);
        char* data = buffer.data();
        char* place = staged.size() > 0 ? staged.data() : data;
        places.assign(parts.size(), nullptr);
        for (Partner& partner : partners) {
            partner.data = data;
            std::int64_t end = 0;
            for (const std::size_t i : partner.parts)
                places[i] = place + append_packed(end, parts[i], element_size(parts[i]));
            data += at_line(partner.bytes);
            place += at_line(partner.bytes);
        }
        return {std::move(buffer), std::move(staged)};
    }

    void lay_out_buffers() {
        m_copies.sends = partners(
            m_parts.given, [this](int peer) { return !m_transports.readers.contains(peer); });
        m_copies.receives = partners(m_parts.taken, [this](int peer) { return !source(peer); });
        m_copies.in_place =
            partners(m_parts.taken, [this](int peer) { return source(peer) != nullptr; });
        m_copies.send_buffer = lay_out(m_copies.sends, m_parts.given, m_given_places, false).first;
        std::tie(m_copies.receive_buffer, m_copies.on_device.received) =
            lay_out(m_copies.receives, m_parts.taken, m_taken_places, true);
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
    /// In its owner's section, or in what the owner packs for this process, of which parts before it take
    /// `end` bytes.
    Elements remote(const ReadablePeer& owner, const ExchangePart& part, std::int64_t& end) const {
        const ReadablePeer::RemoteField& field = owner.fields[part.field];
        const std::int64_t size = element_size(part);
        const bool is_packed =
            !m_device.layer &&
            (!field.data || SharedPack::has_short_rows(m_kind, part, size, field.strides));
        if (!is_packed)
            return elements(const_cast<char*>(field.data), field.strides, part.region.peer_begin,
                            part.rank);
        char* const place = const_cast<char*>(owner.packed) + append_packed(end, part, size);
        return packed(place, part, size);
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

    void add_local() {
        Group group(m_copies.local, m_device.layer != nullptr);
        for (const ExchangePart& part : m_parts.taken)
            if (part.region.peer == m_process)
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
                add_packing(m_parts.given[i], m_given_places[i]);
            message.end = static_cast<int>(m_copies.pack.size());
        }
    }
    void add_shared_packing() {
        std::map<int, std::int64_t> ends;
        for_each_by_peer(m_parts.given, [&](const ExchangePart& part, std::size_t) {
            const Field& field = m_fields[part.field];
            const int reader = part.region.peer;
            if (!m_transports.readers.contains(reader) ||
                !m_copies.shared_pack.packs(m_kind, part, field))
                return;
            add_packing(part, m_copies.shared_pack.of(reader) +
                                  append_packed(ends[reader], part, field.element_size));
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
        partner.begin = static_cast<int>(m_copies.incoming.size());
        if (m_kind == ExchangeKind::fill) {
            Group group(m_copies.incoming, m_device.layer != nullptr);
            const ReadablePeer* const readable = source(peer);
            std::int64_t end = 0;
            for (const std::size_t i : partner.parts) {
                const ExchangePart& part = m_parts.taken[i];
                const std::int64_t size = element_size(part);
                const Elements from =
                    readable ? remote(*readable, part, end) : packed(m_taken_places[i], part, size);
                group.add(part, box_of(part, size, from, mine(part)));
            }
        }
        partner.end = static_cast<int>(m_copies.incoming.size());
    }

    void add_combinations() {
        std::map<int, std::int64_t> ends; // of what peers have packed
        for (std::size_t i = 0; i < m_parts.taken.size(); ++i) {
            const ExchangePart& part = m_parts.taken[i];
            const int peer = part.region.peer;
            Elements from;
            if (peer == m_process) {
                from = mirrored(part);
            } else if (const ReadablePeer* const readable = source(peer)) {
                from = remote(*readable, part, ends[peer]);
            } else {
                from = packed(m_taken_places[i], part, element_size(part));
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
    DeviceSetting m_device;
    std::vector<char*> m_given_places; ///< by part: its place in a buffer, else null
    std::vector<char*> m_taken_places;
    ExchangeCopies m_copies;
};

} // namespace

ExchangeCopies make_copies(ExchangeKind kind, int process, const ExchangeParts& parts,
                           std::span<const Field> fields, const PeerTransports& transports,
                           SharedPack shared_pack, const DeviceSetting& device) {
    return Builder(kind, process, parts, fields, transports, device).build(std::move(shared_pack));
}

} // namespace distview::impl
