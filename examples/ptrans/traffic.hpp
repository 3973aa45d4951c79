// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "formulas.hpp"

#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <vector>

namespace ptrans {

/// A in blocks of mb x nb.
distview::ArrayLayout layout_of_a(const Shape& shape);
/// C in blocks of nb x mb, on the same grid.
distview::ArrayLayout layout_of_c(const Shape& shape);

/// What the schedule of C = A^T says of its messages.
struct Traffic {
    /// By process of the grid: with how many processes it exchanges elements (sends, receives or both),
    /// itself included where it is one of them.
    std::vector<int> partners;
    /// Of the elements that go to other processes, all together.
    std::int64_t wire_bytes = 0;
};

/// Cost: O(processes * their partners)
Traffic traffic_of(const distview::RedistributionSchedule& schedule);

} // namespace ptrans
