// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace distview::impl {

/// The layer of an execution space's device; null for host spaces.
template <class Exec>
struct DeviceOf {
    static_assert(
        std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>,
        "distview: execution spaces are those of the host and Kokkos::Cuda; HIP, SYCL and "
        "others have no device layer yet");
    static constexpr bool exists = false;
    static DeviceLayer* layer() noexcept { return nullptr; }
    static DeviceQueue queue(const Exec&) noexcept { return {}; }
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct DeviceOf<Kokkos::Cuda> {
    static constexpr bool exists = true;
    static DeviceLayer* layer() { return &cuda_layer(); }
    static DeviceQueue queue(const Kokkos::Cuda& exec) { return {exec.cuda_stream()}; }
};
#endif

/// Whether kernels of an execution space run on a device with its own memory.
template <class Exec>
inline constexpr bool on_device = DeviceOf<Exec>::exists;

} // namespace distview::impl
