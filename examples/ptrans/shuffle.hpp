// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace ptrans {

/// A permutation of 0 to n - 1 that depends only on the seed and the trial: process p of the grid is
/// rank permutation[p].
std::vector<int> rank_permutation(std::uint64_t seed, int trial, int n);

/// The ranks of a communicator in another order.
///
/// Collective: construction and close(), over comm
class ShuffledRanks {
public:
    ShuffledRanks(const distview::Communicator& comm, const std::vector<int>& permutation);
    ShuffledRanks(const ShuffledRanks&) = delete;
    ShuffledRanks& operator=(const ShuffledRanks&) = delete;

    const distview::Communicator& communicator() const noexcept { return m_communicator; }
    /// Frees the communicators. Without close(), they live until MPI ends.
    void close();

private:
    MPI_Comm m_ranks;
    distview::Communicator m_communicator;
};

} // namespace ptrans
