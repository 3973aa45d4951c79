// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"

#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/io.hpp>

#include <string>
#include <vector>

namespace poisson {

/// The checkpoint that an iteration goes on from, and those that it writes.
///
/// Collective: update(), over the communicator of construction
/// Errors:     those of distview::Checkpoint; distview::UsageError if the checkpoint is one of another problem; the same
///             on all ranks
class IterationFiles {
public:
    IterationFiles(const distview::Communicator& comm, const Options& options)
        : m_comm(comm), m_options(options) {}

    /// Called before each step and at the end.
    template <class Space, class Vector>
    void update(const Space& exec, const distview::ConjugateGradientState<Vector>& state) {
        if (m_options.checkpoints.path.empty() && m_options.checkpoints.restart.empty()) return;
        const std::vector<distview::NamedArray> arrays{
            {"u", state.x}, {"r", state.r}, {"p", state.p}};
        const Numbers numbers{state.rr, state.rz, state.result};
        if (state.result.iterations == 0 && !m_options.checkpoints.restart.empty()) {
            exec.fence("poisson::IterationFiles::update: arrays are read from a file");
            return restart(arrays, numbers);
        }
        if (!is_due(numbers)) return;
        exec.fence("poisson::IterationFiles::update: arrays are written to a file");
        write(arrays, numbers);
    }

    int restart_iteration() const noexcept { return m_restart_iteration; }
    std::int64_t checkpoints() const noexcept { return m_checkpoints; }

private:
    struct Numbers {
        double& rr;
        double& rz;
        distview::ConjugateGradientResult& result;
    };
    bool is_due(const Numbers& numbers) const;
    void restart(const std::vector<distview::NamedArray>& arrays, const Numbers& numbers);
    void write(const std::vector<distview::NamedArray>& arrays, const Numbers& numbers);

    distview::Communicator m_comm;
    Options m_options;
    int m_restart_iteration = -1;
    std::int64_t m_checkpoints = 0;
};

} // namespace poisson
