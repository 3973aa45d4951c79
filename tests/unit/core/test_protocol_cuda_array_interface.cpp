// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA Array Interface from C++: rules G2 to G20, on memory that is never read.
#include "expect_error.hpp"
#include "made_up_runtime.hpp"

#include <distview/core/protocol/cuda_array_interface.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

using protocol::CudaArrayInterface;
using protocol::from_cuda_array_interface;
using protocol::PendingWork;
using protocol::to_cuda_array_interface;

namespace {

CudaArrayInterface some_interface() { return to_cuda_array_interface(made_up_section({2, 3})); }

TEST(CudaArrayInterface, DescribesASection) {
    AnySection section = made_up_section({2, 3});
    CudaArrayInterface got = to_cuda_array_interface(section);
    EXPECT_EQ(got.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(got.typestr, "<f8");
    EXPECT_EQ(got.data, 0x7f3000001000U);
    EXPECT_FALSE(got.read_only);
    EXPECT_EQ(got.version, 3);
    EXPECT_FALSE(got.strides.has_value());
    EXPECT_FALSE(got.stream.has_value());

    section.strides = {8, 16};
    section.read_only = true;
    section.stream = 5;
    got = to_cuda_array_interface(section);
    EXPECT_EQ(got.strides, section.strides);
    EXPECT_TRUE(got.read_only);
    EXPECT_EQ(got.stream, StreamNumber{5});
    EXPECT_EQ(to_cuda_array_interface(made_up_section({2, 0})).data, 0U);
    AnySection short_axis = made_up_section({1, 2, 3});
    short_axis.strides = {12, 32, 8};
    EXPECT_EQ(to_cuda_array_interface(short_axis).strides, (std::vector<std::int64_t>{8, 32, 8}));
    for (const DeviceType type : {DeviceType::cuda_host, DeviceType::cuda_managed})
        EXPECT_EQ(to_cuda_array_interface(made_up_section({2}, {type, 0})).data, 0x7f3000001000U);
    for (const DeviceType type : {DeviceType::cpu, DeviceType::rocm, DeviceType::one_api})
        expect_error_with<UsageError>(
            [&] { to_cuda_array_interface(made_up_section({2}, {type, 0})); },
            {"CUDA cannot read"});
}

TEST(CudaArrayInterface, ThereAndBackIsTheSameMemory) {
    MadeUpRuntime runtime;
    runtime.place = {DeviceType::cuda_managed, 0};
    AnySection section = made_up_section({2, 3});
    for (const ElementType& element :
         {element_type<bool>(), element_type<std::int8_t>(), element_type<std::uint16_t>(),
          element_type<long long>(), element_type<float>(), element_type<std::complex<double>>()}) {
        section.element = element;
        section.strides = AnySection::contiguous_strides(section.extents, element.bytes);
        const AnySection back =
            from_cuda_array_interface(runtime, to_cuda_array_interface(section), nullptr);
        EXPECT_EQ(back.data, section.data);
        EXPECT_EQ(back.element, element);
        EXPECT_EQ(back.extents, section.extents);
        EXPECT_EQ(back.strides, section.strides);
        EXPECT_EQ(back.device, runtime.place); // the device of the pointer, not the stated one
    }
}

TEST(CudaArrayInterface, OwnersLiveAsLongAsTheSection) {
    MadeUpRuntime runtime;
    auto owner = std::make_shared<int>(0);
    const std::weak_ptr<int> watch = owner;
    {
        const AnySection section =
            from_cuda_array_interface(runtime, some_interface(), std::move(owner));
        EXPECT_FALSE(watch.expired());
    }
    EXPECT_TRUE(watch.expired());
}

TEST(CudaArrayInterface, PendingWorkIsWaitedForOrKept) {
    MadeUpRuntime runtime;
    CudaArrayInterface interface = some_interface();
    EXPECT_EQ(from_cuda_array_interface(runtime, interface, nullptr).stream, no_stream);
    EXPECT_EQ(runtime.calls, std::vector<std::string>{"query"});
    interface.stream = 7;
    EXPECT_EQ(from_cuda_array_interface(runtime, interface, nullptr).stream, no_stream);
    EXPECT_EQ(runtime.calls.back(), "synchronize 7 of 0");
    runtime.calls.clear();
    EXPECT_EQ(from_cuda_array_interface(runtime, interface, nullptr, PendingWork::keep).stream,
              StreamNumber{7});
    EXPECT_EQ(runtime.calls, std::vector<std::string>{"query"});
}

TEST(CudaArrayInterface, RefusesWhatBreaksARule) {
    const auto refused = [](auto error, auto&& spoil, const std::vector<std::string>& words) {
        MadeUpRuntime runtime;
        CudaArrayInterface interface = some_interface();
        interface.stream = 7;
        spoil(interface, runtime);
        expect_error_with<decltype(error)>(
            [&] { from_cuda_array_interface(runtime, interface, nullptr); }, words);
        for (const std::string& call : runtime.calls) EXPECT_EQ(call, "query");
    };
    const UsageError usage("");
    const ShapeError shape("");
    refused(usage, [](auto& i, auto&) { i.version = -1; }, {"version >= 0", "-1"});
    refused(usage, [](auto& i, auto&) { i.typestr = ">f8"; }, {"'>f8'", "not supported"});
    refused(usage, [](auto& i, auto&) { i.typestr = "|V24"; }, {"'|V24'", "not supported"});
    refused(usage, [](auto& i, auto&) { i.stream = 0; }, {"stream 0 is ambiguous"});
    refused(usage, [](auto& i, auto&) { i.data = 0; },
            {"expected the address of the elements, got null"});
    refused(usage, [](auto&, auto& r) { r.place = {}; },
            {"expected device memory, got plain host memory"});
    refused(shape, [](auto& i, auto&) { i.shape = {2, -3}; }, {"extents >= 0", "-3"});
    refused(usage, [](auto& i, auto&) { i.typestr.append(1'000'000, '8'); }, {"8...'"});
    refused(shape, [](auto& i, auto&) { i.shape.assign(100'000, 1); }, {"8 axes", "got 100000"});
    refused(shape, [](auto& i, auto&) { i.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40}; },
            {"2^63-1 bytes"});
    refused(shape, [](auto& i, auto&) { i.strides = {{-(std::int64_t{1} << 62), 8}}; },
            {"2^63-1 bytes"});
    refused(shape, [](auto& i, auto&) { i.data = ~std::uintptr_t{0} - 7; },
            {"and within the address space"});
    refused(shape, [](auto& i, auto&) { i.data += 4; }, {"multiples of 8 bytes"});
    refused(shape, [](auto& i, auto&) { i.strides = {{24}}; }, {"strides of 2 axes, got 1"});
    refused(shape, [](auto& i, auto&) { i.strides = {{24, 4}}; }, {"multiples of the 8 bytes of an element"});
}

TEST(CudaArrayInterface, EmptyArraysHaveAnyPointer) {
    MadeUpRuntime runtime;
    runtime.place = {};
    CudaArrayInterface interface = to_cuda_array_interface(made_up_section({2, 0}));
    for (const std::uintptr_t data : {0, 8}) {
        interface.data = data;
        EXPECT_EQ(from_cuda_array_interface(runtime, interface, nullptr).count(), 0);
    }
    EXPECT_TRUE(runtime.calls.empty());
}

} // namespace

} // namespace distview::testing
