// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/device_runtime.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <memory>

// This is a header so that a test without CUDA can compile it with a substitute <cuda_runtime.h>.
namespace distview::impl {

inline void check_cuda(cudaError_t result, const char* call) {
    if (result == cudaSuccess) return;
    cudaGetLastError(); // otherwise the next kernel launch would report the error
    throw Error(text(call, ": ", cudaGetErrorString(result)));
}

/// Makes a device current: default streams, new memory and events belong to the current device. The destructor
/// restores the device that other libraries of the process chose.
class CurrentDevice {
public:
    explicit CurrentDevice(const Device& device) {
        int wanted = -1;
        if (device.type == DeviceType::cuda)
            wanted = device.id;
        else if (Kokkos::is_initialized() && !Kokkos::is_finalized())
            wanted = Kokkos::device_id();
        check_cuda(cudaGetDevice(&m_before), "cudaGetDevice");
        m_changes = wanted >= 0 && wanted != m_before;
        if (m_changes) check_cuda(cudaSetDevice(wanted), "cudaSetDevice");
    }
    CurrentDevice(const CurrentDevice&) = delete;
    CurrentDevice& operator=(const CurrentDevice&) = delete;
    // Only if the device changed: cudaSetDevice creates a context, which needs memory on the device.
    ~CurrentDevice() {
        if (m_changes) cudaSetDevice(m_before);
    }

private:
    int m_before = 0;
    bool m_changes = false;
};

/// Numbers 1 and 2 are handles as well: cudaStreamLegacy and cudaStreamPerThread.
inline cudaStream_t handle(StreamNumber stream) {
    require<UsageError>(stream != no_stream, "DeviceRuntime: stream 0 is ambiguous");
    return reinterpret_cast<cudaStream_t>(stream);
}

struct Event {
    cudaEvent_t event = nullptr;
    Event() {
        check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    // Work that waits for the event goes on waiting.
    ~Event() { cudaEventDestroy(event); }
};

/// Memory that its last user frees, even after Kokkos or at the program's end, when CUDA may have shut down.
inline std::shared_ptr<void> owned(void* memory, cudaError_t (*release)(void*)) {
    return {memory, [release](void* data) {
                if (release(data) != cudaSuccess) cudaGetLastError();
            }};
}

class CudaRuntime final : public DeviceRuntime {
public:
    Device query_pointer(const void* data) override {
        cudaPointerAttributes attributes{};
        if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
            cudaGetLastError();
            return {};
        }
        switch (attributes.type) {
        case cudaMemoryTypeDevice: return {DeviceType::cuda, attributes.device};
        case cudaMemoryTypeHost: return {DeviceType::cuda_host, 0};
        case cudaMemoryTypeManaged: return {DeviceType::cuda_managed, 0};
        case cudaMemoryTypeUnregistered: break;
        }
        return {};
    }

    void synchronize(StreamNumber stream, const Device& device) override {
        const CurrentDevice current(device);
        check_cuda(cudaStreamSynchronize(handle(stream)), "cudaStreamSynchronize");
    }

    void wait(StreamNumber waiting, StreamNumber stream, const Device& device) override {
        const CurrentDevice current(device);
        const Event recorded;
        check_cuda(cudaEventRecord(recorded.event, handle(stream)), "cudaEventRecord");
        check_cuda(cudaStreamWaitEvent(handle(waiting), recorded.event, 0), "cudaStreamWaitEvent");
    }

    std::shared_ptr<void> allocate(DeviceType type, std::size_t bytes) override {
        const CurrentDevice current(kokkos_device);
        void* memory = nullptr;
        if (type == DeviceType::cuda_host) {
            check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
                       "cudaHostAlloc");
            std::memset(memory, 0, bytes);
            return owned(memory, [](void* data) { return cudaFreeHost(data); });
        }
        require<UsageError>(type == DeviceType::cuda || type == DeviceType::cuda_managed, [&] {
            return text("DeviceRuntime: cannot allocate memory of device type ",
                        static_cast<int>(type));
        });
        if (type == DeviceType::cuda)
            check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
        else
            check_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
        std::shared_ptr<void> result = owned(memory, [](void* data) { return cudaFree(data); });
        check_cuda(cudaMemset(memory, 0, bytes), "cudaMemset");
        finish();
        return result;
    }

    void copy(void* to, const void* from, std::size_t bytes) override {
        const CurrentDevice current(kokkos_device);
        check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
        finish();
    }

private:
    static constexpr Device kokkos_device{DeviceType::cuda_managed, 0};

    /// Waits, because fills and copies within a device's memory return before they have finished.
    static void finish() {
        check_cuda(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
    }
};

} // namespace distview::impl
