// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// Most processes that one process of either grid exchanges elements with, itself included.
///
/// Cost:       O(the grids' extents, with their runs)
std::int64_t most_partners(const RedistributionSchedule& schedule);

/// The redistributions, one after the other, that a plan with these options makes of one: a plain value, the
/// same on every process.
///
/// In one stage, a process of a P x Q grid may exchange elements with all P * Q others: from blocks to
/// cycles along both axes each gets something from everyone. By dimension, the first stage
/// brings elements to the right place along one axis of the grid, the next one along the next: P partners,
/// then Q. Between stages elements lie in an intermediate array, on the source's grid, whose axes are already
/// as in the target if their stage is over, and still as in the source if not; every stage but the
/// last moves all elements once more. Permutation and padding are the last stage's. Axes along which
/// nothing changes its coordinate need no stage.
///
/// `automatic`: by dimension if the messages that are saved are worth more than what is moved again, a
/// message being worth as much as 4 KiB of elements of 8 bytes (what a network delivers in the time that a
/// message costs whatever its size). Plans also see to it that messages are needed at all: where all
/// ranks share a node, elements are read in place, and one pass over memory is best.
///
/// Shapes: by dimension, axis d of the target's grid has the extent of axis permutation[d] of the source's:
///         else an intermediate array would need more processes than there are, or lie on fewer. On
///         unstructured axes each index is on one process, and those of the target are in the source
/// Errors:     those of RedistributionSchedule; LayoutError if stages by dimension are asked for and the
///             layouts do not allow them
/// Source:     decision 0017
std::vector<RedistributionSchedule>
redistribution_stages(const ArrayLayout& from, const ArrayLayout& to,
                      const RedistributionOptions& options = {});

} // namespace distview::impl
