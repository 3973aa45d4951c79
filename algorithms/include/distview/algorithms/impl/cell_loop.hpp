// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_walk.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/kokkos_ext.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <string>

// Tells the compiler that the iterations of the next loop are independent.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define DISTVIEW_INDEPENDENT_ITERATIONS
#elif defined(__clang__)
#define DISTVIEW_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define DISTVIEW_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define DISTVIEW_INDEPENDENT_ITERATIONS
#endif

namespace distview::impl {

/// A label for Kokkos' tools, and for errors of the checking mode. Empty if neither shows it: Kokkos copies labels
/// wherever it uses them, even when it frees a View, and ends the program if there is no memory for the copy.
template <class... Parts>
std::string label_of(const Parts&... parts) {
    return Kokkos::Tools::profileLibraryLoaded() || is_checking() ? text(parts...) : std::string();
}

/// The label of a View, also for errors. If no tool listens, only `what`: at most 15 characters need no allocation.
inline std::string view_label(const char* function, const char* what) {
    return Kokkos::Tools::profileLibraryLoaded() ? text("distview::", function, "::", what) : what;
}

/// The name of a function in messages and in labels.
struct Caller {
    constexpr explicit Caller(const char* function) : name(function) {}
    std::string label(const char* what = "") const { return label_of("distview::", name, what); }
    const char* name;
};

/// Whether kernels run on host threads, each of which computes whole rows. Otherwise every thread computes one cell,
/// and neighbouring threads compute cells that are neighbours in memory.
template <ExecutionSpace Exec>
inline constexpr bool loops_by_row = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

template <class Walk, class Body>
struct RowKernel {
    Walk walk;
    Body body;
    std::int64_t parts;

    void operator()(std::int64_t part) const {
        // No store of the body can alias this copy: its views' pointers stay in registers.
        const Body mine = body;
        walk.visit_rows(part, parts, [&](const auto* at, auto first, auto last) {
            DISTVIEW_INDEPENDENT_ITERATIONS
            for (auto i = first; i < last; ++i) Walk::call_in_row(mine, at, i);
        });
    }
};

template <class Walk, class Body, class CellNumber>
struct CellKernel {
    Walk walk;
    Body body;

    KOKKOS_FUNCTION void operator()(CellNumber cell) const { walk.visit_cell(body, cell); }
};

template <class CellNumber, ExecutionSpace Exec>
auto cell_policy(const Exec& exec, std::int64_t count) {
    using Policy =
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<CellNumber>, Kokkos::Schedule<Kokkos::Static>>;
    return Policy(exec, 0, static_cast<CellNumber>(count));
}

/// Number of parts into which the cells are cut for host threads.
template <ExecutionSpace Exec>
std::int64_t part_count(const Exec& exec, std::int64_t cell_count) {
    return std::min<std::int64_t>(exec.concurrency(), cell_count);
}

/// Launches body(i, j, ...) for every cell of a walk; returns at once.
template <ExecutionSpace Exec, class Walk, class Body>
void launch_walk(const std::string& label, const Exec& exec, const Walk& walk, const Body& body) {
    const std::string no_label;
    const std::string& shown_label = Kokkos::Tools::profileLibraryLoaded() ? label : no_label;
    if constexpr (loops_by_row<Exec>) {
        const std::int64_t parts = part_count(exec, walk.count());
        Kokkos::parallel_for(shown_label, cell_policy<std::int64_t>(exec, parts),
                             RowKernel<Walk, Body>{walk, body, parts});
    } else if (fits_in_32_bits(walk.count())) {
        Kokkos::parallel_for(shown_label, cell_policy<int>(exec, walk.count()),
                             CellKernel<Walk, Body, int>{walk, body});
    } else {
        Kokkos::parallel_for(shown_label, cell_policy<std::int64_t>(exec, walk.count()),
                             CellKernel<Walk, Body, std::int64_t>{walk, body});
    }
}

/// Launches body(i, j, ...) for every cell of `cells` (Cells or a LocalBox); returns at once.
template <ExecutionSpace Exec, DistViewLike View, class Which, class Body>
void launch_for(const Caller& caller, const std::string& label, const Exec& exec, const View& view,
                const Which& cells, const Body& body) {
    const CellBox<View::rank()> box = cell_box(view, cells);
    if (box.count() == 0) return;
    with_cell_walk<Body, !loops_by_row<Exec>>(
        caller.name, view, box, [&](const auto& walk) { launch_walk(label, exec, walk, body); });
}
template <ExecutionSpace Exec, DistViewLike View, class Which, class Body>
void launch_for(const Caller& caller, const Exec& exec, const View& view, const Which& cells,
                const Body& body) {
    launch_for(caller, caller.label(), exec, view, cells, body);
}

} // namespace distview::impl
