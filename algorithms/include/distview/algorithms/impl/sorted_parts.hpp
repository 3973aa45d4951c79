// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/index_list.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Blocks without padding over the processes of a layout of one axis: the blocks of its interior if it has blocks.
ArrayLayout blocks_for_sorting(const ArrayLayout& layout);

/// The bounds between the blocks of such a layout.
std::vector<std::int64_t> inner_bounds(const ArrayLayout& blocks);

/// The part of each rank's sorted block that belongs to this rank's block, in rank order.
class SortedParts {
public:
    /// `cuts`: for each rank's block, the number of elements that belong before this rank's block, unless that is the
    /// first; then, for each rank's block, the number that belong before the next block, unless this one is the last.
    SortedParts(const ArrayLayout& blocks, int process, std::span<const std::int64_t> cuts);

    /// The elements, as indices of the array of blocks.
    const IndexList& list() const noexcept { return m_list; }
    /// Positions in the list at which the parts begin.
    const std::vector<std::int64_t>& begins() const noexcept { return m_begins; }

private:
    IndexList m_list{1};
    std::vector<std::int64_t> m_begins;
};

} // namespace distview::impl
