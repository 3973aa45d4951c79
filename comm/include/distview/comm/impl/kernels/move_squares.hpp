// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_elements.hpp>
#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/prefetch.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/kernels/transpose_lines.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace distview::impl {

/// Elements before the first whole line.
template <class T>
std::int64_t before_line(const char* address, std::int64_t count) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % line_size);
    const std::int64_t bytes = past == 0 ? 0 : static_cast<std::int64_t>(line_size) - past;
    return std::min(count, bytes / static_cast<std::int64_t>(sizeof(T)));
}

/// Of a block `columns` elements along its outer loop by `rows` along its inner one, from (column, row) on.
inline MoveBlock part_of(const MoveBlock& block, std::int64_t column, std::int64_t columns,
                         std::int64_t row, std::int64_t rows) {
    MoveBlock part = block;
    part.from += column * block.outer.from_stride + row * block.inner.from_stride;
    part.to += column * block.outer.to_stride + row * block.inner.to_stride;
    part.outer.count = columns;
    part.inner.count = rows;
    return part;
}

/// Moves a block by squares of a cache line's length, which are transposed in registers: whatever the strides' common power
/// of two, every line on either side is met once. Squares begin at lines of the source along the one axis, and of the
/// target along the other. False, and nothing is moved, if a block does not transpose lines.
template <class From, class To, class Op>
bool move_squares(const Mover<From, To, Op>&, const MoveBlock&) {
    return false;
}
template <class From, class To, class Op>
    requires transposes_lines<sizeof(From)>
bool move_squares(const Mover<From, To, Op>& mover, const MoveBlock& block) {
    constexpr std::int64_t edge = line_elements<sizeof(From)>;
    /// Of a tile: short enough that the next one is in the caches when it is due, also where rows lie a power
    /// of two apart and share a few places; long enough for memory, which is fastest line after line.
    constexpr std::int64_t tile = 4 * edge;
    const MoveLoop& outer = block.outer;
    const MoveLoop& inner = block.inner;
    if (!block.transposes || outer.from_stride != mover.from_size ||
        inner.to_stride != mover.to_size)
        return false;
    const std::int64_t first_column = before_line<From>(block.from, outer.count);
    const std::int64_t first_row = before_line<To>(block.to, inner.count);
    const std::int64_t end_column = first_column + (outer.count - first_column) / edge * edge;
    const std::int64_t end_row = first_row + (inner.count - first_row) / edge * edge;

    const auto tile_at = [&](std::int64_t column, std::int64_t row) {
        return part_of(block, column, std::min(tile, outer.count - column), row,
                       std::min(tile, inner.count - row));
    };
    MoveBlock of_next_block = tile_at(0, 0);
    of_next_block.from = block.next_from;
    of_next_block.to = const_cast<char*>(block.next_to);
    const bool has_squares = first_column < end_column && first_row < end_row;
    // A prefetch costs more than moving if the block has few elements; of a large block without squares, the next one's
    // lines are near.
    const std::int64_t elements = outer.count * inner.count;
    if (!has_squares && elements > edge * edge / 4 && elements <= tile * tile)
        PartPrefetch(of_next_block, mover.from_size, mover.to_size, 1).step();

    const bool copies = mover.copies();
    alignas(line_size) char square[edge * static_cast<std::int64_t>(line_size)];
    for (std::int64_t j = first_column; j < end_column; j += tile)
        for (std::int64_t i = first_row; i < end_row; i += tile) {
            const std::int64_t end_j = std::min(j + tile, end_column);
            const std::int64_t end_i = std::min(i + tile, end_row);
            // Both sides of the next tile are fetched meanwhile.
            PartPrefetch ahead(end_i < end_row      ? tile_at(j, end_i)
                               : end_j < end_column ? tile_at(end_j, first_row)
                                                    : of_next_block,
                               mover.from_size, mover.to_size,
                               (end_j - j) * (end_i - i) / (edge * edge));
            for (std::int64_t column = j; column < end_j; column += edge)
                for (std::int64_t row = i; row < end_i; row += edge) {
                    ahead.step();
                    const char* const from =
                        block.from + column * outer.from_stride + row * inner.from_stride;
                    char* const to = block.to + column * outer.to_stride + row * inner.to_stride;
                    transpose_lines<sizeof(From)>(from, inner.from_stride, square);
                    if (copies)
                        for (std::int64_t k = 0; k < edge; ++k)
                            std::memcpy(to + k * outer.to_stride,
                                        square + k * static_cast<std::int64_t>(line_size),
                                        line_size);
                    else
                        mover.run_square(square, to, outer.to_stride);
                }
        }

    // Moves the remainder around the squares: on either side, above and below.
    const std::int64_t columns = end_column - first_column;
    move_rows(mover, part_of(block, 0, first_column, 0, inner.count));
    move_rows(mover, part_of(block, first_column, columns, 0, first_row));
    move_rows(mover, part_of(block, first_column, columns, end_row, inner.count - end_row));
    move_rows(mover, part_of(block, end_column, outer.count - end_column, 0, inner.count));
    return true;
}

} // namespace distview::impl
