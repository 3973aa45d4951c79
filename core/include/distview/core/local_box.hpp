// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/index_types.hpp>
#include <distview/core/process_grid.hpp>

#include <array>
#include <cstddef>

namespace distview {

/// A box of positions in a section: a half-open range along every axis of the array. Entries beyond
/// the array's rank have no meaning.
using LocalBox = std::array<LocalRange, max_rank>;

/// Whether a box of an array of `rank` axes has no positions.
constexpr bool is_empty(const LocalBox& box, int rank) noexcept {
    for (int d = 0; d < rank; ++d)
        if (box[static_cast<std::size_t>(d)].empty()) return true;
    return false;
}

/// The positions that two boxes share.
constexpr LocalBox intersection(const LocalBox& a, const LocalBox& b, int rank) noexcept {
    LocalBox both{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
        both[d].begin = a[d].begin < b[d].begin ? b[d].begin : a[d].begin;
        both[d].end = a[d].end < b[d].end ? a[d].end : b[d].end;
    }
    return both;
}

} // namespace distview
