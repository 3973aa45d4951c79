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

/// A queue of work on a device, numbered as the CUDA Array Interface and DLPack number them: every
/// other value is a cudaStream_t. For `none` nothing is pending.
using StreamNumber = std::uintptr_t;
inline constexpr StreamNumber no_stream = 0;
inline constexpr StreamNumber legacy_default_stream = 1;
inline constexpr StreamNumber per_thread_default_stream = 2;

/// The stream that an execution-space instance enqueues its work on; none for the host's.
template <ExecutionSpace Exec>
StreamNumber stream_number([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
        const auto stream = reinterpret_cast<StreamNumber>(exec.cuda_stream());
        return stream == no_stream ? legacy_default_stream : stream; // a null stream is this one
    }
#endif
    return no_stream;
}

/// What exports and imports of device memory must ask and tell a device.
///
/// An interface, so that their rules are tested where there is no device. `device` says whose default
/// streams are meant, where the numbers are those; memory of no single device means the one that Kokkos
/// uses. Functions throw Error if the device refuses. Thread-safe.
class DeviceRuntime {
public:
    DeviceRuntime() = default;
    DeviceRuntime(const DeviceRuntime&) = delete;
    DeviceRuntime& operator=(const DeviceRuntime&) = delete;
    virtual ~DeviceRuntime() = default;

    /// Where an address lies; plain host memory if no device knows it.
    virtual Device query_pointer(const void* data) = 0;
    /// Returns when all work on a stream has finished.
    virtual void synchronize(StreamNumber stream, const Device& device) = 0;
    /// Lets work that is enqueued on `waiting` from now on begin after what is on `stream` now.
    virtual void wait(StreamNumber waiting, StreamNumber stream, const Device& device) = 0;
    /// Memory of one kind on Kokkos' device, filled with zeros; it outlives Kokkos if it must.
    virtual std::shared_ptr<void> allocate(DeviceType type, std::size_t bytes) = 0;
    /// Copies between any two kinds of memory, and has finished on return. Waits for no stream.
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
};

/// That of the device that Kokkos was built for; null for builds without one.
DeviceRuntime* device_runtime() noexcept;

} // namespace distview
