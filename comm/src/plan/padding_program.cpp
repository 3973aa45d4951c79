// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/exchange_parts.hpp>

#include "plan/message_layout.hpp"
#include <distview/comm/impl/kernels/copy_box.hpp>
#include <distview/core/local_box.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

/// Addresses of a region's elements: of the first element, and strides in bytes.
struct Elements {
    char* first = nullptr;
    std::array<std::int64_t, max_rank> strides{};
};

/// Elements of a field that begin at a position.
Elements elements(char* data, const std::array<std::int64_t, max_rank>& strides,
                  const std::array<LocalIndex, max_rank>& begin, int rank) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) data += begin[d] * strides[d];
    return {data, strides};
}

/// Elements of a part, packed in C order (last axis fastest).
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

/// The positions that a part fills, or is sent from. Along axes that this field lacks, though other fields
/// may have them, the box covers all positions.
LocalBox positions(const ExchangePart& part) {
    LocalBox box{};
    box.fill({LocalIndex(0), LocalIndex(std::numeric_limits<std::int64_t>::max())});
    for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
        box[d] = {part.region.begin[d], part.region.begin[d] + part.region.extents[d]};
    return box;
}

/// Whether two boxes of a section of one field have a cell in common.
bool meet(const ExchangePart& a, const ExchangePart& b) {
    return a.field == b.field &&
           !is_empty(intersection(positions(a), positions(b), a.rank), a.rank);
}

/// By part: the number of the kernel in which a device combines it; kernels run one after the other. Each part belongs
/// to the first kernel after the kernels of all earlier parts that it overlaps: every element is combined in the same
/// order as with one kernel per part.
std::vector<std::size_t> combination_steps(const std::vector<ExchangePart>& taken) {
    std::vector<std::size_t> steps(taken.size(), 0);
    for (std::size_t i = 0; i < taken.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (meet(taken[j], taken[i])) steps[i] = std::max(steps[i], steps[j] + 1);
    return steps;
}

/// The parts that one rank sends, or receives, and their bytes in a message.
struct Partner {
    std::int64_t bytes = 0;
    std::vector<std::size_t> parts;
};
using Partners = std::map<int, Partner>; ///< by rank

/// Builds the program in two passes: first the sizes of buffers, then addresses.
class PaddingBuilder {
public:
    PaddingBuilder(ExchangeKind kind, int process, const ExchangeParts& parts,
                   std::span<const Field> fields, const PeerTransports& transports,
                   const SharedPack& shared_pack, const DeviceSetting& device)
        : m_kind(kind), m_process(process), m_parts(parts), m_fields(fields),
          m_transports(transports), m_shared_pack(shared_pack), m_device(device) {}

    ExchangeProgram build() {
        const Partners sends = partners(
            m_parts.given, [this](int rank) { return !m_transports.readers.contains(rank); });
        const Partners received =
            partners(m_parts.taken, [this](int rank) { return !m_transports.source(rank); });
        m_program.rank = m_fields.front().layout->rank();
        m_places = lay_out(m_program, plan_names::padding_exchange, m_device, bytes_of(sends),
                           bytes_of(received), m_shared_pack);
        const int local = box_count();
        if (m_kind == ExchangeKind::fill) add_local();
        append_batch(m_program.first, {0, local, box_count(), Batch::Kind::copy});
        add_packing(sends);
        const int incoming = box_count();
        for (const auto& [rank, partner] : received) {
            m_program.received.push_back(m_places.received.at(rank).incoming(rank));
            add_incoming(m_program.received.back(), partner);
        }
        for (const auto& [rank, partner] :
             partners(m_parts.taken, [this](int rank) { return m_transports.source(rank); })) {
            const ReadablePeer& source = *m_transports.source(rank);
            m_program.in_place.push_back({.rank = rank, .bytes = partner.bytes});
            if (source.packs_fields()) m_program.in_place.back().note = ", packed by that rank";
            add_incoming(m_program.in_place.back(), partner);
        }
        const int combined = box_count();
        if (m_kind == ExchangeKind::combine) add_combinations();
        if (m_device.layer) give_to_device(local, incoming, combined);
        return std::move(m_program);
    }

private:
    int box_count() const { return static_cast<int>(m_program.boxes.size()); }
    std::int64_t element_size(const ExchangePart& part) const {
        return m_fields[part.field].element_size;
    }

    /// The partners for which `wants(rank)` is true.
    template <class Wants>
    Partners partners(const std::vector<ExchangePart>& parts, Wants&& wants) const {
        Partners result;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const int rank = parts[i].region.peer;
            if (rank == m_process || !wants(rank)) continue;
            Partner& partner = result[rank];
            append_packed(partner.bytes, parts[i], element_size(parts[i]));
            partner.parts.push_back(i);
        }
        return result;
    }

    static std::map<int, std::int64_t> bytes_of(const Partners& partners) {
        std::map<int, std::int64_t> bytes;
        for (const auto& [rank, partner] : partners) bytes[rank] = partner.bytes;
        return bytes;
    }

    /// A part's elements in this section; mirrored(): the part's other side, if that lies in this same section
    /// (around a periodic axis).
    Elements mine(const ExchangePart& part) const {
        const Field& field = m_fields[part.field];
        return elements(field.data, field.strides, part.region.begin, part.rank);
    }
    Elements mirrored(const ExchangePart& part) const {
        const Field& field = m_fields[part.field];
        return elements(field.data, field.strides, part.region.peer_begin, part.rank);
    }
    /// A part's elements in the owner's section, or in the owner's pack for this process, where earlier parts
    /// occupy `end` bytes.
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

    /// Elements that a part copies; see remote().
    Elements source_of(const ExchangePart& part, std::int64_t& end) const {
        const int rank = part.region.peer;
        const std::int64_t size = element_size(part);
        if (rank == m_process) return mirrored(part);
        if (const ReadablePeer* const source = m_transports.source(rank))
            return remote(*source, part, end);
        return packed(m_places.received.at(rank).kernel + append_packed(end, part, size), part,
                      size);
    }

    /// Appends copies of these parts of `taken` from one process, field by field: only copies of one field are worth
    /// joining. Parts of one field follow each other.
    void add_copies(const std::vector<std::size_t>& parts) {
        std::int64_t end = 0;
        for (std::size_t i = 0; i < parts.size();) {
            const std::size_t field = m_parts.taken[parts[i]].field;
            std::vector<CopyBox> copies;
            for (; i < parts.size() && m_parts.taken[parts[i]].field == field; ++i) {
                const ExchangePart& part = m_parts.taken[parts[i]];
                copies.push_back(
                    box_of(part, element_size(part), source_of(part, end), mine(part)));
            }
            append_copies(m_program.boxes, std::move(copies), m_device.layer != nullptr);
        }
    }

    void add_local() {
        std::vector<std::size_t> parts;
        for (std::size_t i = 0; i < m_parts.taken.size(); ++i) {
            const ExchangePart& part = m_parts.taken[i];
            if (part.region.peer != m_process) continue;
            m_program.local_bytes += part.region.elements * element_size(part);
            parts.push_back(i);
        }
        add_copies(parts);
    }

    /// Packs elements for readers first, then messages.
    ///
    /// Packs box by box: other processes have read the buffer, so that its cache lines must be fetched back, which
    /// is fastest as one sequential stream.
    void add_packing(const Partners& sends) {
        const int begin = box_count();
        if (!m_device.layer)
            for (const auto& [rank, reader] : partners(m_parts.given, [this](int rank) {
                     return m_transports.readers.contains(rank);
                 }))
                add_packing(reader, m_shared_pack.of(rank), true);
        for (const auto& [rank, receiver] : sends)
            add_packing(receiver, m_places.sent.at(rank).kernel, false);
        append_batch(m_program.pack, {0, begin, box_count(), Batch::Kind::copy});
    }
    /// Packs elements for one rank at `place`. If the rank `reads` here, packs only the parts not read in place.
    void add_packing(const Partner& partner, char* place, bool reads) {
        std::int64_t end = 0;
        for (const std::size_t i : partner.parts) {
            const ExchangePart& part = m_parts.given[i];
            const Field& field = m_fields[part.field];
            if (reads && !m_shared_pack.packs(m_kind, part, field)) continue;
            const std::int64_t offset = append_packed(end, part, field.element_size);
            const Elements to = packed(place + offset, part, field.element_size);
            if (m_device.layer && m_kind == ExchangeKind::fill)
                add_origins(part, to);
            else
                append_copies(m_program.boxes, {box_of(part, field.element_size, mine(part), to)},
                              m_device.layer != nullptr);
        }
    }
    /// Packs a part on a device from owned elements, even if it includes this section's padding: one kernel can then
    /// pack and fill that padding.
    void add_origins(const ExchangePart& part, const Elements& to) {
        for (const ExchangePart& piece : m_parts.owned) {
            if (piece.field != part.field || piece.region.peer != part.region.peer) continue;
            Elements place = to;
            bool is_within = true;
            for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d) {
                const std::int64_t at = piece.region.peer_begin[d] - part.region.peer_begin[d];
                is_within = is_within && 0 <= at && at < part.region.extents[d];
                place.first += at * to.strides[d];
            }
            if (is_within)
                append_copies(m_program.boxes,
                              {box_of(piece, element_size(piece), mine(piece), place)}, true);
        }
    }

    /// Adds the copies to make when a rank's elements have arrived.
    void add_incoming(Incoming& incoming, const Partner& partner) {
        for (const std::size_t i : partner.parts)
            incoming.boxes.push_back(positions(m_parts.taken[i]));
        if (m_kind != ExchangeKind::fill) return;
        const int begin = box_count();
        add_copies(partner.parts);
        append_batch(incoming.batches, {0, begin, box_count(), Batch::Kind::copy});
    }

    /// Adds combinations in the order of the parts, which does not depend on transports. Never joins them: several
    /// parts may combine with one element.
    void add_combinations() {
        std::map<int, std::int64_t> ends; // by rank: end of the parts in its pack or message
        for (const ExchangePart& part : m_parts.taken) {
            const int begin = box_count();
            const CopyBox box = box_of(part, element_size(part),
                                       source_of(part, ends[part.region.peer]), mine(part));
            append_combination(m_program.boxes, box, m_device.layer != nullptr);
            m_program.last.push_back({part.field, begin, box_count(), Batch::Kind::combine});
        }
    }

    /// Turns the boxes into kernels of a device, as few as the order of copies allows.
    void give_to_device(int local, int incoming, int combined) {
        const std::vector<CopyBox> boxes = std::move(m_program.boxes);
        const auto some = [&](int begin, int end) {
            return std::vector<CopyBox>(boxes.begin() + begin, boxes.begin() + end);
        };
        const auto give = [&](std::vector<Batch>& batches, std::size_t field, Batch::Kind kind,
                              DeviceTable<DeviceRegion> regions) {
            const auto table = static_cast<int>(m_program.regions.size());
            m_program.regions.push_back(std::move(regions));
            batches.push_back({field, table, table + 1, kind});
        };
        const std::vector<Batch> combinations = std::exchange(m_program.last, {});
        m_program.first.clear();
        m_program.pack.clear();
        for (auto* const all : {&m_program.in_place, &m_program.received})
            for (Incoming& from : *all) from.batches.clear();
        give(m_program.sends.empty() ? m_program.first : m_program.pack, 0, Batch::Kind::copy,
             byte_regions(*m_device.layer, some(local, incoming)));
        give(m_program.last, 0, Batch::Kind::copy,
             byte_regions(*m_device.layer, some(incoming, combined)));
        std::map<std::pair<std::size_t, std::size_t>, std::vector<CopyBox>> kernels;
        const std::vector<std::size_t> steps = combination_steps(m_parts.taken);
        for (std::size_t i = 0; i < combinations.size(); ++i) {
            const Batch& batch = combinations[i];
            const std::vector<CopyBox> more = some(batch.begin, batch.end);
            std::vector<CopyBox>& kernel = kernels[{batch.field, steps[i]}];
            kernel.insert(kernel.end(), more.begin(), more.end());
        }
        for (const auto& [key, all] : kernels)
            give(m_program.last, key.first, Batch::Kind::combine,
                 element_regions(*m_device.layer, all));
    }

    ExchangeKind m_kind;
    int m_process;
    const ExchangeParts& m_parts;
    std::span<const Field> m_fields;
    const PeerTransports& m_transports;
    const SharedPack& m_shared_pack;
    DeviceSetting m_device;
    MessagePlaces m_places;
    ExchangeProgram m_program;
};

} // namespace

ExchangeProgram padding_program(ExchangeKind kind, int process, const ExchangeParts& parts,
                                std::span<const Field> fields, const PeerTransports& transports,
                                const SharedPack& shared_pack, const DeviceSetting& device) {
    return PaddingBuilder(kind, process, parts, fields, transports, shared_pack, device).build();
}

} // namespace distview::impl
