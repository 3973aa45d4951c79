// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/grid_axis.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/text.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// Two sections between which an operation along an axis works.
struct AxisCall {
    const Caller& caller;
    const ArrayLayout& source;
    int source_process;
    const ArrayLayout& target;
    int target_process;
    int axis;
    std::string start{}; ///< start_text() of a scan; empty: it has none
};
template <DistViewLike Source, DistViewLike Target>
AxisCall axis_call(const Caller& caller, const Source& source, int axis, const Target& target) {
    return {caller, source.layout(), source.process(), target.layout(), target.process(), axis};
}
/// As an error shows it, and as ranks compare it; empty for types of the program.
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

/// Throws unless there is such an axis, and the sections are this rank's of arrays over all of comm.
void check_axis(const AxisCall& call, const Communicator& comm);
/// Throws UsageError unless the grid is that of the layout.
void check_grid_axis(const Caller& caller, const GridAxis& axis, const ArrayLayout& layout);
/// Throws ShapeError, which names both layouts, unless the target has the source's cells along all axes but `axis`
/// and one along that.
void check_reduced(const AxisCall& call);
/// Throws UsageError if there are results over no cells.
void check_not_empty(const AxisCall& call);
/// Throws ShapeError, which names both layouts, unless the target has the source's cells.
void check_scanned(const AxisCall& call);

/// agree() on what checking failed with and on the arguments of all ranks.
void agree_on_axis_call(const Communicator& comm, const AxisCall& call,
                        const std::exception_ptr& failure, ElementType source_element,
                        ElementType target_element, const std::vector<std::uint64_t>& arrays);

/// Throws UsageError on all ranks unless they agree.
void agree_on_options(const Communicator& comm, const Caller& caller, bool reproducible);

/// Cells that the processes of each line have across the axis. Throws UsageError where labels are not known.
std::vector<std::int64_t> cells_across(const Caller& caller, const ArrayLayout& layout, int axis,
                                       const GridLines& lines);
/// The places that have cells along an axis.
std::vector<int> places_with_cells(const AxisLayout& axis);

/// Runs `checks` and agrees with the other ranks.
template <DistViewLike Source, DistViewLike Target, class Checks>
void begin_axis_call(const Communicator& comm, const Caller& caller, const Source& source, int axis,
                     const Target& target, const Checks& checks, std::string start = {}) {
    AxisCall call = axis_call(caller, source, axis, target);
    call.start = std::move(start);
    std::exception_ptr failure;
    try {
        check_axis(call, comm);
        check_elements(caller.name.c_str(), source);
        checks(call);
    } catch (...) {
        failure = std::current_exception();
    }
    agree_on_axis_call(comm, call, failure, element_type<typename Source::non_const_value_type>(),
                       element_type<typename Target::non_const_value_type>(),
                       {source.identity(), target.identity()});
}

/// Buffers for values of an operation, one for each line of cells along the grid's axis.
template <class Value, ExecutionSpace Exec>
auto& exchange_across(const Exec& exec, const Caller& caller, GridAxis& axis,
                      const ArrayLayout& layout) {
    const GridLines& lines = GridAxisAccess::lines(axis);
    auto& exchange = GridAxisAccess::keep<typename Exec::memory_space>(
        axis, exec, cells_across(caller, layout, axis.axis(), lines), sizeof(Value));
    exchange.set_places(exec, places_with_cells(layout.axis(axis.axis())));
    return exchange;
}

} // namespace distview::impl
