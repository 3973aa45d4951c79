// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_of.hpp>
#include <distview/comm/impl/memory/shared_segment.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace distview::testing {

/// A mock device: its memory is host memory declared as device memory, and the host's execution space runs its kernels.
/// In sources that include this header, plans execute the same code as for arrays on a real device.
///
/// Enqueued copies are performed late: when the next kernel starts, or at a fence. Other processes can open allocations
/// that lie in memory of make_dist_view(), as they can open those of cudaMalloc().
class MockDevice final : public impl::DeviceLayer {
public:
    static MockDevice& instance();

    /// Whether MPI is reported to accept device memory.
    bool mpi_takes_it = false;
    /// Whether the device reaches memory that make_dist_view() did not allocate.
    bool reaches_all = true;

    /// Returns the events in order ("copy", and labels of kernels and fences), and empties the record.
    std::vector<std::string> take_record();
    /// From now on copies are performed at once and events are not recorded, so Kokkos copies no labels.
    void listen(bool listens);

    int allocations() const { return m_allocations; }
    /// Bytes of allocations that are alive.
    std::size_t device_bytes() const { return m_device_bytes; }
    std::size_t pinned_bytes() const { return m_pinned_bytes; }
    int opened() const { return m_opened; }
    int closed() const { return m_closed; }

    std::shared_ptr<char> allocate_device(std::size_t bytes) override;
    std::shared_ptr<char> allocate_pinned(std::size_t bytes) override;
    void upload(char* to, const char* from, std::size_t bytes) override;
    void copy(const impl::DeviceQueue& queue, char* to, const char* from,
              std::size_t bytes) override;
    bool reaches(const void* data) override;
    std::optional<Exported> export_memory(const void* data) noexcept override;
    void* open(const impl::IpcHandle& handle) noexcept override;
    void close(void* mapping) noexcept override;
    bool mpi_takes_device_memory() override { return mpi_takes_it; }

    /// Called by the callbacks of Kokkos Tools.
    void note(const char* label);

private:
    struct Copy {
        char* to;
        const char* from;
        std::size_t bytes;
    };
    MockDevice();
    std::shared_ptr<char> allocate(std::size_t bytes, std::size_t& total);

    int m_allocations = 0;
    std::size_t m_device_bytes = 0;
    std::size_t m_pinned_bytes = 0;
    int m_opened = 0;
    int m_closed = 0;
    bool m_listens = false;
    std::vector<Copy> m_enqueued;
    std::vector<std::string> m_record;
    std::map<void*, std::shared_ptr<impl::SharedSegment>> m_mappings;
};

} // namespace distview::testing

template <>
struct distview::impl::DeviceOf<Kokkos::DefaultHostExecutionSpace> {
    static constexpr bool exists = true;
    static DeviceLayer* layer() { return &testing::MockDevice::instance(); }
    static DeviceQueue queue(const Kokkos::DefaultHostExecutionSpace&) { return {}; }
};
