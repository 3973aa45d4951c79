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

/// A device that is none: its memory is the host's, by decree, and its kernels are run by the host's execution
/// space. What includes this header has plans move arrays as on a device, with the very same code.
///
/// Copies that are enqueued are done late: when the next kernel starts, or a fence. Allocations can be opened
/// by other processes if they lie in memory of make_dist_view(), as those of cudaMalloc() can.
class MockDevice final : public impl::DeviceLayer {
public:
    static MockDevice& instance();

    /// Whether MPI is said to take device memory.
    bool mpi_takes_it = false;
    /// Whether memory that is not of make_dist_view() is out of reach.
    bool reaches_all = true;

    /// Things in their order: "copy", and labels of kernels and fences; empties the record.
    std::vector<std::string> take_record();
    /// From now on copies are done at once, and nothing is recorded: Kokkos then copies no labels.
    void listen(bool listens);

    int allocations() const { return m_allocations; }
    /// Those that are alive.
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

    /// For Kokkos' tools.
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
