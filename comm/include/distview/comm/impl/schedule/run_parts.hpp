// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace distview::impl {

/// Numbers of parts along each axis of the target, or of one part.
using PartIndex = std::array<std::int64_t, max_rank>;

std::int64_t count_elements(std::span<const AxisRun> runs);

/// Part `part` of `parts` of what goes to, or comes from, every coordinate of the other grid. Both sides cut
/// alike, since they list the same elements in the same order.
RedistributionRuns part_of(const RedistributionRuns& runs, int rank, const PartIndex& parts,
                           const PartIndex& part);

} // namespace distview::impl
