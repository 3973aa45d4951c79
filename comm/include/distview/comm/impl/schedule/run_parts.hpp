// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <array>
#include <cstdint>
#include <span>

namespace distview::impl {

/// Numbers of parts along each axis of the target, or of one part.
using PartIndex = std::array<std::int64_t, max_rank>;
inline constexpr PartIndex one_part = [] {
    PartIndex parts{};
    parts.fill(1);
    return parts;
}();

std::int64_t count_elements(std::span<const AxisRun> runs);
/// The most of them that one of so many parts has.
inline std::int64_t part_length(std::span<const AxisRun> runs, std::int64_t parts) {
    return (count_elements(runs) + parts - 1) / parts;
}
/// Number of the elements that `runs` has with `peer`; the most of them that a part has.
std::int64_t packed_elements(const RedistributionSchedule& schedule, const RedistributionRuns& runs,
                             int peer, const PartIndex& parts = one_part);

/// Part `part` of `parts` of what goes to, or comes from, every coordinate of the other grid. Both sides cut
/// alike, since they list the same elements in the same order.
RedistributionRuns part_of(const RedistributionRuns& runs, int rank, const PartIndex& parts,
                           const PartIndex& part);

} // namespace distview::impl
