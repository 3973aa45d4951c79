// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The part of CUDA that core/src/cuda_runtime.hpp calls, for builds without CUDA: calls are recorded, memory is
// the host's, and a chosen call fails.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

enum cudaError_t { cudaSuccess = 0, cudaErrorMadeUp = 1 };
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
struct CUstream_st;
struct CUevent_st;
using cudaStream_t = CUstream_st*;
using cudaEvent_t = CUevent_st*;
inline const auto cudaStreamLegacy = reinterpret_cast<cudaStream_t>(std::uintptr_t{1});
inline constexpr unsigned cudaEventDisableTiming = 2;
inline constexpr unsigned cudaHostAllocPortable = 1;
inline constexpr unsigned cudaHostAllocMapped = 2;
inline constexpr unsigned cudaMemAttachGlobal = 1;

namespace made_up_cuda {

struct State {
    std::vector<std::string> calls;
    std::string failing; ///< the call that fails
    int device = 0;      ///< the current device
    int events = 0;      ///< existing events
    int allocations = 0;
    cudaPointerAttributes attributes{};
};
inline State& state() {
    static State instance;
    return instance;
}
inline cudaError_t did(const std::string& call, const std::string& arguments = {}) {
    state().calls.push_back(arguments.empty() ? call : call + ' ' + arguments);
    return call == state().failing ? cudaErrorMadeUp : cudaSuccess;
}
inline std::string number(const void* pointer) {
    return std::to_string(reinterpret_cast<std::uintptr_t>(pointer));
}
inline cudaError_t allocate(void** memory, std::size_t bytes, const char* call) {
    const cudaError_t result = did(call);
    if (result != cudaSuccess) return result;
    ++state().allocations;
    *memory = std::malloc(bytes);
    std::memset(*memory, 0xAB, bytes);
    return result;
}
inline cudaError_t release(void* memory, const char* call) {
    --state().allocations;
    std::free(memory);
    return did(call);
}

} // namespace made_up_cuda

inline cudaError_t cudaGetLastError() { return made_up_cuda::did("cudaGetLastError"); }
inline const char* cudaGetErrorString(cudaError_t) { return "a made-up error"; }
inline cudaError_t cudaGetDevice(int* device) {
    *device = made_up_cuda::state().device;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
    made_up_cuda::state().device = device;
    return cudaSuccess;
}
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void*) {
    *attributes = made_up_cuda::state().attributes;
    return made_up_cuda::did("cudaPointerGetAttributes");
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return made_up_cuda::did("cudaStreamSynchronize",
                             made_up_cuda::number(stream) + " on device " +
                                 std::to_string(made_up_cuda::state().device));
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    ++made_up_cuda::state().events;
    *event = reinterpret_cast<cudaEvent_t>(std::uintptr_t{1000});
    return made_up_cuda::did("cudaEventCreate",
                             "on device " + std::to_string(made_up_cuda::state().device));
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return made_up_cuda::did("cudaEventRecord",
                             made_up_cuda::number(event) + " on " + made_up_cuda::number(stream));
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return made_up_cuda::did("cudaStreamWaitEvent",
                             made_up_cuda::number(stream) + " for " + made_up_cuda::number(event));
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) {
    --made_up_cuda::state().events;
    return made_up_cuda::did("cudaEventDestroy");
}
inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    return made_up_cuda::allocate(memory, bytes, "cudaMalloc");
}
inline cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
    return made_up_cuda::allocate(memory, bytes, "cudaMallocManaged");
}
inline cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    return made_up_cuda::allocate(memory, bytes, "cudaHostAlloc");
}
inline cudaError_t cudaFree(void* memory) { return made_up_cuda::release(memory, "cudaFree"); }
inline cudaError_t cudaFreeHost(void* memory) {
    return made_up_cuda::release(memory, "cudaFreeHost");
}
inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
    std::memset(memory, value, bytes);
    return made_up_cuda::did("cudaMemset");
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return made_up_cuda::did("cudaMemcpy");
}
