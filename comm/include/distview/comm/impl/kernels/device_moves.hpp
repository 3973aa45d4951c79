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

/// The elements of one transfer, cut into tiles over two axes: `row` runs along the target's memory, and
/// `column` along the source's if that is another axis.
struct DeviceMove {
    /// Elements of a tile, and of what stages one, whose rows are one longer than the tile's so that columns
    /// do not meet in one bank of the memory that a team shares.
    static constexpr int tile_elements = tuning::device_tile_elements;
    static constexpr int tile_edge =
        tuning::device_tile_edge; ///< of squares, where axes are transposed
    static constexpr int staged_elements = tile_elements / 2 * 3;

    const char* from = nullptr;
    char* to = nullptr;
    int first = 0; ///< number of its first tile in the table
    MoveLoop column{};
    MoveLoop row{};
    MoveLoop others[2 * max_rank]{}; ///< of a run, repeats and elements
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
