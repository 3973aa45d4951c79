// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/schedule/axis_intersection.hpp>

#include "schedule/axis_run_list.hpp"
#include "schedule/axis_side.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace distview::impl {

namespace {

using Form = AxisSide::Form;

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

/// The structured part of one of the two intersected sections: a window of one process, or the
/// blocks of one process or of all processes of a cyclic axis.
class Lane {
public:
    explicit Lane(const AxisWindow& window)
        : m_process(window.process), m_offset(window.offset), m_step(window.step) {}
    explicit Lane(const AxisSide& cyclic, int process = -1)
        : m_cyclic(&cyclic), m_process(process), m_step(cyclic.slice().step) {}

    int owner(std::int64_t t) const { return m_process >= 0 ? m_process : m_cyclic->owner(t); }
    std::int64_t local(std::int64_t t) const {
        return m_cyclic ? m_cyclic->local(t) : m_offset + t * m_step;
    }
    std::int64_t step() const { return m_step; }
    /// The first element of this lane from t on.
    std::int64_t next(std::int64_t t) const {
        return m_cyclic && m_process >= 0 ? m_cyclic->next_owned(m_process, t) : t;
    }
    /// The end of the piece that holds the elements from t on.
    std::int64_t end(std::int64_t t) const { return m_cyclic ? m_cyclic->chunk_end(t) : forever; }
    bool may_begin_at(std::int64_t t) const { return m_cyclic && m_cyclic->starts_chunk(t); }
    std::int64_t period() const { return m_cyclic ? m_cyclic->period() : 1; }
    std::int64_t local_period(std::int64_t elements) const {
        return m_cyclic ? m_cyclic->local_period(elements) : elements * m_step;
    }

private:
    const AxisSide* m_cyclic = nullptr;
    int m_process;
    std::int64_t m_offset = 0;
    std::int64_t m_step;
};

/// Number of elements after which both lanes repeat, or `most` if that is less.
std::int64_t common_period(const Lane& a, const Lane& b, std::int64_t most) {
    const std::int64_t factor = b.period() / std::gcd(a.period(), b.period());
    return a.period() >= most || factor > most / a.period() ? most : a.period() * factor;
}

/// Adds the elements of [begin, end) that `mine` and `theirs` share: one period from the first
/// end of a block on, with its number of repeats.
void intersect(const Lane& mine, const Lane& theirs, std::int64_t mirror, std::int64_t begin,
               std::int64_t end, AxisRunList& list) {
    const std::int64_t period = common_period(mine, theirs, end - begin);
    const auto add = [&](std::int64_t t, std::int64_t length, std::int64_t repeats) {
        AxisRun run{.peer = theirs.owner(t),
                    .mine = mine.local(t),
                    .theirs = theirs.local(t),
                    .length = length,
                    .my_step = mine.step(),
                    .their_step = theirs.step(),
                    .repeats = repeats};
        if (repeats > 1) {
            run.my_period = mine.local_period(period);
            run.their_period = theirs.local_period(period);
        }
        list.add({run, mirror, t});
    };
    const auto for_each_piece = [&](std::int64_t from, std::int64_t to, auto&& visit) {
        for (std::int64_t t = mine.next(from); t < to;) {
            const std::int64_t piece_end = std::min({mine.end(t), theirs.end(t), to});
            visit(t, piece_end - t);
            t = mine.next(piece_end);
        }
    };

    // No piece may cross the seam of two periods: its halves would be listed separately.
    std::int64_t seam = begin;
    if (!mine.may_begin_at(begin) && !theirs.may_begin_at(begin))
        seam = std::min({mine.end(begin), theirs.end(begin), end});
    for_each_piece(begin, seam, [&](std::int64_t t, std::int64_t length) { add(t, length, 1); });
    for_each_piece(seam, period < end - seam ? seam + period : end,
                   [&](std::int64_t t, std::int64_t length) {
                       const std::int64_t repeats = (end - t - length) / period + 1;
                       add(t, length, repeats);
                       const std::int64_t last = t + (repeats - 1) * period;
                       if (end - last > period) add(last + period, end - last - period, 1);
                   });
}

/// Adds the elements that one window shares with the other side.
void intersect_window(const AxisWindow& window, const AxisSide& other, AxisRunList& list) {
    if (other.form() == Form::cyclic)
        return intersect(Lane(window), Lane(other), window.mirror, window.begin, window.end, list);
    std::vector<AxisWindow> theirs;
    other.append_windows_meeting(window.begin, window.end, theirs);
    for (const AxisWindow& their : theirs)
        // At most one of the two sides has mirrors.
        intersect(Lane(window), Lane(their), window.mirror + their.mirror,
                  std::max(window.begin, their.begin), std::min(window.end, their.end), list);
}

/// Adds the elements that the blocks of one process share with windows of the other side.
/// Visits only windows that hold such elements.
void intersect_blocks(const AxisSide& side, int p, const AxisSide& other, AxisRunList& list) {
    std::vector<AxisWindow> windows;
    for (std::int64_t t = side.next_owned(p, 0); t < side.count();) {
        const AxisWindow found = other.owner_window(t);
        other.append_windows_meeting(found.begin, found.end, windows);
        t = side.next_owned(p, found.end);
    }
    std::sort(windows.begin(), windows.end());
    windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
    for (const AxisWindow& window : windows)
        intersect(Lane(side, p), Lane(window), window.mirror, window.begin, window.end, list);
}

/// Runs that process p of one side shares with all processes of the other.
std::vector<AxisRun> runs_of(const AxisSide& side, int p, const AxisSide& other) {
    AxisRunList list;
    if (side.form() == Form::lists || other.form() == Form::lists) {
        AxisSide::Cursors cursors = other.cursors();
        list.reserve(side.own_limit(p));
        side.for_each_own(p, [&](const AxisPlace& here, std::int64_t t) {
            other.for_each_place(t, cursors, [&](const AxisPlace& there) {
                const AxisRun run{
                    .peer = there.process, .mine = here.local, .theirs = there.local, .length = 1};
                list.add({run, here.mirror + there.mirror, t});
            });
        });
    } else if (side.form() == Form::intervals) {
        std::vector<AxisWindow> windows;
        side.append_windows(p, windows);
        for (const AxisWindow& window : windows) intersect_window(window, other, list);
    } else if (other.form() == Form::intervals) {
        intersect_blocks(side, p, other, list);
    } else if (side.count() > 0) {
        intersect(Lane(side, p), Lane(other), 0, 0, side.count(), list);
    }
    return list.finish();
}

std::string where(const AxisIntersection::Side& side, const char* name) {
    return text("RedistributionSchedule: axis ", side.axis, " of the ", name, ": ");
}

AxisSlice checked(const AxisIntersection::Side& side, const char* name) {
    return complete_slice(side.slice, side.layout.size(), where(side, name));
}

void require_all_labels(const AxisIntersection::Side& side, const char* name) {
    if (side.layout.type() != DistType::unstructured) return;
    const int known = side.layout.as_unstructured().known_process();
    require<LayoutError>(known < 0, [&] {
        return text(where(side, name), "only the labels of process ", known,
                    " are known; a RedistributionPlan collects the others");
    });
}

/// The runs of process `p`, which must be the known one.
std::vector<AxisRun> found_runs(const FoundAxis::RunsByCopy& runs, int copy, int known, int p) {
    require<LayoutError>(p == known, [&] {
        return text("RedistributionSchedule: expected coordinate ", known,
                    ", the only one whose labels are known, got ", p);
    });
    const auto number = static_cast<std::size_t>(copy);
    return number < runs.size() ? runs[number] : std::vector<AxisRun>();
}

bool is_unstructured(const AxisIntersection::Side& side) {
    return side.layout.type() == DistType::unstructured;
}

/// The global indices of an axis, ascending: a list, or all numbers from 0 on.
class AxisIndices {
public:
    explicit AxisIndices(const AxisLayout& axis)
        : m_labels(axis.type() == DistType::unstructured ? axis.as_unstructured().all_labels()
                                                         : nullptr),
          m_count(axis.size()) {}
    const std::int64_t* labels() const { return m_labels; }
    std::int64_t count() const { return m_count; }
    std::int64_t operator[](std::int64_t i) const { return m_labels ? m_labels[i] : i; }
    /// The number of the first index that is not less than `index`.
    std::int64_t lower_bound(std::int64_t index) const {
        if (m_labels) return std::lower_bound(m_labels, m_labels + m_count, index) - m_labels;
        return std::clamp<std::int64_t>(index, 0, m_count);
    }

private:
    const std::int64_t* m_labels;
    std::int64_t m_count;
};

struct MissingIndices {
    std::int64_t count = 0;
    std::int64_t lowest = 0;
};

/// Counts indices of the target that the source lacks. At least one of the two is a list, which is traversed.
MissingIndices missing_indices(const AxisIndices& source, const AxisIndices& target) {
    MissingIndices missing;
    const auto add = [&](std::int64_t lowest, std::int64_t count) {
        if (count > 0 && missing.count == 0) missing.lowest = lowest;
        missing.count += count;
    };
    if (target.labels()) {
        std::int64_t s = 0;
        for (std::int64_t t = 0; t < target.count(); ++t) {
            const std::int64_t index = target[t];
            if (source.labels())
                while (s < source.count() && source[s] < index) ++s;
            else
                s = source.lower_bound(index);
            if (s == source.count() || source[s] != index) add(index, 1);
        }
        return missing;
    }
    std::int64_t next = 0;
    for (std::int64_t s = source.lower_bound(0); s < source.count() && source[s] < target.count();
         ++s) {
        add(next, source[s] - next);
        next = source[s] + 1;
    }
    add(next, target.count() - next);
    return missing;
}

} // namespace

std::string missing_indices_text(const std::string& where, int source_axis, std::int64_t count,
                                 std::int64_t lowest) {
    return text(where, "expected only indices of axis ", source_axis, " of the source, got ", count,
                count == 1 ? " other: " : " others, the lowest is ", lowest,
                "; set allow_missing_indices to leave these elements unchanged");
}

void AxisIntersection::set_slices(const Side& from, const Side& to) {
    m_pairs_indices = from.slice == AxisSlice() && to.slice == AxisSlice() &&
                      (is_unstructured(from) || is_unstructured(to));
    m_from_slice = checked(from, "source");
    m_to_slice = checked(to, "target");
    m_count = m_to_slice.count;
    require<LayoutError>(m_pairs_indices || m_from_slice.count == m_to_slice.count, [&] {
        return text(where(to, "target"), "expected ", m_to_slice.count, " cells, got ",
                    m_from_slice.count, " of axis ", from.axis, " of the source");
    });
}

AxisIntersection::AxisIntersection(const Side& from, const Side& to, bool fill_padding,
                                   bool allow_missing_indices) {
    require_all_labels(from, "source");
    require_all_labels(to, "target");
    set_slices(from, to);
    AxisNumbering numbering;
    if (m_pairs_indices) {
        const AxisIndices source(from.layout);
        const AxisIndices target(to.layout);
        const MissingIndices missing = missing_indices(source, target);
        require<LayoutError>(missing.count == 0 || allow_missing_indices, [&] {
            return missing_indices_text(where(to, "target"), from.axis, missing.count,
                                        missing.lowest);
        });
        m_count -= missing.count;
        // If both axes are lists, the target's list numbers the elements; else the structured axis does.
        const AxisIndices& indices = is_unstructured(from) ? target : source;
        numbering = {true, indices.labels(), indices.count()};
    }
    m_from = std::make_shared<AxisSide>(from.layout, m_from_slice, AxisSide::Role::source, false,
                                        numbering);
    m_to = std::make_shared<AxisSide>(to.layout, m_to_slice, AxisSide::Role::target, fill_padding,
                                      numbering);
}

AxisIntersection::AxisIntersection(const Side& from, const Side& to,
                                   std::shared_ptr<const FoundAxis> found)
    : m_found(std::move(found)) {
    set_slices(from, to);
    if (m_pairs_indices) m_count = m_found->count;
}

int AxisIntersection::most_copies() const {
    if (count() == 0) return 1;
    return m_found ? m_found->most_copies : m_from->most_copies();
}

AxisIntersection AxisIntersection::of_copy(int number) const {
    AxisIntersection result = *this;
    result.m_copy = number;
    if (m_from) result.m_from = std::make_shared<AxisSide>(m_from->of_copy(number));
    return result;
}

std::vector<AxisRun> AxisIntersection::runs_to(int p) const {
    if (count() == 0) return {};
    return m_found ? found_runs(m_found->to, m_copy, m_found->to_coordinate, p)
                   : runs_of(*m_to, p, *m_from);
}

std::vector<AxisRun> AxisIntersection::runs_from(int p) const {
    if (count() == 0) return {};
    return m_found ? found_runs(m_found->from, m_copy, m_found->from_coordinate, p)
                   : runs_of(*m_from, p, *m_to);
}

} // namespace distview::impl
