// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>
#include <distview/core/device.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace distview {

/// The number of a work queue on a device, as the CUDA Array Interface and DLPack define it. A value other than the
/// three constants is a cudaStream_t. With no_stream, no work is pending.
using StreamNumber = std::uintptr_t;
inline constexpr StreamNumber no_stream = 0;
inline constexpr StreamNumber legacy_default_stream = 1;
inline constexpr StreamNumber per_thread_default_stream = 2;

/// The stream on which an execution-space instance enqueues its work; no_stream for host spaces.
template <ExecutionSpace Exec>
StreamNumber stream_number([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
        const auto stream = reinterpret_cast<StreamNumber>(exec.cuda_stream());
        return stream == no_stream ? legacy_default_stream : stream; // CUDA's null stream
    }
#endif
    return no_stream;
}

/// The device operations that exports and imports of device memory need.
///
/// The class is an interface, so that tests of exports and imports need no device. If a stream number means a default
/// stream, `device` selects the device of that stream; memory of no single device selects the device that
/// Kokkos uses. Functions throw Error if the device reports an error. Thread-safe.
class DeviceRuntime {
public:
    DeviceRuntime() = default;
    DeviceRuntime(const DeviceRuntime&) = delete;
    DeviceRuntime& operator=(const DeviceRuntime&) = delete;
    virtual ~DeviceRuntime() = default;

    /// The kind and device of the memory at an address; plain host memory if no device knows the address.
    virtual Device query_pointer(const void* data) = 0;
    /// Waits until all work on a stream has finished.
    virtual void synchronize(StreamNumber stream, const Device& device) = 0;
    /// Makes later work on `waiting` begin after the work that is on `stream` now.
    virtual void wait(StreamNumber waiting, StreamNumber stream, const Device& device) = 0;
    /// Allocates memory of one kind on Kokkos' device, filled with zeros; it may outlive Kokkos.
    virtual std::shared_ptr<void> allocate(DeviceType type, std::size_t bytes) = 0;
    /// Copies between any two kinds of memory; the copy has finished on return. Waits for no stream.
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
};

/// The runtime of the device that Kokkos was built for; null for builds without a device.
DeviceRuntime* device_runtime() noexcept;

} // namespace distview
