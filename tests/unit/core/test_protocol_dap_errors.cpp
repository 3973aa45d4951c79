// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong calls: a missing section, another ABI version, sections that are not a whole array or not
// of a layout, and exports that the C structs cannot express.
#include "dap_producer.hpp"
#include "expect_error.hpp"

#include <distview/core/protocol/dap.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

namespace distview::testing {

using protocol::dist_view_from_dap;
using protocol::ExportedSection;
using protocol::from_dap;
using protocol::to_dap;

TEST(ProtocolDapErrors, no_section_at_all) {
    expect_error<UsageError>([] { from_dap(nullptr); }, "from_dap: expected a section, got NULL");
    distview_dap_section released{};
    expect_error<UsageError>(
        [&] { from_dap(&released); },
        "from_dap: expected a section that is not released: its release is NULL");
    const AnyDistView any(untouched_section(ArrayLayout(), 0), ArrayLayout(), 0);
    expect_error<UsageError>([&] { to_dap(any, nullptr); },
                             "to_dap: expected a section to fill in, got NULL");
}

// A struct that may have another memory layout is released; no other member is read.
TEST(ProtocolDapErrors, another_abi_version_is_released) {
    for (const std::uint32_t major : {0U, 2U, 0xffffffffU}) {
        DapProducer producer;
        producer.section.abi_major = major;
        producer.section.ndim = -1;
        expect_error<UsageError>([&] { from_dap(&producer.section); },
                                 "from_dap: expected a section of ABI version 1, got " +
                                     std::to_string(major));
        EXPECT_EQ(producer.released, 1);
        EXPECT_EQ(producer.section.release, nullptr);
    }
}

// One of several processes' sections is not a whole array.
TEST(ProtocolDapErrors, a_section_alone_must_be_the_whole_array) {
    DapProducer producer;
    try {
        dist_view_from_dap(&producer.section);
        ADD_FAILURE() << "accepted";
    } catch (const ProtocolError& error) {
        EXPECT_EQ(error.code(), "grid_product");
    }
    ASSERT_NE(producer.section.release, nullptr);
    EXPECT_EQ(producer.released, 0);
}

TEST(ProtocolDapErrors, a_section_must_be_that_of_the_layout) {
    const ArrayLayout layout(ProcessGrid{1, 2},
                             {block(4), block(6, {.padding = 1, .boundary = 0})});
    DapProducer producer;
    const auto take = [&](const ArrayLayout& given, int process) {
        return
            [&producer, given, process] { dist_view_from_dap(&producer.section, given, process); };
    };
    const std::string got =
        "got {\"dist_type\": \"b\", \"size\": 6, \"proc_grid_size\": 2, \"proc_grid_rank\": 0, "
        "\"start\": 0, \"stop\": 4, \"padding\": [0, 1]}";
    expect_error<ShapeError>(take(layout, 1), "dist_view_from_dap: expected axis 1 of process 1 "
                                              "of\n" +
                                                  layout.describe() + '\n' + got);
    expect_error<UsageError>(take(layout, 2),
                             "dist_view_from_dap: expected a process in [0, 2), got 2");
    expect_error<UsageError>(take(layout, -1),
                             "dist_view_from_dap: expected a process in [0, 2), got -1");
    expect_error<ShapeError>(take(ArrayLayout(), 0),
                             "dist_view_from_dap: expected a section of 0 axes, got 2");
    const ArrayLayout others[] = {
        {ProcessGrid{1, 2}, {block(4), block(6)}},
        {ProcessGrid{1, 2}, {block(4), block_bounds({0, 2, 6}, {.padding = 2, .boundary = 0})}},
        {ProcessGrid{1, 2}, {block(4), block(6, {.padding = 1, .boundary = 0, .periodic = true})}},
        {ProcessGrid{1, 2}, {block(4), cyclic(8)}},
        {ProcessGrid{1, 3}, {block(4), block_bounds({0, 3, 5, 6}, {.padding = 1, .boundary = 0})}},
        {ProcessGrid{1, 2}, {cyclic(4), block(6, {.padding = 1, .boundary = 0})}},
    };
    for (const ArrayLayout& other : others) EXPECT_THROW(take(other, 0)(), ShapeError);
    EXPECT_EQ(producer.released, 0);
    EXPECT_NO_THROW(take(layout, 0)());
    EXPECT_EQ(producer.released, 1);
}

// Padding on the other side: the same number of elements, but other processes own some of them.
TEST(ProtocolDapErrors, padding_must_be_that_of_the_layout) {
    const auto layout = [](Widths first, Widths second, Widths third) {
        return ArrayLayout(ProcessGrid{3},
                           {block_bounds({0, 2, 4, 6}, {.boundary = 0}, {first, second, third})});
    };
    const ArrayLayout low = layout({0, 1}, {1, 0}, {0, 0});
    const ArrayLayout high = layout({0, 0}, {0, 1}, {1, 0});
    distview_dap_section section{};
    for (const protocol::Version& version : {protocol::v0_10_0, protocol::v0_9_0}) {
        to_dap(AnyDistView(untouched_section(low, 1), low, 1), &section, version);
        EXPECT_THROW(dist_view_from_dap(&section, high, 1), ShapeError);
        EXPECT_NO_THROW(dist_view_from_dap(&section, low, 1));
    }
}

// In 0.9 the padding of a periodic axis is added to its size.
TEST(ProtocolDapErrors, sizes_beyond_64_bits_are_refused) {
    DapProducer producer;
    producer.section.version[1] = 9;
    producer.section.ndim = 1;
    producer.extents[0] = 7;
    distview_dap_dim& dim = producer.dims[0];
    dim = DapProducer::block(std::numeric_limits<std::int64_t>::max(), 2, 0, 0, 5);
    dim.keys |= DISTVIEW_DAP_PADDING | DISTVIEW_DAP_PERIODIC;
    dim.padding[0] = dim.padding[1] = 1;
    dim.periodic = 1;
    const ArrayLayout layout(ProcessGrid{2}, {block(10, {.padding = 1, .periodic = true})});
    try {
        dist_view_from_dap(&producer.section, layout, 0);
        ADD_FAILURE() << "accepted";
    } catch (const ProtocolError& error) {
        EXPECT_EQ(error.code(), "overflow") << error.what();
    }
}

TEST(ProtocolDapErrors, default_constructed_arrays_are_not_exported) {
    distview_dap_section out{};
    const AnyDistView scalar{DistView<double, Kokkos::HostSpace>()};
    expect_error<UsageError>(
        [&] { to_dap(scalar, &out); },
        "to_dap: expected an array with memory, got a default-constructed one");
    EXPECT_EQ(out.release, nullptr);
    const AnyDistView line{DistView<double*, Kokkos::HostSpace>()};
    expect_error<UsageError>([&] { protocol::export_section(line); },
                             "export_section: expected an array, got a default-constructed one");
}

// Arrays that the C structs cannot express are not exported.
TEST(ProtocolDapErrors, exports_that_c_cannot_say) {
    DapProducer producer;
    const ExportedSection good = from_dap(&producer.section);
    distview_dap_section out{};
    const auto refuses = [&](const std::function<void(ExportedSection&)>& change,
                             const std::string& message) {
        ExportedSection exported = good;
        change(exported);
        expect_error<UsageError>([&] { to_dap(exported, &out); }, message);
        EXPECT_EQ(out.release, nullptr);
    };
    refuses([](ExportedSection& e) { e.dim_data[0].dist_type = "bb"; },
            "to_dap: expected a dist_type of one letter, got 'bb'");
    refuses([](ExportedSection& e) { e.dim_data[0].dist_type = ""; },
            "to_dap: expected a dist_type of one letter, got ''");
    refuses([](ExportedSection& e) { e.dim_data[1].padding->length = 3; },
            "to_dap: expected a pair as padding, got 3 widths");
    refuses([](ExportedSection& e) { e.dim_data.pop_back(); },
            "to_dap: expected extents, strides and dictionaries of at most 8 axes, got 2, 2 and 1");
    refuses([](ExportedSection& e) { e.section.strides.clear(); },
            "to_dap: expected extents, strides and dictionaries of at most 8 axes, got 2, 0 and 2");
    refuses(
        [](ExportedSection& e) {
            e.section.extents.resize(9);
            e.section.strides.resize(9);
            e.dim_data.resize(9);
        },
        "to_dap: expected extents, strides and dictionaries of at most 8 axes, got 9, 9 and 9");
    refuses([](ExportedSection& e) { e.section.element.bytes = 0; },
            "to_dap: expected elements of 1 to 2^31-1 bytes, got 0");
    refuses([](ExportedSection& e) { e.section.element.bytes = std::int64_t{1} << 31; },
            "to_dap: expected elements of 1 to 2^31-1 bytes, got 2147483648");
}

// Padding that version 0.10 cannot express (rule B11) leaves the struct unchanged.
TEST(ProtocolDapErrors, layouts_that_a_version_cannot_say) {
    const ArrayLayout layout(ProcessGrid{2},
                             {block_bounds({0, 1, 6}, {.padding = 2, .boundary = 0})});
    const AnyDistView any(untouched_section(layout, 0), layout, 0);
    distview_dap_section out{};
    try {
        to_dap(any, &out);
        ADD_FAILURE() << "exported";
    } catch (const ProtocolError& error) {
        EXPECT_EQ(error.code(), "padding_too_wide");
    }
    EXPECT_EQ(out.release, nullptr);
    to_dap(any, &out, protocol::v0_9_0);
    out.release(&out);
}

} // namespace distview::testing
