// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/comm/communicator.hpp>

#include <cstdint>

namespace poisson {

/// All results of a run; complete on every rank.
struct Report {
    Options options;
    distview::ProcessGrid grid;
    int threads = 1;                          ///< concurrency of each rank's host or device
    distview::ConjugateGradientResult result; ///< also of a solver library's iteration
    std::int64_t bytes_copied_at_the_door =
        0;                        ///< between arrays and the library's vectors, on all ranks
    int restart_iteration = -1;   ///< where a restarted run began; -1: no restart
    std::int64_t checkpoints = 0; ///< number written
    double error_max = 0;
    double setup_seconds = 0; ///< of the slowest rank
    double solve_seconds = 0; ///< of the slowest rank

    /// Norm of the residual, relative to the right side.
    double residual() const {
        return result.right_side > 0 ? result.residual / result.right_side : result.residual;
    }
};

/// Sets up the equations, solves them and compares the result with the known solution.
///
/// Collective: over comm
/// Errors:     those of distview::Checkpoint; distview::UsageError if a process has no cells, or the program was built
///             without the solver library (thrown on all ranks)
Report solve(const distview::Communicator& comm, const Options& options,
             const distview::ProcessGrid& grid);

} // namespace poisson
