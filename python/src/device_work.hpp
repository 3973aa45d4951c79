// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/device.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::python {

/// Whose kernels work on Python's arrays.
enum class Kernels { host, device };

/// A device's if one of the arrays is in memory that only a device reads, or all of them in managed memory;
/// builds for the host know of none.
///
/// Errors: ShapeError, beginning with `caller`, for memory that these kernels cannot access; UsageError for a
///         device's kernels without a communicator, since those are a plan's
Kernels kernels_for(const char* caller, std::span<const AnySection* const> sections,
                    bool has_communicator);

/// Lets kernels that are enqueued from now on begin after what is pending on the arrays' streams, and, on
/// the device, on the legacy default stream, where most libraries work unless they are told otherwise. On the
/// host, waits for the arrays' streams. Kokkos must run, and the caller holds the GIL, which others have during
/// the wait.
///
/// Errors: ShapeError for memory of another device than Kokkos'; UsageError if something is pending, and
///         this build has no support for devices; Error from the device
void begin_work(const char* caller, Kernels kernels, std::span<const AnySection* const> sections);

/// Calls function(exec) with the default instance of the space that these kernels run in.
template <class Function>
void with_exec([[maybe_unused]] Kernels kernels, Function&& function) {
#ifdef KOKKOS_ENABLE_CUDA
    if (kernels == Kernels::device) return function(Kokkos::Cuda());
#endif
    function(Kokkos::DefaultHostExecutionSpace());
}

/// A section of zeros of one kind of device memory. Kokkos must run.
///
/// Errors: UsageError if there is none in this build, or it is another device than Kokkos'
AnySection allocate_on_device(const Device& device, const ElementType& element,
                              const std::vector<std::int64_t>& extents);

} // namespace distview::python
