// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace distview::impl {

/// The stream of an execution-space instance, in which work runs in order.
struct DeviceQueue {
    void* native = nullptr;
};

/// A device's allocation as another process of the node can open it.
struct IpcHandle {
    std::array<std::int64_t, 8> opaque{};
    /// Tells allocations apart that had one address after the other: a mapping of an earlier one must not be
    /// taken for the later one's.
    std::int64_t allocation = 0;

    friend bool operator==(const IpcHandle&, const IpcHandle&) = default;
    friend auto operator<=>(const IpcHandle&, const IpcHandle&) = default;
};

/// The part of a device's programming interface that transports need besides Kokkos' kernels and fences.
///
/// An interface, so that staging, the order of things and the bookkeeping of mappings are tested where
/// there is no device. Functions throw Error if the device refuses what cannot be done without.
class DeviceLayer {
public:
    DeviceLayer() { any_exists() = true; }
    DeviceLayer(const DeviceLayer&) = delete;
    DeviceLayer& operator=(const DeviceLayer&) = delete;
    virtual ~DeviceLayer() = default;

    /// Whether this program has, or had, one: else transports of device memory are refused when a plan is
    /// built.
    static std::atomic<bool>& any_exists() noexcept;

    /// Memory of the device, at a multiple of 256 bytes; page-locked memory of the host, which kernels reach
    /// as well.
    virtual std::shared_ptr<char> allocate_device(std::size_t bytes) = 0;
    virtual std::shared_ptr<char> allocate_pinned(std::size_t bytes) = 0;

    /// Copies from the host to the device; has finished on return.
    virtual void upload(char* to, const char* from, std::size_t bytes) = 0;
    /// Enqueues a copy between page-locked and device memory.
    virtual void copy(const DeviceQueue& queue, char* to, const char* from, std::size_t bytes) = 0;

    /// Whether kernels reach the memory.
    virtual bool reaches(const void* data) = 0;

    struct Exported {
        IpcHandle handle{};
        std::int64_t offset = 0; ///< of the data from the allocation's beginning, in bytes
    };
    /// For other processes to open; none for memory that cannot be shared, as managed memory. Does not throw:
    /// neighbours wait for what is offered.
    virtual std::optional<Exported> export_memory(const void* data) noexcept = 0;
    /// Another process's allocation as this one reaches it; null if it does not.
    virtual void* open(const IpcHandle& handle) noexcept = 0;
    virtual void close(void* mapping) noexcept = 0;
    /// The device's last reason for not sharing memory, for people; may be empty.
    virtual std::string why_not_shared() const { return {}; }

    /// Whether MPI sends from and receives into the device's memory: asked and tried.
    virtual bool mpi_takes_device_memory() = 0;
};

/// Entries that one kernel works through, in memory that it reaches; made when a plan binds.
template <class Entry>
struct DeviceTable {
    std::shared_ptr<char> memory{};
    int count = 0;          ///< entries
    std::int64_t units = 0; ///< of all entries together: regions' units, or moves' tiles

    const Entry* data() const noexcept { return reinterpret_cast<const Entry*>(memory.get()); }
};

#ifdef KOKKOS_ENABLE_CUDA
DeviceLayer& cuda_layer();
#endif

} // namespace distview::impl
