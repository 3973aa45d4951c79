// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_elements.hpp>
#include <distview/comm/impl/kernels/move_squares.hpp>
#include <distview/comm/impl/kernels/move_transfer.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>

#include <cstddef>
#include <cstdint>

namespace distview::impl {

/// Work of run_boxes(): call i moves unit i. Units must stay until it has finished.
template <class MoverType>
struct MoveUnitsBy {
    const MoveUnits* units;
    MoverType mover;

    void operator()(int i) const {
        const MoveUnit& unit = units->units[static_cast<std::size_t>(i)];
        const MoveNest nest =
            units->transfers[static_cast<std::size_t>(unit.transfer)].nest(unit.nest);
        MoveNest::Blocks blocks(nest, unit.first_block, unit.blocks);
        MoveBlock block;
        while (blocks.next(block))
            if (!move_squares(mover, block)) move_rows(mover, block);
        if (mover.streams && mover.copies()) end_streaming();
    }
    std::int64_t bytes(int begin, int end) const {
        return units->bytes(begin, end, static_cast<std::size_t>(MoverType::to_size));
    }
};

} // namespace distview::impl
