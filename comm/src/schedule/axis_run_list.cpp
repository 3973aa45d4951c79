// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule/axis_run_list.hpp"

#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace distview::impl {

namespace {

struct Steps {
    std::int64_t mine;
    std::int64_t theirs;
    friend bool operator==(const Steps&, const Steps&) = default;
};

/// Steps from the first element of one run to the first element of another.
Steps distance(const AxisRun& a, const AxisRun& b) {
    return {b.mine - a.mine, b.theirs - a.theirs};
}

bool repeat_alike(const AxisRun& a, const AxisRun& b) {
    return a.repeats == b.repeats && a.my_period == b.my_period && a.their_period == b.their_period;
}

/// Appends b to a if b continues a.
bool extend(AxisRun& a, const AxisRun& b) {
    if (!repeat_alike(a, b) || (a.length == 1 && b.length == 1)) return false;
    const AxisRun& longer = a.length > 1 ? a : b;
    const Steps steps{longer.my_step, longer.their_step};
    if (b.length > 1 && Steps{b.my_step, b.their_step} != steps) return false;
    if (distance(a, b) != Steps{a.length * steps.mine, a.length * steps.theirs}) return false;
    a.length += b.length;
    a.my_step = steps.mine;
    a.their_step = steps.theirs;
    return true;
}

/// The number of equally spaced single elements from the first one on; 1 if merging gains
/// nothing. Of two distant elements, the second may begin a longer run.
std::size_t equally_spaced(std::span<const AxisRun> runs) {
    const auto is_single = [&](std::size_t i) {
        return i < runs.size() && runs[i].length == 1 && repeat_alike(runs[0], runs[i]);
    };
    if (!is_single(0) || !is_single(1)) return 1;
    const Steps steps = distance(runs[0], runs[1]);
    std::size_t count = 2;
    while (is_single(count) && distance(runs[count - 1], runs[count]) == steps) ++count;
    const bool are_neighbours = std::abs(steps.mine) == 1 && std::abs(steps.theirs) == 1;
    return count > 2 || are_neighbours || runs.size() == 2 ? count : 1;
}

/// Merges runs with their successors, in place; returns the number of runs left.
std::size_t merge(std::span<AxisRun> runs) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < runs.size();) {
        if (kept > 0 && extend(runs[kept - 1], runs[i])) {
            ++i;
            continue;
        }
        const std::size_t count = equally_spaced(runs.subspan(i));
        AxisRun run = runs[i];
        if (count > 1) {
            const Steps steps = distance(runs[i], runs[i + 1]);
            run.length = static_cast<std::int64_t>(count);
            run.my_step = steps.mine;
            run.their_step = steps.theirs;
        }
        runs[kept++] = run;
        i += count;
    }
    return kept;
}

/// Turns repeats into one longer run if they are equally spaced.
void collapse(AxisRun& run) {
    if (run.length == 1) {
        run.my_step = run.my_period;
        run.their_step = run.their_period;
    }
    if (run.my_period != run.length * run.my_step ||
        run.their_period != run.length * run.their_step)
        return;
    run.length *= run.repeats;
    run.repeats = 1;
    run.my_period = run.their_period = 0;
}

} // namespace

AxisRunList::Sorted AxisRunList::sort() {
    const auto place = [](const Found& f) { return std::tuple(f.run.peer, f.mirror, f.element); };
    std::sort(m_found.begin(), m_found.end(),
              [&](const Found& a, const Found& b) { return place(a) < place(b); });
    Sorted sorted;
    sorted.runs.reserve(m_found.size());
    for (std::size_t i = 0; i < m_found.size(); ++i) {
        sorted.runs.push_back(m_found[i].run);
        if (i + 1 == m_found.size() || m_found[i].run.peer != m_found[i + 1].run.peer ||
            m_found[i].mirror != m_found[i + 1].mirror)
            sorted.ends.push_back(i + 1);
    }
    return sorted;
}

/// Sorts runs that are in order except for their peers.
AxisRunList::Sorted AxisRunList::deal_out() const {
    std::vector<std::size_t> ends(static_cast<std::size_t>(m_most_peer) + 2, 0);
    for (const Found& found : m_found) ++ends[static_cast<std::size_t>(found.run.peer) + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Sorted sorted;
    sorted.runs.resize(m_found.size());
    for (const Found& found : m_found)
        sorted.runs[ends[static_cast<std::size_t>(found.run.peer)]++] = found.run;
    ends.pop_back();
    sorted.ends = std::move(ends);
    return sorted;
}

std::vector<AxisRun> AxisRunList::finish() {
    const bool has_few_peers = static_cast<std::size_t>(m_most_peer + 1) <= m_found.size();
    auto [runs, ends] = m_in_order && has_few_peers ? deal_out() : sort();
    m_found = {};
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        std::span part = std::span(runs).subspan(begin, end - begin);
        begin = end;
        // Merges runs within one period first: the repeats of a run must stay together.
        part = part.first(merge(part));
        for (AxisRun& run : part)
            if (run.repeats > 1) collapse(run);
        part = part.first(merge(part));
        for (AxisRun& run : part)
            if (run.length == 1) run.my_step = run.their_step = 1;
        if (part.data() != runs.data() + kept)
            std::copy(part.begin(), part.end(), runs.begin() + static_cast<std::ptrdiff_t>(kept));
        kept += part.size();
    }
    runs.resize(kept);
    return runs;
}

} // namespace distview::impl
