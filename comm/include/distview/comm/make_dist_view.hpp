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

/// Host memory that the processes of this node can read in place, of any content: where
/// make_dist_view() puts sections. For sections that it does not make, of strides of one's own or of
/// types known at run time only: wrap it, with the result as the DistView's owner.
///
/// Null where shared memory cannot be had; the message sink is told the first time why. Begins at a
/// multiple of 64 bytes. Not MPI's: may outlive MPI and the communicator.
///
/// Collective: no (local)
/// Errors:     UsageError if the communicator has been closed
std::shared_ptr<void> allocate_shared(const Communicator& comm, std::size_t bytes);

namespace impl {
/// Memory for a section, of any content: of allocate_shared(), or Kokkos' own where there is no shared memory. Kokkos' tools
/// see either as an allocation of Kokkos'.
std::shared_ptr<void> allocate_section(const Communicator& comm, std::size_t bytes,
                                       const std::string& label);

/// Fills elements with copies of one, which has so many bytes. Knows no type, so that what Kokkos needs for it is compiled
/// once, and not with every program: a third of the time that the compiler takes for a small one.
///
/// Space: on return work may still run on `exec`, a space of the host
template <ExecutionSpace Exec>
void fill_elements(const Exec& exec, void* elements, std::size_t count, const void* value,
                   std::size_t value_bytes);

/// Whether a View may lie in memory that Kokkos did not allocate and the node's processes share.
template <DistViewLike View>
inline constexpr bool fits_arena =
    std::is_same_v<typename View::memory_space, Kokkos::HostSpace> &&
    std::is_trivially_copyable_v<typename View::value_type> &&
    !std::is_const_v<typename View::value_type> &&
    View::view_type::rank_dynamic() == View::view_type::rank() &&
    !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;

/// The section of this rank in memory of allocate_section(), filled with zeros by `exec`, or by the host if that is a
/// device's.
template <DistViewLike View, ExecutionSpace Exec>
View make_in_arena(const Exec& exec, const Communicator& comm, const ArrayLayout& layout,
                   const std::string& label) {
    using Section = typename View::view_type;
    using Value = typename View::value_type;
    if (layout.rank() != View::rank()) return View(layout, comm.rank(), Section()); // which throws
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

/// Numbers an array that all ranks have just made.
void number_array(const Communicator& comm, std::uint64_t identity);

/// Makes an array on every rank by `make`, agrees on layout and element type, and numbers it.
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
                                         {"layout", layout.describe()}};
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
/// Space:      memory of `Exec`; on return work may still run there. Host memory is the DistView's: keep it, not its
///             View. It comes from segments that the node's processes share, where there are any, so that
///             neighbours can read it in place
/// Cost:       one allocation, one agreement
/// Errors:     UsageError if the layout's grid has not comm.size() processes or differs between
///             ranks, ShapeError if its rank is not the view's, Error if a rank is out of memory
///             (thrown on all ranks)
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

/// Wraps memory that there is as this rank's section of a distributed array: DistView's constructor, but a rank
/// whose section does not fit is an error on all ranks.
///
///     auto u = wrap_dist_view(comm, layout, section, "u");   // section: a Kokkos::View
///
/// Rank r of the communicator is process r of the layout's grid. Neighbours read the array in place only if it lies
/// in memory of allocate_shared().
///
/// Collective: over comm; all ranks pass equal layouts and the same element type
/// Shapes:     the section's extents are layout.local_extents(comm.rank()), padding included
/// Cost:       no allocation of elements, one agreement
/// Errors:     UsageError if the layout's grid has not comm.size() processes or differs between ranks, ShapeError
///             if a rank's section has other extents (thrown on all ranks)
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
