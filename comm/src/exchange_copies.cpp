// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/exchange_copies.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace distview::impl {

namespace {

using Strides = std::array<std::int64_t, max_rank>;
using Partner = ExchangeCopies::Partner;

/// The place of a region's elements: the first one's, and how far apart they are.
struct Elements {
    char* first = nullptr;
    Strides strides{};
};

Elements elements(char* data, const Strides& strides, const std::array<LocalIndex, max_rank>& begin,
                  int rank) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) data += begin[d] * strides[d];
    return {data, strides};
}

/// In C order, last axis fastest.
Elements packed(char* first, const ExchangePart& part, std::int64_t element_size) {
    Elements result{first, {}};
    std::int64_t stride = element_size;
    for (int d = part.rank - 1; d >= 0; --d) {
        result.strides[static_cast<std::size_t>(d)] = stride;
        stride *= part.region.extents[static_cast<std::size_t>(d)];
    }
    return result;
}

CopyBox box_of(const ExchangePart& part, std::int64_t element_size, const Elements& from,
               const Elements& to) {
    CopyBox box;
    box.source = from.first;
    box.destination = to.first;
    box.element_size = element_size;
    box.rank = part.rank;
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
        box.axes[d] = {part.region.extents[d], from.strides[d], to.strides[d]};
    return box;
}

/// Along axes that the field does not have, though others of the exchange may, a region is everywhere.
LocalBox positions(const ExchangePart& part) {
    LocalBox box{};
    box.fill({LocalIndex(0), LocalIndex(std::numeric_limits<std::int64_t>::max())});
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
        box[d] = {part.region.begin[d], part.region.begin[d] + part.region.extents[d]};
    return box;
}

/// Builds ExchangeCopies in two passes: the buffers' sizes come first, then addresses.
class Builder {
public:
    Builder(ExchangeKind kind, int process, const ExchangeParts& parts,
            std::span<const Field> fields, const PeerTransports& transports)
        : m_kind(kind), m_process(process), m_parts(parts), m_fields(fields),
          m_transports(transports) {}

    ExchangeCopies build(SharedPack shared_pack) {
        m_copies.shared_pack = std::move(shared_pack);
        lay_out_buffers();
        if (m_kind == ExchangeKind::fill) add_local();
        add_packing();
        for (Partner& partner : m_copies.receives) add_incoming(partner);
        for (Partner& partner : m_copies.in_place) add_incoming(partner);
        if (m_kind == ExchangeKind::combine) add_combinations();
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

    void add_to(std::map<int, Partner>& partners, const ExchangePart& part) const {
        Partner& partner = partners[part.region.peer];
        partner.peer = part.region.peer;
        partner.bytes += packed_bytes(part, element_size(part));
        partner.boxes.push_back(positions(part));
    }
    /// Places messages one after the other.
    static MessageBuffer lay_out(std::map<int, Partner>& partners) {
        std::int64_t bytes = 0;
        for (auto& [peer, partner] : partners) {
            PersistentMessages::require_countable(partner.bytes, "PaddingExchangePlan");
            partner.offset = bytes;
            bytes += at_line(partner.bytes);
        }
        return MessageBuffer(static_cast<std::size_t>(bytes));
    }
    void lay_out_buffers() {
        std::map<int, Partner> sends, buffered, in_place;
        for (const ExchangePart& part : m_parts.given)
            if (!m_transports.readers.contains(part.region.peer)) add_to(sends, part);
        for (const ExchangePart& part : m_parts.taken)
            if (part.region.peer != m_process)
                add_to(is_buffered(part.region.peer) ? buffered : in_place, part);
        m_copies.send_buffer = lay_out(sends);
        m_copies.receive_buffer = lay_out(buffered);
        for (const auto& [peer, partner] : sends) m_copies.sends.push_back(partner);
        for (const auto& [peer, partner] : buffered) {
            m_offsets[peer] = partner.offset;
            if (source(peer))
                in_place.emplace(peer, partner);
            else
                m_copies.receives.push_back(partner);
        }
        for (const auto& [peer, partner] : in_place) m_copies.in_place.push_back(partner);
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
        explicit Group(std::vector<CopyBox>& boxes) : m_boxes(boxes) {}
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
            append_copies(m_boxes, std::move(m_copies));
            m_copies.clear();
        }
        std::vector<CopyBox>& m_boxes;
        std::vector<CopyBox> m_copies;
        std::size_t m_field = 0;
        int m_peer = -1;
    };

    void add_local() {
        Group group(m_copies.local);
        for (const ExchangePart& part : m_parts.taken)
            if (part.region.peer == m_process)
                group.add(part, box_of(part, element_size(part), mirrored(part), mine(part)));
    }

    /// Calls visit(part) for parts ordered by process.
    template <class Visit>
    static void for_each_by_peer(const std::vector<ExchangePart>& parts, Visit&& visit) {
        std::vector<const ExchangePart*> ordered;
        for (const ExchangePart& part : parts) ordered.push_back(&part);
        std::stable_sort(ordered.begin(), ordered.end(),
                         [](const ExchangePart* a, const ExchangePart* b) {
                             return a->region.peer < b->region.peer;
                         });
        for (const ExchangePart* part : ordered) visit(*part);
    }

    /// Box by box: others have read the buffer, so that its lines must be fetched back one after the other,
    /// which goes best along one stream of them.
    void add_packing() {
        std::map<int, char*> at;
        for (const Partner& partner : m_copies.sends)
            at[partner.peer] = m_copies.send_buffer.data() + partner.offset;
        for (const auto& [reader, done] : m_transports.readers)
            at[reader] = m_copies.shared_pack.of(reader);
        for_each_by_peer(m_parts.given, [&](const ExchangePart& part) {
            const Field& field = m_fields[part.field];
            const int peer = part.region.peer;
            if (m_transports.readers.contains(peer) &&
                !SharedPack::is_packed(m_kind, part, field.element_size, field.strides))
                return;
            append_copy(m_copies.pack, box_of(part, field.element_size, mine(part),
                                              packed(at[peer], part, field.element_size)));
            at[peer] += packed_bytes(part, field.element_size);
        });
    }

    /// What to copy when a process's elements are here.
    void add_incoming(Partner& partner) {
        const int peer = partner.peer;
        const bool to_fill = m_kind == ExchangeKind::fill;
        partner.begin = static_cast<int>(m_copies.incoming.size());
        if (to_fill || is_cma(peer)) {
            Group group(m_copies.incoming);
            const ReadablePeer* const readable = source(peer);
            char* buffer = is_buffered(peer) ? m_copies.receive_buffer.data() + m_offsets[peer]
                                             : const_cast<char*>(readable->packed);
            for (const ExchangePart& part : m_parts.taken) {
                if (part.region.peer != peer) continue;
                const std::int64_t size = element_size(part);
                const bool is_packed =
                    !readable ||
                    SharedPack::is_packed(m_kind, part, size, readable->fields[part.field].strides);
                const Elements dense = packed(buffer, part, size);
                group.add(part, box_of(part, size, is_packed ? dense : remote(part),
                                       to_fill ? mine(part) : dense));
                if (is_packed || !to_fill) buffer += packed_bytes(part, size);
            }
        }
        partner.end = static_cast<int>(m_copies.incoming.size());
    }

    void add_combinations() {
        std::map<int, char*> at;
        for (const auto& [peer, offset] : m_offsets)
            at[peer] = m_copies.receive_buffer.data() + offset;
        for (const ExchangePart& part : m_parts.taken) {
            const int peer = part.region.peer;
            Elements from;
            if (peer == m_process) {
                from = mirrored(part);
            } else if (is_buffered(peer)) {
                from = packed(at[peer], part, element_size(part));
                at[peer] += packed_bytes(part, element_size(part));
            } else {
                from = remote(part);
            }
            const auto begin = static_cast<int>(m_copies.combined.size());
            append_combination(m_copies.combined,
                               box_of(part, element_size(part), from, mine(part)));
            m_copies.combinations.push_back(
                {part.field, begin, static_cast<int>(m_copies.combined.size())});
        }
    }

    ExchangeKind m_kind;
    int m_process;
    const ExchangeParts& m_parts;
    std::span<const Field> m_fields;
    const PeerTransports& m_transports;
    std::map<int, std::int64_t> m_offsets; ///< into the receive buffer, by peer
    ExchangeCopies m_copies;
};

} // namespace

ExchangeCopies make_copies(ExchangeKind kind, int process, const ExchangeParts& parts,
                           std::span<const Field> fields, const PeerTransports& transports,
                           SharedPack shared_pack) {
    return Builder(kind, process, parts, fields, transports).build(std::move(shared_pack));
}

} // namespace distview::impl
