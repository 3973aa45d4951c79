// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/block_ahead.hpp>
#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/kernels/transpose_lines.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace distview::impl {

/// Elements before the first whole line.
template <class T>
std::int64_t before_line(const char* address, std::int64_t count) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % line_size);
    const std::int64_t bytes = past == 0 ? 0 : static_cast<std::int64_t>(line_size) - past;
    return std::min(count, bytes / static_cast<std::int64_t>(sizeof(T)));
}

/// Squares of half a cache line's length, wherever they begin, and singly what is left.
template <class From, class To, class Op>
void move_half_squares(const Mover<From, To, Op>& mover, const char* from, char* to,
                       const MoveLoop& outer, const MoveLoop& inner) {
    constexpr std::size_t half = line_size / 2;
    constexpr std::int64_t edge = line_elements<sizeof(From), half>;
    const std::int64_t columns = outer.count / edge * edge;
    const std::int64_t rows = inner.count / edge * edge;
    alignas(half) char square[static_cast<std::size_t>(edge) * half];
    for (std::int64_t j = 0; j < columns; j += edge)
        for (std::int64_t i = 0; i < rows; i += edge) {
            transpose_lines<sizeof(From), half>(
                from + j * outer.from_stride + i * inner.from_stride, inner.from_stride, square);
            mover.template run_square<half>(square, to + j * outer.to_stride + i * inner.to_stride,
                                            outer.to_stride);
        }
    const auto rest = [&](std::int64_t j, std::int64_t more_columns, std::int64_t i,
                          std::int64_t more_rows) {
        move_singly(mover, from + j * outer.from_stride + i * inner.from_stride,
                    to + j * outer.to_stride + i * inner.to_stride, of_count(outer, more_columns),
                    of_count(inner, more_rows));
    };
    rest(0, columns, rows, inner.count - rows);
    rest(columns, outer.count - columns, 0, inner.count);
}

/// The squares of a block: of elements [first, end) along either loop, by so many each time.
struct Squares {
    std::int64_t first_column = 0;
    std::int64_t end_column = 0;
    std::int64_t first_row = 0;
    std::int64_t end_row = 0;

    std::int64_t count(std::int64_t edge) const noexcept {
        return (end_column - first_column) * (end_row - first_row) / (edge * edge);
    }
};

/// Calls visit(column, row) for the first element of each square, tile by tile; meanwhile both sides of the next tile
/// are fetched. Elements are as many bytes as given here.
template <std::int64_t Edge, class Visit>
void for_each_square(const MoveBlock& block, const Squares& squares, std::int64_t from_size,
                     std::int64_t to_size, Visit&& visit) {
    /// Of a tile: short enough that the next one is in the caches when it is due, also where rows lie a power
    /// of two apart and share a few places; long enough for memory, which is fastest line after line.
    constexpr std::int64_t tile = 4 * Edge;
    const MoveLoop& outer = block.outer;
    const MoveLoop& inner = block.inner;
    const BlockPart of_next_block{block.next_from, block.next_to, std::min(outer.count, tile),
                                  std::min(inner.count, tile)};
    if (squares.count(Edge) == 0) {
        // Of a few elements there would be more to ask for than to move; of many, others' lines are near.
        const std::int64_t elements = outer.count * inner.count;
        if (elements > Edge * Edge / 4 && elements <= tile * tile)
            PartAhead(of_next_block, block, from_size, to_size, 1).step();
    }
    for (std::int64_t j = squares.first_column; j < squares.end_column; j += tile)
        for (std::int64_t i = squares.first_row; i < squares.end_row; i += tile) {
            BlockPart next = of_next_block;
            const auto go_to = [&](std::int64_t column, std::int64_t row) {
                next = {block.from + column * outer.from_stride + row * inner.from_stride,
                        block.to + column * outer.to_stride + row * inner.to_stride,
                        std::min(tile, outer.count - column), std::min(tile, inner.count - row)};
            };
            if (i + tile < squares.end_row)
                go_to(j, i + tile);
            else if (j + tile < squares.end_column)
                go_to(j + tile, squares.first_row);
            const Squares here{j, std::min(j + tile, squares.end_column), i,
                               std::min(i + tile, squares.end_row)};
            PartAhead ahead(next, block, from_size, to_size, here.count(Edge));
            for (std::int64_t column = j; column < here.end_column; column += Edge)
                for (std::int64_t row = i; row < here.end_row; row += Edge) {
                    ahead.step();
                    visit(column, row);
                }
        }
}

/// Squares of a cache line's length are transposed in registers: whatever the strides' common power of
/// two, every line on either side is met once. They begin at lines of the source along the one axis, and
/// of the target along the other.
template <class From, class To, class Op>
void move_squares(const Mover<From, To, Op>& mover, const MoveBlock& block) {
    constexpr std::int64_t edge = line_elements<sizeof(From)>;
    const MoveLoop& outer = block.outer;
    const MoveLoop& inner = block.inner;
    const std::int64_t first_column = before_line<From>(block.from, outer.count);
    const std::int64_t first_row = before_line<To>(block.to, inner.count);
    const std::int64_t end_column = first_column + (outer.count - first_column) / edge * edge;
    const std::int64_t end_row = first_row + (inner.count - first_row) / edge * edge;

    alignas(line_size) char square[edge * static_cast<std::int64_t>(line_size)];
    for_each_square<edge>(block, {first_column, end_column, first_row, end_row}, mover.from_size,
                          mover.to_size, [&](std::int64_t j, std::int64_t i) {
                              transpose_lines<sizeof(From)>(block.from + j * outer.from_stride +
                                                                i * inner.from_stride,
                                                            inner.from_stride, square);
                              mover.template run_square<line_size>(
                                  square, block.to + j * outer.to_stride + i * inner.to_stride,
                                  outer.to_stride);
                          });

    // Moves the remainder around the squares: above, below, and on either side.
    const auto rest = [&](std::int64_t j, std::int64_t columns, std::int64_t i, std::int64_t rows) {
        move_half_squares(mover, block.from + j * outer.from_stride + i * inner.from_stride,
                          block.to + j * outer.to_stride + i * inner.to_stride,
                          of_count(outer, columns), of_count(inner, rows));
    };
    rest(0, first_column, 0, inner.count);
    rest(first_column, end_column - first_column, 0, first_row);
    rest(first_column, end_column - first_column, end_row, inner.count - end_row);
    rest(end_column, outer.count - end_column, 0, inner.count);
}

template <class From, class To, class Op>
void move_transposed(const Mover<From, To, Op>& mover, const MoveBlock& block) {
    if constexpr (transposes_lines<sizeof(From)>)
        if (block.outer.from_stride == static_cast<std::int64_t>(sizeof(From)) &&
            block.inner.to_stride == static_cast<std::int64_t>(sizeof(To)))
            return move_squares(mover, block);
    move_singly(mover, block.from, block.to, block.outer, block.inner);
}

} // namespace distview::impl
