// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/mirror.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <Kokkos_Core.hpp>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// T*...*, with as many stars as axes.
template <class T, int Rank>
struct StarsOf {
    using type = typename StarsOf<T, Rank - 1>::type*;
};
template <class T>
struct StarsOf<T, 0> {
    using type = T;
};
template <class T, int Rank, class Layout = Kokkos::LayoutRight>
using Array = DistView<typename StarsOf<T, Rank>::type, Layout, Memory>;

/// The communicator for an array of this layout: all ranks, or only this rank for arrays without
/// axes, which have one process.
inline Communicator communicator_of(const ArrayLayout& layout) {
    return Communicator(layout.process_count() == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD);
}

inline Communicator world() { return Communicator(MPI_COMM_WORLD); }

/// Lists of labels of any sign and order, some with ghosts; with `shared`, some labels are on several processes.
inline AxisSpec random_unstructured(Random& random, std::int64_t n, int n_processes, bool shared) {
    std::vector<std::int64_t> labels;
    std::int64_t label = random.integer(-20, 20);
    for (std::int64_t i = 0; i < n; ++i) labels.push_back(label += random.integer(1, 4));
    random.shuffle(labels);
    std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(n_processes));
    for (const std::int64_t value : labels) {
        const auto owner = static_cast<std::size_t>(random.integer(0, n_processes));
        for (std::size_t p = 0; p < lists.size(); ++p)
            if (p == owner || (shared && random.chance(0.3))) lists[p].push_back(value);
    }
    if (random.chance(0.5)) return unstructured(lists, !shared);
    const std::vector<std::int64_t> ghosts = append_random_ghosts(random, lists);
    return unstructured(std::move(lists), {.ghosts = ghosts});
}

/// An axis of any kind with at most `limit` elements; may have empty blocks and wide padding.
inline AxisSpec random_axis(Random& random, int n_processes, std::int64_t limit,
                            bool shared_labels) {
    const std::int64_t n = random_extent(random, limit, n_processes);
    BlockOptions options;
    options.padding = {random.integer(0, 3), random.integer(0, 3)};
    options.boundary = Widths{random.integer(0, 3), random.integer(0, 3)};
    options.periodic = random.chance(0.3);
    switch (random.integer(0, 6)) {
    case 0: return block(n, options);
    case 1: return regular_block(n, options);
    case 2: return block_bounds(random_bounds(random, n, n_processes), options);
    case 3: return cyclic(n);
    case 4: return block_cyclic(n, random.integer(1, 4));
    default: return random_unstructured(random, n, n_processes, shared_labels);
    }
}

inline ArrayLayout random_layout(Random& random, int n_dims, std::int64_t limit,
                                 bool shared_labels = false) {
    int n_processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    const ProcessGrid grid(n_dims == 0 ? std::vector<int>()
                                       : random_process_grid(random, n_processes, n_dims));
    std::vector<AxisSpec> axes;
    for (int d = 0; d < n_dims; ++d)
        axes.push_back(random_axis(random, grid.extent(d), limit, shared_labels));
    return {grid, axes};
}

/// This rank's section of an array, uninitialised; `Layout` sets the order of axes in memory.
template <class T, int Rank, class Layout = Kokkos::LayoutRight>
Array<T, Rank, Layout> make_section(const ArrayLayout& layout) {
    using View = typename Array<T, Rank, Layout>::view_type;
    const int process = layout.process_count() == 1 ? 0 : world().rank();
    const Extents extents = layout.local_extents(process);
    Layout shape;
    if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) {
        // Axis 0 is fastest, then the last axis down to axis 1, with gaps between rows.
        std::size_t stride = 1;
        for (int k = 0; k < Rank; ++k) {
            const auto d = static_cast<std::size_t>((Rank - k) % Rank);
            shape.dimension[d] = static_cast<std::size_t>(extents[d]);
            shape.stride[d] = stride;
            stride *= std::max<std::size_t>(shape.dimension[d], 1) + 1;
        }
    } else {
        for (std::size_t d = 0; d < static_cast<std::size_t>(Rank); ++d)
            shape.dimension[d] = static_cast<std::size_t>(extents[d]);
    }
    return {
        layout, process,
        View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "distview::testing::section"), shape)};
}

template <int Rank>
using Position = std::array<std::int64_t, static_cast<std::size_t>(Rank)>;

/// The element of a view at a position.
template <class View, std::size_t Rank>
decltype(auto) element(const View& view, const std::array<std::int64_t, Rank>& at) {
    return [&]<std::size_t... Axis>(std::index_sequence<Axis...>) -> decltype(auto) {
        return view(at[Axis]...);
    }(std::make_index_sequence<Rank>());
}

/// Calls visit(at) for all positions with begin[d] <= at[d] < end[d], the last axis fastest.
template <std::size_t Rank, class Visit>
void for_each_position(const std::array<std::int64_t, Rank>& begin,
                       const std::array<std::int64_t, Rank>& end, Visit&& visit) {
    for (std::size_t d = 0; d < Rank; ++d)
        if (begin[d] >= end[d]) return;
    std::array<std::int64_t, Rank> at = begin;
    for (bool more = true; more;) {
        visit(std::as_const(at));
        more = false;
        for (std::size_t d = Rank; d-- > 0 && !more;) {
            more = ++at[d] < end[d];
            if (!more) at[d] = begin[d];
        }
    }
}

/// Calls visit(local, global) for the cells of any process.
template <int Rank, class Visit>
void for_each_cell(const ArrayLayout& layout, int process, Cells cells, Visit&& visit) {
    const GridCoordinates p = layout.coordinates(process);
    Position<Rank> begin{};
    Position<Rank> end{};
    for (std::size_t d = 0; d < begin.size(); ++d) {
        const AxisLayout& axis = layout.axis(static_cast<int>(d));
        const LocalRange range =
            cells == Cells::owned ? axis.owned_local(p[d]) : axis.interior_local(p[d]);
        begin[d] = range.begin.value();
        end[d] = range.end.value();
    }
    for_each_position(begin, end, [&](const Position<Rank>& local) {
        Position<Rank> global{};
        for (std::size_t d = 0; d < global.size(); ++d)
            global[d] = layout.axis(static_cast<int>(d)).to_global(p[d], LocalIndex(local[d]));
        visit(local, global);
    });
}

/// Calls visit(process, global) for the cells of all processes.
template <int Rank, class Visit>
void for_each_cell_of_all(const ArrayLayout& layout, Cells cells, Visit&& visit) {
    for (int p = 0; p < layout.process_count(); ++p)
        for_each_cell<Rank>(
            layout, p, cells,
            [&](const Position<Rank>&, const Position<Rank>& global) { visit(p, global); });
}

/// A copy of the whole section in host memory, after all work on `exec`.
template <DistViewLike View>
auto to_host(const Exec& exec, const View& view) {
    auto host = create_mirror(view);
    deep_copy(exec, host, view);
    exec.fence("distview::testing: the host reads");
    return host;
}

/// Sets all elements of a section, padding included, on the host: value(local position).
template <DistViewLike View, class Value>
void set_section(const Exec& exec, const View& view, Value&& value) {
    constexpr int rank = View::rank();
    auto host = create_mirror(view);
    Position<rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d)
        end[d] = view.layout().local_extents(view.process())[d];
    for_each_position(Position<rank>{}, end,
                      [&](const Position<rank>& at) { element(host.view(), at) = value(at); });
    deep_copy(exec, view, host);
    exec.fence("distview::testing: the host buffer is dropped");
}

/// Sets the cells to value(global position) on the host, and all other elements to `other`.
template <DistViewLike View, class Value>
void set_cells(const Exec& exec, const View& view, Cells cells, Value&& value,
               typename View::value_type other) {
    constexpr int rank = View::rank();
    auto host = create_mirror(view);
    Position<rank> end{};
    for (std::size_t d = 0; d < end.size(); ++d)
        end[d] = view.layout().local_extents(view.process())[d];
    for_each_position(Position<rank>{}, end,
                      [&](const Position<rank>& at) { element(host.view(), at) = other; });
    for_each_cell<rank>(view.layout(), view.process(), cells,
                        [&](const Position<rank>& local, const Position<rank>& global) {
                            element(host.view(), local) = value(global);
                        });
    deep_copy(exec, view, host);
    exec.fence("distview::testing: the host buffer is dropped");
}

/// encode() for complex types as well.
template <class T, std::size_t Rank>
T encoded(const std::array<std::int64_t, Rank>& global) {
    if constexpr (requires(T z) { z.real(); }) {
        const auto part = encoded<typename T::value_type>(global);
        return T(part, -part);
    } else {
        return std::apply([](const auto&... g) { return encode<T>(g...); }, global);
    }
}

/// Like encoded(), as a functor of global indices.
template <class T>
struct Encoded {
    template <class... Indices>
    KOKKOS_FUNCTION T operator()(Indices... g) const {
        if constexpr (requires(T z) { z.real(); }) {
            using Part = typename T::value_type;
            return T(encode<Part>(g...), -encode<Part>(g...));
        } else {
            return encode<T>(g...);
        }
    }
};

} // namespace distview::testing
