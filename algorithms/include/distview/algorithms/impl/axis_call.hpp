// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/grid_axis.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace distview::impl {

/// The two sections of an operation along an axis.
struct AxisCall {
    const Caller& caller;
    const ArrayLayout& source;
    int source_process;
    const ArrayLayout& target;
    int target_process;
    int axis;
    ElementType source_element;
    ElementType target_element;
    const char* operation;
    std::string start{}; ///< start_text() of a scan's start value; empty: no start value
};
/// Lines of cells along an axis; processes exchange one value for each line.
struct AxisLines {
    std::vector<std::int64_t> cells; ///< cells across the axis, for the processes of each line
    std::vector<int> places;         ///< places that have cells along the axis
};
/// The text of a start value for errors and for the comparison between ranks; empty for types of the program.
template <class Value>
std::string start_text(const Value& start) {
    if constexpr (std::integral<Value>)
        return text(+start);
    else if constexpr (std::floating_point<Value>)
        return exact_text(static_cast<double>(start));
    else if constexpr (requires { text(start_text(start.real()), start_text(start.imag())); })
        return text(start_text(start.real()), " + ", start_text(start.imag()), "i");
    else
        return {};
}

/// Throws unless the axis exists, and the sections are this rank's sections of arrays over all of comm.
void check_axis(const AxisCall& call, const Communicator& comm);
/// Throws UsageError unless the GridAxis has the grid of the layout.
void check_grid_axis(const Caller& caller, const GridAxis& axis, const ArrayLayout& layout);
/// Throws ShapeError, which names both layouts, unless the target has the source's cells along all axes but `axis`, and
/// one cell along `axis`.
void check_reduced(const AxisCall& call);
/// Throws UsageError if results would be over no cells.
void check_not_empty(const AxisCall& call);
/// Throws ShapeError, which names both layouts, unless the target has the source's cells.
void check_scanned(const AxisCall& call);

/// Agrees on this rank's failure in checking and on the arguments of all ranks.
void agree_on_axis_call(const Communicator& comm, const AxisCall& call,
                        const std::exception_ptr& failure, std::span<const std::uint64_t> arrays);

/// Throws UsageError on all ranks unless their options are equal.
void agree_on_options(const Communicator& comm, const Caller& caller, bool reproducible);

/// The lines of a layout. Throws UsageError if labels are not known.
AxisLines lines_along(const Caller& caller, const ArrayLayout& layout, const GridAxis& axis);
/// The places that have cells along an axis.
std::vector<int> places_with_cells(const AxisLayout& axis);

/// Runs `checks` and agrees with the other ranks; returns the source's lines.
template <class Operation, DistViewLike Source, DistViewLike Target, class Checks,
          class Start = std::monostate>
AxisLines begin_axis_call(const Caller& caller, const Source& source, const GridAxis& axis,
                          const Target& target, const Checks& checks, const Start& start = {}) {
    AxisCall call{caller,
                  source.layout(),
                  source.process(),
                  target.layout(),
                  target.process(),
                  axis.axis(),
                  element_type<typename Source::non_const_value_type>(),
                  element_type<typename Target::non_const_value_type>(),
                  Operation::name};
    AxisLines lines;
    Alone alone;
    alone([&] {
        call.start = start_text(start);
        check_axis(call, axis.communicator());
        check_elements(caller.name, source);
        check_grid_axis(caller, axis, source.layout());
        checks(call);
        lines = lines_along(caller, source.layout(), axis);
    });
    agree_on_axis_call(axis.communicator(), call, alone.failure(),
                       std::array{source.identity(), target.identity()});
    return lines;
}

} // namespace distview::impl
