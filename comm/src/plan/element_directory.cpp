// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/element_directory.hpp"

#include "plan/label_ranges.hpp"
#include "schedule/axis_run_list.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/call_line.hpp>
#include <distview/comm/impl/mpi/sparse_exchange.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <tuple>

namespace distview::impl {

namespace {

enum class Side : std::int32_t { source, target };

/// Message of a process to the directory of an element.
struct Told {
    ElementPlace place;
    std::int32_t coordinate;
    Side side;
};

struct Registered {
    Told told;
    int rank;
};

auto order_of(const Registered& entry) {
    const Told& told = entry.told;
    return std::tie(told.place.element, told.side, told.coordinate, told.place.mirror,
                    told.place.local, entry.rank);
}

bool same_place(const Registered& a, const Registered& b) {
    return a.told.coordinate == b.told.coordinate && a.told.place.mirror == b.told.place.mirror &&
           a.told.place.local == b.told.place.local;
}

/// Answer to a process: one run of one element, seen from `side`.
struct Match {
    std::int64_t element;
    std::int64_t mirror;
    std::int64_t mine;
    std::int64_t theirs;
    std::int32_t peer;
    std::int32_t copy; ///< number of the source's holder, among those of the element
    Side side;
    int rank; ///< receiver of the answer
};

/// Holders of the elements in this rank's range.
class ElementDirectory {
public:
    void add(int rank, const Told& told) { m_entries.push_back({told, rank}); }

    /// Answers to all holders, element by element.
    std::vector<Match> matches() {
        std::sort(m_entries.begin(), m_entries.end(), [](const Registered& a, const Registered& b) {
            return order_of(a) < order_of(b);
        });
        std::vector<Match> result;
        for (std::size_t i = 0; i < m_entries.size();) {
            const std::size_t begin = i;
            const std::int64_t element = m_entries[i].told.place.element;
            while (i < m_entries.size() && m_entries[i].told.place.element == element) ++i;
            match(std::span(m_entries).subspan(begin, i - begin), result);
        }
        return result;
    }
    /// Number of elements that both sides have.
    std::int64_t matched() const { return m_matched; }
    /// Number of elements written; processes with the same coordinate count once.
    std::int64_t delivered() const { return m_delivered; }
    /// Number of elements of the target that the source does not have.
    std::int64_t missing() const { return m_missing; }
    std::int64_t lowest_missing() const { return m_lowest_missing; }
    std::int32_t most_copies() const { return m_most_copies; }

private:
    using Entries = std::span<const Registered>;

    /// Matches the holders of one element, sources before targets.
    void match(Entries entries, std::vector<Match>& result) {
        const auto middle =
            std::partition_point(entries.begin(), entries.end(), [](const Registered& entry) {
                return entry.told.side == Side::source;
            });
        if (middle == entries.end()) return;
        if (middle == entries.begin()) {
            if (m_missing++ == 0) m_lowest_missing = entries.front().told.place.element;
            return;
        }
        ++m_matched;
        std::int32_t copy = 0;
        for (auto source = entries.begin(); source != middle; ++copy) {
            // Processes with one coordinate, which all have the element at the same place.
            const auto end = std::find_if_not(source, middle, [&](const Registered& entry) {
                return same_place(entry, *source);
            });
            match(copy, {source, end}, {middle, entries.end()}, result);
            source = end;
        }
        m_most_copies = std::max(m_most_copies, copy);
    }
    void match(std::int32_t copy, Entries sources, Entries targets, std::vector<Match>& result) {
        const Told& source = sources.front().told;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            const Told& told = targets[i].told;
            const std::int64_t mirror = source.place.mirror + told.place.mirror;
            const std::int64_t from = source.place.local;
            const std::int64_t to = told.place.local;
            result.push_back({told.place.element, mirror, to, from, source.coordinate, copy,
                              Side::target, targets[i].rank});
            if (i > 0 && same_place(targets[i], targets[i - 1])) continue;
            if (copy == 0) ++m_delivered;
            for (const Registered& reader : sources)
                result.push_back({told.place.element, mirror, from, to, told.coordinate, copy,
                                  Side::source, reader.rank});
        }
    }

    std::vector<Registered> m_entries;
    std::int64_t m_matched = 0;
    std::int64_t m_delivered = 0;
    std::int64_t m_missing = 0;
    std::int64_t m_lowest_missing = 0;
    std::int32_t m_most_copies = 1;
};

/// Whether this process receives only elements that it already has in place.
bool is_in_place(const FoundAxis& found) {
    if (found.to.empty()) return true;
    const std::vector<AxisRun>& runs = found.to.front();
    return std::all_of(runs.begin(), runs.end(), [&](const AxisRun& run) {
        return run.peer == found.from_coordinate && run.peer == found.to_coordinate &&
               run.mine == run.theirs && run.my_step == run.their_step;
    });
}

/// Totals over all ranks. Collective.
MatchedElements summed_up(const Communicator& comm, const std::shared_ptr<FoundAxis>& found,
                          const ElementDirectory& directory) {
    std::array<std::int64_t, 3> sums{directory.matched(), directory.delivered(),
                                     directory.missing()};
    std::array<std::int64_t, 3> least{directory.missing() > 0
                                          ? directory.lowest_missing()
                                          : std::numeric_limits<std::int64_t>::max(),
                                      -directory.most_copies(), is_in_place(*found) ? 1 : 0};
    all_reduce(comm, ReduceOperation::sum, std::span<std::int64_t>(sums));
    all_reduce(comm, ReduceOperation::min, std::span<std::int64_t>(least));
    found->count = sums[0];
    found->delivered = sums[1];
    found->most_copies = static_cast<int>(-least[1]);
    found->in_place = least[2] == 1 && found->delivered == found->count;
    return {found, sums[2], least[0]};
}

/// Appends own places and returns their coordinate.
int append(std::vector<Told>& all, const OwnPlaces& own, Side side) {
    all.reserve(all.size() + own.places.size());
    for (const ElementPlace& place : own.places) all.push_back({place, own.coordinate, side});
    return own.coordinate;
}

} // namespace

MatchedElements match_elements(const Communicator& comm, const std::function<OwnPlaces()>& from,
                               const std::function<OwnPlaces()>& to, std::int64_t count) {
    std::shared_ptr<FoundAxis> found;
    std::vector<Told> told;
    std::vector<std::int64_t> elements;
    agree_on(comm, plan_names::redistribution, [&] {
        found = std::make_shared<FoundAxis>();
        found->from_coordinate = append(told, from(), Side::source);
        found->to_coordinate = append(told, to(), Side::target);
        std::sort(told.begin(), told.end(),
                  [](const Told& a, const Told& b) { return a.place.element < b.place.element; });
        elements.reserve(told.size());
        for (const Told& t : told) elements.push_back(t.place.element);
    });
    const LabelRanges ranges(comm, elements, count);
    elements = {};
    ElementDirectory directory;
    exchange_records<Told>(
        comm, plan_names::redistribution,
        [&] {
            return parcels_of(told, [&](const Told& t) { return ranges.rank_of(t.place.element); });
        },
        [&](int rank, const Told& t) { directory.add(rank, t); });
    std::vector<Match> matches;
    const auto reply = [&] {
        told = {};
        matches = directory.matches();
        return parcels_by_rank(matches);
    };
    std::vector<AxisRunList> from_lists; // by copy
    std::vector<AxisRunList> to_lists;
    exchange_records<Match>(comm, plan_names::redistribution, reply, [&](int, const Match& match) {
        std::vector<AxisRunList>& lists = match.side == Side::source ? from_lists : to_lists;
        const auto copy = static_cast<std::size_t>(match.copy);
        if (copy >= lists.size()) lists.resize(copy + 1);
        const AxisRun run{
            .peer = match.peer, .mine = match.mine, .theirs = match.theirs, .length = 1};
        lists[copy].add({run, match.mirror, match.element});
    });
    agree_on(comm, plan_names::redistribution, [&] {
        for (AxisRunList& list : from_lists) found->from.push_back(list.finish());
        for (AxisRunList& list : to_lists) found->to.push_back(list.finish());
    });
    return summed_up(comm, found, directory);
}

} // namespace distview::impl
