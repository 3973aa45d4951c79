// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/impl/packed_cells.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <type_traits>
#include <variant>

namespace distview::impl {

/// A scan's operation and start value; an inclusive scan has no start value.
template <class Operation, bool Inclusive>
struct Scan {
    using Value = typename Operation::value_type;
    static constexpr bool inclusive = Inclusive;
    Operation operation;
    Value start;
};

/// Whether the cells of an axis are in ascending order, place after place.
bool is_in_order(const AxisLayout& axis);

/// A section's layout for redistributions that move cells only along `axis`: along the other axes cells are identified
/// by their positions.
ArrayLayout positions_layout(const ArrayLayout& layout, int axis);
/// A layout with the cells in order: blocks along `axis`, no padding.
ArrayLayout ordered_layout(const ArrayLayout& layout, int axis);
/// Matches cells of an unstructured axis by ascending label.
RedistributionOptions ordered_options(const ArrayLayout& layout, int axis);

/// Scans lines whose cells are in order.
template <ExecutionSpace Exec, class What, DistViewLike Source, DistViewLike Target>
void scan_in_order(const Caller& caller, const Exec& exec, GridAxis& axis, const AxisLines& lines,
                   const What& what, const Source& source, const Target& target) {
    using Operation = decltype(what.operation);
    using Value = typename Operation::value_type;
    using T = std::remove_const_t<typename Source::value_type>;
    using Result = typename Target::value_type;
    const int d = axis.axis();
    const auto from = axis_cells(source, d);
    const auto to = axis_cells(target, d);
    const AxisLoop loop(Source::rank(), d, from.extents, from.strides, to.strides, false);
    constexpr std::int64_t tile = lines_at_once<Value, Exec>;
    const LineChunks chunks = cut_lines<Value>(exec, loop, from.length);
    const bool has_cells = from.length > 0 && loop.count() > 0;
    GridAxisAccess::jointly(axis, caller, [&](Alone& alone) {
        auto& exchange = GridAxisAccess::keep<typename Exec::memory_space>(axis, exec, lines.cells,
                                                                           sizeof(Value));
        Value* const before = exchange.template own<Value>();
        Value* values = before;
        Kokkos::View<Value*, typename Exec::memory_space> scratch;
        // The joined values of the chunks, and of all cells of this process.
        alone([&] {
            exchange.set_places(exec, lines.places);
            if (!has_cells) return;
            if (chunks.count > 1) {
                scratch = allocate_values<Value, typename Exec::memory_space>(
                    exec, caller, chunks.count * loop.count());
                values = scratch.data();
            }
            if (chunks.count > 1 || axis.extent() > 1)
                launch_units(caller, exec, loop, chunks.count,
                             LineReduction<T, Operation, true, tile>{loop, from.first, from.step,
                                                                     chunks, loop.count(), values,
                                                                     what.operation});
            if (chunks.count > 1)
                launch_flat(caller, exec, loop.count(),
                            JoinChunks<Operation>{values, loop.count(), chunks.count, before,
                                                  what.operation});
        });
        exchange.scan(caller, alone, exec, what.operation);
        // The joined values before every chunk; then the cells.
        alone([&] {
            const bool has_before = lines.places.front() < axis.coordinate();
            if (has_cells && (!What::inclusive || has_before || chunks.count > 1))
                launch_flat(caller, exec, loop.count(),
                            ScanChunks<Operation>{has_before ? before : nullptr, values,
                                                  loop.count(), chunks.count, !What::inclusive,
                                                  what.start, what.operation});
            if (has_cells)
                launch_units(caller, exec, loop, chunks.count,
                             LineScan<T, Result, Operation, What::inclusive, tile>{
                                 loop, from.first, from.step, to.first, to.step, chunks,
                                 loop.count(), values, !What::inclusive || has_before,
                                 what.operation});
            exec.fence(caller.label(": the buffers may be used again"));
        });
    });
}

template <DistViewLike View, ExecutionSpace Exec, class T>
auto make_ordered(const Caller& caller, const Exec& exec, const Communicator& comm,
                  const ArrayLayout& layout) {
    return make_dist_view<typename AsDynamic<T, View::rank()>::type>(
        exec, view_label(caller.name, "ordered"), comm, layout);
}

/// Scans lines whose cells are distributed cyclically, or in no order, between two redistributions.
template <ExecutionSpace Exec, class What, DistViewLike Source, DistViewLike Target>
void scan_out_of_order(const Caller& caller, const Exec& exec, GridAxis& axis, AxisLines& lines,
                       const What& what, const Source& source, const Target& target) {
    using T = typename Source::non_const_value_type;
    using Result = typename Target::value_type;
    const Communicator& comm = axis.communicator();
    const int d = axis.axis();
    ArrayLayout ordered;
    RedistributionOptions options;
    // Elements are const so that the checking mode does not poison their padding: only `source` knows which is valid.
    DistViewOf<typename Source::view_type::const_type> from;
    DistViewOf<typename Target::view_type> to;
    agree_on(comm, caller.name, [&] {
        ordered = ordered_layout(source.layout(), d);
        options = ordered_options(source.layout(), d);
        from = {positions_layout(source.layout(), d), source.process(), source.view()};
        to = {positions_layout(target.layout(), d), target.process(), target.view()};
        lines.places = places_with_cells(ordered.axis(d));
    });
    const auto in_order = make_ordered<Source, Exec, T>(caller, exec, comm, ordered);
    RedistributionPlan(comm, from.layout(), ordered, options).execute(exec, from, in_order);
    RedistributionPlan back(comm, ordered, to.layout(), options);
    if constexpr (std::is_same_v<T, Result>) {
        scan_in_order(caller, exec, axis, lines, what, in_order, in_order);
        back.execute(exec, in_order, to);
    } else {
        const auto scanned = make_ordered<Target, Exec, Result>(caller, exec, comm, ordered);
        scan_in_order(caller, exec, axis, lines, what, in_order, scanned);
        back.execute(exec, scanned, to);
    }
}

/// Throws UsageError if cells of the target share memory with other cells of the source.
template <DistViewLike Source, DistViewLike Target>
void check_scanned_memory(const Caller& caller, const Source& source, const Target& target) {
    const auto box = cell_box(target, Cells::interior);
    if (box.count() == 0) return;
    const auto shift = shift_between(caller.name, target, source, Cells::interior);
    require_apart(caller.name, visited_cells(target.view(), box),
                  visited_cells(source.view(), box, shift.by));
}

/// `start`: the start value, which ranks compare.
template <ExecutionSpace Exec, class What, DistViewLike Source, DistViewLike Target,
          class Start = std::monostate>
void scan_axis(const Caller& caller, const Exec& exec, GridAxis& axis, const What& what,
               const Source& source, const Target& target, const Start& start = {}) {
    const CollectiveCall call(axis.communicator(), caller.name);
    const auto check = [&](const AxisCall& arguments) {
        check_scanned(arguments);
        check_scanned_memory(caller, source, target);
    };
    AxisLines lines =
        begin_axis_call<decltype(what.operation)>(caller, source, axis, target, check, start);
    if (source.size() == 0) return;
    note_written(target);
    if (is_in_order(source.layout().axis(axis.axis())))
        scan_in_order(caller, exec, axis, lines, what, source, target);
    else
        scan_out_of_order(caller, exec, axis, lines, what, source, target);
}

} // namespace distview::impl
