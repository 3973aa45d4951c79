// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.hpp"
#include "factorise.hpp"
#include "options.hpp"

#include <vector>

namespace hpl {

/// All results of a run; complete on every rank.
struct Report {
    Options options;
    distview::ProcessGrid grid;
    int threads = 1;    ///< of each rank
    double seconds = 0; ///< of factorisation and back substitution, slowest rank
    Phases phases;      ///< each of the slowest rank
    Factors factors;
    std::vector<double> x;
    Check check;
};

/// Makes [A | b], solves A x = b with timing (fence, barrier, work, fence), and checks x.
///
/// Collective: over comm
/// Errors:     those of factorise()
Report measure(const Exec& exec, const distview::Communicator& comm, const Options& options,
               const distview::ProcessGrid& grid);

} // namespace hpl
