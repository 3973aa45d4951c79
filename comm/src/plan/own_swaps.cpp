// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/own_swaps.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

/// Tiles of a section: each takes some hundred bytes to describe.
constexpr std::int64_t most_tiles = 4096;

using Kind = Batch::Kind;

std::int64_t longest_part(const AxisOrbits& axis, bool closed_only) {
    std::int64_t result = 0;
    for (std::size_t k = 0; k < axis.parts.size(); ++k)
        if (!closed_only || axis.partners[k] == static_cast<std::int64_t>(k))
            result = std::max(result, count_elements(axis.parts[k]));
    return result;
}

} // namespace

OwnSwaps::OwnSwaps(const InPlaceSetting& setting, std::int64_t wanted)
    : m_setting(setting), m_rank(setting.schedule.rank()) {
    for (const RedistributionRole::Peer& peer : setting.role.receives)
        if (peer.rank == setting.role.rank) m_process = peer.process;
    if (m_process < 0) return;
    std::int64_t parts[max_rank];
    std::fill(parts, parts + max_rank, 1);
    for (;;) {
        cut(parts);
        if (closed_tile_bytes() <= wanted) break;
        // The axis with the longest parts of those that can be cut.
        int longest = -1;
        std::int64_t most = 1;
        for (int d = 0; d < m_rank; ++d) {
            const AxisOrbits& axis = m_axes[static_cast<std::size_t>(d)];
            const bool can_be_cut = axis.partners.size() != 3 || axis.partners[0] == 0;
            if (can_be_cut && longest_part(axis, true) > most) {
                longest = d;
                most = longest_part(axis, true);
            }
        }
        if (longest < 0) break;
        const int other = setting.schedule.permutation(longest);
        if (tile_count() * (other == longest ? 2 : 4) > most_tiles) break;
        parts[longest] *= 2;
        if (other != longest) parts[other] *= 2;
    }
    m_bytes = closed_tile_bytes();
    // Several tiles at a time give several threads something to do.
    constexpr std::int64_t line = 64;
    m_bytes = std::max(m_bytes, std::min(wanted / line * line, m_bytes * tile_count()));
}

void OwnSwaps::cut(std::int64_t parts_of_axis[]) {
    const auto runs = m_setting.schedule.runs_with(m_setting.role.runs_to, m_process);
    m_axes.assign(static_cast<std::size_t>(m_rank), {});
    for (int d = 0; d < m_rank; ++d) {
        const int a = m_setting.schedule.permutation(d);
        const auto i = static_cast<std::size_t>(d);
        if (a == d)
            m_axes[i] = AxisOrbits::of_axis(runs[i], parts_of_axis[d]);
        else if (d < a)
            m_axes[i] = AxisOrbits::of_pair(runs[i], parts_of_axis[d]);
        else // so that parts of the two axes are each other's places
            m_axes[i] =
                AxisOrbits::of_pair(mirrored(runs[static_cast<std::size_t>(a)]), parts_of_axis[d]);
    }
    if (m_rank == 0) m_axes.push_back({{{}}, {0}}); // one tile of one element
}

std::int64_t OwnSwaps::tile_count() const {
    std::int64_t product = 1;
    for (const AxisOrbits& axis : m_axes) product *= static_cast<std::int64_t>(axis.parts.size());
    return product;
}

/// Of the largest tile whose elements stay in it.
std::int64_t OwnSwaps::closed_tile_bytes() const {
    std::int64_t elements = 1;
    for (int d = 0; d < m_rank; ++d)
        elements *= longest_part(m_axes[static_cast<std::size_t>(d)], true);
    return PackedFields(elements, m_setting.arrays.sources).bytes;
}

PartIndex OwnSwaps::partner_of(const PartIndex& tile) const {
    PartIndex result{};
    for (int d = 0; d < m_rank; ++d) {
        const auto i = static_cast<std::size_t>(d);
        const auto a = static_cast<std::size_t>(m_setting.schedule.permutation(d));
        result[i] = m_axes[a].partners[static_cast<std::size_t>(tile[a])];
    }
    return result;
}

RedistributionRuns OwnSwaps::runs_of(const PartIndex& tile) const {
    RedistributionRuns runs{.receives = true, .process = m_setting.role.runs_to.process};
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_rank); ++d) {
        runs.axes[d] = m_axes[d].parts[static_cast<std::size_t>(tile[d])];
        // A mirrored list names another axis' coordinate.
        const auto at = m_setting.schedule.from_layout().coordinates(m_process);
        for (AxisRun& run : runs.axes[d])
            run.peer =
                at[static_cast<std::size_t>(m_setting.schedule.permutation(static_cast<int>(d)))];
    }
    return runs;
}

MoveTransfer OwnSwaps::transfer(const RedistributionRuns& runs, const MoveTransfer::End& from,
                                const MoveTransfer::End& to) const {
    return {m_setting.schedule, runs, m_process, from, to};
}

void OwnSwaps::prepare(ExchangeProgram& step) const {
    if (m_process < 0) return;
    const MessageBuffer buffer(static_cast<std::size_t>(m_bytes));
    step.held.push_back(buffer.memory());
    std::vector<PartIndex> swapped;
    std::vector<PartIndex> closed;
    for (std::int64_t n = 0; n < tile_count(); ++n) {
        PartIndex tile{};
        std::int64_t rest = n;
        for (std::size_t d = 0; d < static_cast<std::size_t>(m_rank); ++d) {
            const auto count = static_cast<std::int64_t>(m_axes[d].parts.size());
            tile[d] = rest % count;
            rest /= count;
        }
        const PartIndex partner = partner_of(tile);
        if (tile < partner) swapped.push_back(tile);
        if (tile == partner) closed.push_back(tile);
    }
    const auto& fields = m_setting.arrays;
    for (std::size_t f = 0; f < fields.sources.size(); ++f) {
        const MoveTransfer::End section = section_end(fields.sources[f]);
        for (const PartIndex& tile : swapped)
            add_transfer(step, step.local, f, Kind::swap,
                         transfer(runs_of(tile), section, section));
        // As many as the buffer holds are packed, then written.
        for (std::size_t first = 0; first < closed.size();) {
            std::vector<std::pair<RedistributionRuns, MoveTransfer::End>> group;
            std::int64_t at = 0;
            for (; first < closed.size(); ++first) {
                RedistributionRuns runs = runs_of(closed[first]);
                const std::int64_t elements = packed_elements(m_setting.schedule, runs, m_process);
                const std::int64_t bytes =
                    PackedFields(elements, fields.sources.subspan(f, 1)).bytes;
                if (at + bytes > m_bytes) break;
                const MoveTransfer::End end =
                    packed_end(buffer.data() + at, fields.sources[f].element_size);
                if (MoveTransfer to_itself = transfer(runs, section, section);
                    to_itself.is_fixed()) {
                    add_transfer(step, step.local, f, Kind::move, std::move(to_itself));
                    continue;
                }
                add_transfer(step, step.local, f, Kind::pack, transfer(runs, section, end));
                group.emplace_back(std::move(runs), end);
                at += bytes;
            }
            for (const auto& [runs, end] : group)
                add_transfer(step, step.local, f, Kind::move, transfer(runs, end, section));
        }
    }
}

} // namespace distview::impl
