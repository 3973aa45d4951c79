// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/find_runs.hpp>

#include "axis_side.hpp"
#include "element_directory.hpp"
#include "label_numbering.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/found_runs.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

constexpr const char* name = "RedistributionPlan";

bool is_partly_known(const AxisLayout& axis) {
    return axis.type() == DistType::unstructured && axis.as_unstructured().known_process() >= 0;
}

/// One side of an axis, and which process of it this one is.
struct Side {
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

std::string where(const Side& side) {
    return text(name, ": axis ", side.axis, " of the ",
                side.role == AxisSide::Role::source ? "source" : "target", ": ");
}

/// Where this process has elements of the slice. Collective if the axis is partly known.
OwnPlaces own_places(const Communicator& comm, const Side& side) {
    OwnPlaces own{side.coordinate(), {}};
    if (!is_partly_known(side.axis_layout())) {
        agree_on(comm, name, [&] {
            if (own.coordinate < 0) return;
            const AxisSide axis(side.axis_layout(), side.slice, side.role, side.fill_padding);
            axis.for_each_own(own.coordinate, [&](const AxisPlace& place, std::int64_t t) {
                own.places.push_back({t, place.local, place.mirror});
            });
        });
        return own;
    }
    const std::vector<std::int64_t> cells = cells_of_labels(
        comm, {side.axis_layout().as_unstructured(), own.coordinate,
               side.layout.process_count() / side.layout.grid().extent(side.axis), where(side)});
    agree_on(comm, name, [&] {
        for (std::size_t l = 0; l < cells.size(); ++l) {
            const std::int64_t ahead = cells[l] - side.slice.begin;
            const std::int64_t t = ahead / side.slice.step;
            if (t >= 0 && t < side.slice.count && t * side.slice.step == ahead)
                own.places.push_back({t, static_cast<std::int64_t>(l), 0});
        }
    });
    return own;
}

/// What all ranks get from others.
std::int64_t count_wire_elements(const Communicator& comm, const RedistributionSchedule& schedule) {
    const bool is_process =
        schedule.from_process(comm.rank()) >= 0 || schedule.to_process(comm.rank()) >= 0;
    const std::int64_t local =
        agree_on(comm, name, [&] { return is_process ? schedule.local_elements(comm.rank()) : 0; });
    return schedule.delivered_elements() - all_reduce(comm, ReduceOperation::sum, local);
}

/// The layout with blocks of as many cells in place of the axes that are `chosen`.
template <class Chosen>
ArrayLayout with_blocks(const ArrayLayout& layout, Chosen&& chosen) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d)
        axes.push_back(chosen(d) ? block(layout.size(d)) : axis_spec(layout.axis(d)));
    return {layout.grid(), axes};
}

} // namespace

bool is_partly_known(const ArrayLayout& layout) {
    for (int d = 0; d < layout.rank(); ++d)
        if (is_partly_known(layout.axis(d))) return true;
    return false;
}

ArrayLayout without_labels(const ArrayLayout& layout) {
    if (!is_partly_known(layout)) return layout;
    return with_blocks(layout, [&](int d) { return is_partly_known(layout.axis(d)); });
}

void check_known_labels(const ArrayLayout& layout, int process, const char* what) {
    if (process < 0) return;
    const GridCoordinates at = layout.coordinates(process);
    for (int d = 0; d < layout.rank(); ++d) {
        if (!is_partly_known(layout.axis(d))) continue;
        const int known = layout.axis(d).as_unstructured().known_process();
        const int expected = at[static_cast<std::size_t>(d)];
        require<LayoutError>(known == expected, [&] {
            return text(name, ": axis ", d, " of the ", what, ": expected the indices of process ",
                        expected, " of its grid, where this process is, got those of ", known);
        });
    }
}

RedistributionSchedule find_runs(const Communicator& comm, const ArrayLayout& from,
                                 const ArrayLayout& to, const RedistributionOptions& options) {
    const RedistributionSchedule outline = agree_on(comm, name, [&] {
        return RedistributionSchedule(without_labels(from), without_labels(to), options);
    });
    FoundRuns found;
    for (int d = 0; d < to.rank(); ++d) {
        const int a = outline.permutation(d);
        if (!is_partly_known(from.axis(a)) && !is_partly_known(to.axis(d))) continue;
        const Side source{from,
                          a,
                          outline.axis(d).from_slice(),
                          outline.from_process(comm.rank()),
                          AxisSide::Role::source,
                          false};
        const Side target{to,
                          d,
                          outline.axis(d).to_slice(),
                          outline.to_process(comm.rank()),
                          AxisSide::Role::target,
                          options.fill_padding};
        OwnPlaces from_places = own_places(comm, source);
        OwnPlaces to_places = own_places(comm, target);
        found.axes[static_cast<std::size_t>(d)] = match_elements(
            comm, outline.axis(d).count(), std::move(from_places), std::move(to_places));
    }
    const auto is_found = [&](int d) { return found.axes[static_cast<std::size_t>(d)] != nullptr; };
    found.are_alike = agree_on(
        comm, name, [&] { return with_blocks(from, is_found) == with_blocks(to, is_found); });
    const auto schedule = [&] { return RedistributionSchedule(from, to, options, found); };
    found.wire_elements = count_wire_elements(comm, agree_on(comm, name, schedule));
    return agree_on(comm, name, schedule);
}

} // namespace distview::impl
