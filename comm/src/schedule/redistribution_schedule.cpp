// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/redistribution_schedule.hpp>

#include "schedule/axis_side.hpp"

#include <distview/comm/impl/schedule/axis_run.hpp>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace distview {

namespace {

using impl::AxisIntersection;
using impl::AxisRun;

/// Number of elements along an axis from (or for) a coordinate of the other grid.
struct Share {
    int coordinate;
    std::int64_t elements;
};

std::vector<Share> shares_of(const std::vector<AxisRun>& runs) {
    std::vector<Share> result;
    for (const AxisRun& run : runs) {
        if (result.empty() || result.back().coordinate != run.peer) result.push_back({run.peer, 0});
        result.back().elements += run.elements();
    }
    return result;
}

std::int64_t share_with(const std::vector<Share>& shares, int coordinate) {
    const auto found =
        std::lower_bound(shares.begin(), shares.end(), coordinate,
                         [](const Share& share, int wanted) { return share.coordinate < wanted; });
    return found != shares.end() && found->coordinate == coordinate ? found->elements : 0;
}

/// Whether elements of a target's axis are also written to places besides their owner's.
bool has_copies(const AxisLayout& axis, bool fill_padding) {
    if (impl::has_shared_indices(axis)) return true;
    return axis.is_block() && fill_padding && !(impl::widest_copies(axis.as_block()) == Widths());
}

void check_process(const ProcessGrid& grid, int process, const char* name) {
    require<UsageError>(process >= 0 && process < grid.size(), [&] {
        return text("RedistributionSchedule: expected a process of the ", name, " in [0, ",
                    grid.size(), "), got ", process);
    });
}

void check_slices(const std::vector<AxisSlice>& slices, int rank, const char* name) {
    require<LayoutError>(slices.empty() || slices.size() == static_cast<std::size_t>(rank), [&] {
        return text("RedistributionSchedule: expected slices of the ", name, "'s ", rank,
                    " axes, got ", slices.size());
    });
}

std::array<int, max_rank> checked_permutation(const std::vector<int>& given, int rank) {
    std::array<int, max_rank> result{};
    std::array<bool, max_rank> is_taken{};
    bool is_valid = given.empty() || given.size() == static_cast<std::size_t>(rank);
    for (std::size_t d = 0; is_valid && d < static_cast<std::size_t>(rank); ++d) {
        result[d] = given.empty() ? static_cast<int>(d) : given[d];
        is_valid =
            result[d] >= 0 && result[d] < rank && !is_taken[static_cast<std::size_t>(result[d])];
        if (is_valid) is_taken[static_cast<std::size_t>(result[d])] = true;
    }
    require<LayoutError>(is_valid, [&] {
        return text("RedistributionSchedule: expected a permutation of ", rank, " axes, got ",
                    tuple_text(given));
    });
    return result;
}

std::vector<int> checked_ranks(const std::vector<int>& given, int processes, const char* name) {
    if (given.empty()) return {};
    std::vector<int> sorted = given;
    std::sort(sorted.begin(), sorted.end());
    require<UsageError>(
        given.size() == static_cast<std::size_t>(processes) && sorted.front() >= 0 &&
            std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
        [&] {
            return text("RedistributionSchedule: expected ", processes, " different ranks for the ",
                        name, "'s processes, got ", tuple_text(given));
        });
    return sorted.back() == processes - 1 && sorted == given ? std::vector<int>() : given;
}

std::string slice_text(const AxisSlice& slice) {
    return text(slice.begin, " to ", slice.begin + (slice.count - 1) * slice.step, " in steps of ",
                slice.step);
}

} // namespace

RedistributionSchedule::RedistributionSchedule(const ArrayLayout& from, const ArrayLayout& to,
                                               const RedistributionOptions& options,
                                               const impl::FoundRuns& found)
    : m_from(from), m_to(to), m_found_wire_elements(found.wire_elements) {
    require<LayoutError>(m_from.rank() == m_to.rank(), [&] {
        return text("RedistributionSchedule: expected a source of ", m_to.rank(),
                    " axes, as many as the target has, got ", m_from.rank());
    });
    m_permutation = checked_permutation(options.permutation, rank());
    check_slices(options.from_slice, rank(), "source");
    check_slices(options.to_slice, rank(), "target");

    m_from_ranks = checked_ranks(options.from_ranks, m_from.process_count(), "source");
    m_to_ranks = checked_ranks(options.to_ranks, m_to.process_count(), "target");
    m_is_identity =
        (found.are_alike ? *found.are_alike : m_from == m_to) && m_from_ranks == m_to_ranks;
    for (int d = 0; d < rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const int from_axis = m_permutation[i];
        AxisIntersection::Side source{m_from.axis(from_axis), {}, from_axis};
        AxisIntersection::Side target{m_to.axis(d), {}, d};
        if (!options.from_slice.empty())
            source.slice = options.from_slice[static_cast<std::size_t>(from_axis)];
        if (!options.to_slice.empty()) target.slice = options.to_slice[i];
        const auto& axis = found.axes[i];
        m_axes[i] = axis ? AxisIntersection(source, target, axis)
                         : AxisIntersection(source, target, options.fill_padding,
                                            options.allow_missing_indices);
        const bool stays = axis ? axis->in_place
                                : m_axes[i].from_slice() == m_axes[i].to_slice() &&
                                      !has_copies(target.layout, options.fill_padding);
        m_is_identity = m_is_identity && from_axis == d && stays;
    }
}

std::vector<RedistributionSchedule> RedistributionSchedule::of_further_copies() const {
    std::array<std::vector<AxisIntersection>, max_rank> copies;
    const auto axes = static_cast<std::size_t>(rank());
    for (std::size_t d = 0; d < axes; ++d) {
        const int most = m_axes[d].most_copies();
        for (int number = 0; number < most; ++number)
            copies[d].push_back(number == 0 ? m_axes[d] : m_axes[d].of_copy(number));
    }
    std::vector<RedistributionSchedule> result;
    std::array<std::size_t, max_rank> choice{};
    while (impl::next_choice(choice, axes, [&](std::size_t d) { return copies[d].size(); })) {
        RedistributionSchedule& schedule = result.emplace_back(*this);
        schedule.m_is_identity = false;
        for (std::size_t d = 0; d < axes; ++d) schedule.m_axes[d] = copies[d][choice[d]];
    }
    return result;
}

std::int64_t RedistributionSchedule::elements() const noexcept {
    // If one count is 0, the product of the others may not fit.
    for (int d = 0; d < rank(); ++d)
        if (axis(d).count() == 0) return 0;
    std::int64_t count = 1;
    for (int d = 0; d < rank(); ++d) count *= axis(d).count();
    return count;
}

std::int64_t RedistributionSchedule::delivered_elements() const {
    if (elements() == 0) return 0;
    std::int64_t product = 1;
    for (int d = 0; d < rank(); ++d) {
        std::int64_t sum = 0;
        if (axis(d).found())
            sum = axis(d).found()->delivered;
        else
            for (int p = 0; p < m_to.grid().extent(d); ++p)
                sum += impl::count_elements(axis(d).runs_to(p));
        product *= sum;
    }
    return product;
}

int RedistributionSchedule::process_of(const std::vector<int>& ranks, int processes,
                                       int rank) noexcept {
    if (ranks.empty()) return rank >= 0 && rank < processes ? rank : -1;
    const auto found = std::find(ranks.begin(), ranks.end(), rank);
    return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

std::int64_t RedistributionSchedule::local_elements(int rank) const {
    const int from = from_process(rank);
    const int to = to_process(rank);
    require<UsageError>(from >= 0 || to >= 0, [&] {
        return text(
            "RedistributionSchedule: expected a rank that is a process of the source or the "
            "target, got ",
            rank);
    });
    if (from < 0 || to < 0) return 0;
    const RedistributionRuns runs = runs_to(to);
    const PeerRuns own = runs_with(runs, from);
    std::int64_t product = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(m_to.rank()); ++d)
        product *= impl::count_elements(own[d]);
    return product;
}

std::int64_t RedistributionSchedule::wire_elements() const {
    if (elements() == 0) return 0;
    if (m_found_wire_elements) return *m_found_wire_elements;
    std::array<std::vector<std::vector<Share>>, max_rank> shares;
    std::int64_t delivered = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d) {
        std::int64_t sum = 0;
        for (int p = 0; p < m_to.grid().extent(static_cast<int>(d)); ++p) {
            shares[d].push_back(shares_of(m_axes[d].runs_to(p)));
            for (const Share& share : shares[d].back()) sum += share.elements;
        }
        delivered *= sum;
    }
    std::int64_t local = 0;
    std::map<int, int> targets; // by rank
    for (int process = 0; process < m_to.process_count(); ++process)
        targets[to_rank(process)] = process;
    for (int from_process = 0; from_process < m_from.process_count(); ++from_process) {
        const auto target = targets.find(from_rank(from_process));
        if (target == targets.end()) continue;
        const int to_process = target->second;
        const GridCoordinates to = m_to.coordinates(to_process);
        const GridCoordinates from = m_from.coordinates(from_process);
        std::int64_t product = 1;
        for (std::size_t d = 0; d < static_cast<std::size_t>(rank()) && product > 0; ++d)
            product *= share_with(shares[d][static_cast<std::size_t>(to[d])],
                                  from[static_cast<std::size_t>(m_permutation[d])]);
        local += product;
    }
    return delivered - local;
}

bool RedistributionSchedule::is_identity() const noexcept {
    return m_is_identity || elements() == 0;
}

RedistributionRuns RedistributionSchedule::runs_to(int to_process) const {
    check_process(m_to.grid(), to_process, "target");
    RedistributionRuns runs{.receives = true};
    const GridCoordinates at = m_to.coordinates(to_process);
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d)
        runs.axes[d] = m_axes[d].runs_to(at[d]);
    return runs;
}

RedistributionRuns RedistributionSchedule::runs_from(int from_process) const {
    check_process(m_from.grid(), from_process, "source");
    RedistributionRuns runs{.receives = false};
    const GridCoordinates at = m_from.coordinates(from_process);
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d)
        runs.axes[d] = m_axes[d].runs_from(at[static_cast<std::size_t>(m_permutation[d])]);
    return runs;
}

std::vector<RedistributionSchedule::Message>
RedistributionSchedule::messages(const RedistributionRuns& runs) const {
    // By axis of the peer's grid, so that its processes are listed in order.
    const ProcessGrid& grid = runs.receives ? m_from.grid() : m_to.grid();
    std::array<std::vector<Share>, max_rank> shares;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d) {
        const auto a = runs.receives ? static_cast<std::size_t>(m_permutation[d]) : d;
        shares[a] = shares_of(runs.axes[d]);
    }
    std::vector<Message> result{{0, 1}};
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank()); ++a) {
        std::vector<Message> longer;
        longer.reserve(result.size() * shares[a].size());
        for (const Message& message : result)
            for (const Share& share : shares[a])
                longer.push_back(
                    {message.peer * grid.extent(static_cast<int>(a)) + share.coordinate,
                     message.elements * share.elements});
        result = std::move(longer);
    }
    return result;
}

RedistributionSchedule::PeerRuns RedistributionSchedule::runs_with(const RedistributionRuns& runs,
                                                                   int peer) const {
    const ProcessGrid& grid = runs.receives ? m_from.grid() : m_to.grid();
    check_process(grid, peer, runs.receives ? "source" : "target");
    const GridCoordinates at = grid.coordinates(peer);
    PeerRuns result{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d) {
        const auto a = runs.receives ? static_cast<std::size_t>(m_permutation[d]) : d;
        const std::vector<AxisRun>& all = runs.axes[d];
        const auto begin = std::partition_point(
            all.begin(), all.end(), [&](const AxisRun& run) { return run.peer < at[a]; });
        const auto end = std::partition_point(
            begin, all.end(), [&](const AxisRun& run) { return run.peer == at[a]; });
        result[d] = std::span(begin, end);
    }
    return result;
}

RedistributionPiece
RedistributionSchedule::make_piece(bool receives, const PeerRuns& factors,
                                   const std::array<std::size_t, max_rank>& choice) const {
    RedistributionPiece piece;
    piece.length.fill(1);
    piece.repeats.fill(1);
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d) {
        const AxisRun& run = factors[d][choice[d]];
        const auto a = static_cast<std::size_t>(m_permutation[d]);
        piece.to_begin[d] = LocalIndex(receives ? run.mine : run.theirs);
        piece.to_step[d] = receives ? run.my_step : run.their_step;
        piece.to_period[d] = receives ? run.my_period : run.their_period;
        piece.from_begin[a] = LocalIndex(receives ? run.theirs : run.mine);
        piece.from_step[a] = receives ? run.their_step : run.my_step;
        piece.from_period[a] = receives ? run.their_period : run.my_period;
        piece.length[d] = run.length;
        piece.repeats[d] = run.repeats;
        piece.elements *= run.elements();
    }
    return piece;
}

std::string RedistributionSchedule::describe() const {
    std::ostringstream result;
    result << elements() << " elements from " << m_from.grid().describe() << " to "
           << m_to.grid().describe() << " processes";
    if (is_identity()) {
        result << ", all in place";
        return result.str();
    }
    const std::int64_t delivered = delivered_elements();
    if (delivered != elements()) result << ", to " << delivered << " places";
    result << ", " << wire_elements() << " of them for other processes";
    for (int d = 0; d < rank(); ++d) {
        const AxisSlice from = axis(d).from_slice();
        const AxisSlice to = axis(d).to_slice();
        const std::int64_t count = axis(d).count();
        result << "\n  axis " << d << " from axis " << permutation(d) << ": " << count
               << (count == 1 ? " cell" : " cells");
        if (axis(d).pairs_indices()) {
            result << " of equal index";
            continue;
        }
        if (to.count == m_to.extent(d) && from == AxisSlice{0, to.count, 1} && from == to) continue;
        result << ", " << slice_text(from) << " become " << slice_text(to);
    }
    return result.str();
}

} // namespace distview
