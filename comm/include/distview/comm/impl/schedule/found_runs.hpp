// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/core/process_grid.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace distview::impl {

/// Runs of an axis of which layouts say one process's labels only, after all processes have been asked.
struct FoundAxis {
    /// Runs from the lowest process that holds each element of the source, from the second, and so on.
    using RunsByCopy = std::vector<std::vector<AxisRun>>;

    int to_coordinate = -1; ///< -1: it is no process of the target's grid
    RunsByCopy to{};
    int from_coordinate = -1;
    RunsByCopy from{};
    std::int64_t count = 0;     ///< elements of the target that the source has, each counted once
    std::int64_t delivered = 0; ///< elements that all coordinates of the target receive
    int most_copies = 1;        ///< processes of the source that hold one of them
    bool in_place = false;      ///< whether, on all processes, these are where they are sent from
};

/// Text of a LayoutError about indices of a target that the source does not have.
std::string missing_indices_text(const std::string& where, int source_axis, std::int64_t count,
                                 std::int64_t lowest);

/// The same for whole layouts.
struct FoundRuns {
    std::array<std::shared_ptr<const FoundAxis>, max_rank> axes{}; ///< null: the layouts say it all
    bool are_alike = false; ///< whether the layouts are along the other axes
    std::int64_t wire_elements = 0;
};

} // namespace distview::impl
