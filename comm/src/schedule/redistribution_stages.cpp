// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/schedule/redistribution_stages.hpp>

#include "schedule/axis_side.hpp"

#include <distview/comm/impl/tuning.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

std::int64_t count_peers(const std::vector<AxisRun>& runs) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
        count += i == 0 || runs[i].peer != runs[i - 1].peer ? 1 : 0; // they are listed by peer
    return count;
}

/// Axis d of the target's grid has as many coordinates as the source's that it takes the place of.
bool have_equal_extents(const RedistributionSchedule& whole) {
    for (int d = 0; d < whole.rank(); ++d)
        if (whole.to_layout().grid().extent(d) !=
            whole.from_layout().grid().extent(whole.permutation(d)))
            return false;
    return true;
}

/// Whether each element is in one place of every intermediate array, and every element of these is written.
bool have_one_place_each(const RedistributionSchedule& whole) {
    for (int d = 0; d < whole.rank(); ++d)
        if (whole.axis(d).has_missing_indices() || has_shared_indices(whole.to_layout().axis(d)) ||
            has_shared_indices(whole.from_layout().axis(d)))
            return false;
    return true;
}

/// Whether something goes to another coordinate along an axis of the target.
bool changes_coordinates(const RedistributionSchedule& whole, int axis) {
    for (int p = 0; p < whole.to_layout().grid().extent(axis); ++p)
        for (const AxisRun& run : whole.axis_runs_to(axis, p))
            if (run.peer != p) return true;
    return false;
}

/// The stages of a redistribution whose grids allow them.
class Stages {
public:
    Stages(const RedistributionSchedule& whole, const RedistributionOptions& options)
        : m_whole(whole), m_options(options), m_rank(whole.rank()),
          m_is_done(static_cast<std::size_t>(m_rank), false) {}

    std::vector<RedistributionSchedule> make() {
        std::vector<int> axes; // of the target
        for (int d = 0; d < m_rank; ++d)
            if (changes_coordinates(m_whole, d)) axes.push_back(d);
        std::vector<RedistributionSchedule> result;
        ArrayLayout from = m_whole.from_layout();
        for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
            RedistributionOptions options;
            options.from_ranks = options.to_ranks = m_options.from_ranks;
            options.from_slice = slices();
            m_is_done[static_cast<std::size_t>(axes[i])] = true;
            options.to_slice = slices();
            const ArrayLayout to = layout();
            result.emplace_back(from, to, options);
            from = to;
        }
        RedistributionOptions options = m_options;
        options.from_slice = slices();
        options.to_slice.clear();
        for (int d = 0; d < m_rank; ++d) options.to_slice.push_back(to_slice(m_whole.axis(d)));
        result.emplace_back(from, m_whole.to_layout(), options);
        return result;
    }

private:
    /// The axis of the target that axis a of the source becomes.
    int target_axis(int a) const {
        int d = 0;
        while (m_whole.permutation(d) != a) ++d;
        return d;
    }
    bool is_done(int a) const { return m_is_done[static_cast<std::size_t>(target_axis(a))]; }

    /// Axes that are paired by index go on to be.
    static AxisSlice to_slice(const AxisIntersection& axis) {
        return axis.pairs_indices() ? AxisSlice() : axis.to_slice();
    }
    /// Of the intermediate array as it is now, by axis of the source.
    std::vector<AxisSlice> slices() const {
        std::vector<AxisSlice> result;
        for (int a = 0; a < m_rank; ++a) {
            const AxisIntersection& axis = m_whole.axis(target_axis(a));
            result.push_back(is_done(a) || axis.pairs_indices() ? to_slice(axis)
                                                                : axis.from_slice());
        }
        return result;
    }
    ArrayLayout layout() const {
        std::vector<AxisSpec> specs;
        for (int a = 0; a < m_rank; ++a)
            specs.push_back(axis_spec(is_done(a) ? m_whole.to_layout().axis(target_axis(a))
                                                 : m_whole.from_layout().axis(a)));
        return {m_whole.from_layout().grid(), specs};
    }

    const RedistributionSchedule& m_whole;
    const RedistributionOptions& m_options;
    int m_rank;
    std::vector<bool> m_is_done; ///< by axis of the target
};

/// Whether the messages that stages save are worth more than what they move again.
bool are_worth_it(const RedistributionSchedule& whole,
                  const std::vector<RedistributionSchedule>& stages) {
    std::int64_t partners = 0;
    for (const RedistributionSchedule& stage : stages) partners += most_partners(stage);
    const double saved =
        static_cast<double>(most_partners(whole) - partners) * tuning::message_cost_bytes;
    const double elements = static_cast<double>(whole.elements()) /
                            static_cast<double>(whole.from_layout().process_count());
    return saved > static_cast<double>(stages.size() - 1) * elements * tuning::usual_element_bytes;
}

} // namespace

std::int64_t most_partners(const RedistributionSchedule& schedule) {
    if (schedule.elements() == 0) return 0;
    std::int64_t of_target = 1;
    std::int64_t of_source = 1;
    for (int d = 0; d < schedule.rank(); ++d) {
        std::int64_t most = 0;
        for (int p = 0; p < schedule.to_layout().grid().extent(d); ++p)
            most = std::max(most, count_peers(schedule.axis_runs_to(d, p)));
        of_target *= most;
        most = 0;
        for (int p = 0; p < schedule.from_layout().grid().extent(schedule.permutation(d)); ++p)
            most = std::max(most, count_peers(schedule.axis_runs_from(d, p)));
        of_source *= most;
    }
    return std::max(of_target, of_source);
}

std::vector<RedistributionSchedule> redistribution_stages(const ArrayLayout& from,
                                                          const ArrayLayout& to,
                                                          const RedistributionOptions& options) {
    RedistributionSchedule whole(from, to, options);
    const bool is_asked_for = options.strategy == RedistributionStrategy::by_dimension;
    const bool fits = have_equal_extents(whole);
    require<LayoutError>(fits || !is_asked_for, [&] {
        return text("RedistributionSchedule: by dimension, expected a target's grid with the "
                    "extents of the source's along the axes that it takes, got ",
                    to.grid().describe(), " from ", from.grid().describe());
    });
    const bool is_possible = fits && have_one_place_each(whole);
    require<LayoutError>(
        is_possible || !is_asked_for,
        "RedistributionSchedule: by dimension, expected unstructured axes of which "
        "each index is on one process, and the target's in the source");
    std::vector<RedistributionSchedule> stages;
    if (is_possible && options.strategy != RedistributionStrategy::direct && whole.elements() > 0)
        stages = Stages(whole, options).make();
    if (stages.size() > 1 &&
        (options.strategy == RedistributionStrategy::by_dimension || are_worth_it(whole, stages)))
        return stages;
    stages.clear();
    stages.push_back(std::move(whole));
    return stages;
}

} // namespace distview::impl
