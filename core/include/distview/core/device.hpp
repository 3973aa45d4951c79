// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace distview {

/// Kinds of memory; values are DLPack's device types.
enum class DeviceType : std::int32_t {
    cpu = 1,
    cuda = 2,
    cuda_host = 3, ///< host memory that CUDA devices can read
    rocm = 10,
    rocm_host = 11,
    cuda_managed = 13,
    one_api = 14
};

/// The place of memory: its kind and its device. A type without a name above stays a number.
struct Device {
    DeviceType type = DeviceType::cpu;
    /// Ordinal of the device; 0 for memory that belongs to no single device.
    std::int32_t id = 0;

    /// Whether a host program may read and write the memory.
    constexpr bool host_accessible() const noexcept {
        return type == DeviceType::cpu || type == DeviceType::cuda_host ||
               type == DeviceType::rocm_host || type == DeviceType::cuda_managed;
    }
    /// Whether CUDA kernels and copies may read and write the memory.
    constexpr bool cuda_accessible() const noexcept {
        return type == DeviceType::cuda || type == DeviceType::cuda_host ||
               type == DeviceType::cuda_managed;
    }
    friend constexpr bool operator==(const Device&, const Device&) = default;
};

namespace impl {
template <class MemorySpace>
constexpr DeviceType device_type_of() noexcept {
#ifdef KOKKOS_ENABLE_CUDA
    if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaSpace>) return DeviceType::cuda;
    if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaUVMSpace>)
        return DeviceType::cuda_managed;
    if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaHostPinnedSpace>)
        return DeviceType::cuda_host;
#endif
#ifdef KOKKOS_ENABLE_HIP
    if constexpr (std::is_same_v<MemorySpace, Kokkos::HIPSpace>) return DeviceType::rocm;
    if constexpr (std::is_same_v<MemorySpace, Kokkos::HIPHostPinnedSpace>)
        return DeviceType::rocm_host;
#endif
#ifdef KOKKOS_ENABLE_SYCL
    if constexpr (std::is_same_v<MemorySpace, Kokkos::SYCLDeviceUSMSpace>)
        return DeviceType::one_api;
#endif
    return DeviceType::cpu;
}
} // namespace impl

/// The device of a Kokkos memory space. Its ordinal names the device with which Kokkos was
/// initialised.
template <class MemorySpace>
Device device_of() {
    constexpr DeviceType type = impl::device_type_of<MemorySpace>();
    constexpr bool has_ordinal =
        type == DeviceType::cuda || type == DeviceType::rocm || type == DeviceType::one_api;
    return {type, has_ordinal ? Kokkos::device_id() : 0};
}

} // namespace distview
