// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "factorise.hpp"

#include <vector>

namespace hpl {

/// The solution x of U x = L^-1 P b, computed block by block from the last one; the same on every rank.
///
/// `ab` and `factors` are the results of factorise(). Products with x are added up within a rank, then in the order of
/// the ranks: the last bits of x depend on the grid.
///
/// Collective: over comm
/// Cost:       for each block a sum of nb numbers over the ranks
std::vector<double> solve(const Exec& exec, const distview::Communicator& comm,
                          const Options& options, const Array& ab, const Factors& factors);

} // namespace hpl
