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

/// The processes of a line that receive the results of a reduction along an axis.
enum class AxisResult {
    first,     ///< the process with coordinate 0: every result belongs to one process
    everywhere ///< all processes: for use together with the reduced array, as in transform()
};

/// Returns the layout of an array's reduction along an axis: that axis gets extent 1, the others do not change.
///
///     180 x 360 over 2 x 3 processes, axis 1:    180 x 1 over 2 x 3 processes,
///         first         block(1): in every row of processes, the process with coordinate 0 has the row's 90 results
///         everywhere    index 0 on every process: each process has the 90 results of its row
///
/// The axis is kept, as with NumPy's keepdims. An array lies on all processes of its grid, so the result can stay on
/// the processes of the reduced cells, and transform() can spread it over the array again. With AxisResult::everywhere
/// an array holds every result several times, and sum() counts all copies.
///
/// Collective: no (local)
/// Errors:     UsageError if there is no such axis
ArrayLayout reduced_layout(const ArrayLayout& layout, int axis,
                           AxisResult where = AxisResult::first);

namespace impl {

/// Reduces the lines of this process's cells into the buffer of the exchange.
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

/// The values in the buffer of the exchange, rounded on the host for elements of type Result.
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

/// Writes the values in the buffer of the exchange to the target's cells.
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
        begin_axis_call<Operation>(caller, source, axis, target, [&](const AxisCall& arguments) {
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
/// `op` is Sum, Product, Minimum, Maximum, or a function object T(T, T) of the program that is associative and
/// commutative. Sum and Product compute as sum() does, whatever the target's type: floats in double, integers modulo
/// 2^64; static_cast then converts the results to the target's type. For bool elements, which sum() does not accept,
/// Sum counts the true elements, as in NumPy, and Product gives 1 if all are true. All other operations compute in the
/// source's element type. A minimum with a NaN is NaN. The sum over no cells is 0, the product 1. If unstructured lists
/// place an element on several processes along the axis, the element counts once for each of them.
///
/// Results have the same bits on all processes that receive them, and again whenever the call is repeated with the same
/// layout and number of threads.
///
/// Collective: over the communicator; all ranks pass sections of the same arrays
/// Shapes:     the target has the source's grid, the source's interior cells along all other axes, and extent 1 along
///             the axis, on any processes; reduced_layout() creates such a layout
/// Space:      kernels on `exec`, which have finished on return
/// Touches:    reads the interior cells of the source, writes those of the target
/// Cost:       reads the source once; two agreements; exchanges one value for each line of cells, see GridAxis. The
///             first call, or every call if no GridAxis is kept, also pays the agreements of its plans and its buffers
/// Errors:     ShapeError, which names both layouts and a call that aligns them, if the target's cells differ;
///             UsageError as in sum(), if there is no such axis, for a minimum (or another operation without neutral
///             element) over no cells, or if an unstructured axis has only one process's labels (thrown on all ranks)
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
/// Same, along an axis given by its number.
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

/// Options of axis_reduce().
struct AxisReduceOptions {
    /// Whether sums are exact, rounded once to the nearest double, or to the nearest float if the target's elements are
    /// float (see ReductionOptions). They have the same bits for any number of ranks and threads and any layout. The
    /// real and imaginary parts of complex numbers are separate sums.
    bool reproducible = false;
};

/// Sums along an axis, reproducibly if the options request it:
///
///     axis_reduce(exec, comm, Sum{}, u, 1, s, {.reproducible = true});
///
/// Collective: over comm; all ranks pass equal options
/// Space:      kernels on `exec`, which have finished on return; exact sums are rounded on the host
/// Cost:       reproducible: exchanges some 600 bytes for each line of cells (complex: 1200), in buffers of three times
///             that size
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
