// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/move_transfer.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// The elements of one transfer, cut into tiles over two axes: `row` runs along the target's
/// memory, and `column` along the source's if that is a different axis.
struct DeviceMove {
    /// Elements of a tile, and of its staging buffer. The buffer's rows are one element longer,
    /// so that elements of a column lie in different banks of a team's shared memory.
    static constexpr int tile_elements = tuning::device_tile_elements;
    static constexpr int tile_edge = tuning::device_tile_edge; ///< of squares, for transposed axes
    static constexpr int staged_elements = tile_elements / 2 * 3;

    const char* from = nullptr;
    char* to = nullptr;
    int first = 0; ///< number of its first tile in the table
    MoveLoop column{};
    MoveLoop row{};
    MoveLoop others[2 * max_rank]{}; ///< repeats and elements of a run
    int other_count = 0;
    int tile_columns = 1;
    int tile_rows = 1;
    int tiles_along_column = 1;
    int tiles_along_row = 1;
    bool transposes = false;
};

/// Transfers of arrays of one pair of types.
DeviceTable<DeviceMove> move_table(DeviceLayer& layer, const std::vector<MoveTransfer>& transfers);

} // namespace distview::impl
