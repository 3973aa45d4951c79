// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a device, consumers on streams of their own must find the data written before the export, and must not read it
// earlier. Needs a GPU.
#include "instantiations.hpp"

#include <distview/core.hpp>

#include <gtest/gtest.h>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace distview::testing {

namespace {

/// A stream without implicit waits for other streams.
class OwnStream {
public:
    OwnStream() {
        EXPECT_EQ(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), cudaSuccess);
    }
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(const OwnStream&) = delete;
    ~OwnStream() { cudaStreamDestroy(m_stream); }
    cudaStream_t get() const { return m_stream; }
    StreamNumber number() const { return reinterpret_cast<StreamNumber>(m_stream); }

private:
    cudaStream_t m_stream = nullptr;
};

constexpr int elements = 1 << 20;

/// Takes long before it sets each element: a consumer that does not wait reads zeros.
void write_slowly(const Cuda& exec, const OnDevice<double*>& view) {
    const auto section = view.view();
    Kokkos::parallel_for(
        "distview::test: write slowly", Kokkos::RangePolicy<Cuda>(exec, 0, elements),
        KOKKOS_LAMBDA(int i) {
            double value = 1.0;
            for (int step = 0; step < 200000; ++step) value = value * 0.999 + 0.001;
            section(i) = i + (value > 2.0 ? 1.0 : 0.0);
        });
}

/// A copy of the data, made on a consumer's stream.
std::vector<double> read_on(cudaStream_t stream, const void* data) {
    std::vector<double> host(elements, -1.0);
    const std::size_t bytes = elements * sizeof(double);
    EXPECT_EQ(cudaMemcpyAsync(host.data(), data, bytes, cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return host;
}

int wrong(const std::vector<double>& values) {
    int count = 0;
    for (int i = 0; i < elements; ++i) count += values[static_cast<std::size_t>(i)] != i;
    return count;
}

class DeviceExports : public ::testing::Test {
protected:
    OwnStream producer;
    OwnStream consumer;
    Cuda exec{producer.get()};
    ArrayLayout layout{ProcessGrid{1}, {block(elements)}};
    OnDevice<double*> view{exec, "view", layout, 0};
};

TEST_F(DeviceExports, DlpacksConsumerWaits) {
    write_slowly(exec, view);
    const auto tensor =
        protocol::to_dlpack(exec, view, static_cast<std::int64_t>(consumer.number()));
    EXPECT_EQ(wrong(read_on(consumer.get(), tensor->tensor.data)), 0);
}

TEST_F(DeviceExports, WithoutAStreamAllHasFinished) {
    write_slowly(exec, view);
    const auto tensor = protocol::to_dlpack(exec, view);
    EXPECT_EQ(cudaStreamQuery(producer.get()), cudaSuccess);
    EXPECT_EQ(wrong(read_on(consumer.get(), tensor->tensor.data)), 0);
}

TEST_F(DeviceExports, TheInterfacesStreamIsThatOfTheInstance) {
    write_slowly(exec, view);
    const auto described = protocol::to_cuda_array_interface(exec, view);
    EXPECT_EQ(described.stream, producer.number());
    const AnySection taken =
        protocol::from_cuda_array_interface(*device_runtime(), described, nullptr);
    EXPECT_EQ(cudaStreamQuery(producer.get()), cudaSuccess); // export has waited
    EXPECT_EQ(wrong(read_on(consumer.get(), taken.data)), 0);

    write_slowly(exec, view);
    const AnySection kept = protocol::from_cuda_array_interface(
        *device_runtime(), described, nullptr, protocol::PendingWork::keep);
    EXPECT_EQ(kept.stream, producer.number());
    device_runtime()->wait(consumer.number(), kept.stream, kept.device);
    EXPECT_EQ(wrong(read_on(consumer.get(), kept.data)), 0);
}

TEST_F(DeviceExports, PointersAreWhereKokkosPutThem) {
    DeviceRuntime& runtime = *device_runtime();
    const Managed<double*> managed(exec, "managed", layout, 0);
    const Pinned<double*> pinned(exec, "pinned", layout, 0);
    const double on_host = 0.0;
    EXPECT_EQ(runtime.query_pointer(view.view().data()), device_of<Kokkos::CudaSpace>());
    EXPECT_EQ(runtime.query_pointer(managed.view().data()).type, DeviceType::cuda_managed);
    EXPECT_EQ(runtime.query_pointer(pinned.view().data()).type, DeviceType::cuda_host);
    EXPECT_EQ(runtime.query_pointer(&on_host).type, DeviceType::cpu);
    exec.fence("distview::test: arrays are made");
}

TEST_F(DeviceExports, RuntimesMemoryIsZeroAndCopiesArrive) {
    DeviceRuntime& runtime = *device_runtime();
    for (const DeviceType type :
         {DeviceType::cuda, DeviceType::cuda_host, DeviceType::cuda_managed}) {
        const std::shared_ptr<void> memory = runtime.allocate(type, 1000 * sizeof(double));
        EXPECT_EQ(runtime.query_pointer(memory.get()).type, type);
        std::vector<double> host(1000, -1.0);
        runtime.copy(host.data(), memory.get(), 1000 * sizeof(double));
        EXPECT_EQ(host, std::vector<double>(1000, 0.0));
        host.assign(1000, 7.0);
        runtime.copy(memory.get(), host.data(), 1000 * sizeof(double));
        host.assign(1000, -1.0);
        runtime.copy(host.data(), memory.get(), 1000 * sizeof(double));
        EXPECT_EQ(host, std::vector<double>(1000, 7.0));
    }
}

} // namespace

} // namespace distview::testing
