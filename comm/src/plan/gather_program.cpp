// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/gather_role.hpp>

#include "plan/contributions.hpp"
#include "plan/message_layout.hpp"
#include "plan/section_offsets.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace distview::impl {

namespace {

using PointEnd = PointMoves::End;

constexpr const char* by_that_rank = ", packed by that rank";

class GatherBuilder {
public:
    GatherBuilder(const GatherProgramSetting& setting, std::span<const Field> fields,
                  const PeerTransports& transports)
        : m_setting(setting), m_role(*setting.role), m_fields(fields), m_transports(transports),
          m_rank(static_cast<std::size_t>(fields.front().layout->rank())) {}

    ExchangeProgram build() {
        place_messages();
        if (m_setting.combines)
            build_combination();
        else
            build_gather();
        if (m_setting.device.layer) // kernels of one field follow each other
            for (auto* const batches : {&m_program.pack, &m_program.local, &m_program.last})
                std::ranges::stable_sort(*batches, {}, &Batch::field);
        return std::move(m_program);
    }

private:
    /// Keeps a table in memory that kernels can access.
    const std::int64_t* keep(std::vector<std::int64_t> table) {
        const std::size_t bytes = table.size() * sizeof(std::int64_t);
        m_program.workspace_bytes += bytes;
        if (!m_setting.device.layer) {
            const auto kept = std::make_shared<std::vector<std::int64_t>>(std::move(table));
            m_program.held.push_back(kept);
            return kept->data();
        }
        if (bytes == 0) return nullptr;
        DeviceLayer& layer = *m_setting.device.layer;
        const std::shared_ptr<char> kept = layer.allocate_device(bytes);
        layer.upload(kept.get(), reinterpret_cast<const char*>(table.data()), bytes);
        m_program.held.push_back(kept);
        return reinterpret_cast<const std::int64_t*>(kept.get());
    }

    /// Keeps the offsets of the role's elements, once for all fields with the same strides.
    const std::int64_t* keep_offsets(const std::vector<std::int64_t>& positions,
                                     const SectionOffsets& offset) {
        const auto [known, is_new] =
            m_tables.try_emplace({positions.data(), offset.strides}, nullptr);
        if (is_new) known->second = keep(offsets_of(positions, offset));
        return known->second;
    }
    /// Elements at positions; without a table if the elements are contiguous.
    PointEnd end_at(char* data, const std::vector<std::int64_t>& positions,
                    const SectionOffsets& offset, std::int64_t element_size) {
        PointEnd end;
        end.data = data;
        end.begin = positions.empty() ? 0 : offset(positions.front());
        std::int64_t dense = end.begin;
        for (const std::int64_t position : positions) {
            if (offset(position) != dense) {
                end.at = keep_offsets(positions, offset);
                end.begin = 0;
                break;
            }
            dense += element_size;
        }
        return end;
    }
    SectionOffsets own_offsets(const Field& field) const {
        return {m_rank, m_role.extents, field.strides};
    }
    PointEnd of_own(const std::vector<std::int64_t>& positions, const Field& field) {
        return end_at(field.data, positions, own_offsets(field), field.element_size);
    }
    /// The places of one owner's elements in the list.
    PointEnd in_list(const GatherRole::Wanted& from, const Field& field) {
        if (m_setting.into_array) return of_own(from.places, field);
        return end_at(nullptr, from.places, of_list(field.element_size), field.element_size);
    }
    static PointEnd packed_at(const char* data) { return {const_cast<char*>(data), nullptr, 0}; }

    void add(std::vector<Batch>& batches, std::size_t f, const PointMoves& moves) {
        const auto begin = static_cast<int>(m_program.points.size());
        if (!m_setting.device.layer)
            append_pieces(m_program.points, moves);
        else if (moves.count > 0)
            m_program.points.push_back(moves);
        append_batch(batches,
                     {f, begin, static_cast<int>(m_program.points.size()), Batch::Kind::points});
    }

    /// Places messages to ranks that do not read in place, and from ranks that this process does not read.
    void place_messages() {
        std::map<int, std::int64_t> sent, received;
        const auto place = [&](int rank, const std::vector<std::int64_t>& positions, bool is_sent) {
            const bool in_place =
                is_sent ? m_transports.readers.contains(rank) : m_transports.sources.contains(rank);
            if (!in_place)
                (is_sent ? sent : received)[rank] =
                    packed_fields(std::ssize(positions), m_fields).bytes;
        };
        for (const GatherRole::Given& to : m_role.given)
            place(to.rank, to.positions, !m_setting.combines);
        for (const GatherRole::Wanted& from : m_role.wanted)
            if (from.rank != m_setting.rank) place(from.rank, from.positions, m_setting.combines);
        m_places =
            lay_out(m_program, m_setting.caller, m_setting.device, sent, received, m_setting.packs);
    }

    /// Packs elements for one rank, in a message or in the pack that it reads.
    template <class From>
    void add_pack(int rank, std::int64_t elements, From&& from) {
        const auto message = m_places.sent.find(rank);
        const bool is_read = message == m_places.sent.end();
        const char* const to = is_read ? m_setting.packs.of(rank) : message->second.kernel;
        if (!to) return;
        const std::vector<char> packs =
            is_read ? m_setting.packed.at(rank) : std::vector<char>(m_fields.size(), 1);
        const PackedFields fields = packed_fields(elements, m_fields, packs);
        for (std::size_t f = 0; f < m_fields.size(); ++f) {
            if (packs[f] == 0) continue;
            add(m_program.pack, f,
                {from(m_fields[f]), packed_at(to + fields.begins[f]), elements,
                 m_fields[f].element_size});
        }
    }

    void build_gather() {
        for (const GatherRole::Given& to : m_role.given)
            add_pack(to.rank, static_cast<std::int64_t>(to.positions.size()),
                     [&](const Field& field) { return of_own(to.positions, field); });
        const bool in_order = reads_in_order();
        for (const GatherRole::Wanted& from : m_role.wanted) {
            if (from.rank != m_setting.rank) {
                add_incoming(from, in_order);
                continue;
            }
            for (const Field& field : m_fields)
                m_program.local_bytes += std::ssize(from.positions) * field.element_size;
            if (!in_order) add_own(from);
        }
        for (std::size_t f = 0; f < m_fields.size() && in_order; ++f) add_in_order(f);
    }

    /// Address at which this process reads a field of a rank: its own section, or one that it mapped; else null.
    const char* section_of(int rank, std::size_t f) const {
        if (rank == m_setting.rank) return m_fields[f].data;
        const ReadablePeer* const source = m_transports.source(rank);
        return source ? source->fields[f].data : nullptr;
    }
    SectionOffsets offsets_in(int rank, std::size_t f) const {
        if (rank == m_setting.rank) return own_offsets(m_fields[f]);
        const ReadablePeer::RemoteField& remote = m_transports.sources.at(rank).fields[f];
        return {m_rank, remote.extents, remote.strides};
    }

    /// Whether one pass in the list's order fills the list: if kernels can read all elements in place, and elements of
    /// several ranks alternate. Separate passes for each rank would access most cache lines of the list again.
    bool reads_in_order() const {
        if (m_setting.into_array || m_setting.device.layer || m_role.wanted.size() < 2)
            return false;
        return std::all_of(m_role.wanted.begin(), m_role.wanted.end(), [&](const auto& from) {
            for (std::size_t f = 0; f < m_fields.size(); ++f)
                if (!section_of(from.rank, f)) return false;
            const auto elements = static_cast<std::int64_t>(from.places.size());
            return elements > 0 && from.places.back() - from.places.front() >= elements;
        });
    }

    /// Adds moves in the order of the list; offsets count from the first rank's section.
    void add_in_order(std::size_t f) {
        const char* const origin = section_of(m_role.wanted.front().rank, f);
        std::vector<std::int64_t> at(static_cast<std::size_t>(m_role.size));
        for (const GatherRole::Wanted& from : m_role.wanted) {
            const SectionOffsets offset = offsets_in(from.rank, f);
            const auto begin = static_cast<std::int64_t>(
                reinterpret_cast<std::uintptr_t>(section_of(from.rank, f)) -
                reinterpret_cast<std::uintptr_t>(origin));
            for (std::size_t i = 0; i < from.places.size(); ++i)
                at[static_cast<std::size_t>(from.places[i])] = begin + offset(from.positions[i]);
        }
        add(m_program.last, f,
            {{const_cast<char*>(origin), keep(std::move(at)), 0},
             {},
             m_role.size,
             m_fields[f].element_size});
    }

    void add_own(const GatherRole::Wanted& from) {
        for (std::size_t f = 0; f < m_fields.size(); ++f)
            add(m_program.local, f,
                {of_own(from.positions, m_fields[f]), in_list(from, m_fields[f]),
                 static_cast<std::int64_t>(from.positions.size()), m_fields[f].element_size});
    }

    /// Adds a wait for one rank and the moves of its elements; only the wait if one pass fills the list in order.
    void add_incoming(const GatherRole::Wanted& from, bool in_order) {
        const auto elements = static_cast<std::int64_t>(from.positions.size());
        const ReadablePeer* const source = m_transports.source(from.rank);
        Incoming incoming = incoming_from(from.rank, elements);
        if (in_order) {
            m_program.in_place.push_back(std::move(incoming));
            return;
        }
        const std::vector<char> packed =
            source ? packed_by_owner(from, *source) : std::vector<char>(m_fields.size(), 1);
        const PackedFields begins = packed_fields(elements, m_fields, packed);
        if (source && std::find(packed.begin(), packed.end(), 1) != packed.end())
            incoming.note = by_that_rank;
        for (std::size_t f = 0; f < m_fields.size(); ++f) {
            const Field& field = m_fields[f];
            PointMoves moves{{}, in_list(from, field), elements, field.element_size};
            if (!source)
                moves.from = packed_at(m_places.received.at(from.rank).kernel + begins.begins[f]);
            else if (packed[f] != 0)
                moves.from = packed_at(source->packed + begins.begins[f]);
            else
                moves.from = end_at(const_cast<char*>(source->fields[f].data), from.positions,
                                    offsets_in(from.rank, f), field.element_size);
            add(m_setting.device.layer ? m_program.last : incoming.batches, f, moves);
        }
        (source ? m_program.in_place : m_program.received).push_back(std::move(incoming));
    }

    /// By field: whether the owner packs it, decided as in GatherCore::prepare_packs().
    std::vector<char> packed_by_owner(const GatherRole::Wanted& from,
                                      const ReadablePeer& owner) const {
        std::vector<char> packed = packed_by(owner);
        if (!m_setting.packs_apart) return packed;
        for (std::size_t f = 0; f < packed.size(); ++f)
            if (packed[f] == 0)
                packed[f] =
                    lie_apart(from.positions, offsets_in(from.rank, f), m_fields[f].element_size);
        return packed;
    }

    Incoming incoming_from(int rank, std::int64_t elements) const {
        const ReadablePeer* const source = m_transports.source(rank);
        Incoming incoming =
            source ? Incoming{.rank = rank} : m_places.received.at(rank).incoming(rank);
        if (source && m_setting.combines) incoming.note = by_that_rank;
        incoming.bytes = 0;
        for (const Field& field : m_fields) incoming.bytes += elements * field.element_size;
        return incoming;
    }

    void build_combination() {
        for (const GatherRole::Wanted& to : m_role.wanted)
            if (to.rank != m_setting.rank)
                add_pack(to.rank, static_cast<std::int64_t>(to.places.size()),
                         [&](const Field& field) { return in_list(to, field); });
        for (const GatherRole::Given& from : m_role.given) {
            const auto elements = static_cast<std::int64_t>(from.positions.size());
            (m_transports.sources.contains(from.rank) ? m_program.in_place : m_program.received)
                .push_back(incoming_from(from.rank, elements));
        }
        for (std::size_t f = 0; f < m_fields.size(); ++f) add_sums(f);
    }

    /// The values to combine with elements of a field, by rank.
    std::vector<Contribution> contributions(std::size_t f) const {
        std::vector<Contribution> result;
        for (const GatherRole::Given& from : m_role.given) {
            const ReadablePeer* const source = m_transports.source(from.rank);
            const char* const begin =
                source ? source->packed : m_places.received.at(from.rank).kernel;
            const auto elements = static_cast<std::int64_t>(from.positions.size());
            const PackedFields packed = packed_fields(elements, m_fields);
            result.push_back({from.rank, &from.positions, begin + packed.begins[f], nullptr});
        }
        for (const GatherRole::Wanted& own : m_role.wanted)
            if (own.rank == m_setting.rank)
                result.push_back({own.rank, &own.positions, nullptr, &own.places});
        std::sort(result.begin(), result.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        return result;
    }

    void add_sums(std::size_t f) {
        const Field& field = m_fields[f];
        const std::vector<Contribution> values = contributions(f);
        if (m_setting.device.layer) {
            DeviceSums sums = device_sums(values, field.element_size);
            const auto table = static_cast<int>(m_program.device_sums.size());
            m_program.device_sums.push_back(
                {field.data, keep(offsets_of(sums.positions, own_offsets(field))),
                 keep(std::move(sums.first)), keep(std::move(sums.values)),
                 static_cast<std::int64_t>(sums.positions.size()), field.element_size});
            m_program.last.push_back({f, table, table + 1, Batch::Kind::sums});
            return;
        }
        const auto begin = static_cast<int>(m_program.sums.size());
        const std::vector<std::int64_t> ends = share_ends(values, host_threads());
        m_program.sums.resize(m_program.sums.size() + ends.size());
        for (const Contribution& of_rank : values) {
            const std::vector<PointMoves> parts =
                ends.size() == 1 ? std::vector{whole(of_rank, field)} : cut(of_rank, field, ends);
            for (std::size_t share = 0; share < ends.size(); ++share)
                m_program.sums[static_cast<std::size_t>(begin) + share].push_back(parts[share]);
        }
        append_batch(m_program.last,
                     {f, begin, static_cast<int>(m_program.sums.size()), Batch::Kind::sums});
    }
    PointMoves whole(const Contribution& of_rank, const Field& field) {
        const std::int64_t size = field.element_size;
        return {of_rank.data ? packed_at(of_rank.data)
                             : end_at(nullptr, *of_rank.places, of_list(size), size),
                of_own(*of_rank.positions, field),
                static_cast<std::int64_t>(of_rank.positions->size()), size};
    }
    /// Cuts values into shares: a share's elements have positions before its end.
    std::vector<PointMoves> cut(const Contribution& of_rank, const Field& field,
                                const std::vector<std::int64_t>& ends) {
        const SectionOffsets offset = own_offsets(field);
        std::vector<std::vector<std::int64_t>> from(ends.size()), to(ends.size());
        for (std::size_t i = 0; i < of_rank.positions->size(); ++i) {
            const std::int64_t position = (*of_rank.positions)[i];
            const auto share = static_cast<std::size_t>(
                std::upper_bound(ends.begin(), ends.end(), position) - ends.begin());
            from[share].push_back(of_rank.offset(i, field.element_size));
            to[share].push_back(offset(position));
        }
        std::vector<PointMoves> parts;
        for (std::size_t share = 0; share < ends.size(); ++share) {
            const auto count = static_cast<std::int64_t>(to[share].size());
            parts.push_back({{const_cast<char*>(of_rank.data), keep(std::move(from[share])), 0},
                             {field.data, keep(std::move(to[share])), 0},
                             count,
                             field.element_size});
        }
        return parts;
    }

    const GatherProgramSetting& m_setting;
    const GatherRole& m_role;
    std::span<const Field> m_fields;
    const PeerTransports& m_transports;
    std::size_t m_rank; ///< axes of the arrays
    MessagePlaces m_places;
    /// Tables of offsets, by address of the role's positions, which do not move, and by strides.
    std::map<std::pair<const std::int64_t*, Strides>, const std::int64_t*> m_tables;
    ExchangeProgram m_program;
};

} // namespace

ExchangeProgram gather_program(const GatherProgramSetting& setting, std::span<const Field> fields,
                               const PeerTransports& transports) {
    return GatherBuilder(setting, fields, transports).build();
}

} // namespace distview::impl
