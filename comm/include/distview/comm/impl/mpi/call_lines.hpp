// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/calls.hpp>

#include <mpi.h>

#include <memory>
#include <vector>

namespace distview::impl {

/// The lines of the ranks that see each other's memory.
struct CallLines {
    std::vector<Calls::Rank> ranks;
    std::shared_ptr<void> memory;
    /// Of all nodes the lowest rank, ascending. Where there is no shared memory every rank is a node.
    std::vector<int> speakers;
};

/// A line in this process's own memory, which no other rank sees.
CallLines own_call_line(int rank);
/// Makes this rank's line and finds the others', of which those of `node` may share memory. Collective.
CallLines share_call_lines(MPI_Comm comm, MPI_Comm node, int rank);

} // namespace distview::impl
