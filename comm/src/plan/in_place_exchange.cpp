// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of two places change places. Those of two processes do so a part at a time, in steps that all
// processes take together: each packs its part, the other writes it to where its own part was. Those of one
// process are swapped; where a tile's elements stay within the tile, through a buffer.
#include <distview/comm/impl/plan/in_place.hpp>
#include <distview/comm/impl/plan/own_swaps.hpp>
#include <distview/comm/impl/plan/shared_rounds.hpp>
#include <distview/comm/impl/schedule/run_parts.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <map>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";
/// Buffer if no limit was set: enough that steps take longer than agreeing on them, and small enough
/// that what is packed is still in a cache when it is read.
constexpr std::int64_t usual_bytes = std::int64_t{8} << 20;
/// For what a process keeps, most of it.
constexpr std::int64_t usual_own_bytes = std::int64_t{1} << 20;

using Kind = Batch::Kind;
using Peer = RedistributionRole::Peer;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Prepares the steps of one process.
class Exchange {
public:
    explicit Exchange(const InPlaceSetting& setting)
        : m_setting(setting), m_role(setting.role), m_fields(setting.arrays),
          m_rank(setting.schedule.rank()),
          m_limit(setting.buffer_bytes > 0 ? setting.buffer_bytes : usual_bytes),
          m_own(setting, std::min(m_limit / 4, usual_own_bytes)) {
        m_parts.fill(1);
        for (const Peer& peer : m_role.sends)
            if (peer.rank != m_role.rank) m_peers.push_back(peer);
    }

    /// Bytes for parts of every pair that are cut so, sent and received, and the longest part of each axis.
    std::int64_t needed() const {
        std::int64_t bytes = 0;
        for (const Peer& peer : m_peers) bytes += 2 * most_of(peer).bytes;
        return bytes + m_own.bytes();
    }
    /// Bytes that suffice with these parts; a quarter is for the elements that a process keeps.
    std::int64_t sufficient() const {
        constexpr std::int64_t line = 64;
        const std::int64_t for_pairs = needed() - m_own.bytes();
        return std::max(needed(), ceil_div(for_pairs, 3 * line) * 4 * line);
    }
    std::int64_t longest(int d) const {
        std::int64_t result = 0;
        for (const Peer& peer : m_peers) result = std::max(result, part_elements(peer, d));
        return result;
    }
    PartIndex& parts() noexcept { return m_parts; }
    std::int64_t steps() const noexcept {
        std::int64_t product = 1;
        for (const std::int64_t parts : m_parts) product *= parts;
        return product;
    }
    std::int64_t limit() const noexcept { return m_limit; }

    /// To be called once it is known in how many parts.
    OfferedPacks offer() {
        for (const Peer& peer : m_peers) {
            const std::int64_t bytes = most_of(peer).bytes;
            PersistentMessages::require_countable(bytes, name);
            m_places.emplace(peer.rank, m_bytes);
            m_bytes += bytes;
        }
        m_sent = exchange_memory(*m_setting.comm.state(), m_bytes,
                                 m_setting.required != Transport::message);
        OfferedPacks result;
        for (const int reader : m_setting.lines.readers())
            result.packs.push_back(m_sent.get() + m_places.at(reader));
        return result;
    }

    std::shared_ptr<ExchangeBinding> bind(const PeerTransports& transports) {
        const bool receives = std::any_of(m_peers.begin(), m_peers.end(), [&](const Peer& peer) {
            return is_buffered(transports, peer.rank);
        });
        m_received = MessageBuffer(static_cast<std::size_t>(receives ? m_bytes : 0));
        std::shared_ptr<ExchangeBinding> first;
        for (std::int64_t n = 0; n < steps(); ++n) {
            ExchangeProgram step;
            step.sent = m_sent;
            step.packs_for_readers = true;
            step.held.push_back(m_received.memory());
            PartIndex part{};
            std::int64_t rest = n;
            for (std::size_t d = 0; d < static_cast<std::size_t>(m_rank); ++d) {
                part[d] = rest % m_parts[d];
                rest /= m_parts[d];
            }
            add_part(step, transports, part);
            if (n == 0) {
                m_own.prepare(step);
                step.workspace_bytes =
                    static_cast<std::size_t>(m_bytes + m_own.bytes()) + m_received.size();
                step.note = text("\n  in place: elements change places in ", steps(),
                                 steps() == 1 ? " step" : " steps", " through ",
                                 step.workspace_bytes, " bytes; below, the first step");
            }
            auto binding = std::make_shared<ExchangeBinding>(
                ExchangeBinding::Setting{name, m_setting.lines.ready(), m_setting.crowded},
                PeerTransports(transports), std::move(step));
            binding->is_later_round = n > 0;
            if (n == 0)
                first = std::move(binding);
            else
                first->append(std::move(binding));
        }
        return first;
    }

private:
    bool is_leader(const Peer& peer) const { return m_role.rank < peer.rank; }
    const RedistributionRuns& runs_with(const Peer& peer) const {
        return is_leader(peer) ? m_role.runs_from : m_role.runs_to;
    }
    std::int64_t part_elements(const Peer& peer, int d) const {
        const auto runs = m_setting.schedule.runs_with(runs_with(peer), peer.process);
        const auto i = static_cast<std::size_t>(d);
        return ceil_div(count_elements(runs[i]), m_parts[i]);
    }
    PackedFields most_of(const Peer& peer) const {
        std::int64_t elements = 1;
        for (int d = 0; d < m_rank; ++d) elements *= part_elements(peer, d);
        return {elements, m_fields.sources};
    }
    static bool is_buffered(const PeerTransports& transports, int rank) {
        return !transports.sources.contains(rank);
    }

    /// The two of a pair take the list of the one's elements for both ways, so that what is written to a place
    /// comes when what was there has been packed.
    void add_part(ExchangeProgram& step, const PeerTransports& transports,
                  const PartIndex& part) const {
        const RedistributionRuns sent = part_of(m_role.runs_from, m_rank, m_parts, part);
        const RedistributionRuns received = part_of(m_role.runs_to, m_rank, m_parts, part);
        for (const Peer& peer : m_peers) {
            const RedistributionRuns& runs = is_leader(peer) ? sent : received;
            const std::int64_t elements = packed_elements(m_setting.schedule, runs, peer.process);
            const PackedFields packed(elements, m_fields.sources);
            const std::int64_t place = m_places.at(peer.rank);
            const auto source = transports.sources.find(peer.rank);
            const bool is_message = is_buffered(transports, peer.rank);
            const char* const arriving =
                is_message ? m_received.data() + place : source->second.packed;
            Incoming partner;
            partner.rank = peer.rank;
            for (std::size_t f = 0; f < m_fields.sources.size() && elements > 0; ++f) {
                const std::int64_t size = m_fields.sources[f].element_size;
                partner.bytes += elements * size;
                const auto transfer = [&](const char* buffer, bool leaves) {
                    const MoveTransfer::End end = packed_end(buffer + packed.begins[f], size);
                    const MoveTransfer::End section = section_end(m_fields.sources[f]);
                    const MoveTransfer result =
                        is_leader(peer)
                            ? MoveTransfer(m_setting.schedule, runs, peer.process, section, end)
                            : MoveTransfer(m_setting.schedule, runs, peer.process, end, section);
                    return is_leader(peer) == leaves ? result : result.reversed();
                };
                add_transfer(step, step.pack, f, Kind::pack, transfer(m_sent.get() + place, true));
                add_transfer(step, partner.batches, f, Kind::move, transfer(arriving, false));
            }
            if (elements > 0 && !transports.readers.contains(peer.rank))
                step.sends.push_back({{peer.rank, m_sent.get() + place, packed.bytes}, {}});
            if (is_message) {
                if (elements == 0) continue;
                partner.message = {peer.rank, m_received.data() + place, packed.bytes};
                step.received.push_back(std::move(partner));
                continue;
            }
            partner.transport = source->second.transport;
            step.in_place.push_back(std::move(partner));
        }
    }

    const InPlaceSetting& m_setting;
    const RedistributionRole& m_role;
    const ArraySet& m_fields;
    int m_rank;
    std::int64_t m_limit;
    OwnSwaps m_own;
    PartIndex m_parts{};
    std::vector<Peer> m_peers;
    std::map<int, std::int64_t> m_places; ///< in the buffers, by rank
    std::int64_t m_bytes = 0;             ///< of either buffer
    std::shared_ptr<char> m_sent;
    MessageBuffer m_received;
};

/// Cuts what pairs exchange into parts, the same on all ranks, until every rank has room; throws on all of
/// them if that would be too many. Collective.
void choose_parts_of(const InPlaceSetting& setting, Exchange& exchange) {
    const auto at = [&](const PartIndex& parts) -> Exchange& {
        exchange.parts() = parts;
        return exchange;
    };
    exchange.parts() = choose_parts(
        setting.comm, setting.schedule.rank(),
        [&](const PartIndex& parts) { return at(parts).needed() - exchange.limit(); },
        [&](const PartIndex& parts, int d) { return at(parts).longest(d); });
    require_room(setting, exchange.needed() > exchange.limit() ? exchange.sufficient() : 0);
}

} // namespace

std::shared_ptr<ExchangeBinding> bind_exchanging(const InPlaceSetting& setting) {
    std::optional<Exchange> exchange;
    OfferedPacks packs;
    std::exception_ptr failure;
    try {
        exchange.emplace(setting);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(setting.comm, name, failure);
    choose_parts_of(setting, *exchange);
    try {
        packs = exchange->offer();
    } catch (...) {
        failure = std::current_exception();
    }
    agree(setting.comm, name, failure);
    std::shared_ptr<ExchangeBinding> binding;
    try {
        // Sections are not offered: what is in them is overwritten while others may still read.
        PeerTransports transports =
            find_transports(*setting.comm.state(), name, setting.tag, {}, packs,
                            setting.role.receive_ranks(), setting.lines, setting.required);
        binding = exchange->bind(transports);
    } catch (...) {
        failure = std::current_exception();
    }
    agree(setting.comm, name, failure);
    return binding;
}

/// Whether t -> (a(t), b(t)) and t -> (d(t), c(t)) are the same pairs, for slices of one count.
static bool are_inverse(const AxisSlice& a, const AxisSlice& b, const AxisSlice& c,
                        const AxisSlice& d) {
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

bool is_involution(const RedistributionSchedule& schedule) {
    if (!(schedule.from_layout() == schedule.to_layout())) return false;
    for (int p = 0; p < schedule.from_layout().process_count(); ++p)
        if (schedule.from_rank(p) != schedule.to_rank(p)) return false;
    for (int d = 0; d < schedule.rank(); ++d) {
        const int a = schedule.permutation(d);
        // Of labels that were found, no process knows where all of them are.
        if (schedule.axis(d).found() || schedule.permutation(a) != d) return false;
        // Axis d of the target takes axis a of the source, and axis a of the target axis d of the source.
        if (schedule.axis(d).pairs_indices() != schedule.axis(a).pairs_indices()) return false;
        if (!are_inverse(schedule.axis(d).from_slice(), schedule.axis(d).to_slice(),
                         schedule.axis(a).from_slice(), schedule.axis(a).to_slice()))
            return false;
    }
    // Labels that several processes hold, and padding, are read from one place and written to several.
    return schedule.delivered_elements() == schedule.elements();
}

} // namespace distview::impl
