// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "formulas.hpp"

#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <vector>

namespace ptrans {

/// Layout of A, in blocks of mb x nb.
distview::ArrayLayout layout_of_a(const Shape& shape);
/// Layout of C, in blocks of nb x mb, on the same grid.
distview::ArrayLayout layout_of_c(const Shape& shape);

/// The messages in the schedule of C = A^T.
struct Traffic {
    /// By process of the grid: number of processes with which it exchanges elements (sends, receives or both),
    /// itself included if it is one of them.
    std::vector<int> partners;
    /// Bytes of all elements that go to other processes.
    std::int64_t wire_bytes = 0;
};

/// Cost: O(processes * their partners)
Traffic traffic_of(const distview::RedistributionSchedule& schedule);

} // namespace ptrans
