// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seeds.hpp"

#include "fuzz_section.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/protocol/dap.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>

namespace distview::fuzz {

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<ArrayLayout> layouts() {
    const BlockOptions padded{.padding = 1, .boundary = {2, 1}};
    const BlockOptions periodic{.padding = 1, .boundary = {1, 2}, .periodic = true};
    return {
        ArrayLayout(),
        {ProcessGrid{1}, {block(10)}},
        {ProcessGrid{1}, {block(10, periodic)}},
        {ProcessGrid{3}, {block(20, padded)}},
        {ProcessGrid{4}, {block_bounds({0, 5, 5, 12, 20}, {.boundary = 0})}},
        {ProcessGrid{4}, {cyclic(10)}},
        {ProcessGrid{4}, {block_cyclic(13, 2)}},
        {ProcessGrid{3}, {unstructured({{7, -3, 100}, {}, {9, 8, 5}}, true)}},
        {ProcessGrid{2}, {unstructured({{4, 2}, {2, 3}})}},
        {ProcessGrid{2, 3}, {block_cyclic(7, 2), block(8, periodic)}},
        {ProcessGrid{1, 2, 1}, {cyclic(0), block(6, padded), unstructured({{1, 5}})}},
        {ProcessGrid{1, 1, 1, 1, 1, 1, 1},
         {block(1), block(2), cyclic(1), block(1), block(3), block(1), cyclic(2)}},
    };
}

Bytes section_seed(const ArrayLayout& layout, int process, const protocol::Version& version) {
    static double element = 0;
    AnySection memory;
    const Extents extents = layout.local_extents(process);
    memory.extents.assign(extents.begin(), extents.begin() + layout.rank());
    memory.strides = AnySection::contiguous_strides(memory.extents, 8);
    memory.element = element_type<double>();
    memory.data = &element;
    distview_dap_section section{};
    protocol::to_dap(AnyDistView(std::move(memory), layout, process), &section, version);
    Bytes bytes{0};
    const Bytes rest = encode(section);
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    section.release(&section);
    return bytes;
}

/// A correct tensor of doubles, 3 x 4; then tensors with one producer's error each.
std::vector<Bytes> tensor_seeds() {
    struct Tensor {
        std::int64_t ndim = 2, bits = 64, lanes = 1, byte_offset = 0;
        std::vector<std::int64_t> pairs{3, 4, 4, 1}; ///< extent and stride by axis
        std::uint8_t oddities = 0;
        std::int64_t address = 0;
    };
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::vector<Tensor> tensors{
        {},
        {.ndim = 0, .pairs = {}},
        {.oddities = 2},
        {.pairs = {3, 4, 0, 1}, .oddities = 4},
        {.ndim = 9, .pairs = std::vector<std::int64_t>(18, 1)},
        {.ndim = -1, .pairs = {}},
        {.ndim = most, .pairs = std::vector<std::int64_t>(20, 1)},
        {.byte_offset = -1},
        {.byte_offset = 4},
        {.byte_offset = most},
        {.pairs = {std::int64_t{1} << 40, 0, std::int64_t{1} << 40, 0}},
        {.pairs = {most, most, 2, 1}},
        {.pairs = {2, -most - 1, 2, 1}},
        {.pairs = {-3, 4, 4, 1}},
        {.bits = 4},
        {.lanes = 4},
        {.oddities = 1},
        {.oddities = 4},
        {.oddities = 8, .address = -8},
        {.oddities = 8, .address = 4100},
    };
    std::vector<Bytes> result;
    for (const bool is_versioned : {false, true})
        for (const Tensor& tensor : tensors) {
            Output out;
            out.byte(2);
            out.byte(is_versioned ? 1 : 0);
            out.byte(tensor.oddities);
            out.integer(tensor.ndim);
            out.integer(1);
            out.integer(0);
            out.byte(2);
            out.byte(static_cast<std::uint8_t>(tensor.bits));
            out.byte(static_cast<std::uint8_t>(tensor.lanes));
            out.integer(tensor.byte_offset);
            for (const std::int64_t number : tensor.pairs) out.integer(number);
            out.integer(tensor.address);
            result.push_back(out.bytes());
        }
    return result;
}

} // namespace

std::vector<std::vector<std::uint8_t>> seed_inputs() {
    std::vector<Bytes> result;
    for (const ArrayLayout& layout : layouts())
        for (const protocol::Version& version : {protocol::v0_10_0, protocol::v0_9_0})
            for (int p = 0; p < layout.process_count(); ++p)
                result.push_back(section_seed(layout, p, version));
    // Any byte string decodes to an array with some changes.
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i) {
        Bytes bytes{1};
        for (int n = 0; n < 60; ++n) bytes.push_back(static_cast<std::uint8_t>(random()));
        result.push_back(std::move(bytes));
    }
    for (Bytes& tensor : tensor_seeds()) result.push_back(std::move(tensor));
    return result;
}

} // namespace distview::fuzz
