// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack from C++: rules D3 to D15. python/tests/test_dlpack*.py tests the same for Python's capsules.
#include "expect_error.hpp"
#include "made_up_runtime.hpp"

#include <distview/core/dist_view.hpp>
#include <distview/core/protocol/dlpack.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

using protocol::DlpackTensor;
using protocol::from_dlpack;
using protocol::LegacyDlpackTensor;
using protocol::make_safe;
using protocol::to_dlpack;
using protocol::to_legacy_dlpack;

namespace {

const ArrayLayout padded(ProcessGrid{1, 1}, {block(4, {.padding = 1, .periodic = true}), block(3)});

/// Exports a section and counts the calls of its deleter.
struct Counted {
    std::shared_ptr<int> owner = std::make_shared<int>(0);
    std::weak_ptr<int> watch{owner};
    AnySection section(const Device& device = {DeviceType::cuda, 1}) {
        AnySection result = made_up_section({2, 3}, device);
        result.owner = std::move(owner);
        return result;
    }
};

TEST(Dlpack, DescribesADistViewsSection) {
    const Kokkos::DefaultHostExecutionSpace exec;
    const DistView<float**, Kokkos::LayoutLeft, Kokkos::HostSpace> view(exec, "view", padded, 0);
    const DlpackTensor managed = to_dlpack(exec, AnyDistView(view));
    EXPECT_EQ(managed->major, 1U);
    EXPECT_EQ(managed->minor, 0U);
    EXPECT_EQ(managed->flags, 0U);
    const dlpack::Tensor& tensor = managed->tensor;
    EXPECT_EQ(tensor.data, view.view().data());
    EXPECT_EQ(tensor.device.type, 1);
    EXPECT_EQ(tensor.device.id, 0);
    ASSERT_EQ(tensor.ndim, 2);
    EXPECT_EQ(std::vector(tensor.shape, tensor.shape + 2), (std::vector<std::int64_t>{6, 3}));
    EXPECT_EQ(std::vector(tensor.strides, tensor.strides + 2), (std::vector<std::int64_t>{1, 6}));
    EXPECT_EQ(tensor.byte_offset, 0U);
    EXPECT_EQ(tensor.dtype.code, 2);
    EXPECT_EQ(tensor.dtype.bits, 32);
    EXPECT_EQ(tensor.dtype.lanes, 1);
}

TEST(Dlpack, MemoryLivesUntilTheDeleterIsCalled) {
    Counted counted;
    dlpack::ManagedVersioned* taken = to_dlpack(counted.section()).release();
    EXPECT_FALSE(counted.watch.expired());
    taken->deleter(taken);
    EXPECT_TRUE(counted.watch.expired());

    Counted unused;
    {
        const LegacyDlpackTensor tensor = to_legacy_dlpack(unused.section());
    }
    EXPECT_TRUE(unused.watch.expired());

    const Kokkos::DefaultHostExecutionSpace exec;
    DlpackTensor tensor;
    {
        DistView<double**, Kokkos::HostSpace> view(exec, "view", padded, 0);
        view.view()(5, 2) = 7.0;
        tensor = to_dlpack(exec, AnyDistView(view));
    }
    EXPECT_EQ(static_cast<const double*>(tensor->tensor.data)[17], 7.0);
}

TEST(Dlpack, FlagsAndWhatItCannotSay) {
    AnySection section = made_up_section({2, 3});
    EXPECT_EQ(to_dlpack(section, true)->flags, dlpack::flag_is_copied);
    section.read_only = true;
    EXPECT_EQ(to_dlpack(section)->flags, dlpack::flag_read_only);
    expect_error_with<ShapeError>([&] { to_legacy_dlpack(section); }, {"read-only", "before 1.0"});
    section.element = {ElementKind::opaque, 24};
    expect_error_with<ShapeError>([&] { to_dlpack(section); }, {"no type", "24 opaque bytes"});
    section = made_up_section({2, 3});
    section.strides = {24, 4};
    expect_error_with<ShapeError>([&] { to_dlpack(section); },
                                  {"multiples of the 8 bytes", "got 4"});
    section = made_up_section({1, 3}); // the stride of an axis with one element may be any number
    section.strides = {12, 8};
    EXPECT_EQ(to_dlpack(section)->tensor.strides[0], 1);
    section = made_up_section({2, 0});
    section.strides = {12, 12};
    EXPECT_EQ(to_dlpack(section)->tensor.strides[0], 1);
    EXPECT_EQ(to_dlpack(made_up_section({3, 0}))->tensor.data, nullptr);
    // An array without axes has one element, but a default-constructed array has no memory.
    const AnyDistView none{DistView<double, Kokkos::HostSpace>()};
    expect_error<UsageError>([&] { to_dlpack(none.section()); },
                             "to_dlpack: expected the address of the elements, got null");
    const AnyDistView empty{DistView<double*, Kokkos::HostSpace>()};
    EXPECT_EQ(to_dlpack(empty.section())->tensor.data, nullptr);
}

TEST(Dlpack, ThereAndBackIsTheSameMemory) {
    Counted counted;
    AnySection section = counted.section();
    section.strides = {8, -16};
    section.read_only = true;
    dlpack::ManagedVersioned* tensor = to_dlpack(section).release();
    section.owner.reset();
    std::optional<AnySection> back = from_dlpack(tensor);
    EXPECT_EQ(back->data, section.data);
    EXPECT_EQ(back->element, section.element);
    EXPECT_EQ(back->extents, section.extents);
    EXPECT_EQ(back->strides, section.strides);
    EXPECT_EQ(back->device, section.device);
    EXPECT_TRUE(back->read_only);
    EXPECT_EQ(back->stream, no_stream);
    EXPECT_FALSE(counted.watch.expired());
    back.reset();
    EXPECT_TRUE(counted.watch.expired());

    const AnySection legacy = from_dlpack(
        to_legacy_dlpack(made_up_section({4}, {DeviceType::cuda_managed, 0})).release());
    EXPECT_EQ(legacy.device, (Device{DeviceType::cuda_managed, 0}));
    EXPECT_EQ(legacy.extents, std::vector<std::int64_t>{4});
}

/// A producer whose structs can have any content.
struct Foreign {
    std::array<std::int64_t, 2> shape{2, 3};
    std::array<std::int64_t, 2> strides{3, 1};
    int deleted = 0;
    dlpack::ManagedVersioned managed{};

    Foreign() {
        managed.major = 1;
        managed.manager_ctx = this;
        managed.deleter = [](dlpack::ManagedVersioned* self) {
            ++static_cast<Foreign*>(self->manager_ctx)->deleted;
        };
        managed.tensor = {&shape, {2, 0}, 2, {2, 64, 1}, shape.data(), strides.data(), 0};
    }
    void expect_refused(const std::vector<std::string>& words, bool shape_error = true) {
        if (shape_error)
            expect_error_with<ShapeError>([&] { from_dlpack(&managed); }, words);
        else
            expect_error_with<UsageError>([&] { from_dlpack(&managed); }, words);
        EXPECT_EQ(deleted, 1);
    }
};

TEST(Dlpack, ReadsWhatProducersMayLeaveOut) {
    Foreign foreign;
    foreign.managed.tensor.strides = nullptr;
    foreign.managed.tensor.byte_offset = 16;
    foreign.managed.tensor.device = {3, 5}; // pinned memory belongs to no single device
    {
        const AnySection section = from_dlpack(&foreign.managed);
        EXPECT_EQ(section.strides, (std::vector<std::int64_t>{24, 8}));
        EXPECT_EQ(section.data, reinterpret_cast<char*>(&foreign.shape) + 16);
        EXPECT_EQ(section.device, (Device{DeviceType::cuda_host, 0}));
    }
    EXPECT_EQ(foreign.deleted, 1);
    Foreign without_deleter;
    without_deleter.managed.deleter = nullptr;
    EXPECT_EQ(from_dlpack(&without_deleter.managed).count(), 6);
}

TEST(Dlpack, RefusesAndDeletesWhatItCannotRead) {
    const auto refused = [](auto&& spoil, const std::vector<std::string>& words,
                            bool shape_error = true) {
        Foreign foreign;
        spoil(foreign.managed);
        foreign.expect_refused(words, shape_error);
    };
    refused(
        [](auto& m) {
            m.major = 2;
            m.tensor.shape = nullptr;
            m.tensor.ndim = 1 << 30;
        },
        {"version 2.0", "expected 1.x"}, false);
    refused([](auto& m) { m.tensor.ndim = -1; }, {"-1 axes"}, false);
    refused([](auto& m) { m.tensor.shape = nullptr; }, {"shape of 2 axes, got null"}, false);
    refused([](auto& m) { m.tensor.data = nullptr; },
            {"expected the address of the elements, got null"}, false);
    refused([](auto& m) { m.tensor.shape[1] = -3; }, {"extents >= 0, got -3"});
    refused([](auto& m) { m.tensor.strides[0] = std::int64_t{1} << 62; }, {"stride", "axis 0"});
    refused([](auto& m) { m.tensor.ndim = 9; }, {"0 to 8 axes", "of 9 axes"}, false);
    refused([](auto& m) { m.tensor.ndim = 1 << 30; }, {"0 to 8 axes", "1073741824"}, false);
    refused([](auto& m) { m.tensor.ndim = std::numeric_limits<std::int32_t>::min(); },
            {"-2147483648 axes"}, false);
    const auto most = std::numeric_limits<std::uint64_t>::max();
    refused([=](auto& m) { m.tensor.byte_offset = most; },
            {"a byte_offset within the address space"}, false);
    refused([=](auto& m) { m.tensor.byte_offset = most / 2 + 1; },
            {"a byte_offset within the address space"}, false);
    refused([](auto& m) { m.tensor.byte_offset = 4; }, {"multiples of 8 bytes"});
    refused(
        [](auto& m) {
            m.tensor.shape[0] = m.tensor.shape[1] = std::int64_t{1} << 40;
            m.tensor.strides = nullptr;
        },
        {"2^63-1 bytes", "(1099511627776, 1099511627776)"});
    refused(
        [](auto& m) {
            m.tensor.shape[0] = m.tensor.shape[1] = std::int64_t{1} << 40;
            m.tensor.strides[0] = m.tensor.strides[1] = 0;
        },
        {"2^63-1 bytes"});
    refused([](auto& m) { m.tensor.strides[0] = std::numeric_limits<std::int64_t>::max() / 8; },
            {"and within the address space"});
    refused([](auto& m) { m.tensor.strides[0] = -(std::int64_t{1} << 59); },
            {"and within the address space"});
    refused([](auto& m) { m.tensor.dtype = {2, 64, 4}; }, {"4 lanes"});
    refused([](auto& m) { m.tensor.dtype = {2, 64, 0}; }, {"0 lanes"});
    refused([](auto& m) { m.tensor.dtype = {0, 4, 1}; }, {"4 bits"});
    refused([](auto& m) { m.tensor.dtype = {6, 1, 1}; }, {"1 bits"});
    refused([](auto& m) { m.tensor.dtype = {2, 80, 1}; }, {"80 bits"});
    refused([](auto& m) { m.tensor.dtype = {17, 8, 1}; }, {"type code 17"});
    dlpack::Managed* const none = nullptr;
    expect_error_with<UsageError>([&] { from_dlpack(none); }, {"got null"});
}

// A tensor without elements may have any address.
TEST(Dlpack, EmptyTensorsHaveAnyAddress) {
    Foreign foreign;
    foreign.managed.tensor.shape[1] = 0;
    foreign.managed.tensor.shape[0] = std::numeric_limits<std::int64_t>::max();
    foreign.managed.tensor.data = nullptr;
    foreign.managed.tensor.byte_offset = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(from_dlpack(&foreign.managed).count(), 0);
}

// DLPack stores an element's size in 8 bits: larger sizes must not be truncated.
TEST(Dlpack, ElementsOfSizesThatItCannotSay) {
    for (const ElementType& element :
         {ElementType{ElementKind::complex, 32}, ElementType{ElementKind::floating_point, 16},
          ElementType{ElementKind::signed_integer, 16}}) {
        AnySection section = made_up_section({2});
        section.element = element;
        section.strides = {element.bytes};
        expect_error_with<ShapeError>([&] { to_dlpack(section); }, {"no type", describe(element)});
    }
}

TEST(Dlpack, ConsumersWaitOnlyForWhatIsPending) {
    MadeUpRuntime runtime;
    AnySection section = made_up_section({2, 3});
    for (const std::int64_t consumer : {-1, 1, 2, 77}) make_safe(&runtime, section, consumer);
    make_safe(nullptr, section, 5);
    section.stream = 77;
    make_safe(&runtime, section, -1);
    make_safe(&runtime, section, 77);
    EXPECT_EQ(runtime.calls, std::vector<std::string>{});
    for (const std::int64_t consumer : {1, 2, 99}) make_safe(&runtime, section, consumer);
    EXPECT_EQ(runtime.calls, (std::vector<std::string>{"1 waits for 77 of 1", "2 waits for 77 of 1",
                                                       "99 waits for 77 of 1"}));
}

TEST(Dlpack, StreamsThatNoConsumerHas) {
    MadeUpRuntime runtime;
    AnySection section = made_up_section({2, 3});
    section.stream = 77;
    expect_error_with<UsageError>([&] { make_safe(&runtime, section, 0); },
                                  {"stream 0 is ambiguous"});
    expect_error_with<UsageError>([&] { make_safe(&runtime, section, -2); }, {">= -1", "-2"});
    expect_error_with<UsageError>([&] { make_safe(nullptr, section, 5); },
                                  {"pending", "no device support"});
    const AnySection host = made_up_section({2, 3}, {});
    make_safe(&runtime, host, -1);
    expect_error_with<UsageError>([&] { make_safe(&runtime, host, 1); },
                                  {"no stream for host memory"});
    EXPECT_TRUE(runtime.calls.empty());
}

TEST(Dlpack, InstancesOfTheHostHaveNoStream) {
    EXPECT_EQ(stream_number(Kokkos::DefaultHostExecutionSpace()), no_stream);
}

} // namespace

} // namespace distview::testing
