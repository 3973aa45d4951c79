// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "iteration_files.hpp"

#include <cstdint>

namespace poisson {

namespace {

/// Parameters that must be equal for an iteration to continue from a checkpoint.
distview::Attributes parameters_of(const Options& options) {
    const Shape& shape = options.shape;
    distview::Attributes all{{"program", std::string("poisson")},
                             {"dimensions", std::int64_t{shape.axes}},
                             {"coefficient", std::string(to_string(shape.coefficient))},
                             {"precondition", std::string(to_string(options.precondition))},
                             {"reproducible", std::int64_t{options.reproducible}}};
    for (int d = 0; d < shape.axes; ++d) {
        all[distview::text("n", "xyz"[d])] = shape.n[d];
        all[distview::text("xyz"[d], "_sides")] = std::string(to_string(shape.sides[d]));
    }
    return all;
}

} // namespace

void IterationFiles::finish(const distview::ConjugateGradientResult& result) {
    if (m_options.checkpoints.path.empty() || result.iterations == m_written_iteration) return;
    if (result.iterations == m_restart_iteration &&
        program::overwrites_restart(m_comm, m_options.checkpoints))
        return;
    // Without the norm of r, the last one: the continued iteration computes it again.
    std::vector<double> history = result.history;
    if (!history.empty()) history.pop_back();
    write(result.iterations, history);
}

void IterationFiles::restart(double& rr, double& rz, distview::ConjugateGradientResult& result) {
    const std::string& path = m_options.checkpoints.restart;
    const distview::Attributes scalars =
        program::load_scalars(m_comm, path, parameters_of(m_options));
    (void)distview::Checkpoint(m_comm, path).load(m_arrays);
    rr = std::get<double>(scalars.at("rr"));
    rz = std::get<double>(scalars.at("rz"));
    result.history = std::get<std::vector<double>>(scalars.at("history"));
    m_restart_iteration = static_cast<int>(std::get<std::int64_t>(scalars.at("iteration")));
    result.iterations = m_restart_iteration;
}

void IterationFiles::write(int iteration, const std::vector<double>& history) {
    distview::CheckpointOptions options;
    options.grid = distview::UniformGrid{};
    for (int d = 0; d < m_options.shape.axes; ++d) {
        options.grid->spacing.push_back(1 / static_cast<double>(m_options.shape.n[d]));
        options.axis_names.push_back(std::string(1, "xyz"[d]));
    }
    distview::Attributes scalars = parameters_of(m_options);
    scalars["iteration"] = std::int64_t{iteration};
    scalars["rr"] = m_rr;
    scalars["rz"] = m_rz;
    scalars["history"] = history;
    distview::Checkpoint(m_comm, m_options.checkpoints.path, options).save(m_arrays, scalars);
    ++m_checkpoints;
    m_written_iteration = iteration;
}

} // namespace poisson
