// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/redistribution_core.hpp>

#include "plan/message_layout.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/plan/redistribution_program.hpp>
#include <distview/comm/impl/plan/shared_rounds.hpp>
#include <distview/comm/impl/tuning.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

using Kind = Batch::Kind;
using Peer = RedistributionRole::Peer;

/// Whether t -> (a(t), b(t)) and t -> (d(t), c(t)) are the same set of pairs, for slices of the same count.
bool are_inverse(const AxisSlice& a, const AxisSlice& b, const AxisSlice& c, const AxisSlice& d) {
    if (a.count != c.count) return false;
    if (a.count == 0) return true;
    const auto at = [](const AxisSlice& slice, std::int64_t t) {
        return slice.begin + t * slice.step;
    };
    const std::int64_t last = a.count - 1;
    const auto is_same = [&](std::int64_t first_t, std::int64_t last_t) {
        return at(a, 0) == at(d, first_t) && at(b, 0) == at(c, first_t) &&
               at(a, last) == at(d, last_t) && at(b, last) == at(c, last_t);
    };
    return is_same(0, last) || is_same(last, 0);
}

/// Whether elements that move twice, from an array to itself, return to their places. Every position that is written is
/// then also read.
bool is_involution(const RedistributionSchedule& schedule) {
    if (!(schedule.from_layout() == schedule.to_layout())) return false;
    for (int p = 0; p < schedule.from_layout().process_count(); ++p)
        if (schedule.from_rank(p) != schedule.to_rank(p)) return false;
    for (int d = 0; d < schedule.rank(); ++d) {
        const int a = schedule.permutation(d);
        // If labels were found by a rendezvous, no process knows the positions of all labels.
        if (schedule.axis(d).found() || schedule.permutation(a) != d) return false;
        // Axis d of the target is axis a of the source, and axis a of the target is axis d of the source.
        if (schedule.axis(d).pairs_indices() != schedule.axis(a).pairs_indices()) return false;
        if (!are_inverse(schedule.axis(d).from_slice(), schedule.axis(d).to_slice(),
                         schedule.axis(a).from_slice(), schedule.axis(a).to_slice()))
            return false;
    }
    // If several processes hold a label, or padding is filled, an element is read once and written several times.
    return schedule.delivered_elements() == schedule.elements();
}

/// The rounds of a redistribution in place. In each round every process packs some elements for all processes, itself
/// included, and only then writes the elements that have arrived.
///
/// Several rounds need sets of elements whose positions read are the same as those written. A transposition has such
/// sets: the lists of runs of two axes that change places have the same pairs of indices. If both axes are cut alike,
/// the elements of parts (k, l) move to the positions of the elements of parts (l, k). Axes that keep their places
/// are cut unless they are reversed.
class Rounds {
public:
    struct Setting {
        const Communicator& comm;
        const RedistributionSchedule& schedule;
        const RedistributionRole& role;
        const ArraySet& arrays;
        const PlanLines& lines;
        std::optional<Transport> required;
        std::int64_t buffer_bytes = 0; ///< largest buffer allowed; 0: no limit
        bool oversubscribed = false;
    };
    Rounds(const Setting& setting, bool changes_places)
        : m_setting(setting), m_schedule(setting.schedule), m_role(setting.role),
          m_arrays(setting.arrays), m_changes_places(changes_places), m_from(m_role.runs_from),
          m_to(m_role.runs_to) {
        if (changes_places)
            for (std::size_t d = 0; d < rank(); ++d)
                if (const std::size_t a = other(d); d < a) {
                    m_from.axes[a] = m_role.runs_to.axes[d];
                    m_to.axes[a] = m_role.runs_from.axes[d];
                }
        m_keeps_own = is_own_fixed();
    }

    /// Chooses as few rounds as a buffer of buffer_bytes, or of the usual size, allows. Collective.
    void choose() {
        const std::int64_t limit =
            m_setting.buffer_bytes > 0 ? m_setting.buffer_bytes : tuning::in_place_bytes;
        const auto excess = [&](const PartIndex& parts) { return needed(alike(parts)) - limit; };
        const auto longest = [&](const PartIndex& parts, int axis) {
            const auto d = static_cast<std::size_t>(axis);
            std::int64_t most = 0;
            if (can_be_cut(d))
                for (const Peer& peer : m_role.sends)
                    if (is_packed(peer))
                        most = std::max(
                            most,
                            part_length(m_schedule.runs_with(m_from, peer.process)[d], parts[d]));
            return most;
        };
        m_parts = alike(choose_parts(m_setting.comm, m_schedule.rank(), excess, longest,
                                     [&](const PartIndex& parts) { return count(alike(parts)); }));
    }

    /// Throws the same UsageError on all ranks if a rank needs a larger buffer than allowed. Collective.
    void require_room() const {
        const std::int64_t most = all_reduce(m_setting.comm, ReduceOperation::max, needed(m_parts));
        require<UsageError>(m_setting.buffer_bytes == 0 || most <= m_setting.buffer_bytes, [&] {
            return text(plan_names::redistribution,
                        ": in place, expected buffer_bytes of at least ", most,
                        " for these arrays, got ", m_setting.buffer_bytes);
        });
    }

    OfferedPacks offer() {
        const bool is_shared = m_setting.required != Transport::message;
        m_sent = {is_shared ? state_of(m_setting.comm)->arena().get() : nullptr, rooms(true), true};
        return m_sent.offer(m_setting.lines.readers());
    }

    /// Call it before the functions below. Sections are not offered, because they are overwritten while others read.
    void set_transports(PeerTransports transports) {
        m_transports = std::move(transports);
        m_are_known = true;
    }

    std::shared_ptr<ExchangeBinding> bind() {
        m_received = {nullptr, rooms(false), true};
        std::shared_ptr<ExchangeBinding> first;
        for (const std::vector<PartIndex>& parts : sets()) {
            auto round = std::make_shared<ExchangeBinding>(
                ExchangeBinding::Setting{plan_names::redistribution, m_setting.lines.ready(),
                                         m_setting.oversubscribed},
                PeerTransports(m_transports), program(parts, first == nullptr));
            round->is_later_round = first != nullptr;
            ExchangeBinding::append(first, std::move(round));
        }
        return first;
    }

private:
    std::size_t rank() const { return static_cast<std::size_t>(m_schedule.rank()); }
    std::size_t field_count() const { return m_arrays.sources.size(); }
    std::size_t other(std::size_t d) const {
        return static_cast<std::size_t>(m_schedule.permutation(static_cast<int>(d)));
    }
    bool is_packed(const Peer& peer) const { return peer.rank != m_role.rank || !m_keeps_own; }
    bool comes_in_message(int rank) const {
        if (rank == m_role.rank) return false;
        if (m_are_known) return !m_transports.sources.contains(rank);
        return m_setting.required == Transport::message ||
               !state_of(m_setting.comm)->calls().is_near(rank);
    }

    /// Whether elements that stay on this process keep their positions, and need no packing.
    bool is_own_fixed() const {
        for (const Peer& peer : m_role.receives)
            for (std::size_t f = 0; f < field_count() && peer.rank == m_role.rank; ++f)
                if (m_arrays.sources[f].element_size != m_arrays.targets[f].element_size ||
                    !transfer(m_to, peer, section_end(m_arrays.sources[f]),
                              section_end(m_arrays.targets[f]))
                         .is_fixed())
                    return false;
        return true;
    }
    MoveTransfer transfer(const RedistributionRuns& runs, const Peer& peer,
                          const MoveTransfer::End& from, const MoveTransfer::End& to) const {
        return MoveTransfer(m_schedule, runs, peer.process, from, to);
    }

    // Parts

    /// Whether an axis can be cut. If two axes change places, one is cut, and the other is cut alike.
    bool can_be_cut(std::size_t d) const {
        if (other(d) != d) return d < other(d);
        const AxisIntersection& axis = m_schedule.axis(static_cast<int>(d));
        return axis.pairs_indices() || axis.from_slice() == axis.to_slice();
    }
    PartIndex alike(PartIndex parts) const {
        for (std::size_t d = 0; d < rank(); ++d) parts[d] = parts[std::min(d, other(d))];
        return parts;
    }
    PartIndex partner(const PartIndex& part) const {
        PartIndex result = part;
        for (std::size_t d = 0; d < rank(); ++d) result[d] = part[other(d)];
        return result;
    }
    /// Number of sets().
    std::int64_t count(const PartIndex& parts) const {
        std::int64_t all = 1;
        std::int64_t own_partners = 1;
        for (std::size_t d = 0; d < rank(); ++d) {
            all *= parts[d];
            own_partners *= d <= other(d) ? parts[d] : 1;
        }
        return (all + own_partners) / 2;
    }
    /// The parts of every round: a part and its partner.
    std::vector<std::vector<PartIndex>> sets() const {
        std::vector<std::vector<PartIndex>> result;
        PartIndex part{};
        do {
            if (const PartIndex second = m_changes_places ? partner(part) : part; part == second)
                result.push_back({part});
            else if (part < second)
                result.push_back({part, second});
        } while (next_choice(part, rank(), [&](std::size_t d) { return m_parts[d]; }));
        return result;
    }

    // Room

    bool partner_differs(const PartIndex& parts) const {
        for (std::size_t d = 0; d < rank() && m_changes_places; ++d)
            if (other(d) != d && parts[d] > 1) return true;
        return false;
    }
    /// The most bytes that a round packs for a peer, or receives from it.
    std::int64_t room_of(const RedistributionRuns& runs, const Peer& peer,
                         const PartIndex& parts) const {
        const std::int64_t elements = packed_elements(m_schedule, runs, peer.process, parts);
        std::int64_t bytes = 0;
        for (const Field& field : m_arrays.sources) bytes += at_line(elements * field.element_size);
        return bytes * (partner_differs(parts) ? 2 : 1);
    }
    std::int64_t needed(const PartIndex& parts) const {
        std::int64_t bytes = 0;
        for (const Peer& peer : m_role.sends)
            if (is_packed(peer)) bytes += room_of(m_from, peer, parts);
        for (const Peer& peer : m_role.receives)
            if (comes_in_message(peer.rank)) bytes += room_of(m_to, peer, parts);
        return bytes;
    }
    /// Room for the elements that are packed, or that arrive in messages, by rank.
    std::map<int, std::int64_t> rooms(bool sends) const {
        std::map<int, std::int64_t> result;
        for (const Peer& peer : sends ? m_role.sends : m_role.receives) {
            if (sends ? !is_packed(peer) : !comes_in_message(peer.rank)) continue;
            const std::int64_t size = room_of(sends ? m_from : m_to, peer, m_parts);
            PersistentMessages::require_countable(size, plan_names::redistribution);
            result.emplace(peer.rank, size);
        }
        return result;
    }

    // Programs

    /// Offsets by part of the round, then by field.
    PackedFields packed(const std::vector<RedistributionRuns>& parts, const Peer& peer) const {
        PackedFields result;
        for (const RedistributionRuns& part : parts) {
            const std::int64_t elements = packed_elements(m_schedule, part, peer.process);
            for (const Field& field : m_arrays.sources) {
                result.begins.push_back(result.bytes);
                result.bytes += at_line(elements * field.element_size);
            }
        }
        return result;
    }
    std::vector<RedistributionRuns> cut(const RedistributionRuns& runs,
                                        const std::vector<PartIndex>& parts) const {
        std::vector<RedistributionRuns> result;
        for (const PartIndex& part : parts)
            result.push_back(part_of(runs, m_schedule.rank(), m_parts, part));
        return result;
    }

    ExchangeProgram program(const std::vector<PartIndex>& parts, bool is_first) const {
        ExchangeProgram program;
        program.sent = m_sent.memory();
        program.held.push_back(m_received.memory());
        program.packs_for_readers = true;
        if (is_first) {
            const std::size_t rounds = sets().size();
            program.workspace_bytes = static_cast<std::size_t>(m_sent.bytes() + m_received.bytes());
            program.note = text("\n  in place: elements ",
                                m_changes_places ? "change places"
                                                 : "are packed before anything is overwritten",
                                " in ", rounds, rounds == 1 ? " round" : " rounds", " through ",
                                program.workspace_bytes, " bytes; below, the first round");
        }
        const std::vector<RedistributionRuns> sent = cut(m_from, parts);
        const std::vector<RedistributionRuns> received = cut(m_to, parts);
        for (const Peer& peer : m_role.sends)
            if (is_packed(peer)) add_packed(program, sent, peer);
        for (const Peer& peer : m_role.receives) add_arriving(program, received, peer);
        return program;
    }

    void add_packed(ExchangeProgram& program, const std::vector<RedistributionRuns>& parts,
                    const Peer& peer) const {
        char* const place = m_sent.of(peer.rank);
        const PackedFields layout = packed(parts, peer);
        for (std::size_t f = 0; f < field_count(); ++f)
            for (std::size_t p = 0; p < parts.size(); ++p)
                add_transfer(program, program.pack, f, Kind::pack,
                             transfer(parts[p], peer, section_end(m_arrays.sources[f]),
                                      end_of(place, layout, p, f)));
        const bool is_message =
            peer.rank != m_role.rank && !m_transports.readers.contains(peer.rank);
        if (is_message && layout.bytes > 0)
            program.sends.push_back({peer.rank, place, layout.bytes});
    }

    void add_arriving(ExchangeProgram& program, const std::vector<RedistributionRuns>& parts,
                      const Peer& peer) const {
        if (peer.rank == m_role.rank)
            return add_moves(program, program.local, parts, peer, m_sent.of(peer.rank));
        const PackedFields layout = packed(parts, peer);
        Incoming incoming;
        incoming.rank = peer.rank;
        incoming.bytes = layout.bytes;
        if (comes_in_message(peer.rank)) {
            char* const place = m_received.of(peer.rank);
            if (layout.bytes == 0) return;
            add_moves(program, incoming.batches, parts, peer, place);
            incoming.message = {peer.rank, place, layout.bytes};
            program.received.push_back(std::move(incoming));
        } else {
            add_moves(program, incoming.batches, parts, peer,
                      m_transports.sources.at(peer.rank).packed);
            program.in_place.push_back(std::move(incoming));
        }
    }

    /// Adds moves from the packed elements at `place`, or from the section if `place` is null.
    void add_moves(ExchangeProgram& program, std::vector<Batch>& batches,
                   const std::vector<RedistributionRuns>& parts, const Peer& peer,
                   const char* place) const {
        const PackedFields layout = packed(parts, peer);
        for (std::size_t f = 0; f < field_count(); ++f)
            for (std::size_t p = 0; p < parts.size(); ++p)
                add_transfer(
                    program, batches, f, Kind::move,
                    transfer(parts[p], peer,
                             place ? end_of(place, layout, p, f) : section_end(m_arrays.sources[f]),
                             section_end(m_arrays.targets[f])));
    }
    MoveTransfer::End end_of(const char* place, const PackedFields& layout, std::size_t part,
                             std::size_t field) const {
        return packed_end(place + layout.begins[part * field_count() + field],
                          m_arrays.sources[field].element_size);
    }

    const Setting& m_setting;
    const RedistributionSchedule& m_schedule;
    const RedistributionRole& m_role;
    const ArraySet& m_arrays;
    bool m_changes_places;
    RedistributionRuns m_from;
    RedistributionRuns m_to;
    bool m_keeps_own = false;
    PartIndex m_parts = one_part;
    ReaderPacks m_sent;
    ReaderPacks m_received; ///< messages, by sender
    PeerTransports m_transports;
    bool m_are_known = false; ///< whether m_transports is set
};

} // namespace

/// Binds arrays such that all elements are packed before any is overwritten: in one round, or for a transposition onto
/// itself (`is_same`: every source is its target) in as many rounds as the buffer requires. Collective.
///
/// Errors: UsageError if buffer_bytes is too small: names the bytes needed; those of TransportSearch::run() (on
///         all ranks)
std::shared_ptr<ExchangeBinding> RedistributionCore::bind_in_place(const NewSet& set,
                                                                   bool is_same) {
    const Rounds::Setting setting{communicator(), m_first.schedule,         m_first.role,
                                  set.arrays,     lines_of(m_first, false), required(),
                                  m_buffer_bytes, oversubscribed()};
    const bool changes_places = is_same && is_involution(schedule());
    Rounds rounds =
        agree_on(communicator(), name(), [&] { return Rounds(setting, changes_places); });
    if (changes_places) rounds.choose();
    rounds.require_room();
    TransportSearch search = agree_on(communicator(), name(), [&] {
        return TransportSearch(state(),
                               {.caller = name(),
                                .sources = receive_peers(),
                                .lines = &setting.lines,
                                .required = required()},
                               rounds.offer());
    });
    agree_on(communicator(), name(), [&] { rounds.set_transports(search.run(set.tags.messages)); });
    rounds.require_room(); // if shared memory has no room, messages need more memory
    return agree_on(communicator(), name(), [&] {
        std::shared_ptr<ExchangeBinding> binding = rounds.bind();
        binding->overwrites_sources = true;
        complete(binding, set.arrays, set.tags);
        return binding;
    });
}

} // namespace distview::impl
