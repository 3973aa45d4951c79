// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/comm/redistribution_schedule.hpp>

namespace distview::impl {

/// Makes empty runs for axes whose labels are known in part, for a schedule that checks all other arguments.
FoundRuns unknown_runs(const ArrayLayout& from, const ArrayLayout& to,
                       const std::vector<int>& permutation);

/// Makes a schedule if each process knows only its own labels of either layout: with the runs of this
/// process, and totals. `outline` is the schedule with unknown_runs().
///
/// Collective: over comm; arguments except labels are the same on all ranks and already checked
/// Cost:       as cells_of_labels() for each side of an axis that is known in part, and as
///             match_elements()
/// Errors:     those of cells_of_labels(); LayoutError if an index of the target is not in the source
RedistributionSchedule schedule_by_rendezvous(const Communicator& comm, const ArrayLayout& from,
                                              const ArrayLayout& to,
                                              const RedistributionOptions& options,
                                              const RedistributionSchedule& outline);

} // namespace distview::impl
