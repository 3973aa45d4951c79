// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/impl/axis_call.hpp>

#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <string>
#include <utility>

namespace distview {

namespace {

void require_axis(const char* caller, const ArrayLayout& layout, int axis) {
    require<UsageError>(axis >= 0 && axis < layout.rank(), [&] {
        return text(caller, ": expected an axis in [0, ", layout.rank(), "), got ", axis);
    });
}

std::vector<AxisSpec> axes_of(const ArrayLayout& layout) {
    std::vector<AxisSpec> axes;
    for (int d = 0; d < layout.rank(); ++d) axes.push_back(axis_spec(layout.axis(d)));
    return axes;
}

} // namespace

ArrayLayout reduced_layout(const ArrayLayout& layout, int axis, AxisResult where) {
    require_axis("reduced_layout", layout, axis);
    std::vector<AxisSpec> axes = axes_of(layout);
    const int places = layout.grid().extent(axis);
    axes[static_cast<std::size_t>(axis)] =
        where == AxisResult::first || places == 1
            ? block(1)
            : unstructured(std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(places),
                                                                  std::vector<std::int64_t>{0}));
    return {layout.grid(), axes};
}

namespace impl {

void check_axis(const AxisCall& call, const Communicator& comm) {
    require_axis(call.caller.name, call.source, call.axis);
    check_array(call.caller.name, comm, call.source, call.source_process);
    check_array(call.caller.name, comm, call.target, call.target_process);
}

void check_grid_axis(const Caller& caller, const GridAxis& axis, const ArrayLayout& layout) {
    require<UsageError>(axis.grid() == layout.grid(), [&] {
        return text(caller.name, ": expected an array on the GridAxis's process grid, ",
                    axis.grid().describe(), ", got a ", layout.describe());
    });
}

void check_reduced(const AxisCall& call) {
    bool same_extents = call.source.rank() == call.target.rank();
    for (int d = 0; same_extents && d < call.source.rank(); ++d)
        same_extents = d == call.axis || call.source.extent(d) == call.target.extent(d);
    const auto refuse = [&] {
        const std::string to_do =
            same_extents
                ? text("\nto align them: reduce into an array of r = reduced_layout(layout of the "
                       "source, ",
                       call.axis, "), then RedistributionPlan(comm, r, layout of the target)")
                : "\nno redistribution aligns them: their extents differ";
        throw ShapeError(
            text(call.caller.name, ": expected a target with extent 1 along axis ", call.axis,
                 " and the source's cells along the other axes, got a target, process ",
                 call.target_process, " of a ", call.target.describe(), "\nand a source, process ",
                 call.source_process, " of a ", call.source.describe(), to_do));
    };
    if (call.source.grid() != call.target.grid() || call.target.extent(call.axis) != 1) refuse();
    try {
        shift_between(call.caller.name, call.source, call.source_process, call.target,
                      call.target_process, Cells::interior, 1U << call.axis);
    } catch (const ShapeError&) {
        refuse();
    }
}

void check_not_empty(const AxisCall& call) {
    bool any = true;
    for (int d = 0; d < call.source.rank(); ++d)
        any = any && (d == call.axis || call.source.extent(d) > 0);
    require<UsageError>(!any || call.source.extent(call.axis) > 0, [&] {
        return text(call.caller.name, ": expected at least one cell along axis ", call.axis,
                    ", got a ", call.source.describe());
    });
}

void check_scanned(const AxisCall& call) {
    try {
        shift_between(call.caller.name, call.source, call.source_process, call.target,
                      call.target_process, Cells::interior);
    } catch (const ShapeError& error) {
        const auto name = [](const void* is) { return std::string(static_cast<const char*>(is)); };
        throw ShapeError(
            text(error.what(), advice({call.target, call.target_process, "target", name},
                                      {call.source, call.source_process, "source", name})));
    }
}

void agree_on_axis_call(const Communicator& comm, const AxisCall& call,
                        const std::exception_ptr& failure, std::span<const std::uint64_t> arrays) {
    Hash digest;
    digest.add(hash_of(call.source.fingerprint(), call.target.fingerprint(), call.axis,
                       call.source_element.bytes, call.source_element.kind,
                       call.target_element.bytes, call.target_element.kind));
    digest.add(call.start).add(call.operation);
    agree(
        comm, call.caller.name, failure, digest.value(),
        [&] {
            return std::vector<Argument>{
                {"axis", text(call.axis)},
                {"element type", describe(call.source_element)},
                {"element type of the target", describe(call.target_element)},
                {"layout", describe_fully(call.source)},
                {"layout of the target", describe_fully(call.target)},
                {"value to start with", call.start},
                {"operation", call.operation}};
        },
        arrays);
}

void agree_on_options(const Communicator& comm, const Caller& caller, bool reproducible) {
    agree(comm, caller.name, nullptr, reproducible ? 1 : 0,
          [&] { return std::vector<Argument>{{"reproducible", reproducible ? "true" : "false"}}; });
}

AxisLines lines_along(const Caller& caller, const ArrayLayout& layout, const GridAxis& axis) {
    const GridLines& lines = GridAxisAccess::lines(axis);
    for (int d = 0; d < layout.rank(); ++d)
        require<UsageError>(layout.axis(d).type() != DistType::unstructured ||
                                layout.axis(d).as_unstructured().known_process() < 0,
                            [&] {
                                return text(caller.name,
                                            ": expected the labels of all processes "
                                            "along axis ",
                                            d, ", got a ", layout.describe());
                            });
    std::vector<std::int64_t> across(static_cast<std::size_t>(lines.count), 1);
    for (int line = 0; line < lines.count; ++line) {
        const GridCoordinates at = layout.coordinates(lines.process(line, 0));
        for (int d = 0; d < layout.rank(); ++d)
            if (d != axis.axis())
                across[static_cast<std::size_t>(line)] *=
                    layout.axis(d).interior_local(at[static_cast<std::size_t>(d)]).size();
    }
    return {std::move(across), places_with_cells(layout.axis(axis.axis()))};
}

std::vector<int> places_with_cells(const AxisLayout& axis) {
    std::vector<int> places;
    for (int p = 0; p < axis.grid_size(); ++p)
        if (!axis.interior_local(p).empty()) places.push_back(p);
    return places;
}

} // namespace impl

} // namespace distview
