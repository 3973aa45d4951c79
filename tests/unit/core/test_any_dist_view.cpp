// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dap_producer.hpp"
#include "expect_error.hpp"

#include <distview/core/any_dist_view.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using Host = Kokkos::HostSpace;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

AnySection section_of(std::vector<std::int64_t> extents, std::vector<std::int64_t> strides,
                      std::int64_t bytes = 8) {
    AnySection section;
    section.extents = std::move(extents);
    section.strides = std::move(strides);
    section.element = {ElementKind::floating_point, bytes};
    return section;
}

/// 3 x 5 elements on one process, over memory owned by the test.
struct Fixture {
    ArrayLayout layout{ProcessGrid{1, 1}, {block(3), block(5)}};
    std::vector<double> data = std::vector<double>(64);

    AnySection section(std::vector<std::int64_t> strides = {40, 8}) {
        AnySection result = section_of({3, 5}, std::move(strides));
        result.data = data.data();
        return result;
    }
    AnyDistView any(std::vector<std::int64_t> strides = {40, 8}) {
        return {section(std::move(strides)), layout, 0};
    }
};

} // namespace

static_assert(element_type<const double>() == ElementType{ElementKind::floating_point, 8});
static_assert(element_type<float>() == ElementType{ElementKind::floating_point, 4});
static_assert(element_type<bool>() == ElementType{ElementKind::boolean, 1});
static_assert(element_type<signed char>() == ElementType{ElementKind::signed_integer, 1});
static_assert(element_type<unsigned short>() == ElementType{ElementKind::unsigned_integer, 2});
static_assert(element_type<long>() == element_type<long long>());
static_assert(element_type<std::complex<float>>() == element_type<Kokkos::complex<float>>());
static_assert(element_type<Kokkos::complex<double>>() == ElementType{ElementKind::complex, 16});
static_assert(element_type<Widths>() == ElementType{ElementKind::opaque, 16});
static_assert(element_type<double*>().kind == ElementKind::opaque);

TEST(ElementType, in_words) {
    EXPECT_EQ(describe(element_type<double>()), "float64");
    EXPECT_EQ(describe(element_type<int>()), "int32");
    EXPECT_EQ(describe(element_type<std::uint8_t>()), "uint8");
    EXPECT_EQ(describe(element_type<Kokkos::complex<float>>()), "complex64");
    EXPECT_EQ(describe(element_type<bool>()), "bool");
    EXPECT_EQ(describe({ElementKind::boolean, 4}), "bool32");
    EXPECT_EQ(describe({ElementKind::bfloat, 2}), "bfloat16");
    EXPECT_EQ(describe(element_type<Widths>()), "16 opaque bytes");
}

TEST(Device, of_memory_spaces) {
    EXPECT_EQ(device_of<Host>(), (Device{DeviceType::cpu, 0}));
    for (const DeviceType type :
         {DeviceType::cpu, DeviceType::cuda_host, DeviceType::rocm_host, DeviceType::cuda_managed})
        EXPECT_TRUE((Device{type, 0}.host_accessible()));
    for (const DeviceType type :
         {DeviceType::cuda, DeviceType::rocm, DeviceType::one_api, static_cast<DeviceType>(99)})
        EXPECT_FALSE((Device{type, 0}.host_accessible()));
}

TEST(AnySection, counts_and_strides) {
    EXPECT_EQ(section_of({}, {}).count(), 1);
    EXPECT_EQ(section_of({3, 4}, {32, 8}).count(), 12);
    EXPECT_EQ(section_of({3, 0, 4}, {0, 0, 0}).count(), 0);
    EXPECT_EQ(AnySection::contiguous_strides({}, 8), (std::vector<std::int64_t>{}));
    EXPECT_EQ(AnySection::contiguous_strides({3, 4, 5}, 2), (std::vector<std::int64_t>{40, 10, 2}));
    EXPECT_EQ(AnySection::contiguous_strides({3, 0, 5}, 2), (std::vector<std::int64_t>{10, 10, 2}));
    // An empty section may have huge extents along its other axes.
    EXPECT_EQ(section_of({most, most, 0}, {8, 8, 8}).count(), 0);
    EXPECT_EQ(section_of({0, most, most}, {8, 8, 8}).count(), 0);
    for (const std::int64_t stride : AnySection::contiguous_strides({0, most, most, 2}, 8))
        EXPECT_GT(stride, 0);
}

TEST(AnySection, is_contiguous_in_c_order) {
    EXPECT_TRUE(section_of({}, {}).is_contiguous());
    EXPECT_TRUE(section_of({3, 4}, {32, 8}).is_contiguous());
    EXPECT_TRUE(section_of({1, 4}, {-7, 8}).is_contiguous()); // the stride of one element is unused
    EXPECT_TRUE(section_of({3, 1}, {8, 1000}).is_contiguous());
    EXPECT_TRUE(section_of({3, 0}, {1, 2}).is_contiguous());
    EXPECT_FALSE(section_of({3, 4}, {8, 24}).is_contiguous());
    EXPECT_FALSE(section_of({3, 4}, {40, 8}).is_contiguous());
    EXPECT_FALSE(section_of({4}, {-8}).is_contiguous());
    EXPECT_FALSE(section_of({4}, {0}).is_contiguous());
}

TEST(AnyDistView, says_of_a_dist_view_what_it_is) {
    const ArrayLayout layout(ProcessGrid{1, 2}, {cyclic(3), block(6, {.padding = 1})});
    const DistView<int**, Kokkos::LayoutRight, Host> view(Kokkos::DefaultHostExecutionSpace(), "u",
                                                          layout, 1);
    const AnyDistView any(view);
    const AnySection& section = any.section();
    EXPECT_EQ(section.data, view.view().data());
    EXPECT_EQ(section.element, element_type<int>());
    EXPECT_EQ(section.extents, (std::vector<std::int64_t>{3, 5}));
    EXPECT_EQ(section.strides, (std::vector<std::int64_t>{20, 4}));
    EXPECT_FALSE(section.read_only);
    EXPECT_EQ(section.device, Device{});
    EXPECT_EQ(section.stream, 0U);
    EXPECT_TRUE(any.layout() == layout);
    EXPECT_EQ(any.process(), 1);
    EXPECT_EQ(any.rank(), 2);
    EXPECT_EQ(any.identity(), view.identity());

    const DistView<const int**, Kokkos::LayoutRight, Host> constant(view);
    EXPECT_TRUE(AnyDistView(constant).section().read_only);
    const DistView<double, Kokkos::LayoutRight, Host> scalar(Kokkos::DefaultHostExecutionSpace(),
                                                             "s", ArrayLayout(), 0);
    EXPECT_EQ(AnyDistView(scalar).rank(), 0);
    EXPECT_EQ(AnyDistView(scalar).section().count(), 1);
}

// Copies share identity and memory; arrays made separately share neither.
TEST(AnyDistView, copies_are_shallow) {
    Fixture f;
    const AnyDistView one = f.any();
    const AnyDistView copy = one; // NOLINT(performance-unnecessary-copy-initialization)
    EXPECT_EQ(copy.identity(), one.identity());
    EXPECT_EQ(copy.section().data, one.section().data);
    EXPECT_NE(f.any().identity(), one.identity());
}

TEST(AnyDistView, must_be_the_section_of_its_process) {
    Fixture f;
    expect_error<UsageError>([&] { AnyDistView(f.section(), f.layout, 1); },
                             "AnyDistView: expected a process in [0, 1), got 1");
    expect_error<UsageError>([&] { AnyDistView(f.section(), f.layout, -1); },
                             "AnyDistView: expected a process in [0, 1), got -1");
    expect_error<ShapeError>([&] { AnyDistView(f.section(), ArrayLayout(), 0); },
                             "AnyDistView: expected extents and strides of 0 axes, got 2 and 2");
    expect_error<ShapeError>([&] { AnyDistView(f.section({40}), f.layout, 0); },
                             "AnyDistView: expected extents and strides of 2 axes, got 2 and 1");
    AnySection section = f.section();
    section.extents[1] = 4;
    expect_error<ShapeError>(
        [&] { AnyDistView(section, f.layout, 0); },
        "AnyDistView: expected 5 elements along axis 1 of the section of process 0, got 4");
}

// Every element lies at the address computed from the strides, for any order of the axes.
template <class View>
void expect_elements(Fixture& f, const std::vector<std::int64_t>& strides) {
    SCOPED_TRACE(tuple_text(strides));
    for (std::size_t i = 0; i < f.data.size(); ++i) f.data[i] = static_cast<double>(i);
    const auto typed = dist_view_cast<View>(f.any(strides));
    EXPECT_EQ(typed.view().data(), f.data.data());
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 5; ++j)
            EXPECT_EQ(typed.view()(i, j),
                      static_cast<double>((i * strides[0] + j * strides[1]) / 8));
}

TEST(DistViewCast, any_order_that_the_view_can_have) {
    Fixture f;
    expect_elements<DistView<double**, Kokkos::LayoutRight, Host>>(f, {40, 8});
    expect_elements<DistView<const double**, Kokkos::LayoutLeft, Host>>(f, {8, 24});
    using Strided = DistView<double**, Kokkos::LayoutStride, Host>;
    for (const auto& strides : {std::vector<std::int64_t>{40, 8}, {8, 24}, {96, 16}, {8, 32}})
        expect_elements<Strided>(f, strides);
}

TEST(DistViewCast, to_the_view_it_came_from_and_back) {
    using View = DistView<Kokkos::complex<float>***, Kokkos::LayoutLeft, Host>;
    const ArrayLayout layout(ProcessGrid{1, 1, 1}, {block(2), block(0), cyclic(3)});
    const View view(Kokkos::DefaultHostExecutionSpace(), "u", layout, 0);
    const auto back = dist_view_cast<View>(AnyDistView(view));
    EXPECT_EQ(back.view().data(), view.view().data());
    EXPECT_EQ(back.view().extent(2), 3U);
}

TEST(DistViewCast, of_a_default_constructed_array_is_one) {
    using Line = DistView<double*, Kokkos::LayoutRight, Host>;
    using Scalar = DistView<const double, Kokkos::LayoutStride, Host>;
    const auto line = dist_view_cast<Line>(AnyDistView(Line()));
    EXPECT_EQ(line.identity(), 0U);
    EXPECT_EQ(line.view().size(), 0U);
    const auto scalar = dist_view_cast<Scalar>(AnyDistView(Scalar()));
    EXPECT_EQ(scalar.identity(), 0U);
    EXPECT_EQ(scalar.view().data(), nullptr);
    expect_error<ShapeError>([] { dist_view_cast<Scalar>(AnyDistView(Line())); },
                             "dist_view_cast: expected 0 axes, the array has 1");
}

TEST(DistViewCast, keeps_the_memory_alive) {
    Fixture f;
    auto owner = std::make_shared<int>(0);
    AnySection section = f.section();
    section.owner = owner;
    {
        const auto typed = dist_view_cast<DistView<double**, Kokkos::LayoutRight, Host>>(
            AnyDistView(std::move(section), f.layout, 0));
        EXPECT_EQ(owner.use_count(), 2);
    }
    EXPECT_EQ(owner.use_count(), 1);
}

TEST(DistViewCast, refuses_what_the_view_cannot_be) {
    Fixture f;
    using Right = DistView<double**, Kokkos::LayoutRight, Host>;
    using Left = DistView<double**, Kokkos::LayoutLeft, Host>;
    using Strided = DistView<double**, Kokkos::LayoutStride, Host>;
    expect_error<ShapeError>(
        [&] { dist_view_cast<DistView<double*, Kokkos::LayoutRight, Host>>(f.any()); },
        "dist_view_cast: expected 1 axes, the array has 2");
    expect_error<ShapeError>(
        [&] { dist_view_cast<DistView<float**, Kokkos::LayoutRight, Host>>(f.any()); },
        "dist_view_cast: expected elements of type float32, the array has float64");
    expect_error<ShapeError>([&] { dist_view_cast<Right>(f.any({8, 24})); },
                             "dist_view_cast: expected elements without gaps in C order, the array "
                             "has the extents (3, 5) and strides of (8, 24) bytes");
    expect_error<ShapeError>([&] { dist_view_cast<Left>(f.any({40, 8})); },
                             "dist_view_cast: expected elements without gaps in Fortran order, the "
                             "array has the extents (3, 5) and strides of (40, 8) bytes");
    expect_error<ShapeError>([&] { dist_view_cast<Strided>(f.any({40, -8})); },
                             "dist_view_cast: expected strides that are positive multiples of the "
                             "8 bytes of an element, got -8 along axis 1");
    AnySection complex = f.section({88, 16});
    complex.element = element_type<Kokkos::complex<double>>();
    using Complex = DistView<Kokkos::complex<double>**, Kokkos::LayoutStride, Host>;
    expect_error<ShapeError>([&] { dist_view_cast<Complex>(AnyDistView(complex, f.layout, 0)); },
                             "dist_view_cast: expected strides that are positive multiples of the "
                             "16 bytes of an element, got 88 along axis 0");

    AnySection section = f.section();
    section.read_only = true;
    expect_error<ShapeError>(
        [&] { dist_view_cast<Right>(AnyDistView(section, f.layout, 0)); },
        "dist_view_cast: expected a View of const elements: the array's memory is read-only");
    using ConstRight = DistView<const double**, Kokkos::LayoutRight, Host>;
    const auto as_const = dist_view_cast<ConstRight>(AnyDistView(section, f.layout, 0));
    EXPECT_EQ(as_const.view().data(), f.data.data());

    section = f.section();
    section.device = {DeviceType::cuda, 0};
    expect_error<ShapeError>(
        [&] { dist_view_cast<Right>(AnyDistView(section, f.layout, 0)); },
        "dist_view_cast: the View's memory space cannot access memory of device type 2");
    section.device = {DeviceType::cuda_managed, 0};
    EXPECT_NO_THROW(dist_view_cast<Right>(AnyDistView(section, f.layout, 0)));
    // Kernels of a device read Views of managed memory; plain memory does not meet these requirements.
    const impl::ViewRequirements managed{
        .element = section.element, .rank = 2, .writes = true, .device = DeviceType::cuda_managed};
    EXPECT_NO_THROW(impl::checked_strides(section, managed));
    expect_error<ShapeError>(
        [&] { impl::checked_strides(f.section(), managed); },
        "dist_view_cast: the View's memory space cannot access memory of device type 1");
}

// Python's buffers may begin at any address; elements in kernels must be aligned.
TEST(DistViewCast, refuses_elements_that_are_not_aligned) {
    Fixture f;
    // Opaque bytes may lie at any address, until they are cast to a type.
    struct Pair {
        double x, y;
    };
    AnySection section = f.section({80, 16});
    section.element = element_type<Pair>();
    section.data = reinterpret_cast<char*>(f.data.data()) + 4;
    using Right = DistView<Pair**, Kokkos::LayoutRight, Host>;
    expect_error<ShapeError>([&] { dist_view_cast<Right>(AnyDistView(section, f.layout, 0)); },
                             text("dist_view_cast: expected elements aligned to 8 bytes, got "
                                  "address ",
                                  section.data));
    const ArrayLayout empty(ProcessGrid{1, 1}, {block(0), block(5)});
    section.extents[0] = 0;
    EXPECT_NO_THROW(dist_view_cast<Right>(AnyDistView(section, empty, 0)));
}

// Any stride is valid along an axis of one element, and in an empty section.
TEST(DistViewCast, strides_that_nobody_uses) {
    using Strided = DistView<double**, Kokkos::LayoutStride, Host>;
    using Right = DistView<double**, Kokkos::LayoutRight, Host>;
    std::vector<double> data(8);
    const ArrayLayout flat(ProcessGrid{1, 1}, {block(1), block(5)});
    AnySection section = section_of({1, 5}, {-3, 8});
    section.data = data.data();
    EXPECT_NO_THROW(dist_view_cast<Strided>(AnyDistView(section, flat, 0)));
    EXPECT_NO_THROW(dist_view_cast<Right>(AnyDistView(section, flat, 0)));
    const ArrayLayout empty(ProcessGrid{1, 1}, {block(0), block(5)});
    section = section_of({0, 5}, {-3, -8});
    EXPECT_NO_THROW(dist_view_cast<Strided>(AnyDistView(section, empty, 0)));
    EXPECT_NO_THROW(dist_view_cast<Right>(AnyDistView(section, empty, 0)));
}

// Sections from any source: data that cannot lie in memory, or that kernels cannot read, make no array.
TEST(AnyDistView, refuses_sections_that_cannot_be) {
    Fixture fixture;
    const auto refused = [&](AnySection section, const std::vector<std::string>& words) {
        expect_error_with<ShapeError>([&] { AnyDistView(section, fixture.layout, 0); }, words);
    };
    refused(fixture.section({36, 8}), {"AnyDistView: ", "multiples of 8 bytes", "(36, 8)"});
    refused(fixture.section({40, 4}), {"multiples of 8 bytes"});
    refused(fixture.section({most, 8}), {"AnyDistView: ", "2^63-1 bytes"});
    refused(fixture.section({std::numeric_limits<std::int64_t>::min(), 8}), {"2^63-1 bytes"});
    AnySection section = fixture.section();
    section.data = static_cast<char*>(section.data) + 4;
    refused(section, {"multiples of 8 bytes"});
    section.element.kind = ElementKind::opaque;
    EXPECT_EQ(AnyDistView(section, fixture.layout, 0).section().data, section.data);
    section = fixture.section({-40, 8});
    section.data = reinterpret_cast<void*>(std::uintptr_t{72});
    refused(section, {"and within the address space"});
    section.data = reinterpret_cast<void*>(std::uintptr_t{80});
    EXPECT_TRUE(section.is_addressable());
    section.data = reinterpret_cast<void*>(std::uintptr_t{0} - 48);
    EXPECT_TRUE(section.is_addressable());
    section.data = reinterpret_cast<void*>(std::uintptr_t{0} - 40);
    EXPECT_FALSE(section.is_addressable());
    // Any number of elements at one address still count separately.
    section = section_of({most, most}, {0, 0});
    EXPECT_FALSE(section.is_addressable());
    section = section_of({most, most, 0}, {most, most, most});
    EXPECT_TRUE(section.is_addressable());
    section = section_of({2, -1}, {8, 8});
    EXPECT_FALSE(section.is_addressable());
    section = section_of({2}, {});
    EXPECT_FALSE(section.is_addressable());
}

} // namespace distview::testing
