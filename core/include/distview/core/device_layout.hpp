// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>
#include <distview/core/concepts.hpp>

namespace distview {

/// The index maps of an ArrayLayout for use inside kernels.
///
/// A DeviceLayout holds the tables of irregular and unstructured axes in `MemorySpace`, so that owner(),
/// to_local() and to_global() of every kind of axis work there. Kernels capture it by value.
///
///     DeviceLayout<Exec::memory_space> maps(exec, layout);
///     parallel_for(..., KOKKOS_LAMBDA(int i) { owners(i) = maps.axis(0).owner(GlobalIndex(i)); });
///
/// Collective: no (local)
/// Cost:       one copy of layout.tables(), usually empty
template <class MemorySpace>
class DeviceLayout {
public:
    /// Space: copies on `exec`; the copy has finished on return
    template <ExecutionSpace Exec>
    DeviceLayout(const Exec& exec, const ArrayLayout& layout) : m_grid(layout.grid()) {
        const auto tables = layout.tables();
        m_tables = Kokkos::View<std::int64_t*, MemorySpace>(
            Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "distview::DeviceLayout::tables"),
            tables.size());
        const Kokkos::View<const std::int64_t*, Kokkos::HostSpace,
                           Kokkos::MemoryTraits<Kokkos::Unmanaged>>
            tables_host(tables.data(), tables.size());
        Kokkos::deep_copy(exec, m_tables, tables_host);
        exec.fence("distview::DeviceLayout: the caller may drop the host's tables");
        for (int d = 0; d < layout.rank(); ++d)
            m_axes[d] = layout.axis(d).with_tables(tables.data(), m_tables.data());
    }

    KOKKOS_FUNCTION int rank() const noexcept { return m_grid.rank(); }
    KOKKOS_FUNCTION const AxisLayout& axis(int axis) const noexcept { return m_axes[axis]; }

    /// The process that owns the element with these global indices, one index per axis; -1 if a label has no owner.
    template <class... Indices>
    KOKKOS_FUNCTION int owner(Indices... indices) const noexcept {
        const GlobalIndex index[] = {GlobalIndex(indices)..., GlobalIndex()};
        int process = 0;
        for (int d = 0; d < rank(); ++d) {
            const int coordinate = m_axes[d].owner(index[d]);
            if (coordinate < 0) return -1;
            process = process * m_grid.extent(d) + coordinate;
        }
        return process;
    }

private:
    ProcessGrid m_grid;
    AxisLayout m_axes[max_rank];
    Kokkos::View<std::int64_t*, MemorySpace> m_tables;
};

} // namespace distview
