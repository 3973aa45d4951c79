// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/scan_lines.hpp>

namespace distview {

namespace impl {
template <class Exec, class Op, class Source, class Target>
concept ScannedWith =
    AccessibleFrom<Source, Exec> && AccessibleFrom<Target, Exec> &&
    Source::rank() == Target::rank() && JoinsElements<Op, typename Source::non_const_value_type>;
/// The type of the start value of a scan.
template <class Op, class Source>
using ScanStart = typename AxisOperation<Op, typename Source::non_const_value_type>::start_type;
} // namespace impl

/// Scans an array along the axis of a GridAxis: target(i, j, k) = the sum over jj <= j of source(i, jj, k).
///
///     inclusive_scan(exec, comm, counts, 0, ends);          // NumPy: cumsum(counts, axis=0)
///     inclusive_scan(exec, comm, u, 1, u, Maximum{});       // running maxima, in place
///
/// The scan follows the global indices (on unstructured axes the labels), however the array is distributed. `op` is
/// Sum, Product, Minimum, Maximum or an associative function object T(T here, T incoming) of the program; it need not
/// be commutative. Types are as in axis_reduce(). If an unstructured axis lists an element on several processes, it
/// counts once, with the value of the lowest of these processes along the axis, and all of them receive the result.
/// Results have the same bits whenever the call is repeated with the same layout and number of threads.
///
/// Collective: over the communicator; all ranks pass sections of the same arrays
/// Shapes:     source and target have the same distribution, see copy(); they may be the same array
/// Space:      kernels on `exec`, which have finished on return
/// Touches:    reads the interior cells of the source, writes those of the target
/// Cost:       along a block axis, or an undistributed axis that is not unstructured: reads the source twice and
///             exchanges one value for each line of cells, see GridAxis. Along other axes also two redistributions,
///             whose plans are created in the call, and one or two arrays of the source's size
/// Errors:     ShapeError, which names both layouts and a call that aligns them, if the cells differ; UsageError if the
///             target shares memory with other cells of the source, and as in axis_reduce() (thrown on all ranks)
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
/// Same, along an axis given by its number.
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
/// For Sum and Product the start value has the type that sum() of the source returns (std::int64_t for bool, double for
/// half precision), for all other operations the source's element type.
///
/// Collective: over the communicator; all ranks pass equal start values, which are compared if they are numbers; the
///             rest is as in inclusive_scan()
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
/// Same, along an axis given by its number.
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
