// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "seeds.hpp"

#include "fuzz_section.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/protocol/dap.hpp>

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

} // namespace

std::vector<std::vector<std::uint8_t>> seed_inputs() {
    std::vector<Bytes> result;
    for (const ArrayLayout& layout : layouts())
        for (const protocol::Version& version : {protocol::v0_10_0, protocol::v0_9_0})
            for (int p = 0; p < layout.process_count(); ++p)
                result.push_back(section_seed(layout, p, version));
    // Every byte string is an array, more or less changed.
    std::mt19937_64 random(1);
    for (int i = 0; i < 100; ++i) {
        Bytes bytes{1};
        for (int n = 0; n < 60; ++n) bytes.push_back(static_cast<std::uint8_t>(random()));
        result.push_back(std::move(bytes));
    }
    return result;
}

} // namespace distview::fuzz
