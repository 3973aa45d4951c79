// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "iteration_files.hpp"

#include <cmath>
#include <cstdint>

namespace poisson {

namespace {

/// What must be alike for an iteration to go on from a checkpoint.
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

bool IterationFiles::is_due(const Numbers& numbers) const {
    const distview::ConjugateGradientResult& result = numbers.result;
    if (result.iterations == m_restart_iteration) return false;
    const bool is_last = std::sqrt(numbers.rr) <= m_options.tolerance * result.right_side ||
                         result.iterations >= m_options.max_iterations;
    return m_options.checkpoints.is_due(result.iterations, is_last);
}

void IterationFiles::restart(const std::vector<distview::NamedArray>& arrays,
                             const Numbers& numbers) {
    const std::string& path = m_options.checkpoints.restart;
    const distview::Attributes scalars =
        program::load_scalars(m_comm, path, parameters_of(m_options));
    (void)distview::Checkpoint(m_comm, path).load(arrays);
    numbers.rr = std::get<double>(scalars.at("rr"));
    numbers.rz = std::get<double>(scalars.at("rz"));
    numbers.result.history = std::get<std::vector<double>>(scalars.at("history"));
    m_restart_iteration = static_cast<int>(std::get<std::int64_t>(scalars.at("iteration")));
    numbers.result.iterations = m_restart_iteration;
}

void IterationFiles::write(const std::vector<distview::NamedArray>& arrays,
                           const Numbers& numbers) {
    distview::CheckpointOptions options;
    options.grid = distview::UniformGrid{};
    for (int d = 0; d < m_options.shape.axes; ++d) {
        options.grid->spacing.push_back(1 / static_cast<double>(m_options.shape.n[d]));
        options.axis_names.push_back(std::string(1, "xyz"[d]));
    }
    distview::Attributes scalars = parameters_of(m_options);
    scalars["iteration"] = std::int64_t{numbers.result.iterations};
    scalars["rr"] = numbers.rr;
    scalars["rz"] = numbers.rz;
    scalars["history"] = numbers.result.history;
    distview::Checkpoint(m_comm, m_options.checkpoints.path, options).save(arrays, scalars);
    ++m_checkpoints;
}

} // namespace poisson
