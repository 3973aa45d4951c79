// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA calls of DeviceRuntime's functions, and their order, tested without CUDA: a made-up <cuda_runtime.h>
// records them.
#include "cuda_runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Calls = std::vector<std::string>;

class CudaRuntimeCalls : public ::testing::Test {
protected:
    CudaRuntimeCalls() {
        made_up_cuda::state() = {};
        made_up_cuda::state().device = 5; // chosen by another library of the process
    }
    ~CudaRuntimeCalls() override {
        EXPECT_EQ(made_up_cuda::state().device, 5);
        EXPECT_EQ(made_up_cuda::state().events, 0);
        EXPECT_EQ(made_up_cuda::state().allocations, 0);
    }
    static const Calls& calls() { return made_up_cuda::state().calls; }
    template <class Function>
    static void expect_failure(const std::string& call, Function&& function) {
        made_up_cuda::state().failing = call;
        made_up_cuda::state().calls.clear();
        try {
            function();
            ADD_FAILURE() << "nothing thrown: " << call;
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()), call + ": a made-up error");
        }
        // The error must be cleared, or the next kernel launch would report it.
        EXPECT_NE(std::ranges::find(calls(), "cudaGetLastError"), calls().end()) << call;
    }

    impl::CudaRuntime runtime;
    const Device of_device{DeviceType::cuda, 2};
};

TEST_F(CudaRuntimeCalls, OneStreamWaitsForAnEventOfTheOther) {
    runtime.wait(77, 99, of_device);
    EXPECT_EQ(calls(), (Calls{"cudaEventCreate on device 2", "cudaEventRecord 1000 on 99",
                              "cudaStreamWaitEvent 77 for 1000", "cudaEventDestroy"}));
}

TEST_F(CudaRuntimeCalls, DefaultStreamsAreThoseOfTheMemorysDevice) {
    runtime.synchronize(legacy_default_stream, of_device);
    runtime.synchronize(per_thread_default_stream, {DeviceType::cuda_managed, 0});
    EXPECT_EQ(calls(), (Calls{"cudaStreamSynchronize 1 on device 2",
                              "cudaStreamSynchronize 2 on device 5"}));
}

TEST_F(CudaRuntimeCalls, StreamZeroIsRefused) {
    EXPECT_THROW(runtime.synchronize(0, of_device), UsageError);
    EXPECT_THROW(runtime.wait(0, 5, of_device), UsageError);
    EXPECT_THROW(runtime.wait(5, 0, of_device), UsageError);
}

TEST_F(CudaRuntimeCalls, PointersAreWhereTheDriverSays) {
    const auto ask = [&](cudaMemoryType type) {
        made_up_cuda::state().attributes = {type, 3};
        return runtime.query_pointer(this);
    };
    EXPECT_EQ(ask(cudaMemoryTypeDevice), (Device{DeviceType::cuda, 3}));
    EXPECT_EQ(ask(cudaMemoryTypeHost), (Device{DeviceType::cuda_host, 0}));
    EXPECT_EQ(ask(cudaMemoryTypeManaged), (Device{DeviceType::cuda_managed, 0}));
    EXPECT_EQ(ask(cudaMemoryTypeUnregistered), Device{});
    made_up_cuda::state().failing = "cudaPointerGetAttributes";
    EXPECT_EQ(ask(cudaMemoryTypeDevice), Device{});
    EXPECT_EQ(calls().back(), "cudaGetLastError");
}

TEST_F(CudaRuntimeCalls, MemoryIsOfTheKindAndZeroed) {
    const auto make = [&](DeviceType type) {
        made_up_cuda::state().calls.clear();
        const auto memory = std::static_pointer_cast<char>(runtime.allocate(type, 100));
        EXPECT_EQ(std::count(memory.get(), memory.get() + 100, '\0'), 100);
    };
    make(DeviceType::cuda);
    EXPECT_EQ(calls(), (Calls{"cudaMalloc", "cudaMemset", "cudaStreamSynchronize 1 on device 5",
                              "cudaFree"}));
    make(DeviceType::cuda_managed);
    EXPECT_EQ(calls().front(), "cudaMallocManaged");
    EXPECT_EQ(calls().back(), "cudaFree");
    make(DeviceType::cuda_host);
    EXPECT_EQ(calls(), (Calls{"cudaHostAlloc", "cudaFreeHost"}));
    // Errors of other callers stay pending (no cudaGetLastError above); the error of our own failed call is cleared.
    made_up_cuda::state().failing = "cudaFreeHost";
    make(DeviceType::cuda_host);
    EXPECT_EQ(calls().back(), "cudaGetLastError");
    made_up_cuda::state().failing.clear();
    EXPECT_THROW(runtime.allocate(DeviceType::rocm, 100), UsageError);
    EXPECT_THROW(runtime.allocate(DeviceType::cpu, 100), UsageError);
}

TEST_F(CudaRuntimeCalls, CopiesHaveFinished) {
    const std::string from = "elements";
    std::string to(from.size(), ' ');
    runtime.copy(to.data(), from.data(), from.size());
    EXPECT_EQ(to, from);
    EXPECT_EQ(calls(), (Calls{"cudaMemcpy", "cudaStreamSynchronize 1 on device 5"}));
}

TEST_F(CudaRuntimeCalls, FailuresAreThrownAndNothingIsLeft) {
    const auto wait = [&] { runtime.wait(77, 99, of_device); };
    expect_failure("cudaEventRecord", wait);
    expect_failure("cudaStreamWaitEvent", wait);
    expect_failure("cudaStreamSynchronize", [&] { runtime.synchronize(77, of_device); });
    const auto allocate = [&] { runtime.allocate(DeviceType::cuda, 100); };
    expect_failure("cudaMalloc", allocate);
    expect_failure("cudaMemset", allocate);
    expect_failure("cudaHostAlloc", [&] { runtime.allocate(DeviceType::cuda_host, 100); });
    expect_failure("cudaMemcpy", [&] {
        char byte = 0;
        runtime.copy(&byte, &byte, 1);
    });
}

} // namespace

} // namespace distview::testing
