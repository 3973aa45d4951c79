// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/exchange_parts.hpp>

#include "plan/exchange_elements.hpp"
#include "plan/message_layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

/// The parts that one rank sends, or that come from it, and their bytes in a message.
struct Partner {
    std::int64_t bytes = 0;
    std::vector<std::size_t> parts;
};
using Partners = std::map<int, Partner>; ///< by rank

/// Builds the program in two passes: the buffers' sizes come first, then addresses.
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
        m_sent = lay_out_sends(m_program, plan_names::padding_exchange, m_device, bytes_of(sends));
        m_received =
            lay_out_receives(m_program, plan_names::padding_exchange, m_device, bytes_of(received));
        const int local = box_count();
        if (m_kind == ExchangeKind::fill) add_local();
        append_batch(m_program.first, {0, local, box_count(), Batch::Kind::copy});
        add_packing(sends);
        const int incoming = box_count();
        for (const auto& [rank, partner] : received) {
            m_program.received.push_back(m_received.at(rank).incoming(rank));
            add_incoming(m_program.received.back(), partner);
        }
        for (const auto& [rank, partner] :
             partners(m_parts.taken, [this](int rank) { return m_transports.source(rank); })) {
            const ReadablePeer& source = *m_transports.source(rank);
            m_program.in_place.push_back(
                {.rank = rank, .transport = source.transport, .bytes = partner.bytes});
            if (source.packs_fields()) m_program.in_place.back().note = ", packed by that rank";
            add_incoming(m_program.in_place.back(), partner);
        }
        const int combined = box_count();
        if (m_kind == ExchangeKind::combine) add_combinations();
        m_program.held.push_back(m_shared_pack.memory());
        m_program.packs_for_readers = m_shared_pack.bytes() > 0;
        m_program.workspace_bytes += static_cast<std::size_t>(m_shared_pack.bytes());
        if (m_device.layer) give_to_device(local, incoming, combined);
        return std::move(m_program);
    }

private:
    int box_count() const { return static_cast<int>(m_program.boxes.size()); }
    std::int64_t element_size(const ExchangePart& part) const {
        return m_fields[part.field].element_size;
    }

    /// The partners for which `wants(rank)`.
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

    /// Where a part's elements come from; see remote().
    Elements source_of(const ExchangePart& part, std::int64_t& end) const {
        const int rank = part.region.peer;
        const std::int64_t size = element_size(part);
        if (rank == m_process) return mirrored(part);
        if (const ReadablePeer* const source = m_transports.source(rank))
            return remote(*source, part, end);
        return packed(m_received.at(rank).kernel + append_packed(end, part, size), part, size);
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
        Group group(m_program.boxes, m_device.layer != nullptr);
        for (const ExchangePart& part : m_parts.taken)
            if (part.region.peer == m_process)
                m_program.local_bytes += part.region.elements * element_size(part);
        for (const ExchangePart& part : m_parts.taken)
            if (part.region.peer == m_process)
                group.add(part, box_of(part, element_size(part), mirrored(part), mine(part)));
    }

    /// Packs elements that others read first, then messages.
    ///
    /// Box by box: others have read the buffer, so that its lines must be fetched back one after the other,
    /// which goes best along one stream of them.
    void add_packing(const Partners& sends) {
        const int begin = box_count();
        if (!m_device.layer) add_shared_packing();
        for (const auto& [rank, to] : sends) {
            std::int64_t end = 0;
            for (const std::size_t i : to.parts) {
                const ExchangePart& part = m_parts.given[i];
                add_packing(part,
                            m_sent.at(rank).kernel + append_packed(end, part, element_size(part)));
            }
        }
        append_batch(m_program.pack, {0, begin, box_count(), Batch::Kind::copy});
    }
    void add_shared_packing() {
        std::vector<std::size_t> by_rank(m_parts.given.size());
        std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
        std::stable_sort(by_rank.begin(), by_rank.end(), [&](std::size_t a, std::size_t b) {
            return m_parts.given[a].region.peer < m_parts.given[b].region.peer;
        });
        std::map<int, std::int64_t> ends;
        for (const std::size_t i : by_rank) {
            const ExchangePart& part = m_parts.given[i];
            const Field& field = m_fields[part.field];
            const int reader = part.region.peer;
            if (m_transports.readers.contains(reader) && m_shared_pack.packs(m_kind, part, field))
                add_packing(part, m_shared_pack.of(reader) +
                                      append_packed(ends[reader], part, field.element_size));
        }
    }
    void add_packing(const ExchangePart& part, char* place) {
        static const std::vector<ExchangePart> none;
        const Field& field = m_fields[part.field];
        const Elements to = packed(place, part, field.element_size);
        if (m_device.layer)
            append_device_packing(m_program.boxes, part, field, to,
                                  m_kind == ExchangeKind::fill ? m_parts.taken : none, m_process);
        else
            append_copies(m_program.boxes, {box_of(part, field.element_size, mine(part), to)});
    }

    /// Copies to make when a rank's elements have arrived.
    void add_incoming(Incoming& incoming, const Partner& partner) {
        for (const std::size_t i : partner.parts)
            incoming.boxes.push_back(positions(m_parts.taken[i]));
        if (m_kind != ExchangeKind::fill) return;
        const int begin = box_count();
        {
            Group group(m_program.boxes, m_device.layer != nullptr);
            std::int64_t end = 0;
            for (const std::size_t i : partner.parts) {
                const ExchangePart& part = m_parts.taken[i];
                group.add(part, box_of(part, element_size(part), source_of(part, end), mine(part)));
            }
        }
        append_batch(incoming.batches, {0, begin, box_count(), Batch::Kind::copy});
    }

    /// In the order of the parts, which does not depend on transports. Never joined: several parts may go to
    /// one element.
    void add_combinations() {
        std::map<int, std::int64_t> ends; // of what ranks have packed
        for (const ExchangePart& part : m_parts.taken) {
            const int begin = box_count();
            const CopyBox box = box_of(part, element_size(part),
                                       source_of(part, ends[part.region.peer]), mine(part));
            if (m_device.layer)
                append_whole_combination(m_program.boxes, box);
            else
                append_combination(m_program.boxes, box);
            m_program.last.push_back({part.field, begin, box_count(), Batch::Kind::combine});
        }
    }

    /// Makes of the boxes the kernels of a device, as few as the order of things allows.
    void give_to_device(int local, int incoming, int combined) {
        const std::vector<CopyBox> boxes = std::move(m_program.boxes);
        const auto some = [&](int begin, int end) {
            return std::vector<CopyBox>(boxes.begin() + begin, boxes.begin() + end);
        };
        m_program.on_device.pack = DeviceRegions(*m_device.layer, some(local, incoming));
        m_program.on_device.unpack = DeviceRegions(*m_device.layer, some(incoming, combined));
        std::map<std::pair<std::size_t, std::size_t>, std::vector<CopyBox>> kernels;
        const std::vector<std::size_t> steps = combination_steps(m_parts.taken);
        for (std::size_t i = 0; i < m_program.last.size(); ++i) {
            const Batch& batch = m_program.last[i];
            const std::vector<CopyBox> more = some(batch.begin, batch.end);
            std::vector<CopyBox>& kernel = kernels[{batch.field, steps[i]}];
            kernel.insert(kernel.end(), more.begin(), more.end());
        }
        for (const auto& [key, all] : kernels)
            m_program.on_device.combined.push_back(
                {key.first, DeviceRegions::of_elements(*m_device.layer, all)});
        for (auto* const batches : {&m_program.first, &m_program.pack, &m_program.last})
            batches->clear();
        for (auto* const all : {&m_program.in_place, &m_program.received})
            for (Incoming& from : *all) from.batches.clear();
    }

    ExchangeKind m_kind;
    int m_process;
    const ExchangeParts& m_parts;
    std::span<const Field> m_fields;
    const PeerTransports& m_transports;
    const SharedPack& m_shared_pack;
    DeviceSetting m_device;
    std::map<int, MessagePlace> m_sent; ///< by rank
    std::map<int, MessagePlace> m_received;
    ExchangeProgram m_program;
};

} // namespace

ExchangeProgram padding_program(ExchangeKind kind, int process, const ExchangeParts& parts,
                                std::span<const Field> fields, const PeerTransports& transports,
                                const SharedPack& shared_pack, const DeviceSetting& device) {
    return PaddingBuilder(kind, process, parts, fields, transports, shared_pack, device).build();
}

} // namespace distview::impl
