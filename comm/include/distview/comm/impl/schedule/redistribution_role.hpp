// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::impl {

/// The part of one process in a redistribution, independent of the arrays.
struct RedistributionRole {
    /// A partner, which may be this process itself.
    struct Peer {
        int rank = 0;    ///< in the communicator
        int process = 0; ///< in the other grid
        std::int64_t elements = 0;
    };
    int rank = 0;
    RedistributionRuns runs_to{};   ///< if this is a process of the target's grid
    RedistributionRuns runs_from{}; ///< if this is a process of the source's grid
    std::vector<Peer> receives;     ///< by ascending rank, this one included
    std::vector<Peer> sends;        ///< likewise
    std::vector<int> receive_ranks() const { return others(receives); }
    std::vector<int> send_ranks() const { return others(sends); }

private:
    std::vector<int> others(const std::vector<Peer>& peers) const {
        std::vector<int> result;
        for (const Peer& peer : peers)
            if (peer.rank != rank) result.push_back(peer.rank);
        return result;
    }
};

/// Numbers of parts along each axis of the target, or the index of one part.
using PartIndex = std::array<std::int64_t, max_rank>;
inline constexpr PartIndex one_part = [] {
    PartIndex parts{};
    parts.fill(1);
    return parts;
}();

/// The largest number of elements in one of `parts` parts of `runs`.
inline std::int64_t part_length(std::span<const AxisRun> runs, std::int64_t parts) {
    return (count_elements(runs) + parts - 1) / parts;
}
/// Number of elements that `runs` has with `peer`; with several `parts`, in the largest part.
std::int64_t packed_elements(const RedistributionSchedule& schedule, const RedistributionRuns& runs,
                             int peer, const PartIndex& parts = one_part);

/// Part `part` of `parts` of the elements for, or from, every coordinate of the other grid.
/// Both sides cut alike, because they list the same elements in the same order.
RedistributionRuns part_of(const RedistributionRuns& runs, int rank, const PartIndex& parts,
                           const PartIndex& part);

} // namespace distview::impl
