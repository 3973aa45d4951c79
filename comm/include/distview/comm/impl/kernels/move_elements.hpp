// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace distview::impl {

/// Moves a block row by row. Both sides do not overlap, unless they are the same.
template <class MoverType>
void move_rows(const MoverType& mover, const MoveBlock& block) {
    const MoveLoop outer = block.outer;
    const MoveLoop inner = block.inner;
    const bool are_runs = !inner.has_tables() && inner.from_stride == MoverType::from_size &&
                          inner.to_stride == MoverType::to_size;
    const bool are_bytes = are_runs && mover.copies();
    const auto bytes = static_cast<std::size_t>(inner.count * inner.from_stride);
    for (std::int64_t j = 0; j < outer.count; ++j) {
        const char* from = block.from + outer.from(j);
        char* to = block.to + outer.to(j);
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

} // namespace distview::impl
