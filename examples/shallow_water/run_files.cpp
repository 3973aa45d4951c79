// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_files.hpp"

#include <distview/algorithms/sum.hpp>
#include <distview/core/text.hpp>

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace shallow_water {

namespace {

using distview::text;

/// Parameters that must be equal for a run to continue from a checkpoint with the bits of an uninterrupted run.
distview::Attributes parameters_of(const Options& options, const distview::ProcessGrid& grid) {
    const bool is_published = options.mode == Mode::published;
    distview::Attributes all{
        {"program", std::string("shallow_water")},
        {"nx", options.nx},
        {"ny", options.ny},
        {"mode", std::string(is_published ? "P" : "C")},
        {"dtype", std::string(options.element == Element::float64 ? "float64" : "float32")}};
    // In mode P padding is part of the state, and depends on the blocks and on the exchanges that fill it.
    if (is_published) {
        all["grid"] = text(grid.extent(0), 'x', grid.extent(1));
        all["exchanges"] =
            std::string(options.exchanges == Exchanges::literal ? "literal" : "fused");
    }
    return all;
}

/// Throws if the state is not finite, so that it does not replace the last good one. Collective.
template <class Real, class Space>
void require_finite_state(const distview::Communicator& comm, const Model<Real, Space>& model) {
    const Space exec;
    // A sum is NaN or infinite if any of its terms is.
    const std::array<std::pair<const char*, double>, 3> sums{
        {{"h", static_cast<double>(distview::sum(exec, comm, model.h()))},
         {"u", static_cast<double>(distview::sum(exec, comm, model.u()))},
         {"v", static_cast<double>(distview::sum(exec, comm, model.v()))}}};
    for (const auto& [name, total] : sums)
        distview::require<distview::Error>(std::isfinite(total), [&] {
            return text("expected finite h, u and v after step ", model.steps_done(),
                        ", got infinity or NaN in ", name,
                        ": the model is unstable, and no checkpoint of this step was written");
        });
}

distview::UniformGrid grid_in_space() { return {.spacing = {Parameters().dy, Parameters().dx}}; }

} // namespace

template <class Real, class Space>
void RunFiles<Real, Space>::restart(Model<Real, Space>& model) {
    const std::string& path = m_options.checkpoints.restart;
    if (path.empty()) return;
    const distview::Attributes scalars =
        program::load_scalars(m_comm, path, parameters_of(m_options, model.grid()));
    const auto step = std::get<std::int64_t>(scalars.at("step"));
    distview::require<distview::UsageError>(step <= m_options.steps, [&] {
        return text("--restart: expected a checkpoint of step ", m_options.steps,
                    " or earlier in '", path, "', got one of step ", step);
    });
    (void)distview::Checkpoint(m_comm, path).load(model.state());
    model.resume(step);
    m_report.restart_step = step;
}

template <class Real, class Space>
void RunFiles<Real, Space>::write_due(const Model<Real, Space>& model) {
    const std::int64_t step = model.steps_done();
    const bool is_last = step == m_options.steps;
    const double time = static_cast<double>(step) * Parameters().time_step();
    const bool is_first = step == 0 || step == m_report.restart_step;
    const bool is_new = step != m_report.restart_step;

    // If no step is left to do, the state is written only to a file with another name.
    if (m_options.checkpoints.is_due(step, is_last) &&
        (is_new || (is_last && !program::overwrites_restart(m_comm, m_options.checkpoints)))) {
        model.fence("shallow_water::RunFiles::write_due: a checkpoint is written");
        require_finite_state(m_comm, model);
        distview::Attributes scalars = parameters_of(m_options, model.grid());
        scalars["step"] = step;
        scalars["time"] = time;
        distview::Checkpoint(m_comm, m_options.checkpoints.path,
                             {.grid = grid_in_space(), .axis_names = {"y", "x"}})
            .save(model.state(), scalars);
        ++m_report.checkpoints;
        m_report.checkpoint_step = step;
    }

    if (m_options.movie_path.empty()) return;
    if (!is_first && !is_last && step % m_options.movie_every != 0) return;
    model.fence("shallow_water::RunFiles::write_due: a step of the film is written");
    const std::vector<distview::NamedArray> fields{
        {"h", model.h()}, {"u", model.u()}, {"v", model.v()}};
    if (!m_movie) {
        const distview::Hdf5Options options{.grid = grid_in_space(), .axis_names = {"y", "x"}};
        m_movie = std::make_unique<distview::Hdf5Series>(
            m_comm, m_options.movie_path, fields, parameters_of(m_options, model.grid()), options);
    }
    m_movie->append(time, fields);
    ++m_report.frames;
}

template class RunFiles<float>;
template class RunFiles<double>;
#ifdef KOKKOS_ENABLE_CUDA
template class RunFiles<float, Kokkos::Cuda>;
template class RunFiles<double, Kokkos::Cuda>;
#endif

} // namespace shallow_water
