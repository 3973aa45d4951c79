// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/algorithms/impl/checks.hpp>
#include <distview/algorithms/impl/packed_cells.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/kokkos_ext.hpp>

#include <cstring>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace distview {

/// A whole array in the memory of one rank: the result of gather() and the argument of scatter().
template <DistViewLike View>
using GlobalView =
    Kokkos::View<typename impl::AsDynamic<typename View::non_const_value_type, View::rank()>::type,
                 Kokkos::LayoutRight, Kokkos::HostSpace>;

namespace impl {

/// The cells of a section, consecutive in C order, in the section's memory space.
template <DistViewLike View>
using PackedView =
    Kokkos::View<typename AsDynamic<typename View::non_const_value_type, View::rank()>::type,
                 Kokkos::LayoutRight, typename View::memory_space>;

/// Copies between a section's cells and their packed form; `ToPacked` selects the direction.
template <bool ToPacked, ViewLike Section, ViewLike Packed>
struct PackBody {
    Section section;
    ShiftedView<Packed> packed;

    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Indices... at) const {
        if constexpr (ToPacked)
            packed(at...) = section(at...);
        else
            section(at...) = packed(at...);
    }
};

template <ViewLike View>
using HostMirror =
    decltype(Kokkos::create_mirror_view(Kokkos::WithoutInitializing, std::declval<const View&>()));

template <bool ToPacked, ExecutionSpace Exec, DistViewLike View, ViewLike Packed>
void launch_pack(const Caller& caller, const Exec& exec, const View& view, Cells cells,
                 const Packed& packed) {
    const CellBox<View::rank()> box = cell_box(view, cells);
    Shift<View::rank()> shift;
    for (int d = 0; d < View::rank(); ++d) shift.by[d] = -box.begin[d];
    launch_for(caller, exec, view, cells,
               PackBody<ToPacked, typename View::view_type, Packed>{view.view(), {packed, shift}});
}

template <ExecutionSpace Exec, DistViewLike View>
PackedView<View> allocate_packed(const Caller& caller, const Exec& exec, const View& view,
                                 Cells cells) {
    const CellBox<View::rank()> box = cell_box(view, cells);
    Extents extents{};
    for (int d = 0; d < View::rank(); ++d)
        extents[static_cast<std::size_t>(d)] = box.end[d] - box.begin[d];
    return allocate_view<PackedView<View>>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                           impl::view_label(caller.name, "packed")),
        extents);
}

} // namespace impl

/// Collects the cells of all sections on one rank, as one array.
///
/// For Cells::interior, element (i, j, ...) of the result is the cell with these global indices (as returned by
/// max_location()). For Cells::owned the boundary padding at the low ends precedes it, as in the protocol's numbering.
/// Unstructured axes are ordered by ascending label: position k holds the k-th smallest label. If several processes
/// hold a label, the owner's copy is used.
///
///     auto all = gather(exec, comm, u, 0);            // on rank 0: all.extent(d) is
///     if (comm.rank() == 0) write_picture(all);       // u.extent(d)
///
/// Collective: over comm; all ranks pass sections of the same array, `root` and `cells`
/// Shapes:     on root the extents of the whole interior, or with Cells::owned of interior and boundary padding; an
///             unallocated View on other ranks
/// Space:      one kernel and one copy to the host on `exec`, which have finished on return
/// Cost:       a packed copy of the section on every rank; on root also the result and 64 MiB; large messages are cut
///             into pieces that MPI can count. If the layout has only one process's labels (make_ghosted_layout()),
///             every rank also receives the labels of all processes
/// Errors:     those of sum(); UsageError if there is no rank `root`, Error if a rank is out of memory
///             (thrown on all ranks)
template <ExecutionSpace Exec, DistViewLike View>
    requires(AccessibleFrom<View, Exec> &&
             std::is_trivially_copyable_v<typename View::non_const_value_type>)
GlobalView<View> gather(const Exec& exec, const Communicator& comm, const View& view, int root,
                        Cells cells = Cells::interior) {
    using T = typename View::non_const_value_type;
    static constexpr impl::Caller caller("gather");
    const CollectiveCall call(comm, caller.name);
    GlobalView<View> global;
    impl::GatherGeometry geometry;
    impl::HostMirror<impl::PackedView<View>> packed_host;
    const auto pack = [&] {
        impl::check_elements(caller.name, view);
        geometry = impl::GatherGeometry(caller.name, view.layout(), cells, root, sizeof(T));
        const auto packed = impl::allocate_packed(caller, exec, view, cells);
        packed_host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, packed);
        if (comm.rank() == root)
            global = allocate_view<GlobalView<View>>(
                Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                   impl::view_label(caller.name, "global")),
                geometry.extents());
        impl::launch_pack<true>(caller, exec, view, cells, packed);
        Kokkos::deep_copy(exec, packed_host, packed);
        exec.fence(caller.label(": MPI reads the packed cells"));
    };
    impl::compute_alike(caller, comm, {.cells = cells, .root = root}, pack, view);
    geometry.complete(caller.name, comm);

    const Extents strides = impl::strides_of(global);
    // Captured by reference: a std::function allocates memory for lambdas that capture this many references.
    const auto put_all = [&](int process, std::int64_t offset, std::span<const std::byte> piece) {
        const auto put = [&](std::int64_t to, std::int64_t from) {
            std::memcpy(global.data() + to, piece.data() + from, sizeof(T));
        };
        geometry.for_each_element(process, strides, impl::Copies::of_owner, offset,
                                  std::ssize(piece), put);
    };
    impl::gather_pieces(comm, root,
                        std::as_bytes(std::span(packed_host.data(), packed_host.size())),
                        geometry.sizes(), {.element_bytes = sizeof(T)}, std::cref(put_all));
    return global;
}

/// The reverse of gather(): distributes the cells of a whole array on one rank to all sections.
///
/// Every process that owns an unstructured label receives its element; ghosts receive none. `global` may be strided and
/// is ignored on ranks other than root.
///
/// Collective: over comm; all ranks pass sections of the same array, `root` and `cells`
/// Shapes:     `global` has the extents of gather()'s result
/// Space:      one copy and one kernel on `exec`, which have finished on return
/// Touches:    writes the cells of the section only
/// Cost:       that of gather()
/// Errors:     those of gather(); ShapeError if the extents on root differ (thrown on all ranks)
template <ExecutionSpace Exec, ViewLike Global, WritableDistView View>
    requires(AccessibleFrom<View, Exec> && AccessibleFrom<Global, Kokkos::HostSpace> &&
             std::is_trivially_copyable_v<typename View::non_const_value_type> &&
             std::is_same_v<typename Global::non_const_value_type,
                            typename View::non_const_value_type> &&
             static_cast<int>(Global::rank()) == View::rank())
void scatter(const Exec& exec, const Communicator& comm, const Global& global, int root,
             const View& view, Cells cells = Cells::interior) {
    using T = typename View::non_const_value_type;
    static constexpr impl::Caller caller("scatter");
    const CollectiveCall call(comm, caller.name);
    impl::GatherGeometry geometry;
    impl::PackedView<View> packed;
    impl::HostMirror<impl::PackedView<View>> packed_host;
    const auto allocate = [&] {
        geometry = impl::GatherGeometry(caller.name, view.layout(), cells, root, sizeof(T));
        if (comm.rank() == root) geometry.check_extents(caller.name, impl::extents_of(global));
        packed = impl::allocate_packed(caller, exec, view, cells);
        packed_host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, packed);
        exec.fence(caller.label(": MPI writes the packed cells"));
    };
    impl::compute_alike(caller, comm, {.cells = cells, .root = root}, allocate, view);
    geometry.complete(caller.name, comm);

    const Extents strides = impl::strides_of(global);
    const auto take_all = [&](int process, std::int64_t offset, std::span<std::byte> piece) {
        const auto take = [&](std::int64_t from, std::int64_t to) {
            std::memcpy(piece.data() + to, global.data() + from, sizeof(T));
        };
        geometry.for_each_element(process, strides, impl::Copies::all, offset, std::ssize(piece),
                                  take);
    };
    impl::scatter_pieces(comm, root, geometry.sizes(), {.element_bytes = sizeof(T)},
                         std::cref(take_all),
                         std::as_writable_bytes(std::span(packed_host.data(), packed_host.size())));
    impl::note_written(view); // on all ranks, whatever fails
    agree_on(comm, caller.name, [&] {
        Kokkos::deep_copy(exec, packed, packed_host);
        impl::launch_pack<false>(caller, exec, view, cells, packed);
        exec.fence(caller.label(": the packed cells are dropped"));
    });
}

} // namespace distview
