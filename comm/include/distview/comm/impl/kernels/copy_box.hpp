// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/tuning.hpp>
#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// A box of elements to copy from one strided place to another; both may lie in message buffers.
///
/// Axes are ordered for speed, outermost first, and merged if both sides are contiguous; the
/// innermost run may consist of bytes. Places are fixed when a plan binds.
///
/// Boxes of one shape may be joined: further runs of bytes, the lanes, are then copied with every element. Memory
/// that lies close together, such as the two ends of a row and the row between them, is then visited once instead
/// of three times: separate boxes take up to 1.7 times as long (perf/results/2026-11-29-joined-boxes.md).
struct CopyBox {
    struct Axis {
        std::int64_t count = 1;
        std::int64_t source_stride = 0;      ///< bytes
        std::int64_t destination_stride = 0; ///< bytes
    };
    struct Lane {
        std::int64_t source = 0;      ///< bytes from the element
        std::int64_t destination = 0; ///< likewise
        std::int64_t bytes = 0;
    };
    static constexpr int most_lanes = 2;

    const char* source = nullptr;
    char* destination = nullptr;
    std::int64_t element_size = 1; ///< bytes; a merged contiguous run counts as one element
    int rank = 0;
    int lane_count = 0;
    Axis axes[max_rank];
    Lane lanes[most_lanes];

    /// A row; one element if there are no axes.
    Axis innermost() const noexcept { return rank == 0 ? Axis{} : axes[rank - 1]; }
};

/// Appends copies of boxes in their fastest order: joined if that saves memory traffic, and cut
/// into pieces that threads can share. `whole`: neither, for kernels that share a box among
/// many threads. Boxes must not overlap.
void append_copies(std::vector<CopyBox>& boxes, std::vector<CopyBox> copies, bool whole = false);
/// The same for a box whose elements are combined with the target's: never runs of bytes.
void append_combination(std::vector<CopyBox>& boxes, CopyBox box, bool whole = false);

/// Bytes of the cache lines that copying a box touches on one side.
inline std::int64_t touched_bytes(const CopyBox& box) {
    const auto touched = [](std::int64_t bytes) { return std::max(bytes, tuning::cache_line); };
    std::int64_t bytes = touched(box.element_size);
    for (int k = 0; k < box.lane_count; ++k) bytes += touched(box.lanes[k].bytes);
    for (int d = 0; d < box.rank; ++d) bytes *= box.axes[d].count;
    return bytes;
}

} // namespace distview::impl
