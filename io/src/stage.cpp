// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stage.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <new>
#include <vector>

namespace distview::impl {

namespace {

#ifdef KOKKOS_ENABLE_CUDA
using DeviceExec = Kokkos::Cuda;
using DeviceMemory = Kokkos::CudaSpace;
#endif

} // namespace

Stage::Stage(const Communicator& comm, std::int64_t bytes, const Device& device)
    : m_on_device(!device.host_accessible()), m_device(device) {
    const auto count = static_cast<std::size_t>(bytes > 0 ? bytes : 1);
    if (!m_on_device) m_host = allocate_shared(comm, count);
    if (!m_host)
        m_host =
            std::shared_ptr<void>(::operator new(count, std::align_val_t{64}), [](void* memory) {
                ::operator delete(memory, std::align_val_t{64});
            });
    m_memory = m_host;
    if (!m_on_device) return;
#ifdef KOKKOS_ENABLE_CUDA
    m_memory =
        std::shared_ptr<void>(Kokkos::kokkos_malloc<DeviceMemory>("distview::Stage::memory", count),
                              [](void* memory) { Kokkos::kokkos_free<DeviceMemory>(memory); });
#else
    throw UsageError("Stage: expected host memory, got memory of a device that this build "
                     "does not support");
#endif
}

AnyDistView Stage::array(const ElementType& element, const ArrayLayout& layout, int process) const {
    AnySection section;
    section.data = m_memory.get();
    section.element = element;
    const Extents extents = layout.local_extents(process);
    section.extents.assign(extents.begin(), extents.begin() + layout.rank());
    section.strides = AnySection::contiguous_strides(section.extents, element.bytes);
    section.device = m_on_device ? m_device : Device();
    section.owner = m_memory;
    return {section, layout, process};
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {
using Bytes = Kokkos::View<unsigned char*, DeviceMemory, Kokkos::MemoryUnmanaged>;
using HostBytes = Kokkos::View<unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
} // namespace
#endif

void Stage::bring_to_host([[maybe_unused]] std::int64_t bytes) const {
#ifdef KOKKOS_ENABLE_CUDA
    if (!m_on_device || bytes == 0) return;
    const DeviceExec exec;
    const auto count = static_cast<std::size_t>(bytes);
    Kokkos::deep_copy(exec, HostBytes(static_cast<unsigned char*>(m_host.get()), count),
                      Bytes(static_cast<unsigned char*>(m_memory.get()), count));
    exec.fence("distview::Stage::bring_to_host: the host writes it to a file");
#endif
}

void Stage::bring_to_device([[maybe_unused]] std::int64_t bytes) const {
#ifdef KOKKOS_ENABLE_CUDA
    if (!m_on_device || bytes == 0) return;
    const DeviceExec exec;
    const auto count = static_cast<std::size_t>(bytes);
    Kokkos::deep_copy(exec, Bytes(static_cast<unsigned char*>(m_memory.get()), count),
                      HostBytes(static_cast<unsigned char*>(m_host.get()), count));
    exec.fence("distview::Stage::bring_to_device: the host reuses its buffer");
#endif
}

void Stage::execute(RedistributionPlan& plan, const AnyDistView& from,
                    const AnyDistView& to) const {
#ifdef KOKKOS_ENABLE_CUDA
    if (m_on_device) {
        plan.execute(DeviceExec(), from, to);
        return;
    }
#endif
    plan.execute(Kokkos::DefaultHostExecutionSpace(), from, to);
}

} // namespace distview::impl
