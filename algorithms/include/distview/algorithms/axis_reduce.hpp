// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/grid_axis.hpp>
#include <distview/algorithms/impl/axis_call.hpp>
#include <distview/algorithms/impl/axis_operations.hpp>
#include <distview/algorithms/operations.hpp>
#include <distview/algorithms/sum.hpp>

#include <type_traits>
#include <vector>

namespace distview {

/// Which processes of a line get the results of a reduction along an axis.
enum class AxisResult {
    first,     ///< the one with coordinate 0: every result belongs to one process
    everywhere ///< all: to be used together with the array that was reduced, as transform() does
};

/// The layout of an array's reduction along an axis: that axis has extent 1, the others are as they were.
///
///     180 x 360 over 2 x 3 processes, axis 1:    180 x 1 over 2 x 3 processes,
///         first         block(1): of every row of processes the one with coordinate 0 has its 90 results
///         everywhere    index 0 on all of them: each one has the 90 results of its row
///
/// The axis is kept, as with NumPy's keepdims: an array lies on all processes of its grid, so the result can stay
/// where the cells are, and transform() spreads it over the array again. Arrays with results everywhere hold
/// every one several times: sum() counts all of these.
///
/// Collective: no (local)
/// Errors:     UsageError if there is no such axis
ArrayLayout reduced_layout(const ArrayLayout& layout, int axis,
                           AxisResult where = AxisResult::first);

namespace impl {

/// Reduces the lines of this process's cells into the exchange's own buffer.
template <bool Ordered, ExecutionSpace Exec, DistViewLike Source, class Operation, class Exchange>
void reduce_lines(const Caller& caller, const Exec& exec, const Source& source, int axis,
                  const Operation& operation, Exchange& exchange) {
    using Value = typename Operation::value_type;
    const auto cells = axis_cells(source, axis);
    if (cells.length == 0 || exchange.values() == 0) return;
    const AxisLoop loop(Source::rank(), axis, cells.extents, cells.strides, cells.strides, false);
    constexpr std::int64_t tile = lines_at_once<Value, Exec>;
    const LineChunks chunks = cut_lines<Value>(exec, loop, cells.length);
    Value* const own = exchange.template own<Value>();
    using T = std::remove_const_t<typename Source::value_type>;
    const auto reduce_into = [&](Value* buffer) {
        launch_units(caller, exec, loop, chunks.count,
                     LineReduction<T, Operation, Ordered, tile>{
                         loop, cells.first, cells.step, chunks, loop.count(), buffer, operation});
    };
    if (chunks.count == 1) return reduce_into(own);
    const auto scratch = allocate_values<Value, typename Exec::memory_space>(
        exec, caller, chunks.count * loop.count());
    reduce_into(scratch.data());
    launch_flat(caller, exec, loop.count(),
                JoinChunks<Operation>{scratch.data(), loop.count(), chunks.count, own, operation});
    exec.fence(caller.label(": partial results are dropped"));
}

/// The values of the exchange's own buffer, rounded on the host for elements of type Result.
template <class Operation, class Result, ExecutionSpace Exec, class Exchange>
auto round_lines(const Caller& caller, const Exec& exec, const Exchange& exchange) {
    using Value = typename Operation::value_type;
    using Rounded = decltype(Operation::template rounded<Result>(Operation::neutral()));
    using Memory = typename Exec::memory_space;
    const Kokkos::View<Value*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> values(
        exchange.template own<Value>(), static_cast<std::size_t>(exchange.values()));
    const auto values_host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, values);
    Kokkos::deep_copy(exec, values_host, values);
    exec.fence(caller.label(": the host rounds"));
    const auto rounded = allocate_values<Rounded, Memory>(exec, caller, exchange.values());
    const auto rounded_host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, rounded);
    for (std::size_t i = 0; i < values_host.size(); ++i)
        rounded_host(i) = Operation::template rounded<Result>(values_host(i));
    Kokkos::deep_copy(exec, rounded, rounded_host);
    exec.fence(caller.label(": the host's copy is dropped"));
    return rounded;
}

/// Writes the values of the exchange's own buffer to the target's cells.
template <class Operation, ExecutionSpace Exec, class Exchange, DistViewLike Target>
void write_lines(const Caller& caller, const Exec& exec, int axis, const Exchange& exchange,
                 const Target& target) {
    using Result = typename Target::value_type;
    const auto cells = axis_cells(target, axis);
    if (cells.length == 0) return;
    const AxisLoop loop(Target::rank(), axis, cells.extents, cells.strides, cells.strides, true);
    const auto write = [&]<class From, class Convert>(const From* from, const Convert& convert) {
        constexpr std::int64_t tile = lines_at_once<From, Exec>;
        launch_units(
            caller, exec, loop, 1,
            BufferKernel<From, Result, Convert, false, tile>{loop, from, cells.first, convert});
    };
    if constexpr (requires { Operation::template rounded<Result>(Operation::neutral()); }) {
        const auto rounded = round_lines<Operation, Result>(caller, exec, exchange);
        using Rounded = typename decltype(rounded)::value_type;
        write(static_cast<const Rounded*>(rounded.data()), CastTo<Result>());
        exec.fence(caller.label(": the rounded values are dropped"));
    } else {
        using Value = typename Operation::value_type;
        write(static_cast<const Value*>(exchange.template own<Value>()),
              typename TakeResult<Operation>::template As<Result>());
    }
}

template <ExecutionSpace Exec, class Operation, DistViewLike Source, DistViewLike Target>
void reduce_axis(const Caller& caller, const Exec& exec, GridAxis& axis, const Operation& operation,
                 const Source& source, const Target& target) {
    using Value = typename Operation::value_type;
    using Result = typename Target::value_type;
    const CollectiveCall call(axis.communicator(), caller.name);
    std::vector<int> holders;
    const AxisLines lines =
        begin_axis_call(caller, source, axis, target, [&](const AxisCall& arguments) {
            check_reduced(arguments);
            if (!Operation::has_neutral) check_not_empty(arguments);
            holders = places_with_cells(target.layout().axis(axis.axis()));
        });
    note_written(target); // on all ranks, whatever fails
    GridAxisAccess::jointly(axis, caller, [&](Alone& alone) {
        if (source.extent(axis.axis()) == 0)
            return alone([&] {
                if constexpr (Operation::has_neutral)
                    fill(exec, target, Operation::template result<Result>(Operation::neutral()));
                exec.fence(caller.label(": results are there on return"));
            });
        auto& exchange = GridAxisAccess::keep<typename Exec::memory_space>(axis, exec, lines.cells,
                                                                           sizeof(Value));
        alone([&] {
            exchange.set_places(exec, lines.places);
            reduce_lines<false>(caller, exec, source, axis.axis(), operation, exchange);
        });
        if (holders.size() == 1)
            exchange.reduce_to(holders.front(), caller, alone, exec, operation);
        else
            exchange.reduce_to_all(caller, alone, exec, operation);
        alone([&] {
            write_lines<Operation>(caller, exec, axis.axis(), exchange, target);
            exec.fence(caller.label(": the buffers may be used again"));
        });
    });
}

} // namespace impl

/// Reduces an array along the axis of a GridAxis: target(i, 0, k) = the sum over j of source(i, j, k).
///
///     auto mean = make_dist_view<double**>(exec, "mean", comm, reduced_layout(u.layout(), 1));
///     axis_reduce(exec, comm, Sum{}, u, 1, mean);
///     scale(exec, 1.0 / u.extent(1), mean);
///
/// `op` is Sum, Product, Minimum, Maximum or a function object T(T, T) of the program's that is associative and
/// commutative. Sum and Product compute as sum() does: of floats in double, of integers modulo 2^64, whatever the
/// target's type, to which results are converted as static_cast does. Of bool, which sum() does not take, Sum counts the
/// true ones, as NumPy does, and Product says 1 if all are true. All others compute in the source's
/// element type. A minimum with a NaN is NaN. The sum over no cells is 0, the product 1. Elements
/// that unstructured lists place on several processes along the axis count once for each of them.
///
/// Results have the same bits on all processes that get them, and whenever the call is repeated with the same
/// layout and number of threads.
///
/// Collective: over the communicator; all ranks pass sections of the same arrays
/// Shapes:     the target has the source's grid, interior cells along all other axes, and extent 1 along the axis,
///             on whatever processes; reduced_layout() makes such a layout
/// Space:      kernels on `exec`, which have finished on return
/// Touches:    reads the interior cells of the source, writes those of the target
/// Cost:       reads the source once; two agreements; one value for each line of cells is exchanged, see GridAxis. The first
///             time, and without a GridAxis kept each time, the agreements of its plans and its buffers besides
/// Errors:     ShapeError, which names both layouts and what would align them, if the target's cells are others;
///             UsageError as sum(), if there is no such axis, the minimum or the like of no cells, or an
///             unstructured axis that knows one process's labels only (thrown on all ranks)
/// Example:    tests/unit/algorithms/test_axis_reduce.cpp
template <ExecutionSpace Exec, class Op, DistViewLike Source, WritableDistView Target>
    requires(AccessibleFrom<Source, Exec> && AccessibleFrom<Target, Exec> &&
             Source::rank() == Target::rank() &&
             JoinsElements<Op, typename Source::non_const_value_type>)
void axis_reduce(const Exec& exec, GridAxis& axis, const Op& op, const Source& source,
                 const Target& target) {
    static constexpr impl::Caller caller("axis_reduce");
    using Operation = impl::AxisOperation<Op, typename Source::non_const_value_type>;
    impl::reduce_axis(caller, exec, axis, Operation{op}, source, target);
}
/// The same along an axis given by its number.
///
/// Collective: over comm
template <ExecutionSpace Exec, class Op, DistViewLike Source, WritableDistView Target>
    requires(AccessibleFrom<Source, Exec> && AccessibleFrom<Target, Exec> &&
             Source::rank() == Target::rank() &&
             JoinsElements<Op, typename Source::non_const_value_type>)
void axis_reduce(const Exec& exec, const Communicator& comm, const Op& op, const Source& source,
                 int axis, const Target& target) {
    const CollectiveCall call(comm, "axis_reduce");
    GridAxis along(comm, source.layout().grid(), axis);
    axis_reduce(exec, along, op, source, target);
}

/// How axis_reduce() adds up.
struct AxisReduceOptions {
    /// The exact sum, rounded once to the nearest double, or float if the target's elements are, as
    /// ReductionOptions has it: the same bits for any number of ranks and threads and any layout; complex numbers by
    /// parts.
    bool reproducible = false;
};

/// Sums along an axis, reproducible ones if asked for:
///
///     axis_reduce(exec, comm, Sum{}, u, 1, s, {.reproducible = true});
///
/// Collective: over comm; all ranks pass equal options
/// Space:      kernels on `exec`, which have finished on return; exact sums are rounded on the host
/// Cost:       reproducible: some 600 bytes are exchanged for each line of cells (complex: 1200), and three times that
///             is buffers
/// Errors:     those of axis_reduce() above; UsageError if options differ between ranks (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike Source, WritableDistView Target>
    requires(AccessibleFrom<Source, Exec> && AccessibleFrom<Target, Exec> &&
             Source::rank() == Target::rank() && NumericDistView<Source>)
void axis_reduce(const Exec& exec, const Communicator& comm, Sum op, const Source& source, int axis,
                 const Target& target, const AxisReduceOptions& options) {
    static constexpr impl::Caller caller("axis_reduce");
    const CollectiveCall call(comm, caller.name);
    impl::agree_on_options(comm, caller, options.reproducible);
    GridAxis along(comm, source.layout().grid(), axis);
    if (options.reproducible)
        impl::reduce_axis(caller, exec, along,
                          impl::ExactOperation<typename Source::non_const_value_type>(), source,
                          target);
    else
        axis_reduce(exec, along, op, source, target);
}

} // namespace distview
