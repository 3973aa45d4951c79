// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// Adds support for CUDA 13 to a Kokkos older than 4.7.2.
///
/// Kokkos 4.5.1 to 4.7.0 call two functions as CUDA 12 declares them: the overloads below forward such calls. In Kokkos
/// 4.7.0, and in 4.7.1 with mdspan-based Views, Views also have [[no_unique_address]] members. From 12.9 on, nvcc gives
/// these different layouts on device and host (kokkos/mdspan pull requests 434, 435), so kernels read wrong arguments.
/// Force-include this file (`-include`) in such a Kokkos and in every source that includes its headers. The build
/// does so automatically if the found Kokkos and nvcc need it; the file is not installed.
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
