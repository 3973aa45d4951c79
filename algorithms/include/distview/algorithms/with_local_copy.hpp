// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/joint_copy.hpp>
#include <distview/algorithms/plain_array.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <concepts>
#include <type_traits>

namespace distview {

/// Options of with_local_copy().
struct LocalCopyOptions {
    /// Selects this process's cells, for the overload that passes them.
    Cells cells = Cells::interior;
    /// Whether the function accepts a leading dimension. If so, it may get the section's own memory even if lines are
    /// farther apart than they are long, as in a section with padding.
    bool takes_leading_dimension = false;
    /// Promise, for Intent::out, that the function writes every element: unwritten elements then need not be detected.
    bool writes_all = false;
};

/// Selects the whole array, for the function on rank `root` alone or on every rank.
struct WholeArray {
    static constexpr int every_rank = -1;
    int root = every_rank;
};

/// Calls a function with the cells of this process as one plain array, for code that expects an address and extents:
/// Fortran 77 routines, LAPACK, C libraries.
///
///     with_local_copy(exec, u, Intent::inout, MemoryOrder::column_major, [&](const auto& a) {
///         const int m = a.extent(0), n = a.extent(1);
///         smooth_(&m, &n, a.data());              // subroutine smooth(m, n, a); real*8 a(m, n)
///     });
///
/// If the cells lie in the section's memory in the requested order without gaps (see also
/// LocalCopyOptions::takes_leading_dimension), the function gets that memory and nothing is copied. Otherwise it gets a
/// copy, and the intent determines which elements are copied:
///
///     Intent::in      all cells into the copy            bytes_copied_in
///     Intent::out     written elements back              bytes_copied_out
///     Intent::inout   both
///
/// Elements that the function does not write keep their values, also with Intent::out: copies of float, double and
/// complex elements are filled with NaNs of a certain bit pattern, which marks untouched elements, and these are not
/// copied back. Other types have no such value: their cells are copied in as well, unless the options promise that the
/// function writes_all.
///
/// If the function throws, nothing is copied back; elements that it has written in the section's own memory stay.
///
/// Collective: no (local)
/// Shapes:     function(const PlainArray<T, rank, memory_space>&), in the memory space of the view; the extents are the
///             numbers of this process's cells and may be 0
/// Space:      copies on `exec`, which is fenced before the call and before the return. Kernels of the function must
///             run on `exec`, or have finished when it returns
/// Touches:    only the cells of the array, never padding outside of them
/// Cost:       at most one allocation, a kernel to copy in and one or two to copy out
/// Errors:     UsageError if elements are const and the intent is not Intent::in; exceptions of the function
template <ExecutionSpace Exec, DistViewLike View, class Function>
    requires(AccessibleFrom<View, Exec> &&
             std::is_trivially_copyable_v<typename View::non_const_value_type> &&
             std::invocable<Function&, const typename impl::LocalCopier<Exec, View>::Plain&>)
LocalCopyBytes with_local_copy(const Exec& exec, const View& view, Intent intent, MemoryOrder order,
                               Function&& function, const LocalCopyOptions& options = {}) {
    static constexpr impl::Caller caller("with_local_copy");
    impl::LocalCopier<Exec, View> copier(
        caller, exec, view,
        {intent, order, options.takes_leading_dimension, options.writes_all, impl::LocalPart::box});
    copier.check_intent();
    copier.note_intent();
    copier.take(impl::local_box(impl::cell_box(view, options.cells)));
    copier.copy_in();
    copier.call(function);
    copier.copy_out();
    return copier.bytes();
}

/// Same, for a box of cells of the whole array, whichever ranks hold them.
///
///     const GlobalRange rows{GlobalIndex(0), GlobalIndex(10)}, columns{GlobalIndex(5), GlobalIndex(8)};
///     with_local_copy(exec, comm, u, Intent::in, MemoryOrder::row_major, {rows, columns}, function);
///
/// Every rank passes its own box, which may be empty, and calls its function. The function gets the section's own
/// memory if this rank holds the whole box and the box lies there as requested.
///
/// If the function throws on any rank, no rank copies anything back from its copy, and all ranks throw the exception of
/// the lowest of these ranks; an exception whose type is not the library's becomes an Error with the same text.
///
/// Collective: over comm; all ranks pass sections of the same array, the same intent, order and options
/// Indices:    global, of the interior; on unstructured axes the labels in the range, in ascending order. If several
///             processes hold a label, the owner's element is read, and the elements of all these processes are written
/// Shapes:     the extents of the box; on unstructured axes the number of labels in the range
/// Cost:       two agreements, three if the array is written, and one RedistributionPlan in each direction for every
///             rank whose box has other ranks' cells; O(ranks^2) comparisons of boxes if they are written
/// Errors:     UsageError if the sections do not belong to comm's ranks or differ in layout or type, if other arguments
///             differ, if elements are const and the intent is not Intent::in, if boxes that are written share cells,
///             or if an unstructured axis has only one process's labels; LayoutError if a box leaves the interior;
///             exceptions of the function; Error if a rank is out of memory (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike View, class Function>
    requires(AccessibleFrom<View, Exec> &&
             std::is_trivially_copyable_v<typename View::non_const_value_type> &&
             std::invocable<Function&, const typename impl::LocalCopier<Exec, View>::Plain&>)
LocalCopyBytes with_local_copy(const Exec& exec, const Communicator& comm, const View& view,
                               Intent intent, MemoryOrder order,
                               const std::array<GlobalRange, View::view_type::rank()>& box,
                               Function&& function, const LocalCopyOptions& options = {}) {
    static constexpr impl::Caller caller("with_local_copy");
    return impl::copy_jointly(
        caller, exec, comm, view,
        {intent, order, options.takes_leading_dimension, options.writes_all, impl::LocalPart::box},
        0, [&] { return impl::box_of(caller.name, view.layout(), box); }, function);
}

/// Same, for the whole array, on one rank or on every rank.
///
///     with_local_copy(exec, comm, u, Intent::inout, MemoryOrder::column_major, WholeArray{.root = 0}, solve);
///
/// With a root, only the root's function is called. Otherwise every rank calls its function with all elements, and
/// each rank copies back only the written cells that it holds. If the functions compute the same on every rank, the
/// array is the same as after a call on one rank alone.
///
/// Collective: over comm; all ranks pass sections of the same array, the same intent, order, root and options
/// Shapes:     the extents of the interior; unstructured axes are ordered by ascending label, as in gather()
/// Cost:       two agreements, three if the array is written. With a root, one RedistributionPlan for each direction;
///             otherwise one RedistributionPlan and a broadcast, or for device memory one RedistributionPlan for each
///             rank. Memory: the whole array on each rank that calls its function
/// Errors:     those above; UsageError if `root` is not a rank (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike View, class Function>
    requires(AccessibleFrom<View, Exec> &&
             std::is_trivially_copyable_v<typename View::non_const_value_type> &&
             std::invocable<Function&, const typename impl::LocalCopier<Exec, View>::Plain&>)
LocalCopyBytes with_local_copy(const Exec& exec, const Communicator& comm, const View& view,
                               Intent intent, MemoryOrder order, const WholeArray& whole,
                               Function&& function, const LocalCopyOptions& options = {}) {
    static constexpr impl::Caller caller("with_local_copy");
    const bool everywhere = whole.root == WholeArray::every_rank;
    const auto part =
        everywhere ? impl::LocalPart::whole_everywhere : impl::LocalPart::whole_on_root;
    const auto find_cells = [&] {
        require<UsageError>(everywhere || (whole.root >= 0 && whole.root < comm.size()), [&] {
            return text(caller.name, ": expected a root in [0, ", comm.size(), "), got ",
                        whole.root);
        });
        if (!everywhere && comm.rank() != whole.root) return impl::CellRange{};
        return impl::whole_array(caller.name, view.layout());
    };
    return impl::copy_jointly(
        caller, exec, comm, view,
        {intent, order, options.takes_leading_dimension, options.writes_all, part}, whole.root,
        find_cells, function);
}

} // namespace distview
