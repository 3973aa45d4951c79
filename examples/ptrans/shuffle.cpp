// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shuffle.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ptrans {

namespace {

/// splitmix64
std::uint64_t next(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

MPI_Comm reordered(const distview::Communicator& comm, const std::vector<int>& permutation) {
    const auto mine = std::find(permutation.begin(), permutation.end(), comm.rank());
    MPI_Comm result = MPI_COMM_NULL;
    MPI_Comm_split(comm.mpi(), 0, static_cast<int>(mine - permutation.begin()), &result);
    return result;
}

} // namespace

std::vector<int> rank_permutation(std::uint64_t seed, int trial, int n) {
    std::vector<int> permutation(static_cast<std::size_t>(n));
    std::iota(permutation.begin(), permutation.end(), 0);
    std::uint64_t state = seed;
    state = next(state) + static_cast<std::uint64_t>(trial);
    for (std::size_t left = permutation.size(); left > 1; --left)
        std::swap(permutation[left - 1], permutation[next(state) % left]);
    return permutation;
}

ShuffledRanks::ShuffledRanks(const distview::Communicator& comm,
                             const std::vector<int>& permutation)
    : m_ranks(reordered(comm, permutation)), m_communicator(m_ranks) {}

void ShuffledRanks::close() {
    m_communicator.close();
    MPI_Comm_free(&m_ranks);
}

} // namespace ptrans
