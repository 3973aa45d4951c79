// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/redistribution_schedule.hpp>

namespace distview::impl {

/// Whether the layout has axes of which it says the labels of one process only.
bool is_partly_known(const ArrayLayout& layout);

/// The layout with blocks of as many cells in place of such axes: checks that ask for no label are the same.
ArrayLayout without_labels(const ArrayLayout& layout);

/// Throws LayoutError if `process`, which this one is, is elsewhere than where the labels are known.
void check_known_labels(const ArrayLayout& layout, int process, const char* what);

/// A schedule from or to layouts of which each process knows its own labels only: with the runs of this
/// process, and totals.
///
/// `outline`: that of the layouts without_labels().
///
/// Collective: over comm; arguments but labels are the same on all ranks, and have been checked
/// Cost:       that of cells_of_labels() for each side of an axis that is partly known, and of
///             match_elements()
/// Errors:     those of cells_of_labels()
RedistributionSchedule find_runs(const Communicator& comm, const ArrayLayout& from,
                                 const ArrayLayout& to, const RedistributionOptions& options,
                                 const RedistributionSchedule& outline);

} // namespace distview::impl
