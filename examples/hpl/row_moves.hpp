// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpl {

/// Destinations of rows when all swaps of a panel are done one after the other: row begin + k with row pivots[k].
struct RowMoves {
    struct Move {
        std::int64_t from = 0;
        std::int64_t to = 0;
        friend bool operator==(const Move&, const Move&) = default;
    };
    std::vector<std::int64_t> into_block; ///< the row that becomes row begin + k
    std::vector<Move> out_of_block;       ///< rows of the panel below its block, by ascending `to`
};

/// Indices: of the whole matrix
RowMoves row_moves(std::int64_t begin, std::span<const std::int64_t> pivots);

/// The layout of the rows that each process of `ab` needs: first the rows that enter the block, which all need, then
/// the rows that go to its own rows, by ascending `to`. Columns keep their layout.
distview::ArrayLayout layout_of_moved_rows(const distview::ArrayLayout& ab, const RowMoves& moves);

} // namespace hpl
