// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// What a Kokkos older than 4.7.2 lacks for CUDA 13.
///
/// Kokkos 4.5.1 to 4.7.0 call two functions as CUDA 12 declares them: these overloads forward such calls. And 4.7.0, and
/// 4.7.1 if its mdspan-based Views are chosen, have Views with members [[no_unique_address]], which nvcc from 12.9 on lays
/// out otherwise for the device than for the host (kokkos/mdspan pull requests 434, 435): kernels read other arguments than
/// they were given. Force-include this file (`-include`) in such a Kokkos and in whatever includes its headers. The build
/// does so by itself where the found Kokkos and nvcc need it; nothing of it is installed.
#pragma once

#ifdef __CUDACC__
#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
#define MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS 1
#define MDSPAN_IMPL_NO_UNIQUE_ADDRESS

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
