// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element_directory.hpp"

#include "axis_run_list.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/sparse_exchange.hpp>

#include <algorithm>
#include <exception>
#include <span>
#include <tuple>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";

enum class Side : std::int32_t { source, target };

/// What a process tells.
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

/// What it is told: one run of one element, seen from `side`.
struct Match {
    std::int64_t element;
    std::int64_t mirror;
    std::int64_t mine;
    std::int64_t theirs;
    std::int32_t peer;
    Side side;
    int rank; ///< the process that is told
};

/// What all processes have of the elements that this rank looks after.
class ElementDirectory {
public:
    void add(int rank, const Told& told) { m_entries.push_back({told, rank}); }

    /// What to tell whom.
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
    /// Elements written, each process of a coordinate counted once.
    std::int64_t delivered() const { return m_delivered; }

private:
    /// Of one element, sources before targets.
    void match(std::span<const Registered> entries, std::vector<Match>& result) {
        const auto middle =
            std::partition_point(entries.begin(), entries.end(), [](const Registered& entry) {
                return entry.told.side == Side::source;
            });
        // Processes of the lowest coordinate that has it; all have it at the same place.
        const Registered& source = entries.front();
        const auto sources_end =
            std::find_if_not(entries.begin(), middle,
                             [&](const Registered& entry) { return same_place(entry, source); });
        for (auto target = middle; target != entries.end(); ++target) {
            const std::int64_t mirror = source.told.place.mirror + target->told.place.mirror;
            const std::int64_t from = source.told.place.local;
            const std::int64_t to = target->told.place.local;
            const Told& told = target->told;
            result.push_back({told.place.element, mirror, to, from, source.told.coordinate,
                              Side::target, target->rank});
            if (target != middle && same_place(*target, *(target - 1))) continue;
            ++m_delivered;
            for (auto reader = entries.begin(); reader != sources_end; ++reader)
                result.push_back({told.place.element, mirror, from, to, told.coordinate,
                                  Side::source, reader->rank});
        }
    }

    std::vector<Registered> m_entries;
    std::int64_t m_delivered = 0;
};

/// Whether this process receives what it has, where it has it.
bool is_in_place(const FoundAxis& found) {
    return std::all_of(found.to.begin(), found.to.end(), [&](const AxisRun& run) {
        return run.peer == found.from_coordinate && run.peer == found.to_coordinate &&
               run.mine == run.theirs && run.my_step == run.their_step;
    });
}

/// Returns whose they are.
int append(std::vector<Told>& all, const OwnPlaces& own, Side side) {
    all.reserve(all.size() + own.places.size());
    for (const ElementPlace& place : own.places) all.push_back({place, own.coordinate, side});
    return own.coordinate;
}

} // namespace

std::shared_ptr<const FoundAxis> match_elements(const Communicator& comm, std::int64_t count,
                                                const std::function<OwnPlaces()>& from,
                                                const std::function<OwnPlaces()>& to) {
    // A rank looks after so many.
    const std::int64_t share = std::max<std::int64_t>(1, count / comm.size() + 1);
    std::shared_ptr<FoundAxis> found;
    std::vector<Told> told;
    const auto tell = [&] {
        found = std::make_shared<FoundAxis>();
        found->from_coordinate = append(told, from(), Side::source);
        found->to_coordinate = append(told, to(), Side::target);
        std::sort(told.begin(), told.end(),
                  [](const Told& a, const Told& b) { return a.place.element < b.place.element; });
        return parcels_of(told,
                          [&](const Told& t) { return static_cast<int>(t.place.element / share); });
    };
    ElementDirectory directory;
    std::exception_ptr failure = exchange_records<Told>(
        comm, name, tell, [&](int rank, const Told& t) { directory.add(rank, t); });
    std::vector<Match> matches;
    const auto reply = [&] {
        if (failure) std::rethrow_exception(failure);
        told = {};
        matches = directory.matches();
        return parcels_by_rank(matches);
    };
    AxisRunList from_list;
    AxisRunList to_list;
    failure = exchange_records<Match>(comm, name, reply, [&](int, const Match& match) {
        AxisRun run;
        run.peer = match.peer;
        run.mine = match.mine;
        run.theirs = match.theirs;
        run.length = 1;
        (match.side == Side::source ? from_list : to_list).add({run, match.mirror, match.element});
    });
    agree_on(comm, name, [&] {
        if (failure) std::rethrow_exception(failure);
        found->from = from_list.finish();
        found->to = to_list.finish();
    });
    found->delivered = all_reduce(comm, ReduceOperation::sum, directory.delivered());
    const auto in_place =
        static_cast<std::int32_t>(is_in_place(*found) && found->delivered == count);
    found->in_place = all_reduce(comm, ReduceOperation::min, in_place) == 1;
    return found;
}

} // namespace distview::impl
