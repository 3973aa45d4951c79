// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "axes.hpp"

#include "guard.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::c {

namespace {

using Numbers = std::vector<std::int64_t>;

BlockOptions block_options(const distview_axis& axis) {
    BlockOptions options{.padding = {axis.padding_low, axis.padding_high},
                         .boundary = same_as_padding,
                         .periodic = axis.periodic != 0};
    if (axis.own_boundary) options.boundary = {axis.boundary_low, axis.boundary_high};
    return options;
}

void require_no_padding(const distview_axis& axis, const char* function) {
    for (const std::int64_t width :
         {axis.padding_low, axis.padding_high, axis.own_boundary ? axis.boundary_low : 0,
          axis.own_boundary ? axis.boundary_high : 0})
        require<LayoutError>(width == 0, [&] {
            return text(function, ": expected padding only along axes of blocks, got a width of ",
                        width, " along a cyclic or unstructured axis");
        });
}

AxisSpec bounds_of_program(const distview_axis& axis, int processes, const char* function) {
    checked(axis.bounds, function, "the bounds of an axis");
    std::vector<Widths> paddings;
    for (int p = 0; axis.paddings && p < processes; ++p)
        paddings.emplace_back(axis.paddings[2 * p], axis.paddings[2 * p + 1]);
    return block_bounds(Numbers(axis.bounds, axis.bounds + processes + 1), block_options(axis),
                        std::move(paddings));
}

/// Labels of `processes` processes; empty if the axis has none.
std::vector<Numbers> labels_of(const distview_axis& axis, int processes, const char* function) {
    checked(axis.counts, function, "the numbers of labels of an axis");
    std::vector<Numbers> lists;
    const std::int64_t* next = axis.labels;
    for (int p = 0; p < processes; ++p) {
        const std::int64_t count = axis.counts[p];
        require<LayoutError>(count >= 0, [&] {
            return text(function, ": expected at least 0 labels of process ", p, ", got ", count);
        });
        if (count > 0) checked(axis.labels, function, "the labels of an axis");
        lists.emplace_back(next, next + count);
        next += count;
    }
    return lists;
}

UnstructuredOptions ghosts_of(const distview_axis& axis, int processes) {
    if (!axis.ghosts) return {};
    return {.ghosts = Numbers(axis.ghosts, axis.ghosts + processes)};
}

AxisSpec lists_of_program(const distview_axis& axis, int processes, const char* function) {
    std::vector<Numbers> lists = labels_of(axis, processes, function);
    return axis.ghosts ? unstructured(std::move(lists), ghosts_of(axis, processes))
                       : unstructured(std::move(lists), axis.one_to_one != 0);
}

AxisSpec known_list_of_program(const distview_axis& axis, const char* function) {
    Numbers list = std::move(labels_of(axis, 1, function).front());
    if (axis.ghosts)
        return unstructured_local(axis.extent, axis.known_process, std::move(list),
                                  ghosts_of(axis, 1));
    return unstructured_local(axis.extent, axis.known_process, std::move(list),
                              axis.one_to_one != 0);
}

/// Calls the program's distribution for every index.
AxisSpec distribution_of_program(const distview_axis& axis, int processes, const char* function) {
    require<UsageError>(axis.distribution != nullptr, [&] {
        return text(function, ": expected a distribution of an axis, got a null pointer");
    });
    require<LayoutError>(axis.extent >= 0, [&] {
        return text(function, ": expected an extent of at least 0, got ", axis.extent);
    });
    const CallbackErrors errors(function);
    struct Place {
        int process;
        std::int64_t position;
    };
    std::vector<Place> places(static_cast<std::size_t>(axis.extent));
    Numbers counts(static_cast<std::size_t>(processes), 0);
    for (std::int64_t i = 0; i < axis.extent; ++i) {
        Place place{-1, -1};
        errors.check(axis.distribution(i, &place.process, &place.position, axis.user));
        require<LayoutError>(place.process >= 0 && place.process < processes, [&] {
            return text(function, ": expected a process in [0, ", processes, ") for index ", i,
                        ", got ", place.process, " from the distribution");
        });
        places[static_cast<std::size_t>(i)] = place;
        ++counts[static_cast<std::size_t>(place.process)];
    }
    std::vector<Numbers> lists;
    for (const std::int64_t count : counts) lists.emplace_back(static_cast<std::size_t>(count), -1);
    for (std::int64_t i = 0; i < axis.extent; ++i) {
        const Place& place = places[static_cast<std::size_t>(i)];
        Numbers& list = lists[static_cast<std::size_t>(place.process)];
        const bool is_free = place.position >= 0 && place.position < std::ssize(list) &&
                             list[static_cast<std::size_t>(place.position)] == -1;
        require<LayoutError>(is_free, [&] {
            return text(function, ": expected an unused position in [0, ", list.size(),
                        ") for index ", i, " of process ", place.process, ", got ", place.position,
                        " from the distribution");
        });
        list[static_cast<std::size_t>(place.position)] = i;
    }
    return unstructured(std::move(lists), true);
}

} // namespace

AxisSpec axis_of_program(const distview_axis& axis, int processes, const char* function) {
    if (axis.kind >= DISTVIEW_CYCLIC && axis.kind <= DISTVIEW_USER)
        require_no_padding(axis, function);
    switch (axis.kind) {
    case DISTVIEW_BLOCK: return block(axis.extent, block_options(axis));
    case DISTVIEW_REGULAR_BLOCK: return regular_block(axis.extent, block_options(axis));
    case DISTVIEW_BLOCK_BOUNDS: return bounds_of_program(axis, processes, function);
    case DISTVIEW_CYCLIC:
        return axis.block_size == 0 ? cyclic(axis.extent)
                                    : block_cyclic(axis.extent, axis.block_size);
    case DISTVIEW_UNSTRUCTURED: return lists_of_program(axis, processes, function);
    case DISTVIEW_UNSTRUCTURED_LOCAL: return known_list_of_program(axis, function);
    case DISTVIEW_USER: return distribution_of_program(axis, processes, function);
    default: break;
    }
    throw UsageError(text(function, ": expected a kind of axis in [0, 7), got ", axis.kind));
}

} // namespace distview::c
