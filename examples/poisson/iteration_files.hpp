// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/io.hpp>

#include <string>
#include <vector>

namespace poisson {

/// The checkpoint from which an iteration continues, and the checkpoints that it writes.
///
/// Collective: update() and finish(), over the communicator of construction
/// Errors:     those of distview::Checkpoint; distview::UsageError if the checkpoint is of another problem; the same
///             on all ranks
class IterationFiles {
public:
    IterationFiles(const distview::Communicator& comm, const Options& options)
        : m_comm(comm), m_options(options) {}

    /// Call it before each step and at the end: continues from a checkpoint, and writes a checkpoint if one is due.
    template <class Space, class Vector>
    void update(const Space& exec, const distview::ConjugateGradientState<Vector>& state) {
        if (m_options.checkpoints.path.empty() && m_options.checkpoints.restart.empty()) return;
        m_arrays = {{"u", state.x}, {"r", state.r}, {"p", state.p}};
        if (state.result.iterations == 0 && !m_options.checkpoints.restart.empty()) {
            exec.fence("poisson::IterationFiles::update: arrays are read from a file");
            restart(state.rr, state.rz, state.result);
        }
        m_rr = state.rr;
        m_rz = state.rz;
        if (state.result.iterations == m_restart_iteration ||
            !m_options.checkpoints.is_due(state.result.iterations, false))
            return;
        exec.fence("poisson::IterationFiles::update: arrays are written to a file");
        write(state.result.iterations, state.result.history);
    }
    /// Writes the final checkpoint, also if the iteration broke down in a step; call it after the solver.
    void finish(const distview::ConjugateGradientResult& result);

    int restart_iteration() const noexcept { return m_restart_iteration; }
    std::int64_t checkpoints() const noexcept { return m_checkpoints; }

private:
    void restart(double& rr, double& rz, distview::ConjugateGradientResult& result);
    void write(int iteration, const std::vector<double>& history);

    distview::Communicator m_comm;
    Options m_options;
    std::vector<distview::NamedArray> m_arrays; ///< of the iteration, like m_rr and m_rz
    double m_rr = 0;
    double m_rz = 0;
    int m_restart_iteration = -1;
    int m_written_iteration = -1; ///< of the last checkpoint
    std::int64_t m_checkpoints = 0;
};

} // namespace poisson
