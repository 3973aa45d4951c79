// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/move_squares.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <cstdint>

namespace distview::impl {

/// Rows one after the other. Where they are short and something lies between them, the processor fetches
/// what lies between and not the next row: it is asked for that.
template <class MoverType>
void move_rows(const MoverType& mover, const MoveBlock& block) {
    const MoveLoop& outer = block.outer;
    const std::int64_t row = block.inner.count * block.inner.from_stride;
    const bool has_gaps = !outer.has_tables() && !block.inner.has_tables() && row > 0 &&
                          row < tuning::longest_prefetched_row && outer.from_stride > row;
    const std::int64_t distance =
        has_gaps ? tuning::prefetch_distance / row * outer.from_stride : 0;
    for (std::int64_t j = 0; j < outer.count; ++j) {
        const char* const from = block.from + outer.from(j);
        if (has_gaps)
            for (std::int64_t at = 0; at < row; at += static_cast<std::int64_t>(line_size))
                prefetch(from + distance + at);
        move_row(mover, from, block.to + outer.to(j), block.inner);
    }
}

template <class MoverType>
void move_block(const MoverType& mover, const MoveBlock& block) {
    if (block.transposes)
        move_transposed(mover, block);
    else
        move_rows(mover, block);
}

} // namespace distview::impl
