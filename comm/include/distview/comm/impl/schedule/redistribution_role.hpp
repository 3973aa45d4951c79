// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// The part of one process in a redistribution, whichever arrays are moved.
struct RedistributionRole {
    /// Another process, or this one, and the runs' name for it.
    struct Peer {
        int rank = 0;    ///< in the communicator
        int process = 0; ///< in the other grid
        std::int64_t elements = 0;
    };
    int rank = 0;
    RedistributionRuns runs_to{};   ///< if it is a process of the target's grid
    RedistributionRuns runs_from{}; ///< if it is one of the source's
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

} // namespace distview::impl
