// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/axis_intersection.hpp>
#include <distview/core/process_grid.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace distview::impl {

/// What a process knows of an axis of which the layouts say its own labels only, once all have been asked.
struct FoundAxis {
    int to_coordinate = -1; ///< -1: it is no process of the target's grid
    std::vector<AxisRun> to{};
    int from_coordinate = -1;
    std::vector<AxisRun> from{};
    std::int64_t delivered = 0; ///< elements that all coordinates of the target receive
    bool in_place = false;      ///< whether, on all processes, these are where they are sent from
};

/// The same for whole layouts.
struct FoundRuns {
    std::array<std::shared_ptr<const FoundAxis>, max_rank> axes{}; ///< null: the layouts say it all
    bool are_alike = false; ///< whether the layouts are along the other axes
    std::int64_t wire_elements = 0;
};

} // namespace distview::impl
