// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/device.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::python {

/// Kernels that work on Python's arrays.
enum class Kernels { host, device };

/// Selects the device's kernels if an array is in memory that only a device reads, or all arrays are in managed memory.
/// Builds without a device always use the host's kernels.
///
/// Errors: ShapeError, beginning with `caller`, for memory that these kernels cannot access; UsageError for
///         device kernels without a communicator, since only plans have them
Kernels kernels_for(const char* caller, std::span<const AnySection* const> sections,
                    bool has_communicator);

/// On the device: lets later kernels begin after pending work on the arrays' streams and on the legacy default stream,
/// which most libraries use by default. On the host: waits for the arrays' streams. Kokkos must run. The caller holds
/// the GIL; the wait releases it.
///
/// Errors: ShapeError for memory of another device than Kokkos'; UsageError if work is pending and
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

/// A section of zeros in one kind of device memory. Kokkos must run.
///
/// Errors: UsageError if this build has no device memory, or the device is not Kokkos'
AnySection allocate_on_device(const Device& device, const ElementType& element,
                              const std::vector<std::int64_t>& extents);

} // namespace distview::python
