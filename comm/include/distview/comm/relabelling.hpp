// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview {

/// Assignment of ranks to the processes of a target's grid that leaves many elements where they are.
///
/// Collective: no (local)
struct Relabelling {
    /// For RedistributionOptions::to_ranks.
    std::vector<int> to_ranks{};
    /// RedistributionSchedule::wire_elements() without it, and with it.
    std::int64_t wire_elements_before = 0;
    std::int64_t wire_elements_after = 0;

    /// "500 elements for other ranks instead of 900"
    std::string describe() const;
};

/// Deals the processes of the target's grid out anew to the ranks of the source's, for the least traffic.
///
///     const Relabelling labels = relabel(from, to);
///     RedistributionPlan plan(comm, from, to, {.to_ranks = labels.to_ranks});
///
/// Each axis is relabelled by itself: the coordinates along it are matched with those of the source's axis
/// such that they share as many elements as possible. What stays on its rank is the product over the axes,
/// so this is the best that relabelling of axes can do; labels that are no product of axes are not tried.
/// The target's section of rank r is then that of another process: that whose entry in to_ranks is r.
///
/// Of axes with different numbers of processes on the two sides nothing is matched: if there is one, or if
/// nothing is gained, to_ranks is as the options have it.
///
/// Collective: no (local); no MPI needed, the same result on all ranks that pass the same
/// Cost:       for an axis of P processes O(P^3) up to 512 of them; beyond, greedily and not always the best,
///             O(pairs that share elements)
/// Errors:     those of RedistributionSchedule
/// Source:     COSTA (Kabic et al. 2021) relabels over all P x P processes at once
Relabelling relabel(const ArrayLayout& from, const ArrayLayout& to,
                    const RedistributionOptions& options = {});

} // namespace distview
