// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "row_moves.hpp"

#include <map>
#include <utility>

namespace hpl {

RowMoves row_moves(std::int64_t begin, std::span<const std::int64_t> pivots) {
    // Original row of the content of each swapped row; a row without an entry has kept its own content.
    std::map<std::int64_t, std::int64_t> content;
    const auto in_row = [&](std::int64_t row) -> std::int64_t& {
        return content.try_emplace(row, row).first->second;
    };
    std::int64_t row = begin;
    for (const std::int64_t pivot : pivots) std::swap(in_row(row++), in_row(pivot));

    RowMoves moves;
    const std::int64_t end = row;
    for (const auto& [to, from] : content)
        if (to < end)
            moves.into_block.push_back(from);
        else if (from != to)
            moves.out_of_block.push_back({from, to});
    return moves;
}

distview::ArrayLayout layout_of_moved_rows(const distview::ArrayLayout& ab, const RowMoves& moves) {
    const auto processes = static_cast<std::size_t>(ab.grid().extent(0));
    std::vector<std::vector<std::int64_t>> wanted(processes, moves.into_block);
    for (const RowMoves::Move& move : moves.out_of_block) {
        const int owner = ab.axis(0).owner(distview::GlobalIndex(move.to));
        wanted[static_cast<std::size_t>(owner)].push_back(move.from);
    }
    return distview::ArrayLayout(
        ab.grid(), {distview::unstructured(std::move(wanted)), distview::axis_spec(ab.axis(1))});
}

} // namespace hpl
