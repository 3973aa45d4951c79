// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <mpi.h>

#include <span>
#include <vector>

namespace distview {

/// The node of every rank: the lowest rank with which it shares memory.
///
/// Collective: over comm
/// Cost:       one MPI_Comm_split_type, one all_gather()
/// Errors:     MpiError
std::vector<int> nodes_of_ranks(const Communicator& comm);

/// A communicator of the same ranks in another order, as GridPlacement::ranks and RedistributionOptions::to_ranks have it:
/// its rank p is this communicator's rank ranks[p]. It is the caller's, who frees it when what was made with it is gone.
///
/// Collective: over comm; all ranks pass the same
/// Cost:       one agreement, one MPI_Comm_split
/// Errors:     UsageError unless each rank is named once, or if ranks pass different orders (thrown on all ranks); MpiError
MPI_Comm order_ranks(const Communicator& comm, std::span<const int> ranks);

} // namespace distview
