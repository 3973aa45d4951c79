// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of a C producer: each must cause an exception that names it, without a crash, and the
// section stays with the caller.
#include "dap_producer.hpp"

#include <distview/core/protocol/dap.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

using protocol::ExportedSection;
using protocol::from_dap;
using protocol::to_dap;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// One change to a good section and its expected result: the code of a ProtocolError, else "".
struct Adverse {
    std::string what;
    std::function<void(DapProducer&)> change;
    std::string code;
    std::string message;
};

// No elements along axis 0, which is legal.
void make_empty(DapProducer& p) { p.dims[0].size = p.dims[0].stop = p.extents[0] = 0; }

/// Members with impossible values, for any dictionaries.
const std::vector<Adverse> adverse_members{
    {"negative ndim", [](DapProducer& p) { p.section.ndim = -1; }, "",
     "from_dap: expected ndim from 0 to 8, got -1"},
    {"nine axes", [](DapProducer& p) { p.section.ndim = 9; }, "",
     "from_dap: expected ndim from 0 to 8, got 9"},
    {"no dims", [](DapProducer& p) { p.section.dims = nullptr; }, "",
     "from_dap: expected the dimension data of every axis, got NULL"},
    {"no extents", [](DapProducer& p) { p.section.extents = nullptr; }, "",
     "from_dap: expected the extents of every axis, got NULL"},
    {"negative extent", [](DapProducer& p) { p.extents[1] = -4; }, "",
     "from_dap: expected extents >= 0, got -4 along axis 1"},
    {"least extent", [](DapProducer& p) { p.extents[0] = least; }, "",
     "from_dap: expected extents >= 0, got -9223372036854775808 along axis 0"},
    {"no data", [](DapProducer& p) { p.section.data = nullptr; }, "",
     "from_dap: expected the address of the elements, got NULL"},
    {"no data of a 0-d array",
     [](DapProducer& p) {
         p.make_zero_dimensional();
         p.section.data = nullptr;
     },
     "", "from_dap: expected the address of the elements, got NULL"},
    {"product of extents overflows",
     [](DapProducer& p) { p.extents[0] = p.extents[1] = std::int64_t{1} << 32; }, "",
     "from_dap: expected elements within 2^63-1 bytes, got extents (4294967296, 4294967296), "
     "strides (32, 8) and elements of 8 bytes"},
    {"bytes overflow, strides NULL",
     [](DapProducer& p) {
         p.extents[0] = std::int64_t{1} << 60;
         p.section.strides = nullptr;
     },
     "",
     "from_dap: expected elements within 2^63-1 bytes, got extents (1152921504606846976, 4), "
     "strides NULL and elements of 8 bytes"},
    {"strides lead beyond any address", [](DapProducer& p) { p.strides[0] = most / 2; }, "",
     "from_dap: expected elements within 2^63-1 bytes, got extents (4, 4), strides "
     "(4611686018427387903, 8) and elements of 8 bytes"},
    {"least stride", [](DapProducer& p) { p.strides[1] = least; }, "",
     "from_dap: expected elements within 2^63-1 bytes, got extents (4, 4), strides (32, "
     "-9223372036854775808) and elements of 8 bytes"},
    {"beyond the last address",
     [](DapProducer& p) { p.section.data = reinterpret_cast<void*>(~std::uintptr_t{0} - 63); }, "",
     "from_dap: expected elements within 2^63-1 bytes, got extents (4, 4), strides (32, 8) and "
     "elements of 8 bytes"},
    {"before the first address",
     [](DapProducer& p) {
         p.section.data = reinterpret_cast<void*>(std::uintptr_t{64});
         p.strides[0] = -32;
     },
     "",
     "from_dap: expected elements within 2^63-1 bytes, got extents (4, 4), strides (-32, 8) and "
     "elements of 8 bytes"},
    {"unaligned address",
     [](DapProducer& p) { p.section.data = reinterpret_cast<void*>(std::uintptr_t{0x1004}); }, "",
     "from_dap: expected elements at multiples of 8 bytes, got the address 0x1004 and strides (32, "
     "8)"},
    {"unaligned stride",
     [](DapProducer& p) {
         p.section.data = reinterpret_cast<void*>(std::uintptr_t{0x1000});
         p.strides[0] = 36;
     },
     "",
     "from_dap: expected elements at multiples of 8 bytes, got the address 0x1000 and strides (36, "
     "8)"},
    {"unaligned complex elements",
     [](DapProducer& p) {
         p.section.element = {DISTVIEW_DAP_COMPLEX, 16};
         p.section.data = reinterpret_cast<void*>(std::uintptr_t{0x1000});
         p.strides = {64, 20};
     },
     "",
     "from_dap: expected elements at multiples of 8 bytes, got the address 0x1000 and strides (64, "
     "20)"},
    {"reals of 3 bytes", [](DapProducer& p) { p.section.element.bytes = 3; }, "",
     "from_dap: expected an element size that exists for this kind, got 3 bytes of kind 2"},
    {"reals of 2 GiB", [](DapProducer& p) { p.section.element.bytes = 1 << 30; }, "",
     "from_dap: expected an element size that exists for this kind, got 1073741824 bytes of kind "
     "2"},
    {"booleans of 8 bytes", [](DapProducer& p) { p.section.element.kind = DISTVIEW_DAP_BOOL; }, "",
     "from_dap: expected an element size that exists for this kind, got 8 bytes of kind 6"},
    {"bfloats of 8 bytes", [](DapProducer& p) { p.section.element.kind = DISTVIEW_DAP_BFLOAT; }, "",
     "from_dap: expected an element size that exists for this kind, got 8 bytes of kind 4"},
    {"complex numbers of 2 bytes",
     [](DapProducer& p) { p.section.element = {DISTVIEW_DAP_COMPLEX, 2}; }, "",
     "from_dap: expected an element size that exists for this kind, got 2 bytes of kind 5"},
    {"element of no bytes", [](DapProducer& p) { p.section.element.bytes = 0; }, "",
     "from_dap: expected elements of at least 1 byte, got 0"},
    {"negative bytes", [](DapProducer& p) { p.section.element.bytes = -8; }, "",
     "from_dap: expected elements of at least 1 byte, got -8"},
    {"unknown kind", [](DapProducer& p) { p.section.element.kind = 7; }, "",
     "from_dap: expected an element kind from 0 to 6, got 7"},
    {"negative kind", [](DapProducer& p) { p.section.element.kind = -1; }, "",
     "from_dap: expected an element kind from 0 to 6, got -1"},
    {"negative process", [](DapProducer& p) { p.section.process = -2; }, "",
     "from_dap: expected a process in [0, process_count) or -1, got process -2 of 2"},
    {"process beyond the count", [](DapProducer& p) { p.section.process = 2; }, "",
     "from_dap: expected a process in [0, process_count) or -1, got process 2 of 2"},
    {"no processes",
     [](DapProducer& p) {
         p.section.process = -1;
         p.section.process_count = 0;
     },
     "", "from_dap: expected a process in [0, process_count) or -1, got process -1 of 0"},
    {"negative number of indices",
     [](DapProducer& p) {
         p.make_unstructured();
         p.dims[1].indices_count = -1;
     },
     "", "from_dap: expected indices_count >= 0, got -1 on axis 1"},
    {"no indices",
     [](DapProducer& p) {
         p.make_unstructured();
         p.dims[1].indices = nullptr;
     },
     "", "from_dap: expected 4 indices on axis 1, got NULL"},
    {"no indices of another type",
     [](DapProducer& p) {
         p.dims[1].keys |= DISTVIEW_DAP_INDICES;
         p.dims[1].indices_count = 1;
     },
     "", "from_dap: expected 1 indices on axis 1, got NULL"},
};

/// Dictionaries that rules of the protocol reject.
const std::vector<Adverse> adverse_dictionaries{
    {"future version", [](DapProducer& p) { p.section.version[1] = 11; }, "version_unsupported",
     "DAP import, process 0: DAP version 0.11.0 is not supported; this importer reads 0.9.z and "
     "0.10.z"},
    {"negative version", [](DapProducer& p) { p.section.version[0] = -1; }, "version_unsupported",
     "DAP import, process 0: DAP version -1.10.0 is not supported; this importer reads 0.9.z and "
     "0.10.z"},
    {"negative patch", [](DapProducer& p) { p.section.version[2] = -1; }, "version_unsupported",
     "DAP import, process 0: DAP version 0.10.-1 is not supported; this importer reads 0.9.z and "
     "0.10.z"},
    {"garbage as dist_type", [](DapProducer& p) { p.dims[0].dist_type = '\xff'; }, "bad_dist_type",
     ""},
    {"zero as dist_type", [](DapProducer& p) { p.dims[0].dist_type = '\0'; }, "bad_dist_type", ""},
    {"'n' in 0.10", [](DapProducer& p) { p.dims[0].dist_type = 'n'; }, "bad_dist_type",
     "DAP import, process 0: dim_data[0]['dist_type'] is 'n'; version 0.10 knows 'b', 'c', 'u'"},
    {"no dist_type",
     [](DapProducer& p) { p.dims[0].keys &= ~std::uint32_t{DISTVIEW_DAP_DIST_TYPE}; },
     "missing_key", "DAP import, process 0: dim_data[0] lacks 'dist_type'"},
    {"a key that nobody knows is not the empty dictionary",
     [](DapProducer& p) { p.dims[0].keys = 1U << 31; }, "missing_key",
     "DAP import, process 0: dim_data[0] lacks 'dist_type'"},
    {"indices alone are not the empty dictionary",
     [](DapProducer& p) {
         p.dims[0] = {};
         p.dims[0].keys = DISTVIEW_DAP_INDICES;
     },
     "missing_key", "DAP import, process 0: dim_data[0] lacks 'dist_type'"},
    {"{} in 0.9",
     [](DapProducer& p) {
         p.section.version[1] = 9;
         p.dims[0].keys = 0;
     },
     "missing_key", "DAP import, process 0: dim_data[0] lacks 'dist_type'"},
    {"periodic 7",
     [](DapProducer& p) {
         p.dims[1].keys |= DISTVIEW_DAP_PERIODIC;
         p.dims[1].periodic = 7;
     },
     "bad_type", "DAP import, process 0: dim_data[1]['periodic'] is 7, expected 0 or 1"},
    {"one_to_one 255",
     [](DapProducer& p) {
         p.make_unstructured();
         p.dims[1].keys |= DISTVIEW_DAP_ONE_TO_ONE;
         p.dims[1].one_to_one = 255;
     },
     "bad_type", "DAP import, process 0: dim_data[1]['one_to_one'] is 255, expected 0 or 1"},
    {"negative padding", [](DapProducer& p) { p.dims[1].padding[1] = -1; }, "padding_form",
     "DAP import, process 0: dim_data[1]['padding'] is (0, -1), expected a pair of widths >= 0"},
    {"padding beyond the section", [](DapProducer& p) { p.dims[1].padding[1] = most; },
     "padding_too_wide", ""},
    {"padding on a cyclic axis", [](DapProducer& p) { p.dims[1].dist_type = 'c'; },
     "key_not_applicable", ""},
    {"negative size", [](DapProducer& p) { p.dims[1].size = least; }, "size_negative", ""},
    {"no processes on the axis", [](DapProducer& p) { p.dims[1].proc_grid_size = 0; },
     "grid_size_lt1", ""},
    {"grid rank", [](DapProducer& p) { p.dims[1].proc_grid_rank = 2; }, "grid_rank_range", ""},
    {"stop below start", [](DapProducer& p) { p.dims[0].stop = least; }, "stop_lt_start", ""},
    {"buffer of another size", [](DapProducer& p) { p.extents[1] = 3; }, "shape_mismatch",
     "DAP import, process 0: dim_data[1] describes 4 local elements, but buffer.shape[1] is 3"},
    {"size product",
     [](DapProducer& p) {
         p.dims[1].size = most;
         p.dims[1].stop = p.extents[1];
     },
     "overflow", ""},
    {"more indices than elements",
     [](DapProducer& p) {
         p.make_unstructured();
         p.dims[1].indices_count = most;
     },
     "shape_mismatch",
     "DAP import, process 0: dim_data[1] describes 9223372036854775807 local elements, "
     "but buffer.shape[1] is 4"},
    {"less indices than elements",
     [](DapProducer& p) {
         p.make_unstructured();
         p.dims[1].indices_count = 3;
     },
     "shape_mismatch",
     "DAP import, process 0: dim_data[1] describes 3 local elements, but buffer.shape[1] is 4"},
    {"an index twice",
     [](DapProducer& p) {
         p.make_unstructured();
         p.indices[3] = -3;
     },
     "indices_not_unique",
     "DAP import, process 0: index -3 appears twice in dim_data[1]['indices']"},
    {"whose section is not known",
     [](DapProducer& p) {
         p.section.process = p.section.process_count = -1;
         p.extents[1] = 3;
     },
     "shape_mismatch",
     "DAP import: dim_data[1] describes 4 local elements, but buffer.shape[1] is 3"},
};

/// Unusual, but legal.
const std::vector<Adverse> fine{
    {"untouched", [](DapProducer&) {}, "", ""},
    {"strides NULL", [](DapProducer& p) { p.section.strides = nullptr; }, "", ""},
    {"newer minor version", [](DapProducer& p) { p.section.abi_minor = 9; }, "", ""},
    {"unknown keys beside known ones", [](DapProducer& p) { p.dims[1].keys |= 1U << 30; }, "", ""},
    {"unknown flags", [](DapProducer& p) { p.section.flags = 1U << 31; }, "", ""},
    {"members of keys that are not there",
     [](DapProducer& p) {
         p.dims[0].periodic = 9;
         p.dims[0].padding[0] = -1;
         p.dims[0].indices_count = -1;
     },
     "", ""},
    {"the empty dictionary", [](DapProducer& p) { p.dims[0] = {}; }, "", ""},
    {"indices of a block, which mean nothing, are not read",
     [](DapProducer& p) {
         p.dims[0].keys |= DISTVIEW_DAP_INDICES;
         p.dims[0].indices = p.indices.data();
         p.dims[0].indices_count = most;
     },
     "", ""},
    {"an unknown device", [](DapProducer& p) { p.section.device_type = 99; }, "", ""},
    {"no process", [](DapProducer& p) { p.section.process = p.section.process_count = -1; }, "",
     ""},
    {"a 0-d array: no dims, extents or strides",
     [](DapProducer& p) {
         p.make_zero_dimensional();
         p.section.dims = nullptr;
         p.section.extents = p.section.strides = nullptr;
     },
     "", ""},
    {"an empty array: no data",
     [](DapProducer& p) {
         make_empty(p);
         p.section.data = nullptr;
     },
     "", ""},
    {"an empty array: any strides",
     [](DapProducer& p) {
         make_empty(p);
         p.strides = {least, most};
     },
     "", ""},
    {"an empty array: any other extents",
     [](DapProducer& p) {
         make_empty(p);
         p.dims[1].size = most;
         p.dims[1].stop = p.extents[1] = most - 1;
         p.section.strides = nullptr;
     },
     "", ""},
    {"no indices",
     [](DapProducer& p) {
         p.make_unstructured();
         p.dims[1].indices = nullptr;
         p.dims[1].indices_count = p.extents[1] = 0;
     },
     "", ""},
    {"opaque elements anywhere",
     [](DapProducer& p) {
         p.section.element = {DISTVIEW_DAP_OPAQUE, 8};
         p.section.data = reinterpret_cast<char*>(p.data.data()) + 1;
         p.strides = {30, 9};
     },
     "", ""},
    {"halves of complex elements at multiples of a part",
     [](DapProducer& p) {
         p.section.element = {DISTVIEW_DAP_COMPLEX, 16};
         p.section.data = reinterpret_cast<char*>(p.data.data()) + 8;
         p.strides = {64, 24};
     },
     "", ""},
    {"any stride along an axis of one element",
     [](DapProducer& p) {
         p.dims[0].size = p.dims[0].stop = p.extents[0] = 1;
         p.strides[0] = 3;
     },
     "", ""},
    {"elements beside each other, against the order",
     [](DapProducer& p) {
         p.section.data = p.data.data() + 15;
         p.strides = {-8, -32};
     },
     "", ""},
};

void expect_refusal(const Adverse& adverse) {
    SCOPED_TRACE(adverse.what);
    DapProducer producer;
    adverse.change(producer);
    const distview_dap_section before = producer.section;
    try {
        from_dap(&producer.section);
        ADD_FAILURE() << "accepted";
    } catch (const ProtocolError& error) {
        EXPECT_EQ(error.code(), adverse.code) << error.what();
        if (!adverse.message.empty()) {
            EXPECT_EQ(error.what(), adverse.message);
        }
        EXPECT_EQ(error.process(), before.process);
    } catch (const UsageError& error) {
        EXPECT_EQ(adverse.code, "") << error.what();
        EXPECT_EQ(error.what(), adverse.message);
    }
    // The section still belongs to the caller, unchanged.
    EXPECT_EQ(producer.released, 0);
    EXPECT_EQ(producer.section.release, before.release);
    EXPECT_EQ(producer.section.private_data, before.private_data);
    producer.section.release(&producer.section);
    EXPECT_EQ(producer.released, 1);
}

} // namespace

TEST(ProtocolDapAdverse, members_that_cannot_be) {
    for (const Adverse& adverse : adverse_members) expect_refusal(adverse);
}

TEST(ProtocolDapAdverse, dictionaries_that_break_rules) {
    for (const Adverse& adverse : adverse_dictionaries) expect_refusal(adverse);
}

TEST(ProtocolDapAdverse, oddities_that_are_legal) {
    for (const Adverse& adverse : fine) {
        SCOPED_TRACE(adverse.what);
        DapProducer producer;
        adverse.change(producer);
        {
            const ExportedSection taken = from_dap(&producer.section);
            EXPECT_EQ(producer.released, 0);
            distview_dap_section again{};
            to_dap(taken, &again);
            EXPECT_EQ(from_dap(&again).dim_data, taken.dim_data);
        }
        EXPECT_EQ(producer.released, 1);
    }
}

} // namespace distview::testing
