// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/kernels/add_to_shared.hpp>
#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/kernels/even_blocks.hpp>
#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/comm/impl/transport/reached_sections.hpp>
#include <distview/core/device_layout.hpp>
#include <distview/core/dist_view.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>

namespace distview {

namespace impl {
/// A section in a table that kernels read. Not a member of GlobalElements: CUDA accepts no private types in kernels.
template <int Rank>
struct ShiftedSection {
    /// Address of the element with local indices 0, or, if all blocks are even, of a (virtual) element with global
    /// indices 0; null if out of reach.
    char* data = nullptr;
    std::int64_t strides[Rank] = {}; ///< bytes
};
} // namespace impl

/// Elements of a distributed array by their global indices, for kernels; made by GlobalAccess::elements(). Capture it by
/// value.
///
/// Collective: no (local)
/// Indices: global: the interior's from 0, negative or extent(d) and above in boundary padding; labels of unstructured
///          axes. If several processes have an element, the lowest process's is used; on unstructured_local() axes only
///          this process's labels are known, and its own element is used
/// Cost:    per element: its owner by arithmetic (by search on unstructured axes), one load, store or atomic addition
/// Errors:  a missing or unreachable element reads as T() and is not written; GlobalAccess::fence() throws
template <class T, int Rank, class MemorySpace>
class GlobalElements {
public:
    using value_type = T;

    /// Whether the calling process can load and store the element.
    template <class... Indices>
    KOKKOS_FUNCTION bool reaches(Indices... index) const {
        return find(index...) != nullptr;
    }
    /// The element's current value.
    template <class... Indices>
    KOKKOS_FUNCTION std::remove_const_t<T> operator()(Indices... index) const {
        if (const T* const element = find(index...)) [[likely]]
            return *element;
        return missing(index...);
    }
    /// Writes the element; the program must ensure that no other rank reads or writes it until the next fence().
    template <class... Indices>
    KOKKOS_FUNCTION void store(const T& value, Indices... index) const {
        if (T* const element = find(index...)) [[likely]]
            *element = value;
        else
            missing(index...);
    }
    /// Adds to the element, each number atomically: numbers of at most 8 bytes, in a device's memory of at least 4, or
    /// complex numbers of two such. Devices need native peer atomics to add to each other's elements (docs/cuda.md).
    template <class... Indices>
    KOKKOS_FUNCTION void add(const T& value, Indices... index) const {
        static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible ||
                          sizeof(T) / (impl::IsComplex<T>::value ? 2 : 1) >= 4,
                      "GlobalElements: in device memory, add() needs a number of at least 4 bytes, "
                      "or a complex number of two: several processes cannot add to shorter ones");
        if (T* const element = find(index...)) [[likely]]
            impl::add_to_shared(element, value);
        else
            missing(index...);
    }

private:
    template <DistViewLike>
    friend class GlobalAccess;
    using Section = impl::ShiftedSection<Rank>;

    template <ExecutionSpace Exec>
    GlobalElements(const Exec& exec, const ArrayLayout& layout)
        : m_maps(exec, layout), m_sections(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                                                              "distview::GlobalAccess::sections"),
                                           static_cast<std::size_t>(layout.process_count())),
          m_missing(Kokkos::view_alloc(exec, "distview::GlobalAccess::missing")) {
        for (int d = 0; d < Rank; ++d) {
            const AxisLayout& axis = layout.axis(d);
            const bool is_listed = axis.type() == DistType::unstructured;
            m_begin[d] = is_listed ? std::numeric_limits<std::int64_t>::min()
                                   : axis.global_range().begin.value();
            m_end[d] = is_listed ? std::numeric_limits<std::int64_t>::max()
                                 : axis.global_range().end.value();
            m_grid[d] = layout.grid().extent(d);
            m_is_even = m_is_even && impl::EvenBlocks::describes(axis);
        }
        for (int d = 0; m_is_even && d < Rank; ++d) m_blocks[d] = impl::EvenBlocks(layout.axis(d));
    }

    template <ExecutionSpace Exec>
    void set_sections(const Exec& exec, const ArrayLayout& layout,
                      const std::map<int, impl::ReachedSections::Section>& reached) {
        const auto sections = Kokkos::create_mirror(m_sections);
        for (const auto& [p, there] : reached) {
            Section section;
            auto address = reinterpret_cast<std::uintptr_t>(there.data);
            const GridCoordinates at = layout.grid().coordinates(p);
            for (std::size_t d = 0; d < Rank; ++d) {
                section.strides[d] = there.strides[d];
                if (!m_is_even) continue;
                const AxisLayout& axis = layout.axis(static_cast<int>(d));
                const std::int64_t first = axis.to_global(at[d], LocalIndex(0)).value();
                address -= static_cast<std::uintptr_t>(section.strides[d] * first);
            }
            if (there.data) section.data = reinterpret_cast<char*>(address);
            sections(static_cast<std::size_t>(p)) = section;
        }
        Kokkos::deep_copy(exec, m_sections, sections);
        exec.fence("distview::GlobalAccess: the table of sections is there");
    }

    template <class... Indices>
    KOKKOS_FUNCTION T* find(Indices... indices) const {
        static_assert(sizeof...(Indices) == Rank,
                      "GlobalElements: expected an index for each axis");
        const std::int64_t index[] = {static_cast<std::int64_t>(indices)...};
        int process = 0;
        if (m_is_even) [[likely]] {
            for (int d = 0; d < Rank; ++d) {
                const int coordinate = m_blocks[d].owner(index[d]);
                if (coordinate < 0) [[unlikely]]
                    return nullptr;
                process = process * m_grid[d] + coordinate;
            }
            return at(m_sections(static_cast<std::size_t>(process)), index);
        }
        std::int64_t local[Rank];
        int coordinate[Rank];
        for (int d = 0; d < Rank; ++d) {
            if (index[d] < m_begin[d] || index[d] >= m_end[d]) return nullptr;
            coordinate[d] = m_maps.axis(d).owner(GlobalIndex(index[d]));
            if (coordinate[d] < 0) return nullptr;
            process = process * m_grid[d] + coordinate[d];
        }
        for (int d = 0; d < Rank; ++d)
            local[d] = m_maps.axis(d).to_local(coordinate[d], GlobalIndex(index[d])).value();
        return at(m_sections(static_cast<std::size_t>(process)), local);
    }

    KOKKOS_FUNCTION static T* at(const Section& section, const std::int64_t (&index)[Rank]) {
        if (!section.data) [[unlikely]]
            return nullptr;
        std::int64_t offset = 0;
        for (int d = 0; d < Rank; ++d) offset += index[d] * section.strides[d];
        return reinterpret_cast<T*>(section.data + offset);
    }

    /// Counts missing elements and records the indices of the first one.
    template <class... Indices>
    KOKKOS_FUNCTION std::remove_const_t<T> missing(Indices... indices) const {
        const std::int64_t index[] = {static_cast<std::int64_t>(indices)...};
        if (Kokkos::atomic_fetch_add(&m_missing(0), std::int64_t{1}) == 0)
            for (int d = 0; d < Rank; ++d) m_missing(static_cast<std::size_t>(d) + 1) = index[d];
        return std::remove_const_t<T>();
    }

    DeviceLayout<MemorySpace> m_maps;
    Kokkos::View<Section*, MemorySpace> m_sections; ///< by process
    Kokkos::View<std::int64_t[Rank + 1], MemorySpace>
        m_missing; ///< number of missing elements, indices of the first
    std::int64_t m_begin[Rank];
    std::int64_t m_end[Rank];
    int m_grid[Rank];
    bool m_is_even = true;
    impl::EvenBlocks m_blocks[Rank];
};

/// Lets kernels load, store and add to elements of a distributed array by global index on any process of the node:
/// for irregular access that no plan describes.
///
///     GlobalAccess access(exec, comm, table);
///     auto at = access.elements();
///     Kokkos::parallel_for(policy, KOKKOS_LAMBDA(int k) { at.add(1, bucket(k)); });
///     access.fence(exec);                       // now all ranks see all additions
///
/// Between two fences the program must ensure that nobody reads or stores an element that anybody else stores or adds
/// to; concurrent additions are allowed. Elements on other nodes, and in wrapped memory of other processes, are out of
/// reach: use a GatherPlan, get_elements() or an InspectedLoop for them.
///
/// Keeps the array alive. All ranks destroy it after the last fence.
///
/// Collective: the constructor and fence(), over comm
/// Space:      memory that kernels of `exec` can access; on a device memory that CUDA IPC opens
/// Cost:       per element: its owner by arithmetic (by search on unstructured axes), one load or store
template <DistViewLike View>
class GlobalAccess {
public:
    static_assert(View::rank() > 0, "GlobalAccess: expected an array with axes");
    using elements_type =
        GlobalElements<typename View::value_type, View::rank(), typename View::memory_space>;

    /// Cost:   three agreements, a message per rank of the node; each unstructured_local() axis adds two agreements.
    ///         Memory of the kernels: for each process 8 bytes, and 8 for each axis
    /// Errors: UsageError if the layout's grid does not match the communicator or ranks pass different arrays,
    ///         ShapeError if the array is not this rank's section; LayoutError if processes with the same coordinate
    ///         along an unstructured_local() axis list different labels (thrown on all ranks)
    template <ExecutionSpace Exec>
        requires AccessibleFrom<View, Exec>
    GlobalAccess(const Exec& exec, const Communicator& comm, const View& array)
        : m_comm(comm), m_array(array) {
        const CollectiveCall call(comm, name);
        m_reached = std::make_shared<const impl::ReachedSections>(
            impl::reach_sections(comm, name, impl::make_source_field(array),
                                 impl::DeviceOf<Exec>::layer(), impl::Access::write));
        impl::require_same_labels(comm, name, array.layout());
        agree_on(comm, name, [&] {
            m_elements = elements_type(exec, array.layout());
            m_elements->set_sections(exec, array.layout(), m_reached->sections);
        });
    }

    elements_type elements() const { return *m_elements; }

    /// Ends an epoch: waits for the work on `exec`, then for all ranks. Writes before it are visible after it.
    ///
    /// Collective: over the communicator
    /// Cost:       a copy of a few numbers, one agreement
    /// Errors:     UsageError if a kernel accessed an element that does not exist or is out of reach: names the element
    ///             and the call to use (thrown on all ranks)
    template <ExecutionSpace Exec>
    void fence(const Exec& exec) {
        const CollectiveCall call(m_comm, fence_name);
        const auto missing = Kokkos::create_mirror(m_elements->m_missing);
        Kokkos::deep_copy(exec, missing, m_elements->m_missing);
        Kokkos::deep_copy(exec, m_elements->m_missing, 0);
        exec.fence("distview::GlobalAccess::fence: elements are written");
        // Not earlier: until all ranks have arrived they may write this section, which the checking mode reads.
        const auto mark_written = [&] {
            if constexpr (!std::is_const_v<typename View::value_type>) m_array.mark_written();
        };
        try {
            agree_on(m_comm, fence_name, [&] {
                if (missing(0) > 0)
                    impl::throw_out_of_reach(fence_name, m_array.label(), m_array.layout(),
                                             &missing(1));
            });
        } catch (...) {
            mark_written();
            throw;
        }
        mark_written();
    }

private:
    static constexpr const char* name = "GlobalAccess";
    static constexpr const char* fence_name = "GlobalAccess::fence";

    Communicator m_comm;
    View m_array;
    std::optional<elements_type> m_elements; ///< made after the array is checked
    std::shared_ptr<const impl::ReachedSections> m_reached;
};

/// Collective: over comm
template <ExecutionSpace Exec, DistViewLike View>
GlobalAccess(const Exec&, const Communicator&, const View&) -> GlobalAccess<View>;

} // namespace distview
