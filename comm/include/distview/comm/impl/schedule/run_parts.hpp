// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// Numbers of parts along each axis of the target, or of one part.
using PartIndex = std::array<std::int64_t, max_rank>;

std::int64_t count_elements(std::span<const AxisRun> runs);

/// Elements [begin, end) of a list of runs.
std::vector<AxisRun> cut_runs(std::span<const AxisRun> runs, std::int64_t begin, std::int64_t end);

/// The same elements seen from the other side.
std::vector<AxisRun> mirrored(std::span<const AxisRun> runs);

/// Part `part` of `parts` of what goes to, or comes from, every coordinate of the other grid. Both sides cut
/// alike, since they list the same elements in the same order.
RedistributionRuns part_of(const RedistributionRuns& runs, int rank, const PartIndex& parts,
                           const PartIndex& part);

/// An axis of which a process sends some elements to itself, such that what lands on an element's place comes
/// from where it goes to: in parts, by where they are, each of which goes as a whole to the place of another
/// one, or to its own.
struct AxisOrbits {
    std::vector<std::vector<AxisRun>> parts;
    std::vector<std::int64_t> partners; ///< of each part; along the axis that takes its place

    /// Of an axis that another one takes the place of: in so many equal parts.
    static AxisOrbits of_pair(std::span<const AxisRun> runs, std::int64_t parts);
    /// Of an axis that takes its own place: elements that go up, stay and go down, or, if all stay, so many
    /// equal parts.
    static AxisOrbits of_axis(std::span<const AxisRun> runs, std::int64_t parts);
};

} // namespace distview::impl
