// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/schedule/run_parts.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

/// Element `e` of a run, counted through its repeats, as the first of `length` in `repeats` of them.
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

/// As few runs as a look at neighbours finds.
class RunMaker {
public:
    explicit RunMaker(int peer) : m_peer(peer) {}
    void add(std::int64_t mine, std::int64_t theirs) {
        if (!m_runs.empty()) {
            AxisRun& last = m_runs.back();
            const std::int64_t my_step = mine - last.mine;
            const std::int64_t their_step = theirs - last.theirs;
            const std::int64_t n = last.length;
            if (n == 1 || (my_step == n * last.my_step && their_step == n * last.their_step)) {
                if (n == 1) {
                    last.my_step = my_step;
                    last.their_step = their_step;
                }
                ++last.length;
                return;
            }
        }
        AxisRun run;
        run.peer = m_peer;
        run.mine = mine;
        run.theirs = theirs;
        run.length = 1;
        m_runs.push_back(run);
    }
    std::vector<AxisRun> runs() && { return std::move(m_runs); }

private:
    int m_peer;
    std::vector<AxisRun> m_runs;
};

std::vector<std::vector<AxisRun>> equal_parts(std::span<const AxisRun> runs, std::int64_t parts) {
    const std::int64_t count = count_elements(runs);
    std::vector<std::vector<AxisRun>> result;
    for (std::int64_t k = 0; k < parts; ++k)
        result.push_back(cut_runs(runs, bound(count, parts, k), bound(count, parts, k + 1)));
    return result;
}

} // namespace

std::int64_t count_elements(std::span<const AxisRun> runs) {
    std::int64_t sum = 0;
    for (const AxisRun& run : runs) sum += run.elements();
    return sum;
}

std::vector<AxisRun> cut_runs(std::span<const AxisRun> runs, std::int64_t begin, std::int64_t end) {
    std::vector<AxisRun> result;
    for (const AxisRun& run : runs) {
        std::int64_t at = std::max<std::int64_t>(begin, 0);
        const std::int64_t last = std::min(end, run.elements());
        while (at < last) {
            // Up to the next seam of repeats; from there all whole ones together.
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

std::vector<AxisRun> mirrored(std::span<const AxisRun> runs) {
    std::vector<AxisRun> result(runs.begin(), runs.end());
    for (AxisRun& run : result) {
        std::swap(run.mine, run.theirs);
        std::swap(run.my_step, run.their_step);
        std::swap(run.my_period, run.their_period);
    }
    return result;
}

RedistributionRuns part_of(const RedistributionRuns& runs, int rank, const PartIndex& parts,
                           const PartIndex& part) {
    RedistributionRuns result{.receives = runs.receives, .process = runs.process};
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

AxisOrbits AxisOrbits::of_pair(std::span<const AxisRun> runs, std::int64_t parts) {
    AxisOrbits result{equal_parts(runs, parts), {}};
    for (std::int64_t k = 0; k < parts; ++k) result.partners.push_back(k);
    return result;
}

AxisOrbits AxisOrbits::of_axis(std::span<const AxisRun> runs, std::int64_t parts) {
    const bool all_stay = std::all_of(runs.begin(), runs.end(), [](const AxisRun& run) {
        return run.mine == run.theirs && (run.length == 1 || run.my_step == run.their_step) &&
               (run.repeats == 1 || run.my_period == run.their_period);
    });
    if (all_stay) return of_pair(runs, parts);
    std::vector<std::pair<std::int64_t, std::int64_t>> moves; // from, to
    for (const AxisRun& run : runs)
        for (std::int64_t i = 0; i < run.repeats; ++i)
            for (std::int64_t j = 0; j < run.length; ++j)
                moves.emplace_back(run.theirs + j * run.their_step + i * run.their_period,
                                   run.mine + j * run.my_step + i * run.my_period);
    std::sort(moves.begin(), moves.end());
    const int peer = runs.front().peer;
    std::array<RunMaker, 3> makers{RunMaker(peer), RunMaker(peer), RunMaker(peer)};
    for (const auto& [from, to] : moves) makers[from < to ? 0 : from == to ? 1 : 2].add(to, from);
    AxisOrbits result{{}, {2, 1, 0}};
    for (RunMaker& maker : makers) result.parts.push_back(std::move(maker).runs());
    return result;
}

} // namespace distview::impl
