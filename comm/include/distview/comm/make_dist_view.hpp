// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/transport/make_field.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/hash.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview {

/// Allocates host memory that the processes of this node can read in place, as make_dist_view() does for its
/// sections; its content is undefined. Use it for sections with strides of your own or with element types known at
/// run time only: wrap the memory in a DistView, and pass the result as its owner.
///
/// Returns null if shared memory is not available; the message sink gets the reason the first time. The memory begins
/// at a multiple of 64 bytes. It does not belong to MPI: it may outlive MPI and the communicator.
///
/// Collective: no (local)
/// Errors:     UsageError if the communicator has been closed
std::shared_ptr<void> allocate_shared(const Communicator& comm, std::size_t bytes);

namespace impl {
/// Uninitialised memory for a section, from allocate_shared(), or from Kokkos if shared memory is not available. Kokkos
/// Tools see both as allocations of Kokkos.
std::shared_ptr<void> allocate_section(const Communicator& comm, std::size_t bytes,
                                       const std::string& label);

/// Fills elements with copies of the value, which has `value_bytes` bytes. Without the element type its Kokkos kernels
/// are compiled once, not with every program: that saves a third of the compile time of a small program.
///
/// Space: on return work may still run on `exec`, a host space
template <ExecutionSpace Exec>
void fill_elements(const Exec& exec, void* elements, std::size_t count, const void* value,
                   std::size_t value_bytes);

/// Whether a View may lie in memory that the node's processes share, which Kokkos did not allocate.
template <DistViewLike View>
inline constexpr bool fits_arena =
    std::is_same_v<typename View::memory_space, Kokkos::HostSpace> &&
    std::is_trivially_copyable_v<typename View::value_type> &&
    !std::is_const_v<typename View::value_type> &&
    View::view_type::rank_dynamic() == View::view_type::rank() &&
    !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;

/// Makes this rank's section in memory of allocate_section(), filled with zeros by `exec`, or by the host if `exec` is
/// a device space.
template <DistViewLike View, ExecutionSpace Exec>
View make_in_arena(const Exec& exec, const Communicator& comm, const ArrayLayout& layout,
                   const std::string& label) {
    using Section = typename View::view_type;
    using Value = typename View::value_type;
    if (layout.rank() != View::rank()) return View(layout, comm.rank(), Section()); // throws
    const Extents extents = layout.local_extents(comm.rank());
    typename View::array_layout shape;
    for (std::size_t d = 0; d < Section::rank(); ++d)
        shape.dimension[d] = static_cast<std::size_t>(extents[d]);
    const std::size_t bytes = section_bytes(extents, layout.rank(), sizeof(Value));
    const std::size_t count = bytes / sizeof(Value);
    const std::shared_ptr<void> memory = allocate_section(comm, bytes, label);
    const Value zero = Value();
    if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
        fill_elements(exec, memory.get(), count, &zero, sizeof(Value));
    } else {
        exec.fence("distview::make_dist_view: the host may write memory that the device had");
        const Kokkos::DefaultHostExecutionSpace host;
        fill_elements(host, memory.get(), count, &zero, sizeof(Value));
        host.fence("distview::make_dist_view: the section is filled");
    }
    return View(layout, comm.rank(), Section(static_cast<Value*>(memory.get()), shape), memory,
                label);
}

/// Gives a number to an array that all ranks made in this call.
void number_array(const Communicator& comm, std::uint64_t identity);

/// Calls `make` on every rank to make an array, agrees on layout and element type, and numbers the array.
template <std::invocable Make>
std::invoke_result_t<Make> make_array(const Communicator& comm, const char* caller,
                                      const ArrayLayout& layout, Make&& make) {
    using Value = typename std::invoke_result_t<Make>::non_const_value_type;
    constexpr ElementType element = element_type<Value>();
    auto view = agree_on(
        comm, caller,
        [&] {
            check_grid(caller, comm, layout);
            return make();
        },
        hash_of(layout.fingerprint(), element_code<Value>()),
        [&] {
            return std::vector<Argument>{{"element type", describe(element)},
                                         {"layout", describe_fully(layout)}};
        });
    number_array(comm, view.identity());
    return view;
}
} // namespace impl

/// Makes this rank's section of a new distributed array, filled with zeros.
///
///     auto u = make_dist_view<double**>(exec, "u", comm, layout);
///
/// Rank r of the communicator is process r of the layout's grid.
///
/// Collective: over comm; all ranks pass equal layouts and the same element type
/// Space:      memory of `Exec`; on return work may still run there. The DistView owns host memory: keep the DistView,
///             not only its View. Host memory lies in segments that the node's processes share, if available, so
///             that neighbours can read it in place
/// Cost:       one allocation, one agreement
/// Errors:     UsageError if the layout's grid does not have comm.size() processes or differs between
///             ranks, ShapeError if the layout's rank is not the view's, Error if a rank is out of
///             memory (thrown on all ranks)
template <class DataType, class... Properties, ExecutionSpace Exec>
auto make_dist_view(const Exec& exec, const std::string& label, const Communicator& comm,
                    const ArrayLayout& layout) {
    using View = std::conditional_t<sizeof...(Properties) == 0,
                                    DistView<DataType, typename Exec::memory_space>,
                                    DistView<DataType, Properties...>>;
    return impl::make_array(comm, "make_dist_view", layout, [&] {
        if constexpr (impl::fits_arena<View>)
            return impl::make_in_arena<View>(exec, comm, layout, label);
        else
            return View(exec, label, layout, comm.rank());
    });
}

/// Wraps existing memory as this rank's section of a distributed array. Unlike DistView's constructor, it throws on
/// all ranks if the section of one rank does not fit.
///
///     auto u = wrap_dist_view(comm, layout, section, "u");   // section: a Kokkos::View
///
/// Rank r of the communicator is process r of the layout's grid. Neighbours read the array in place only if it lies
/// in memory of allocate_shared().
///
/// Collective: over comm; all ranks pass equal layouts and the same element type
/// Shapes:     the section's extents are layout.local_extents(comm.rank()), padding included
/// Cost:       no allocation of elements, one agreement
/// Errors:     UsageError if the layout's grid does not have comm.size() processes or differs between ranks,
///             ShapeError if a rank's section has other extents, or no memory (thrown on all ranks)
template <ViewLike Section>
DistViewOf<Section> wrap_dist_view(const Communicator& comm, const ArrayLayout& layout,
                                   const Section& section, const std::string& label = {},
                                   std::shared_ptr<const void> owner = nullptr) {
    using View = DistViewOf<Section>;
    return impl::make_array(comm, "wrap_dist_view", layout, [&] {
        return View(layout, comm.rank(), section, std::move(owner), label);
    });
}

} // namespace distview
