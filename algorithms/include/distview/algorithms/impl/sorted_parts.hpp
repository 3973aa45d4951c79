// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/index_list.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Blocks without padding over the processes of a layout of one axis: those of its interior if it has
/// blocks.
ArrayLayout blocks_for_sorting(const ArrayLayout& layout);

/// The bounds between the blocks of such a layout.
std::vector<std::int64_t> inner_bounds(const ArrayLayout& blocks);

/// Of each rank's sorted block the part that belongs into this rank's block, one rank's after the
/// other's.
class SortedParts {
public:
    /// `cuts`: of each rank's block, the elements that are to get before this rank's block, if there is one before, and
    /// behind them those that are to get before the next one, if there is one.
    SortedParts(const ArrayLayout& blocks, int process, std::span<const std::int64_t> cuts);

    /// The elements in the array of blocks.
    const IndexList& list() const noexcept { return m_list; }
    /// Where the parts begin in the list.
    const std::vector<std::int64_t>& begins() const noexcept { return m_begins; }

private:
    IndexList m_list{1};
    std::vector<std::int64_t> m_begins;
};

} // namespace distview::impl
