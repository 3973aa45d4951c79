// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axes.hpp"
#include "handles.hpp"

#include <distview/core/draw.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace distview::c;
using distview::ArrayLayout;
using distview::GlobalIndex;
using distview::LayoutError;
using distview::LocalIndex;
using distview::require;
using distview::text;
using distview::UsageError;

namespace {

const ArrayLayout& of(const distview_layout* layout, const char* function) {
    return checked(layout, function, "a layout").value;
}

int checked_process(const ArrayLayout& layout, int process, const char* function) {
    require<UsageError>(process >= 0 && process < layout.process_count(), [&] {
        return text(function, ": expected a process in [0, ", layout.process_count(), "), got ",
                    process);
    });
    return process;
}

int checked_axis(const ArrayLayout& layout, int axis, const char* function) {
    require<UsageError>(axis >= 0 && axis < layout.rank(), [&] {
        return text(function, ": expected an axis in [0, ", layout.rank(), "), got ", axis);
    });
    return axis;
}

/// The layout of an axis and the process's coordinate along it.
struct AxisOfProcess {
    distview::AxisLayout axis;
    int coordinate;
};
AxisOfProcess axis_of(const ArrayLayout& layout, int process, int axis) {
    return {layout.axis(axis), layout.coordinates(process)[static_cast<std::size_t>(axis)]};
}

void check_known(const distview::AxisLayout& axis, int coordinate, const char* function) {
    if (axis.type() != distview::DistType::unstructured) return;
    const int known = axis.as_unstructured().known_process();
    require<UsageError>(known < 0 || known == coordinate, [&] {
        return text(function, ": expected grid coordinate ", known,
                    " along an axis of which this process knows no other labels, got ", coordinate);
    });
}

/// Calls use(d, axis, coordinate) for all axes of a process; for none if an axis is not known.
template <class Use>
void for_each_axis(const distview_layout* handle, int process, const char* function, Use&& use) {
    const ArrayLayout& layout = of(handle, function);
    checked_process(layout, process, function);
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisOfProcess found = axis_of(layout, process, d);
        check_known(found.axis, found.coordinate, function);
    }
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisOfProcess found = axis_of(layout, process, d);
        use(d, found.axis, found.coordinate);
    }
}

/// Writes a range of positions for each axis.
template <class RangeOf>
void give_ranges(const distview_layout* layout, int process, std::int64_t* begin, std::int64_t* end,
                 const char* function, RangeOf&& range_of) {
    checked(begin, function, "a place for the begin of each axis");
    checked(end, function, "a place for the end of each axis");
    for_each_axis(layout, process, function, [&](int d, const auto& axis, int coordinate) {
        const distview::LocalRange range = range_of(axis, coordinate);
        begin[d] = range.begin.value();
        end[d] = range.end.value();
    });
}

} // namespace

int distview_layout_create(int rank, const int* grid, const distview_axis* axes,
                           distview_layout** result) {
    return guard(__func__, [&](const char* function) {
        checked(result, function, "a place for the result");
        require<LayoutError>(rank >= 0 && rank <= distview::max_rank, [&] {
            return text(function, ": expected from 0 to ", distview::max_rank, " axes, got ", rank);
        });
        if (rank > 0) {
            checked(grid, function, "a process grid");
            checked(axes, function, "axes");
        }
        const distview::ProcessGrid processes(
            std::span<const int>(grid, static_cast<std::size_t>(rank)));
        std::vector<distview::AxisSpec> specs;
        for (int d = 0; d < rank; ++d) specs.push_back(axis_of_program(axes[d], grid[d], function));
        give(result, function, ArrayLayout(processes, specs));
    });
}

int distview_balanced_grid(int processes, int rank, int* grid) {
    return guard(__func__, [&](const char* function) {
        checked(grid, function, "a place for the grid");
        const distview::ProcessGrid balanced = distview::ProcessGrid::balanced(processes, rank);
        for (int d = 0; d < rank; ++d) grid[d] = balanced.extent(d);
    });
}

int distview_layout_permute(const distview_layout* layout, const int* permutation,
                            distview_layout** result) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& from = of(layout, function);
        if (from.rank() > 0) checked(permutation, function, "a permutation");
        give(
            result, function,
            distview::permute_axes(from, std::vector<int>(permutation, permutation + from.rank())));
    });
}

distview_layout* distview_layout_retain(distview_layout* layout) { return retain(layout); }
void distview_layout_release(distview_layout* layout) { release(layout); }

int distview_layout_rank(const distview_layout* layout, int* rank) {
    return guard(__func__, [&](const char* function) {
        checked(rank, function, "a place for the rank") = of(layout, function).rank();
    });
}

int distview_layout_grid(const distview_layout* layout, int* grid) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& value = of(layout, function);
        checked(grid, function, "a place for the grid");
        for (int d = 0; d < value.rank(); ++d) grid[d] = value.grid().extent(d);
    });
}

int distview_layout_process_count(const distview_layout* layout, int* processes) {
    return guard(__func__, [&](const char* function) {
        checked(processes, function, "a place for the number of processes") =
            of(layout, function).process_count();
    });
}

int distview_layout_extents(const distview_layout* layout, int64_t* extents) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& value = of(layout, function);
        checked(extents, function, "a place for the extents");
        for (int d = 0; d < value.rank(); ++d) extents[d] = value.extent(d);
    });
}

int distview_layout_size(const distview_layout* layout, int64_t* size) {
    return guard(__func__, [&](const char* function) {
        checked(size, function, "a place for the size") = of(layout, function).size();
    });
}

int distview_layout_coordinates(const distview_layout* layout, int process, int* coordinates) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& value = of(layout, function);
        checked(coordinates, function, "a place for the coordinates");
        const auto at = value.coordinates(checked_process(value, process, function));
        std::copy_n(at.begin(), value.rank(), coordinates);
    });
}

int distview_layout_local_extents(const distview_layout* layout, int process, int64_t* extents) {
    return guard(__func__, [&](const char* function) {
        checked(extents, function, "a place for the extents");
        for_each_axis(layout, process, function, [&](int d, const auto& axis, int coordinate) {
            extents[d] = axis.local_extent(coordinate);
        });
    });
}

int distview_layout_owned(const distview_layout* layout, int process, int64_t* begin,
                          int64_t* end) {
    return guard(__func__, [&](const char* function) {
        give_ranges(layout, process, begin, end, function,
                    [](const auto& axis, int p) { return axis.owned_local(p); });
    });
}

int distview_layout_interior(const distview_layout* layout, int process, int64_t* begin,
                             int64_t* end) {
    return guard(__func__, [&](const char* function) {
        give_ranges(layout, process, begin, end, function,
                    [](const auto& axis, int p) { return axis.interior_local(p); });
    });
}

int distview_layout_owner(const distview_layout* layout, const int64_t* index, int* process) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& value = of(layout, function);
        checked(process, function, "a place for the process");
        if (value.rank() > 0) checked(index, function, "indices");
        std::array<GlobalIndex, distview::max_rank> at{};
        for (int d = 0; d < value.rank(); ++d) {
            const std::int64_t i = index[d];
            const distview::AxisLayout& axis = value.axis(d);
            if (axis.type() != distview::DistType::unstructured)
                require<UsageError>(axis.global_range().contains(GlobalIndex(i)), [&] {
                    return text(function, ": expected an index in [",
                                axis.global_range().begin.value(), ", ",
                                axis.global_range().end.value(), ") along axis ", d, ", got ", i);
                });
            at[static_cast<std::size_t>(d)] = GlobalIndex(i);
        }
        *process = value.owner(std::span(at).first(static_cast<std::size_t>(value.rank())));
    });
}

int distview_layout_to_global(const distview_layout* layout, int process, int axis,
                              int64_t position, int64_t* index) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& value = of(layout, function);
        checked(index, function, "a place for the index");
        const AxisOfProcess found = axis_of(value, checked_process(value, process, function),
                                            checked_axis(value, axis, function));
        check_known(found.axis, found.coordinate, function);
        const std::int64_t extent = found.axis.local_extent(found.coordinate);
        require<UsageError>(position >= 0 && position < extent, [&] {
            return text(function, ": expected a position in [0, ", extent, "), got ", position);
        });
        *index = found.axis.to_global(found.coordinate, LocalIndex(position)).value();
    });
}

int distview_layout_to_local(const distview_layout* layout, int process, int axis, int64_t index,
                             int64_t* position) {
    return guard(__func__, [&](const char* function) {
        const ArrayLayout& value = of(layout, function);
        checked(position, function, "a place for the position");
        const AxisOfProcess found = axis_of(value, checked_process(value, process, function),
                                            checked_axis(value, axis, function));
        check_known(found.axis, found.coordinate, function);
        const GlobalIndex wanted(index);
        if (found.axis.type() == distview::DistType::unstructured) {
            *position = found.axis.to_local(found.coordinate, wanted).value();
            return;
        }
        if (found.axis.is_block()) {
            const bool is_held = found.axis.as_block().held(found.coordinate).contains(wanted);
            *position = is_held ? found.axis.to_local(found.coordinate, wanted).value() : -1;
            return;
        }
        const bool is_owned = found.axis.global_range().contains(wanted) &&
                              found.axis.owner(wanted) == found.coordinate;
        *position = is_owned ? found.axis.to_local(found.coordinate, wanted).value() : -1;
    });
}

int distview_layout_equal(const distview_layout* a, const distview_layout* b, int* equal) {
    return guard(__func__, [&](const char* function) {
        checked(equal, function, "a place for the answer") =
            of(a, function) == of(b, function) ? 1 : 0;
    });
}

int distview_layout_fingerprint(const distview_layout* layout, uint64_t* fingerprint) {
    return guard(__func__, [&](const char* function) {
        checked(fingerprint, function, "a place for the fingerprint") =
            of(layout, function).fingerprint();
    });
}

int distview_layout_describe(const distview_layout* layout, char* buffer, int64_t capacity,
                             int64_t* length) {
    return guard(__func__, [&](const char* function) {
        give_text(distview::draw(of(layout, function)), buffer, capacity, length, function);
    });
}
