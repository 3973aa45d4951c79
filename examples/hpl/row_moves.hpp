// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/array_layout.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpl {

/// Where rows go when all swaps of a panel are done one after the other: row begin + k with row pivots[k].
struct RowMoves {
    struct Move {
        std::int64_t from = 0;
        std::int64_t to = 0;
        friend bool operator==(const Move&, const Move&) = default;
    };
    std::vector<std::int64_t> into_block; ///< the row that becomes row begin + k
    std::vector<Move> out_of_block; ///< of rows of the panel below its block, by ascending `to`
};

/// Indices: of the whole matrix
RowMoves row_moves(std::int64_t begin, std::span<const std::int64_t> pivots);

/// The layout of the rows that each process of `ab` wants: first those that come into the block, which all want, then those
/// that go to rows of its own, by ascending `to`. Columns stay where they are.
distview::ArrayLayout layout_of_moved_rows(const distview::ArrayLayout& ab, const RowMoves& moves);

} // namespace hpl
