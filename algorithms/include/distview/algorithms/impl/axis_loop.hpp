// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_loop.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace distview::impl {

/// Offsets in elements: from the first of a section's cells, of another section's cells, and of a buffer.
struct Offsets {
    std::int64_t source = 0;
    std::int64_t target = 0;
    std::int64_t buffer = 0;
};

/// One axis of a loop: its extent, and the distances between neighbours along it.
struct LoopAxis {
    std::int64_t extent = 1;
    Offsets stride{};
};

/// The cells of a section without one of its axes, as rows along the axis that is closest in memory. Every cell is the
/// beginning of a line along the omitted axis.
class AxisLoop {
public:
    AxisLoop() = default;
    /// Loops over all axes but `axis` (-1 omits none) of sections with these strides; buffers are in C order.
    /// `by_target`: rows follow the target's memory, not the source's.
    AxisLoop(int rank, int axis, const Extents& extents, const Extents& source,
             const Extents& target, bool by_target);

    KOKKOS_FUNCTION std::int64_t row() const { return m_axes[0].extent; }
    KOKKOS_FUNCTION std::int64_t rows() const { return m_rows; }
    std::int64_t count() const { return row() * rows(); }
    KOKKOS_FUNCTION const Offsets& step() const { return m_axes[0].stride; }
    KOKKOS_FUNCTION Offsets at_row(std::int64_t number) const {
        Offsets at;
        for (int k = 1; k < m_rank; ++k) {
            const std::int64_t i = number % m_axes[k].extent;
            number /= m_axes[k].extent;
            at.source += i * m_axes[k].stride.source;
            at.target += i * m_axes[k].stride.target;
            at.buffer += i * m_axes[k].stride.buffer;
        }
        return at;
    }

private:
    LoopAxis m_axes[max_rank];
    int m_rank = 1;
    std::int64_t m_rows = 1;
};

/// The interior cells of a section, for a loop that omits an axis.
template <class T>
struct AxisCells {
    T* first = nullptr;      ///< the cell at the beginning of every axis
    std::int64_t step = 0;   ///< along the omitted axis
    std::int64_t length = 0; ///< cells along the omitted axis
    Extents extents{};       ///< along all axes
    Extents strides{};
};

template <DistViewLike View>
auto axis_cells(const View& view, int axis) {
    AxisCells<typename View::value_type> cells;
    std::int64_t first = 0;
    for (int d = 0; d < View::rank(); ++d) {
        const auto i = static_cast<std::size_t>(d);
        const LocalRange range = view.interior_range(d);
        cells.extents[i] = range.size();
        cells.strides[i] = static_cast<std::int64_t>(view.view().stride(i));
        first += range.begin.value() * cells.strides[i];
    }
    cells.first = view.view().data() + first;
    if (axis >= 0) {
        cells.step = cells.strides[static_cast<std::size_t>(axis)];
        cells.length = cells.extents[static_cast<std::size_t>(axis)];
    }
    return cells;
}

/// Cuts the lines along an axis into chunks, so that all threads of an execution space have work.
struct LineChunks {
    std::int64_t count = 1;
    std::int64_t length = 0; ///< of the whole line

    KOKKOS_FUNCTION std::int64_t begin(std::int64_t chunk) const {
        return length / count * chunk + length % count * chunk / count;
    }
};

/// Number of lines that a thread works on at once: on the host as many as have values that fit in 1 KiB.
template <class Value, ExecutionSpace Exec>
inline constexpr std::int64_t lines_at_once =
    !loops_by_row<Exec> || sizeof(Value) >= 1024 ? 1
                                                 : static_cast<std::int64_t>(1024 / sizeof(Value));

template <std::int64_t Tile>
std::int64_t units_of(const AxisLoop& loop) {
    return loop.rows() * ((loop.row() + Tile - 1) / Tile);
}

/// Depends only on the numbers of threads and of cells, so that sums are repeatable.
template <class Value, ExecutionSpace Exec>
LineChunks cut_lines(const Exec& exec, const AxisLoop& loop, std::int64_t length) {
    constexpr std::int64_t shortest = loops_by_row<Exec> ? 512 : 64;
    const std::int64_t units =
        std::max<std::int64_t>(units_of<lines_at_once<Value, Exec>>(loop), 1);
    const std::int64_t wanted = (exec.concurrency() + units - 1) / units;
    const std::int64_t most = std::max<std::int64_t>(length / shortest, 1);
    return {std::max<std::int64_t>(std::min(wanted, most), 1), length};
}

/// Calls kernel.unit(chunk, row, first, lines) for all lines of a loop in all chunks: `lines` lines of a row from
/// `first` on, at most Kernel::tile.
template <class Kernel>
struct UnitKernel {
    AxisLoop loop;
    Kernel kernel;
    std::int64_t tiles; ///< tiles of a row

    KOKKOS_FUNCTION void operator()(std::int64_t unit) const {
        constexpr std::int64_t tile = Kernel::tile;
        const std::int64_t first = unit % tiles * tile;
        const std::int64_t row = unit / tiles % loop.rows();
        const std::int64_t chunk = unit / tiles / loop.rows();
        const std::int64_t left = loop.row() - first;
        kernel.unit(chunk, row, first, left < tile ? left : tile);
    }
};

/// Launches the kernel's units and returns at once.
template <ExecutionSpace Exec, class Kernel>
void launch_units(const Caller& caller, const Exec& exec, const AxisLoop& loop, std::int64_t chunks,
                  const Kernel& kernel) {
    const std::int64_t units = units_of<Kernel::tile>(loop);
    if (units == 0) return;
    Kokkos::parallel_for(caller.label(), cell_policy<std::int64_t>(exec, units * chunks),
                         UnitKernel<Kernel>{loop, kernel, units / loop.rows()});
}

/// Allocates uninitialised values that kernels of `exec` pass on to each other.
template <class Value, class MemorySpace, ExecutionSpace Exec>
auto allocate_values(const Exec& exec, const Caller& caller, std::int64_t count) {
    return Kokkos::View<Value*, MemorySpace>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, view_label(caller.name, "values")),
        static_cast<std::size_t>(count));
}

/// Moves cells of a section to a buffer of values in C order, or back; `convert` converts each value.
template <class From, class To, class Convert, bool ToBuffer, std::int64_t Tile>
struct BufferKernel {
    static constexpr std::int64_t tile = Tile;
    AxisLoop loop;
    const From* from;
    To* to;
    Convert convert;

    KOKKOS_FUNCTION void unit(std::int64_t, std::int64_t row, std::int64_t first,
                              std::int64_t lines) const {
        const Offsets at = loop.at_row(row);
        const Offsets step = loop.step();
        const From* a =
            from + (ToBuffer ? at.source + first * step.source : at.buffer + first * step.buffer);
        To* b = to + (ToBuffer ? at.buffer + first * step.buffer : at.target + first * step.target);
        const std::int64_t a_step = ToBuffer ? step.source : step.buffer;
        const std::int64_t b_step = ToBuffer ? step.buffer : step.target;
        for (std::int64_t i = 0; i < lines; ++i) b[i * b_step] = convert(a[i * a_step]);
    }
};

} // namespace distview::impl
