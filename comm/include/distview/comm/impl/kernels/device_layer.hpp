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

/// Handle with which another process of the node can open a device's allocation.
struct IpcHandle {
    std::array<std::int64_t, 8> opaque{};
    /// Distinguishes allocations that had the same address one after the other: a mapping of an
    /// earlier one must not be used for a later one.
    std::int64_t allocation = 0;

    friend bool operator==(const IpcHandle&, const IpcHandle&) = default;
    friend auto operator<=>(const IpcHandle&, const IpcHandle&) = default;
};

/// The part of a device's programming interface that transports need besides Kokkos' kernels and fences.
///
/// An interface, so that staging, the order of operations and the bookkeeping of mappings can be
/// tested without a device. Functions throw Error if the device refuses a necessary operation.
class DeviceLayer {
public:
    DeviceLayer() { any_exists() = true; }
    DeviceLayer(const DeviceLayer&) = delete;
    DeviceLayer& operator=(const DeviceLayer&) = delete;
    virtual ~DeviceLayer() = default;

    /// Whether this program has, or had, a layer; if not, transports of device memory are
    /// refused when a plan is built.
    static std::atomic<bool>& any_exists() noexcept;

    /// allocate_device(): memory of the device, at a multiple of 256 bytes. allocate_pinned():
    /// page-locked memory of the host, which kernels can access as well.
    virtual std::shared_ptr<char> allocate_device(std::size_t bytes) = 0;
    virtual std::shared_ptr<char> allocate_pinned(std::size_t bytes) = 0;

    /// Copies from the host to the device; the copy has finished on return.
    virtual void upload(char* to, const char* from, std::size_t bytes) = 0;
    /// Enqueues a copy between page-locked and device memory.
    virtual void copy(const DeviceQueue& queue, char* to, const char* from, std::size_t bytes) = 0;

    /// Whether kernels can access the memory.
    virtual bool reaches(const void* data) = 0;

    struct Exported {
        IpcHandle handle{};
        std::int64_t offset = 0; ///< bytes from the allocation's beginning to the data
    };
    /// Exports memory for other processes to open; nullopt if it cannot be shared, such as
    /// managed memory. Does not throw, because neighbours wait for the offer.
    virtual std::optional<Exported> export_memory(const void* data) noexcept = 0;
    /// Maps another process's allocation; null if this process cannot reach it.
    virtual void* open(const IpcHandle& handle) noexcept = 0;
    virtual void close(void* mapping) noexcept = 0;
    /// The device's last reason for not sharing memory, for the user; may be empty.
    virtual std::string why_not_shared() const { return {}; }

    /// Whether MPI sends from and receives into device memory: MPI is asked, and tested.
    virtual bool mpi_takes_device_memory() = 0;
};

/// Entries that one kernel processes, in memory that the kernel can access; made when a plan binds.
template <class Entry>
struct DeviceTable {
    std::shared_ptr<char> memory{};
    int count = 0;          ///< entries
    std::int64_t units = 0; ///< units of all entries: regions' units, or moves' tiles

    const Entry* data() const noexcept { return reinterpret_cast<const Entry*>(memory.get()); }
};

#ifdef KOKKOS_ENABLE_CUDA
DeviceLayer& cuda_layer();
#endif

} // namespace distview::impl
