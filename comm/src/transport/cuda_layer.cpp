// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/kernels/device_of.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cuda.h>
#include <cuda_runtime.h>
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

namespace distview::impl {

namespace {

void check_cuda(cudaError_t result, const char* call) {
    if (result == cudaSuccess) return;
    cudaGetLastError(); // else the next kernel's launch would report it
    throw Error(text(call, ": ", cudaGetErrorString(result)));
}

/// Memory that its last user frees, even after Kokkos has ended or at program exit, when CUDA may be gone.
std::shared_ptr<char> owned(void* memory, cudaError_t (*release)(void*)) {
    return {static_cast<char*>(memory), [release](char* data) {
                release(data);
                cudaGetLastError();
            }};
}

/// Whether MPI claims to accept device memory.
bool mpi_claims_cuda() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

class CudaLayer final : public DeviceLayer {
public:
    std::shared_ptr<char> allocate_device(std::size_t bytes) override {
        use_device();
        void* memory = nullptr;
        check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
        return owned(memory, [](void* data) { return cudaFree(data); });
    }

    std::shared_ptr<char> allocate_pinned(std::size_t bytes) override {
        use_device();
        void* memory = nullptr;
        check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped),
                   "cudaHostAlloc");
        return owned(memory, [](void* data) { return cudaFreeHost(data); });
    }

    void upload(char* to, const char* from, std::size_t bytes) override {
        use_device();
        cudaStream_t stream = nullptr;
        check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
        cudaError_t result = cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
        if (result == cudaSuccess) result = cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
        check_cuda(result, "cudaMemcpyAsync");
    }

    void copy(const DeviceQueue& queue, char* to, const char* from, std::size_t bytes) override {
        check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault,
                                   static_cast<cudaStream_t>(queue.native)),
                   "cudaMemcpyAsync");
    }

    bool reaches(const void* data) override {
        use_device();
        cudaPointerAttributes attributes{};
        if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
            cudaGetLastError();
            return false;
        }
        return attributes.devicePointer != nullptr;
    }

    std::optional<Exported> export_memory(const void* data) noexcept override {
        const auto address = reinterpret_cast<CUdeviceptr>(data);
        CUdeviceptr base = 0;
        std::size_t size = 0;
        unsigned long long number = 0;
        unsigned int managed = 1;
        int legacy = 0;
        // Handles exist for allocations of cudaMalloc() only, and refer to their beginning.
        if (cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) !=
                CUDA_SUCCESS ||
            managed ||
            cuPointerGetAttribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                  address) != CUDA_SUCCESS ||
            !legacy ||
            cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_BUFFER_ID, address) !=
                CUDA_SUCCESS ||
            cuMemGetAddressRange(&base, &size, address) != CUDA_SUCCESS) {
            refused("cudaIpcGetMemHandle", "not memory of cudaMalloc()");
            return std::nullopt;
        }
        cudaIpcMemHandle_t handle{};
        const cudaError_t result = cudaIpcGetMemHandle(&handle, reinterpret_cast<void*>(base));
        if (result != cudaSuccess) {
            cudaGetLastError();
            refused("cudaIpcGetMemHandle", cudaGetErrorString(result));
            return std::nullopt;
        }
        Exported exported;
        static_assert(sizeof(handle) == sizeof(exported.handle.opaque));
        std::memcpy(exported.handle.opaque.data(), &handle, sizeof(handle));
        exported.handle.allocation = static_cast<std::int64_t>(number);
        exported.offset = static_cast<std::int64_t>(address - base);
        return exported;
    }

    void* open(const IpcHandle& handle) noexcept override {
        m_device = Kokkos::device_id();
        cudaSetDevice(m_device);
        cudaIpcMemHandle_t opaque{};
        std::memcpy(&opaque, handle.opaque.data(), sizeof(opaque));
        void* mapping = nullptr;
        const cudaError_t result =
            cudaIpcOpenMemHandle(&mapping, opaque, cudaIpcMemLazyEnablePeerAccess);
        if (result == cudaSuccess) return mapping;
        cudaGetLastError();
        refused("cudaIpcOpenMemHandle", cudaGetErrorString(result));
        return nullptr;
    }

    void close(void* mapping) noexcept override {
        cudaSetDevice(m_device); // Kokkos may have ended
        cudaIpcCloseMemHandle(mapping);
        cudaGetLastError();
    }

    std::string why_not_shared() const override {
        const char* const call = m_refusing;
        const char* const reason = m_reason;
        return call && reason ? text(": ", call, ": ", reason) : std::string();
    }

    bool mpi_takes_device_memory() override {
        static const bool takes = mpi_claims_cuda() && mpi_delivers();
        return takes;
    }

private:
    void refused(const char* call, const char* reason) noexcept {
        m_refusing = call;
        m_reason = reason;
    }

    /// Makes Kokkos' device current: the program may have changed it.
    static void use_device() { check_cuda(cudaSetDevice(Kokkos::device_id()), "cudaSetDevice"); }

    /// Whether bytes sent from device memory to this process itself arrive in device memory.
    /// Only called if MPI claims it: another MPI would read a device's address as the host's.
    bool mpi_delivers() {
        constexpr std::size_t bytes = 65536;
        std::vector<char> sent(bytes);
        std::vector<char> received(bytes, char{0});
        for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<char>(i % 251 + 1);
        const std::shared_ptr<char> from = allocate_device(bytes);
        const std::shared_ptr<char> to = allocate_device(bytes);
        upload(from.get(), sent.data(), bytes);
        upload(to.get(), received.data(), bytes);
        check_mpi(MPI_Sendrecv(from.get(), static_cast<int>(bytes), MPI_BYTE, 0, 0, to.get(),
                               static_cast<int>(bytes), MPI_BYTE, 0, 0, MPI_COMM_SELF,
                               MPI_STATUS_IGNORE),
                  "MPI_Sendrecv");
        check_cuda(cudaMemcpy(received.data(), to.get(), bytes, cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        return sent == received;
    }

    std::atomic<int> m_device{0}; ///< device of the mappings
    // Texts that are never freed.
    std::atomic<const char*> m_refusing{nullptr};
    std::atomic<const char*> m_reason{nullptr};
};

} // namespace

DeviceLayer& cuda_layer() {
    static auto& layer = *new CudaLayer; // mappings may be closed during static destruction
    return layer;
}

} // namespace distview::impl

#endif
