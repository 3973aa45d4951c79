// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "factorise.hpp"

#include <vector>

namespace hpl {

/// The x of U x = L^-1 P b, block by block from the last one on; the same on every rank.
///
/// `ab` and `factors` are what factorise() has left. Products with x are added up within a rank, then in the order of the
/// ranks: the last bits of x depend on the grid.
///
/// Collective: over comm
/// Cost:       a sum over the ranks of nb numbers for each block
std::vector<double> solve(const Exec& exec, const distview::Communicator& comm,
                          const Options& options, const Array& ab, const Factors& factors);

} // namespace hpl
