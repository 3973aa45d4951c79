// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/cell_walk.hpp>
#include <distview/core/device_layout.hpp>

#include <type_traits>

namespace distview::impl {

/// Converts local to global indices if all axes of a section are blocks: a shift, which vectorises.
template <int Rank>
struct ShiftMaps {
    std::int64_t shift[CellBox<Rank>::axes] = {};

    KOKKOS_FUNCTION GlobalIndex global(int axis, std::int64_t l) const noexcept {
        return GlobalIndex(shift[axis] + l);
    }
};

/// The axes of a layout for host kernels, which read the layout's own tables.
class HostLayout {
public:
    template <ExecutionSpace Exec>
    HostLayout(const Exec&, const ArrayLayout& layout) {
        for (int d = 0; d < layout.rank(); ++d) m_axes[d] = layout.axis(d);
    }
    KOKKOS_FUNCTION const AxisLayout& axis(int axis) const noexcept { return m_axes[axis]; }

private:
    AxisLayout m_axes[max_rank];
};
template <class MemorySpace>
using KernelLayout = std::conditional_t<std::is_same_v<MemorySpace, Kokkos::HostSpace>, HostLayout,
                                        DeviceLayout<MemorySpace>>;

/// Converts local to global indices for a section of any layout.
template <class MemorySpace>
struct LayoutMaps {
    KernelLayout<MemorySpace> layout;
    int coordinates[max_rank] = {};

    KOKKOS_FUNCTION GlobalIndex global(int axis, std::int64_t l) const noexcept {
        return layout.axis(axis).to_global(coordinates[axis], LocalIndex(l));
    }
};

/// Calls use(maps) with the cheapest maps that suffice for the section.
template <ExecutionSpace Exec, DistViewLike View, class Use>
void with_global_maps(const Exec& exec, const View& view, Use&& use) {
    constexpr int rank = View::rank();
    bool all_blocks = true;
    for (int d = 0; d < rank; ++d) all_blocks = all_blocks && view.layout().axis(d).is_block();
    if (all_blocks) {
        ShiftMaps<rank> maps;
        for (int d = 0; d < rank; ++d) maps.shift[d] = view.global_index(d, LocalIndex(0)).value();
        use(maps);
    } else {
        LayoutMaps<typename Exec::memory_space> maps{{exec, view.layout()}, {}};
        for (int d = 0; d < rank; ++d) maps.coordinates[d] = view.coordinate(d);
        use(maps);
    }
}

/// Calls a functor of global indices for a cell given by local indices; `WithLocal`: the functor gets both.
template <class Functor, class Maps, int Rank, bool WithLocal>
struct GlobalBody {
    static constexpr bool takes_narrow_indices =
        WithLocal && declares_narrow_indices<Functor, Rank>();
    Functor functor;
    Maps maps;

    template <class... Indices>
    KOKKOS_FUNCTION void operator()(Indices... at) const {
        call(std::make_integer_sequence<int, static_cast<int>(sizeof...(Indices))>(), at...);
    }

private:
    template <int... Axis, class... Indices>
    KOKKOS_FUNCTION void call(std::integer_sequence<int, Axis...>, Indices... at) const {
        if constexpr (WithLocal)
            functor(at..., maps.global(Axis, at)...);
        else
            functor(maps.global(Axis, at)...);
    }
};

} // namespace distview::impl
