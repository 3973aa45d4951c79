// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/tuning.hpp>
#include <distview/core/array_layout.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace distview::impl {

using Strides = std::array<std::int64_t, max_rank>;

/// Bytes between a section's first element and the element at a position.
struct SectionOffsets {
    std::size_t rank = 1;
    Extents extents{};
    Strides strides{};

    std::int64_t operator()(std::int64_t position) const {
        std::int64_t offset = 0;
        for (std::size_t d = rank; d-- > 1; position /= extents[d])
            offset += position % extents[d] * strides[d];
        return offset + position * strides[0];
    }
};

/// Offsets of a list's elements.
inline SectionOffsets of_list(std::int64_t element_size) { return {1, {}, {element_size}}; }

inline std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& positions,
                                            const SectionOffsets& offset) {
    std::vector<std::int64_t> offsets(positions.size());
    std::transform(positions.begin(), positions.end(), offsets.begin(), offset);
    return offsets;
}

/// Whether elements at these positions lie in so many short rows that a reader copies them faster from a pack: a cache
/// line of a pack has several elements, and the owner, which wrote them recently, still has them in its cache.
inline bool lie_apart(const std::vector<std::int64_t>& positions, const SectionOffsets& offset,
                      std::int64_t element_size) {
    std::int64_t rows = 0;
    std::int64_t next = -1;
    for (const std::int64_t position : positions) {
        const std::int64_t at = offset(position);
        if (at != next) ++rows;
        next = at + element_size;
    }
    return rows > 1 && std::ssize(positions) * element_size < rows * tuning::long_row_bytes;
}

} // namespace distview::impl
