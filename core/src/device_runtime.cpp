// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/device_runtime.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include "cuda_runtime.hpp"
#endif

namespace distview {

DeviceRuntime* device_runtime() noexcept {
#ifdef KOKKOS_ENABLE_CUDA
    static impl::CudaRuntime runtime;
    return &runtime;
#else
    return nullptr;
#endif
}

} // namespace distview
