// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_elements.hpp>
#include <distview/comm/impl/kernels/move_squares.hpp>
#include <distview/comm/impl/kernels/move_transfer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace distview::impl {

/// Makes each of two elements what the other one becomes when it moves; of types of one size. For loops
/// whose two sides have no element in common.
template <class From, class To, class Op>
struct Swapper {
    static_assert(sizeof(From) == sizeof(To));
    static constexpr std::int64_t size = sizeof(From);
    static constexpr bool streams = false;

    Mover<From, To, Op> mover;
    bool copies = false; ///< whether bytes stay as they are

    void element(char* a, char* b) const {
        const From first = load<From>(a);
        const From second = load<From>(b);
        mover.element(reinterpret_cast<const char*>(&first), b);
        mover.element(reinterpret_cast<const char*>(&second), a);
    }

    /// Elements that follow each other on both sides.
    void run(char* a, char* b, std::int64_t count) const {
        if (!copies) {
            for (std::int64_t i = 0; i < count; ++i) element(a + i * size, b + i * size);
            return;
        }
        constexpr std::int64_t piece = 2048;
        char kept[piece];
        for (std::int64_t at = 0; at < count * size; at += piece) {
            const auto bytes = static_cast<std::size_t>(std::min(piece, count * size - at));
            std::memcpy(kept, a + at, bytes);
            std::memcpy(a + at, b + at, bytes);
            std::memcpy(b + at, kept, bytes);
        }
    }
};

template <class SwapperType>
void swap_row(const SwapperType& swapper, char* a, char* b, const MoveLoop& row) {
    constexpr std::int64_t size = SwapperType::size;
    if (!row.has_tables() && row.from_stride == size && row.to_stride == size)
        return swapper.run(a, b, row.count);
    for (std::int64_t i = 0; i < row.count; ++i) swapper.element(a + row.from(i), b + row.to(i));
}

/// As move_squares(): every line on either side is met once.
template <class From, class To, class Op>
void swap_squares(const Swapper<From, To, Op>& swapper, const MoveBlock& block, char* a) {
    constexpr std::int64_t edge = line_elements<sizeof(From)>;
    const MoveLoop& outer = block.outer;
    const MoveLoop& inner = block.inner;
    const std::int64_t columns = outer.count / edge * edge;
    const std::int64_t rows = inner.count / edge * edge;
    alignas(line_size) char to_b[edge * static_cast<std::int64_t>(line_size)];
    alignas(line_size) char to_a[edge * static_cast<std::int64_t>(line_size)];
    for_each_square<edge>(
        block, {0, columns, 0, rows}, swapper.size, swapper.size,
        [&](std::int64_t j, std::int64_t i) {
            char* const here = a + j * outer.from_stride + i * inner.from_stride;
            char* const there = block.to + j * outer.to_stride + i * inner.to_stride;
            transpose_lines<sizeof(From)>(here, inner.from_stride, to_b);
            transpose_lines<sizeof(From)>(there, outer.to_stride, to_a);
            swapper.mover.template run_square<line_size>(to_b, there, outer.to_stride);
            swapper.mover.template run_square<line_size>(to_a, here, inner.from_stride);
        });
    const auto rest = [&](std::int64_t j_begin, std::int64_t j_end, std::int64_t i_begin) {
        MoveLoop row = inner;
        row.count = inner.count - i_begin;
        for (std::int64_t j = j_begin; j < j_end; ++j)
            swap_row(swapper, a + j * outer.from_stride + i_begin * inner.from_stride,
                     block.to + j * outer.to_stride + i_begin * inner.to_stride, row);
    };
    rest(0, columns, rows);
    rest(columns, outer.count, 0);
}

template <class From, class To, class Op>
void swap_block(const Swapper<From, To, Op>& swapper, const MoveBlock& block) {
    char* const a = const_cast<char*>(block.from); // both sides are the target's memory
    if constexpr (transposes_lines<sizeof(From)>)
        if (block.transposes && block.outer.from_stride == Swapper<From, To, Op>::size &&
            block.inner.to_stride == Swapper<From, To, Op>::size)
            return swap_squares(swapper, block, a);
    for (std::int64_t j = 0; j < block.outer.count; ++j)
        swap_row(swapper, a + block.outer.from(j), block.to + block.outer.to(j), block.inner);
}

/// Runs units [begin, end) as move_units() does.
template <ExecutionSpace Exec, class SwapperType>
void swap_units(const Exec& exec, const std::string& label, const MoveUnits& all, int begin,
                int end, const SwapperType& swapper) {
    const MoveUnit* const units = all.units.data();
    const MoveTransfer* const transfers = all.transfers.data();
    const auto run = [units, transfers, swapper](int i) {
        const MoveUnit& unit = units[i];
        transfers[unit.transfer].nest(unit.nest).for_each_block(
            unit.first_block, unit.blocks,
            [&](const MoveBlock& block) { swap_block(swapper, block); });
    };
    run_boxes(exec, label, begin, end, run,
              [&] { return all.bytes(begin, end, static_cast<std::size_t>(SwapperType::size)); });
}

} // namespace distview::impl
