// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/move_transfer.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/kernels/transpose_lines.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace distview::impl {

/// Prefetches lines of some rows, a few at each step: along the rows, which is fastest for memory; into the second
/// cache, because rows a power of two apart evict each other from the first. Strides and rows are in bytes.
class RowPrefetch {
public:
    RowPrefetch(const char* begin, std::int64_t rows, std::int64_t stride, std::int64_t row,
                std::int64_t steps)
        : m_at(begin), m_rows(rows), m_stride(stride),
          m_lines(row / static_cast<std::int64_t>(line_size) + 1),
          m_step((rows * m_lines + steps - 1) / steps) {}

    void step() {
        for (std::int64_t k = 0; k < m_step && m_rows > 0; ++k) {
            prefetch_far(m_at + m_line * static_cast<std::int64_t>(line_size));
            if (++m_line < m_lines) continue;
            m_line = 0;
            m_at += m_stride;
            --m_rows;
        }
    }

private:
    const char* m_at;
    std::int64_t m_rows;
    std::int64_t m_stride;
    std::int64_t m_lines;
    std::int64_t m_step;
    std::int64_t m_line = 0;
};

/// Prefetches both sides of the next part of a block, step by step while another part is moved; element sizes in bytes.
class PartPrefetch {
public:
    PartPrefetch(const MoveBlock& part, std::int64_t from_size, std::int64_t to_size,
                 std::int64_t steps)
        : m_sources(part.from, part.inner.count, part.inner.from_stride,
                    part.outer.count * from_size, steps),
          m_targets(part.to, part.outer.count, part.outer.to_stride, part.inner.count * to_size,
                    steps) {}

    void step() {
        m_sources.step();
        m_targets.step();
    }

private:
    RowPrefetch m_sources;
    RowPrefetch m_targets;
};

/// Moves a block row by row. Between short rows with gaps the processor prefetches the gaps, not the next
/// row: so the next row is prefetched here. The two sides do not overlap, unless they are the same.
template <class MoverType>
void move_rows(const MoverType& mover, const MoveBlock& block) {
    const MoveLoop outer = block.outer;
    const MoveLoop inner = block.inner;
    const bool are_runs = !inner.has_tables() && inner.from_stride == MoverType::from_size &&
                          inner.to_stride == MoverType::to_size;
    const bool are_bytes = are_runs && mover.copies();
    const std::int64_t row = inner.count * inner.from_stride;
    const auto bytes = static_cast<std::size_t>(row);
    const bool has_gaps = !outer.has_tables() && !inner.has_tables() && row > 0 &&
                          row < tuning::prefetch_distance && row < outer.from_stride;
    const std::int64_t ahead = has_gaps ? tuning::prefetch_distance / row * outer.from_stride : 0;
    for (std::int64_t j = 0; j < outer.count; ++j) {
        const char* from = block.from + outer.from(j);
        char* to = block.to + outer.to(j);
        if (has_gaps)
            for (std::int64_t at = 0; at < row; at += static_cast<std::int64_t>(line_size))
                prefetch(from + ahead + at);
        if (are_bytes && from == to) continue;
        if (are_bytes && mover.streams) {
            stream_copy(from, to, bytes);
        } else if (are_bytes) {
            std::memcpy(to, from, bytes);
        } else if (are_runs && from != to) {
            mover.run(from, to, inner.count);
        } else if (inner.has_tables()) {
            for (std::int64_t i = 0; i < inner.count; ++i)
                mover.element(from + inner.from_table[i], to + inner.to_table[i]);
        } else {
            for (std::int64_t i = 0; i < inner.count; ++i) {
                mover.element(from, to);
                from += inner.from_stride;
                to += inner.to_stride;
            }
        }
    }
}

/// Number of elements before the first whole line.
template <class T>
std::int64_t before_line(const char* address, std::int64_t count) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % line_size);
    const std::int64_t bytes = past == 0 ? 0 : static_cast<std::int64_t>(line_size) - past;
    return std::min(count, bytes / static_cast<std::int64_t>(sizeof(T)));
}

/// Part of a block: `columns` elements along its outer loop by `rows` along its inner one, from (column, row) on.
inline MoveBlock part_of(const MoveBlock& block, std::int64_t column, std::int64_t columns,
                         std::int64_t row, std::int64_t rows) {
    MoveBlock part = block;
    part.from += column * block.outer.from_stride + row * block.inner.from_stride;
    part.to += column * block.outer.to_stride + row * block.inner.to_stride;
    part.outer.count = columns;
    part.inner.count = rows;
    return part;
}

/// Moves a block in squares with the edge of a cache line, which are transposed in registers: every
/// line on either side is visited once, whatever power of two the strides share. Squares begin at lines
/// of the source along one axis, and of the target along the other. Moves nothing and returns false if
/// a block does not transpose lines. `prefetches`: whether the next part is prefetched meanwhile.
template <class From, class To, class Op>
bool move_squares(const Mover<From, To, Op>&, const MoveBlock&, bool) {
    return false;
}
template <class From, class To, class Op>
    requires transposes_lines<sizeof(From)>
bool move_squares(const Mover<From, To, Op>& mover, const MoveBlock& block, bool prefetches) {
    constexpr std::int64_t edge = line_elements<sizeof(From)>;
    /// Edge of a tile. Short enough that the next tile is cached in time, even if rows lie a power of two
    /// apart and share a few places in the cache; long enough for memory, which is fastest line after line.
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
    // A prefetch costs more than the move if the block has few elements; for a large block
    // without squares, the next block's lines are near.
    const std::int64_t elements = outer.count * inner.count;
    if (prefetches && !has_squares && elements > edge * edge / 4 && elements <= tile * tile)
        PartPrefetch(of_next_block, mover.from_size, mover.to_size, 1).step();

    const bool copies = mover.copies();
    alignas(line_size) char square[edge * static_cast<std::int64_t>(line_size)];
    for (std::int64_t j = first_column; j < end_column; j += tile)
        for (std::int64_t i = first_row; i < end_row; i += tile) {
            const std::int64_t end_j = std::min(j + tile, end_column);
            const std::int64_t end_i = std::min(i + tile, end_row);
            // Both sides of the next tile are prefetched meanwhile.
            PartPrefetch ahead(end_i < end_row      ? tile_at(j, end_i)
                               : end_j < end_column ? tile_at(end_j, first_row)
                                                    : of_next_block,
                               mover.from_size, mover.to_size,
                               (end_j - j) * (end_i - i) / (edge * edge));
            for (std::int64_t column = j; column < end_j; column += edge)
                for (std::int64_t row = i; row < end_i; row += edge) {
                    if (prefetches) ahead.step();
                    const char* const from =
                        block.from + column * outer.from_stride + row * inner.from_stride;
                    char* const to = block.to + column * outer.to_stride + row * inner.to_stride;
                    transpose_lines<sizeof(From)>(from, inner.from_stride, copies ? to : square,
                                                  copies ? outer.to_stride : tuning::cache_line);
                    if (!copies) mover.run_square(square, to, outer.to_stride);
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

/// Work of run_boxes(): call i moves unit i. Units must stay until the work has finished.
template <class MoverType>
struct MoveUnitsBy {
    const MoveUnits* units;
    MoverType mover;

    void operator()(int i) const {
        const MoveUnit& unit = units->units[static_cast<std::size_t>(i)];
        const MoveNest nest =
            units->transfers[static_cast<std::size_t>(unit.transfer)].nest(unit.nest);
        MoveNest::Blocks blocks(nest, unit.first_block, unit.blocks);
        const bool prefetches = units->elements * MoverType::to_size > tuning::cached_bytes;
        MoveBlock block;
        while (blocks.next(block))
            if (!move_squares(mover, block, prefetches)) move_rows(mover, block);
        if (mover.streams && mover.copies()) end_streaming();
    }
    std::int64_t bytes(int begin, int end) const {
        return units->bytes(begin, end, static_cast<std::size_t>(MoverType::to_size));
    }
};

} // namespace distview::impl
