// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/schedule/redistribution_role.hpp>

#include <algorithm>
#include <cstddef>

namespace distview::impl {

namespace {

/// Part of a run from element `e` on, counted through its repeats: `length` elements of `repeats` repeats.
AxisRun piece_of(const AxisRun& run, std::int64_t e, std::int64_t length, std::int64_t repeats) {
    AxisRun piece = run;
    const std::int64_t repeat = e / run.length;
    const std::int64_t element = e % run.length;
    piece.mine += repeat * run.my_period + element * run.my_step;
    piece.theirs += repeat * run.their_period + element * run.their_step;
    piece.length = length;
    piece.repeats = repeats;
    if (repeats == 1) piece.my_period = piece.their_period = 0;
    return piece;
}

std::int64_t bound(std::int64_t count, std::int64_t parts, std::int64_t part) {
    return count / parts * part + count % parts * part / parts;
}

/// Elements [begin, end) of a list of runs.
std::vector<AxisRun> cut_runs(std::span<const AxisRun> runs, std::int64_t begin, std::int64_t end) {
    std::vector<AxisRun> result;
    for (const AxisRun& run : runs) {
        std::int64_t at = std::max<std::int64_t>(begin, 0);
        const std::int64_t last = std::min(end, run.elements());
        while (at < last) {
            // Up to the next end of a repeat; from there, all whole repeats together.
            const std::int64_t to_seam = run.length - at % run.length;
            const std::int64_t whole = (last - at) / run.length;
            if (to_seam == run.length && whole > 0) {
                result.push_back(piece_of(run, at, run.length, whole));
                at += whole * run.length;
            } else {
                const std::int64_t length = std::min(to_seam, last - at);
                result.push_back(piece_of(run, at, length, 1));
                at += length;
            }
        }
        begin -= run.elements();
        end -= run.elements();
        if (end <= 0) break;
    }
    return result;
}

} // namespace

std::int64_t packed_elements(const RedistributionSchedule& schedule, const RedistributionRuns& runs,
                             int peer, const PartIndex& parts) {
    const auto with_peer = schedule.runs_with(runs, peer);
    std::int64_t product = 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(schedule.rank()); ++d)
        product *= part_length(with_peer[d], parts[d]);
    return product;
}

RedistributionRuns part_of(const RedistributionRuns& runs, int rank, const PartIndex& parts,
                           const PartIndex& part) {
    RedistributionRuns result{.receives = runs.receives};
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        const std::vector<AxisRun>& all = runs.axes[d];
        for (std::size_t begin = 0; begin < all.size();) {
            std::size_t end = begin;
            while (end < all.size() && all[end].peer == all[begin].peer) ++end;
            const std::span of_peer(all.data() + begin, end - begin);
            const std::int64_t count = count_elements(of_peer);
            const std::vector<AxisRun> some = cut_runs(of_peer, bound(count, parts[d], part[d]),
                                                       bound(count, parts[d], part[d] + 1));
            result.axes[d].insert(result.axes[d].end(), some.begin(), some.end());
            begin = end;
        }
    }
    return result;
}

} // namespace distview::impl
