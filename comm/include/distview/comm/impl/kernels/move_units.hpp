// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_elements.hpp>
#include <distview/comm/impl/kernels/move_transfer.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::impl {

/// Runs units [begin, end) in one kernel on `exec`, as run_boxes() does; they must stay until the
/// work has finished.
template <ExecutionSpace Exec, class MoverType>
void move_units(const Exec& exec, const std::string& label, const MoveUnits& all, int begin,
                int end, const MoverType& mover) {
    const MoveUnit* const units = all.units.data();
    const MoveTransfer* const transfers = all.transfers.data();
    const auto run = [units, transfers, mover](int i) {
        const MoveUnit& unit = units[i];
        transfers[unit.transfer].nest(unit.nest).for_each_block(
            unit.first_block, unit.blocks,
            [&](const MoveBlock& block) { move_block(mover, block); });
        if (mover.streams) end_streaming();
    };
    run_boxes(exec, label, begin, end, run,
              [&] { return all.bytes(begin, end, static_cast<std::size_t>(MoverType::to_size)); });
}

} // namespace distview::impl
