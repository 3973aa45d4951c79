// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/rendezvous.hpp"

#include "plan/element_directory.hpp"
#include "plan/label_numbering.hpp"
#include "schedule/axis_side.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/call_line.hpp>
#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>

namespace distview::impl {

namespace {

/// One side of an axis, and the process of this rank on it.
struct RunSide {
    const ArrayLayout& layout;
    int axis;
    AxisSlice slice; ///< complete
    int process;     ///< -1: none
    AxisSide::Role role;
    bool fill_padding;

    const AxisLayout& axis_layout() const { return layout.axis(axis); }
    int coordinate() const {
        if (process < 0) return -1;
        return layout.coordinates(process)[static_cast<std::size_t>(axis)];
    }
};

std::string where(const RunSide& side) {
    return text(plan_names::redistribution, ": axis ", side.axis, " of the ",
                side.role == AxisSide::Role::source ? "source" : "target", ": ");
}

/// Elements of one side that this process has.
class OwnSide {
public:
    /// Collective if the axis is known in part.
    OwnSide(const Communicator& comm, const RunSide& side, bool by_index)
        : m_side(side), m_by_index(by_index) {
        if (!is_partly_known(side.axis_layout())) return;
        const int copies = side.layout.process_count() / side.layout.grid().extent(side.axis);
        m_cells = cells_of_labels(comm, {side.axis_layout().as_unstructured(), side.coordinate(),
                                         copies, where(side), !by_index});
    }
    OwnPlaces places() const {
        OwnPlaces own{m_side.coordinate(), {}};
        if (own.coordinate < 0) return own;
        if (m_side.axis_layout().type() == DistType::unstructured) {
            add_listed(own);
            return own;
        }
        const AxisSide axis(m_side.axis_layout(), m_side.slice, m_side.role, m_side.fill_padding);
        axis.for_each_own(own.coordinate, [&](const AxisPlace& place, std::int64_t t) {
            own.places.push_back({t, place.local, place.mirror});
        });
        return own;
    }

private:
    /// Adds all elements of a list, also of sources: combine() reads every copy.
    void add_listed(OwnPlaces& own) const {
        const UnstructuredLayout& lists = m_side.axis_layout().as_unstructured();
        const AxisSlice& slice = m_side.slice;
        const std::int64_t* const labels = lists.labels(own.coordinate);
        for (std::int64_t l = 0; l < lists.owned_local(own.coordinate).size(); ++l) {
            if (m_by_index) {
                own.places.push_back({labels[l], l, 0});
                continue;
            }
            const std::int64_t ahead = cell(lists, labels[l], l) - slice.begin;
            const std::int64_t t = ahead / slice.step;
            if (t >= 0 && t < slice.count && t * slice.step == ahead)
                own.places.push_back({t, l, 0});
        }
    }
    std::int64_t cell(const UnstructuredLayout& lists, std::int64_t label, std::int64_t l) const {
        if (lists.known_process() >= 0) return m_cells[static_cast<std::size_t>(l)];
        const std::int64_t* const all = lists.all_labels();
        return std::lower_bound(all, all + lists.size(), label) - all;
    }

    RunSide m_side;
    bool m_by_index;
    std::vector<std::int64_t> m_cells;
};

/// The layout with block axes of the same size in place of the `chosen` axes.
template <class Chosen>
ArrayLayout with_blocks(const ArrayLayout& layout, Chosen&& chosen) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d)
        axes.push_back(chosen(d) ? block(layout.extent(d)) : axis_spec(layout.axis(d)));
    return {layout.grid(), axes};
}

} // namespace

FoundRuns unknown_runs(const ArrayLayout& from, const ArrayLayout& to,
                       const std::vector<int>& permutation) {
    FoundRuns unknown{.are_alike = false};
    for (int d = 0; d < to.rank() && d < from.rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const int a = i < permutation.size() ? permutation[i] : d;
        const bool is_axis = a >= 0 && a < from.rank(); // else the schedule throws
        if (is_partly_known(to.axis(d)) || (is_axis && is_partly_known(from.axis(a))))
            unknown.axes[i] = std::make_shared<FoundAxis>();
    }
    return unknown;
}

RedistributionSchedule schedule_by_rendezvous(const Communicator& comm, const ArrayLayout& from,
                                              const ArrayLayout& to,
                                              const RedistributionOptions& options,
                                              const RedistributionSchedule& outline) {
    const int from_process = outline.from_process(comm.rank());
    const int to_process = outline.to_process(comm.rank());
    FoundRuns found;
    for (int d = 0; d < to.rank(); ++d) {
        const int a = outline.permutation(d);
        if (!is_partly_known(from.axis(a)) && !is_partly_known(to.axis(d))) continue;
        const AxisIntersection& axis = outline.axis(d);
        const OwnSide source(
            comm, {from, a, axis.from_slice(), from_process, AxisSide::Role::source, false},
            axis.pairs_indices());
        const RunSide side{
            to, d, axis.to_slice(), to_process, AxisSide::Role::target, options.fill_padding};
        const OwnSide target(comm, side, axis.pairs_indices());
        const std::int64_t count =
            axis.pairs_indices() ? from.axis(a).size() + to.axis(d).size() : axis.to_slice().count;
        const MatchedElements matched = match_elements(
            comm, [&] { return source.places(); }, [&] { return target.places(); }, count);
        require<LayoutError>(matched.missing == 0 || options.allow_missing_indices, [&] {
            return missing_indices_text(where(side), a, matched.missing, matched.lowest_missing);
        });
        found.axes[static_cast<std::size_t>(d)] = matched.axis;
    }
    const auto is_found = [&](int d) { return found.axes[static_cast<std::size_t>(d)] != nullptr; };
    std::int64_t delivered = 0;
    const std::int64_t local = agree_on(comm, plan_names::redistribution, [&] {
        found.are_alike = with_blocks(from, is_found) == with_blocks(to, is_found);
        const RedistributionSchedule schedule(from, to, options, found);
        delivered = schedule.delivered_elements();
        const bool is_process = from_process >= 0 || to_process >= 0;
        return is_process ? schedule.local_elements(comm.rank()) : 0;
    });
    found.wire_elements = delivered - all_reduce(comm, ReduceOperation::sum, local);
    return agree_on(comm, plan_names::redistribution,
                    [&] { return RedistributionSchedule(from, to, options, found); });
}

} // namespace distview::impl
