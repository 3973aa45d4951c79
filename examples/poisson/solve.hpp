// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/comm/communicator.hpp>

#include <cstdint>

namespace poisson {

/// All that a run has to say; complete on every rank.
struct Report {
    Options options;
    distview::ProcessGrid grid;
    int threads = 1; ///< of each rank's host; of a device, what runs at once
    distview::ConjugateGradientResult result; ///< of a stack's iteration as well
    std::int64_t bytes_copied_at_the_door =
        0;                        ///< between arrays and the stack's vectors, on all ranks
    int restart_iteration = -1;   ///< from which the run went on; -1: from the beginning
    std::int64_t checkpoints = 0; ///< written
    double error_max = 0;
    double setup_seconds = 0; ///< of the slowest rank
    double solve_seconds = 0; ///< of the slowest rank

    /// Of the residual, relative to the right side.
    double residual() const {
        return result.right_side > 0 ? result.residual / result.right_side : result.residual;
    }
};

/// Sets up the equations, solves them and compares the solution with the one that is known.
///
/// Collective: over comm
/// Errors:     those of distview::Checkpoint; distview::UsageError if a process has no cells, or the program was built without the solver's stack
///             (thrown on all ranks)
Report solve(const distview::Communicator& comm, const Options& options,
             const distview::ProcessGrid& grid);

} // namespace poisson
