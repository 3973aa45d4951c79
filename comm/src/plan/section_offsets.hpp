// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

using Strides = std::array<std::int64_t, max_rank>;

/// A section's bytes between its first element and another one, by its position.
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

} // namespace distview::impl
