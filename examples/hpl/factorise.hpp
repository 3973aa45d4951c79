// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernels.hpp"
#include "matrix.hpp"

#include <cstdint>
#include <vector>

namespace hpl {

/// The parts of the factors that are not in [A | b]; the same on every rank.
struct Factors {
    /// Row k was swapped with row pivots[k], k = 0, 1, ...
    std::vector<std::int64_t> pivots;
    /// The diagonal blocks, row by row: element (i, j) of the matrix at diagonal(i, j - first column of the block).
    Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> diagonal;
};

/// Seconds of the parts of the work, including waiting for other ranks.
struct Phases {
    double panel = 0;    ///< a block's columns move to one rank, are factorised and broadcast
    double exchange = 0; ///< of swapped rows
    double update = 0;   ///< the remaining work, within a rank
    double solve = 0;    ///< back substitution
};

/// Makes P * A = L * U of the columns of A: whole rows of [A | b] are swapped, and b becomes L^-1 P b.
///
/// L is below the diagonal, without its ones; U is on and above the diagonal. Of equal candidates for a pivot the first
/// row is the pivot. With Update::kokkos all bits are the same on any grid.
///
/// Collective: over comm
/// Cost:       a rank keeps one block's columns of the matrix, twice at times, and that many rows of its section
/// Errors:     distview::Error if a pivot is 0 (thrown on all ranks)
Factors factorise(const Exec& exec, const distview::Communicator& comm, const Options& options,
                  const Array& ab, Phases& phases);

} // namespace hpl
