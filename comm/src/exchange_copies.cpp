// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/exchange_copies.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
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
            std::span<const Field> fields, const PeerTransports& transports, const Arena& arena,
            const DeviceSetting& device)
        : m_kind(kind), m_process(process), m_parts(parts), m_fields(fields),
          m_transports(transports), m_arena(arena), m_device(device) {}

    ExchangeCopies build(SharedPack shared_pack) {
        m_copies.shared_pack = std::move(shared_pack);
        lay_out_buffers();
        if (m_kind == ExchangeKind::fill) add_local();
        add_packing();
        for (Partner& partner : m_copies.receives) add_incoming(partner);
        for (Partner& partner : m_copies.in_place) add_incoming(partner);
        if (m_kind == ExchangeKind::combine) add_combinations();
        if (m_device.layer) give_to_device();
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

    /// What lies in one run of the arena is sent from there, and received there.
    void find_in_array(Partner& message, const ExchangePart& part) const {
        const Elements here = mine(part);
        const Elements dense = packed(here.first, part, element_size(part));
        for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
            if (part.region.extents[d] > 1 && here.strides[d] != dense.strides[d]) return;
        const std::shared_ptr<void> owner = m_arena.owner_of(here.first, message.bytes);
        if (!owner) return;
        message.in_array = true;
        message.array = owner;
        message.data = here.first;
    }

    using FieldOfPeer = std::pair<int, std::size_t>;
    /// Packed bytes of each field for each peer, without what goes alone.
    std::map<FieldOfPeer, std::int64_t>
    bytes_together(const std::vector<ExchangePart>& parts) const {
        std::map<FieldOfPeer, std::int64_t> result;
        for (const ExchangePart& part : parts)
            if (!part.alone)
                result[{part.region.peer, part.field}] += packed_bytes(part, element_size(part));
        return result;
    }
    /// Whether a part, the field of which has so many bytes for the peer, begins another message.
    ///
    /// Fields go together, but not so that messages which MPI would send at once become one for which it
    /// asks the receiver first: that takes longer than all of them.
    static bool begins_message(const Partner& message, const std::vector<ExchangePart>& parts,
                               const ExchangePart& part, std::int64_t bytes_of_field) {
        constexpr std::int64_t sent_at_once = 4000; // Open MPI within a node: 4096 with its header
        return parts[message.parts.back()].field != part.field && message.bytes <= sent_at_once &&
               bytes_of_field <= sent_at_once && message.bytes + bytes_of_field > sent_at_once;
    }

    /// What goes into one buffer: messages, and where the parts lie that are not in one run of an array.
    struct Buffered {
        std::vector<Partner> messages;
        std::vector<char*> places; ///< by part
        MessageBuffer buffer;
        MessageBuffer staged; ///< where kernels find what is received; empty: in the buffer
    };
    template <class IsBuffered>
    Buffered lay_out(const std::vector<ExchangePart>& parts, const IsBuffered& is_buffered,
                     bool received) const {
        std::map<int, std::vector<Partner>> by_peer;
        std::map<int, std::size_t> together; // the message of a peer that is added to
        const std::map<FieldOfPeer, std::int64_t> packed_of = bytes_together(parts);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const ExchangePart& part = parts[i];
            if (!is_buffered(part.region.peer)) continue;
            std::vector<Partner>& messages = by_peer[part.region.peer];
            const auto joined = together.find(part.region.peer);
            const bool begins = part.alone || joined == together.end() ||
                                begins_message(messages[joined->second], parts, part,
                                               packed_of.at({part.region.peer, part.field}));
            if (begins) {
                if (!part.alone) together[part.region.peer] = messages.size();
                messages.emplace_back().peer = part.region.peer;
            }
            Partner& message = begins ? messages.back() : messages[joined->second];
            // An array has no room for what rounds up a packed part.
            message.bytes += part.alone ? part.region.elements * element_size(part)
                                        : packed_bytes(part, element_size(part));
            message.parts.push_back(i);
            message.boxes.push_back(positions(part));
            if (part.alone && !m_device.layer) find_in_array(message, part);
        }
        Buffered result{{}, std::vector<char*>(parts.size(), nullptr), {}, {}};
        std::int64_t bytes = 0;
        for (auto& [peer, messages] : by_peer)
            for (Partner& message : messages) {
                if (message.parts.empty()) continue;
                PersistentMessages::require_countable(message.bytes, "PaddingExchangePlan");
                if (!message.in_array) bytes += at_line(message.bytes);
                result.messages.push_back(std::move(message));
            }
        std::tie(result.buffer, result.staged) = message_buffers(m_device, bytes, received);
        char* at = result.buffer.data();
        char* kernel_at = result.staged.size() > 0 ? result.staged.data() : at;
        for (Partner& message : result.messages) {
            if (message.in_array) continue;
            message.data = at;
            char* place = kernel_at;
            for (const std::size_t i : message.parts) {
                result.places[i] = place;
                place += packed_bytes(parts[i], element_size(parts[i]));
            }
            at += at_line(message.bytes);
            kernel_at += at_line(message.bytes);
        }
        return result;
    }
    void lay_out_buffers() {
        Buffered sends = lay_out(
            m_parts.given, [this](int peer) { return !m_transports.readers.contains(peer); },
            false);
        Buffered receives = lay_out(
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
                in_place[message.peer] = std::move(message);
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

    /// Box by box: others have read the buffer, so that its lines must be fetched back one after the other,
    /// which goes best along one stream of them.
    void add_packing() {
        std::map<int, char*> shared;
        for (const auto& [reader, done] : m_transports.readers)
            shared[reader] = m_copies.shared_pack.of(reader);
        for_each_by_peer(m_parts.given, [&](const ExchangePart& part, std::size_t i) {
            const Field& field = m_fields[part.field];
            const int peer = part.region.peer;
            char* place = m_given_places[i];
            if (m_transports.readers.contains(peer)) {
                if (m_device.layer ||
                    !SharedPack::is_packed(m_kind, part, field.element_size, field.strides))
                    return;
                place = shared[peer];
                shared[peer] += packed_bytes(part, field.element_size);
            }
            if (!place) return; // sent from the array
            const Elements to = packed(place, part, field.element_size);
            if (m_device.layer)
                append_packing(part, to);
            else
                append_copy(m_copies.pack, box_of(part, field.element_size, mine(part), to));
        });
    }

    /// What goes to others may be padding that is filled from within the section. It is packed from there, so
    /// that one kernel can do both.
    void append_packing(const ExchangePart& part, const Elements& to) {
        std::vector<LocalBox> rest{positions(part)};
        if (m_kind == ExchangeKind::fill)
            for (const ExchangePart& local : m_parts.taken) {
                if (local.region.peer != m_process || !meet(local, part)) continue;
                const LocalBox filled = intersection(positions(local), positions(part), part.rank);
                append_piece(part, to, filled, &local);
                std::vector<LocalBox> left;
                for (const LocalBox& box : rest) append_difference(left, box, filled, part.rank);
                rest = std::move(left);
            }
        for (const LocalBox& box : rest) append_piece(part, to, box, nullptr);
    }

    /// Some cells of a part; instead of themselves those that `local` fills them from.
    void append_piece(const ExchangePart& part, const Elements& to, const LocalBox& cells,
                      const ExchangePart* local) {
        const Field& field = m_fields[part.field];
        ExchangePart piece = part;
        Elements source{field.data, field.strides};
        Elements destination = to;
        for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d) {
            piece.region.extents[d] = cells[d].size();
            destination.first += (cells[d].begin - part.region.begin[d]) * to.strides[d];
            const std::int64_t shift =
                local ? local->region.peer_begin[d] - local->region.begin[d] : 0;
            source.first += (cells[d].begin.value() + shift) * field.strides[d];
        }
        append_whole(m_copies.pack, {box_of(piece, field.element_size, source, destination)});
    }

    /// `box` without `hole` as boxes that do not overlap.
    static void append_difference(std::vector<LocalBox>& boxes, LocalBox box, const LocalBox& hole,
                                  int rank) {
        const LocalBox common = intersection(box, hole, rank);
        if (is_empty(common, rank)) {
            boxes.push_back(box);
            return;
        }
        for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
            LocalBox below = box;
            below[d].end = common[d].begin;
            if (!below[d].empty()) boxes.push_back(below);
            LocalBox above = box;
            above[d].begin = common[d].end;
            if (!above[d].empty()) boxes.push_back(above);
            box[d] = common[d];
        }
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

    /// Whether two boxes of a section of one field have a cell in common.
    static bool meet(const ExchangePart& a, const ExchangePart& b) {
        return a.field == b.field &&
               !is_empty(intersection(positions(a), positions(b), a.rank), a.rank);
    }

    /// The boxes of as few kernels as the order of things allows.
    void give_to_device() {
        DeviceLayer& layer = *m_device.layer;
        ExchangeCopies::OnDevice& device = m_copies.on_device;
        m_copies.pack.insert(m_copies.pack.end(), m_copies.local.begin(), m_copies.local.end());
        device.pack = DeviceRegions(layer, m_copies.pack);
        device.unpack = DeviceRegions(layer, m_copies.incoming);
        give_combinations();
        m_copies.pack.clear();
        m_copies.local.clear();
        m_copies.incoming.clear();
        m_copies.combined.clear();
        m_copies.combinations.clear();
    }

    /// Each box goes into the first kernel behind all those of earlier boxes that it overlaps: every element
    /// is combined in the same order as with one kernel a box.
    void give_combinations() {
        std::vector<std::size_t> steps(m_parts.taken.size(), 0);
        std::map<std::pair<std::size_t, std::size_t>, std::vector<CopyBox>> by_step;
        for (std::size_t i = 0; i < m_copies.combinations.size(); ++i) {
            const ExchangePart& part = m_parts.taken[i];
            for (std::size_t j = 0; j < i; ++j)
                if (meet(m_parts.taken[j], part)) steps[i] = std::max(steps[i], steps[j] + 1);
            const ExchangeCopies::Combination& boxes = m_copies.combinations[i];
            std::vector<CopyBox>& kernel = by_step[{part.field, steps[i]}];
            kernel.insert(kernel.end(), m_copies.combined.begin() + boxes.begin,
                          m_copies.combined.begin() + boxes.end);
        }
        for (const auto& [key, boxes] : by_step)
            m_copies.on_device.combined.push_back(
                {key.first, DeviceRegions::of_elements(*m_device.layer, boxes)});
    }

    ExchangeKind m_kind;
    int m_process;
    const ExchangeParts& m_parts;
    std::span<const Field> m_fields;
    const PeerTransports& m_transports;
    const Arena& m_arena;
    DeviceSetting m_device;
    std::vector<char*> m_given_places; ///< by part: where it lies in a buffer, else null
    std::vector<char*> m_taken_places;
    ExchangeCopies m_copies;
};

} // namespace

ExchangeCopies make_copies(ExchangeKind kind, int process, const ExchangeParts& parts,
                           std::span<const Field> fields, const PeerTransports& transports,
                           SharedPack shared_pack, const Arena& arena,
                           const DeviceSetting& device) {
    return Builder(kind, process, parts, fields, transports, arena, device)
        .build(std::move(shared_pack));
}

} // namespace distview::impl
