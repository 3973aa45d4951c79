// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/impl/flat_cells.hpp>

namespace distview {

namespace impl {

template <ViewLike Source, ViewLike Destination>
struct CopyBody {
    ShiftedView<Source> source;
    Destination destination;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        destination(at...) = static_cast<typename Destination::value_type>(source(at...));
    }
};

} // namespace impl

/// Copies cells from one array to another array with the same distribution.
///
/// The arrays may differ in padding widths, element types and the order of the axes in memory; this process must hold
/// the same cells of both. deep_copy() copies whole sections with padding.
///
/// Collective: no (local)
/// Shapes:     equal grids; along every axis the same cells on this process
/// Space:      one kernel on `exec`; on return work may still run there
/// Touches:    reads the source's cells, writes the destination's
/// Cost:       no allocation, no fence; unless the layouts are equal, unstructured labels are
///             compared
/// Errors:     ShapeError, which names both layouts and the RedistributionPlan that aligns them, if the
///             cells differ; UsageError if the two arrays share memory, unless all cells are the same
template <ExecutionSpace Exec, DistViewLike Source, WritableDistView Destination>
    requires(AccessibleFrom<Source, Exec> && AccessibleFrom<Destination, Exec> &&
             SameRank<Source, Destination> && ElementsConvertTo<Source, Destination>)
void copy(const Exec& exec, const Source& source, const Destination& destination,
          Cells cells = Cells::interior) {
    static constexpr impl::Caller caller("copy");
    impl::launch_for_pair(
        caller, exec, source, destination, cells,
        []<class From, class To>(const impl::ShiftedView<From>& from, const To& to) {
            return impl::CopyBody<From, To>{from, to};
        });
}

} // namespace distview
