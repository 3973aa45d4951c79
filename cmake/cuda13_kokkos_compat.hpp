// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// Two functions of CUDA 12 that CUDA 13 has with other parameters, for a Kokkos older than 4.7.1.
///
/// Kokkos 4.5.1 to 4.7.0 call them as CUDA 12 declares them. These overloads forward such calls, so that an
/// older Kokkos and what includes its headers compile with CUDA 13: force-include this file (`-include`) in
/// both. The build does so by itself where the found Kokkos and nvcc need it; nothing of it is installed.
#pragma once

#ifdef __CUDACC__
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

inline cudaError_t cudaMemPrefetchAsync(const void* address, std::size_t count, int device,
                                        cudaStream_t stream) {
    cudaMemLocation location{};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return cudaMemPrefetchAsync(address, count, location, 0U, stream);
}
#endif
#endif
