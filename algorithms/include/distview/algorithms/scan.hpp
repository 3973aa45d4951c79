// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/scan_lines.hpp>

namespace distview {

namespace impl {
template <class Exec, class Op, class Source, class Target>
concept ScannedWith =
    AccessibleFrom<Source, Exec> && AccessibleFrom<Target, Exec> &&
    Source::rank() == Target::rank() && JoinsElements<Op, typename Source::non_const_value_type>;
/// The type of the value that a scan starts with.
template <class Op, class Source>
using ScanStart = typename AxisOperation<Op, typename Source::non_const_value_type>::start_type;
} // namespace impl

/// Scans an array along the axis of a GridAxis: target(i, j, k) = the sum over jj <= j of source(i, jj, k).
///
///     inclusive_scan(exec, comm, counts, 0, ends);          // NumPy: cumsum(counts, axis=0)
///     inclusive_scan(exec, comm, u, 1, u, Maximum{});       // running maxima, in place
///
/// The order is that of the global indices, on unstructured axes of the labels, however the array is
/// distributed. `op` is Sum, Product, Minimum, Maximum or a function object T(T here, T incoming) of the program's
/// that is associative; it need not be commutative. Types are those of axis_reduce(). An element that an unstructured
/// axis lists on several processes counts once, with the value of the lowest of them along the axis; all of them get
/// the result. Results have the same bits whenever the call is repeated with the same layout and number of threads.
///
/// Collective: over the communicator; all ranks pass sections of the same arrays
/// Shapes:     source and target distributed alike, see copy(); they may be the same array
/// Space:      kernels on `exec`, which have finished on return
/// Touches:    reads the interior cells of the source, writes those of the target
/// Cost:       along a block axis, and any axis that is not distributed but unstructured ones: the source is read twice,
///             one value for each line of cells is exchanged, see GridAxis. Along other axes also two redistributions,
///             whose plans are made in the call, and one or two arrays of the source's size
/// Errors:     ShapeError, which names both layouts and what would align them, if the cells differ; UsageError if the
///             target shares memory with other cells of the source, and as axis_reduce() has it (thrown on all ranks)
/// Example:    tests/unit/algorithms/test_scan.cpp
template <ExecutionSpace Exec, DistViewLike Source, WritableDistView Target, class Op = Sum>
    requires impl::ScannedWith<Exec, Op, Source, Target>
void inclusive_scan(const Exec& exec, GridAxis& axis, const Source& source, const Target& target,
                    const Op& op = {}) {
    static constexpr impl::Caller caller("inclusive_scan");
    using Operation = impl::AxisOperation<Op, typename Source::non_const_value_type>;
    impl::scan_axis(caller, exec, axis, impl::Scan<Operation, true>{Operation{op}, {}}, source,
                    target);
}
/// The same along an axis given by its number.
///
/// Collective: over comm
template <ExecutionSpace Exec, DistViewLike Source, WritableDistView Target, class Op = Sum>
    requires impl::ScannedWith<Exec, Op, Source, Target>
void inclusive_scan(const Exec& exec, const Communicator& comm, const Source& source, int axis,
                    const Target& target, const Op& op = {}) {
    const CollectiveCall call(comm, "inclusive_scan");
    GridAxis along(comm, source.layout().grid(), axis);
    inclusive_scan(exec, along, source, target, op);
}

/// Scans an array up to, but not including, each cell: target(i, j, k) = start + the sum over jj < j of
/// source(i, jj, k).
///
///     exclusive_scan(exec, comm, counts, 0, begins, 0);     // where every part begins
///
/// For Sum and Product the value to start with has the type that sum() of the source returns (std::int64_t of bool, double of
/// half precision), for all others that of the source's elements.
///
/// Collective: over the communicator; all ranks pass equal values to start with, which are compared if they are
///             numbers; the rest is as in inclusive_scan()
template <ExecutionSpace Exec, DistViewLike Source, WritableDistView Target, class Op = Sum>
    requires impl::ScannedWith<Exec, Op, Source, Target>
void exclusive_scan(const Exec& exec, GridAxis& axis, const Source& source, const Target& target,
                    const impl::ScanStart<Op, Source>& start, const Op& op = {}) {
    static constexpr impl::Caller caller("exclusive_scan");
    using Operation = impl::AxisOperation<Op, typename Source::non_const_value_type>;
    const Operation operation{op};
    impl::scan_axis(caller, exec, axis,
                    impl::Scan<Operation, false>{operation, operation.begin(start)}, source, target,
                    start);
}
/// The same along an axis given by its number.
///
/// Collective: over comm
template <ExecutionSpace Exec, DistViewLike Source, WritableDistView Target, class Op = Sum>
    requires impl::ScannedWith<Exec, Op, Source, Target>
void exclusive_scan(const Exec& exec, const Communicator& comm, const Source& source, int axis,
                    const Target& target, const impl::ScanStart<Op, Source>& start,
                    const Op& op = {}) {
    const CollectiveCall call(comm, "exclusive_scan");
    GridAxis along(comm, source.layout().grid(), axis);
    exclusive_scan(exec, along, source, target, start, op);
}

} // namespace distview
