// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmark.hpp"
#include "model.hpp"
#include "options.hpp"
#include "output.hpp"
#include "picture.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "run_files.hpp"
#include "timing.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/comm/agreement.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

namespace shallow_water {

namespace {

using program::root;
using program::timed;

/// Requires a new film for a restarted run, so that the film of the previous steps is not lost.
void require_new_movie(const Options& options) {
    std::error_code ignored;
    const bool is_there = std::filesystem::exists(options.movie_path, ignored);
    distview::require<distview::UsageError>(options.checkpoints.restart.empty() || !is_there, [&] {
        return distview::text("--movie: expected the name of a new file with --restart, got '",
                              options.movie_path, "', which exists");
    });
}

/// Options on which all ranks agree. Collective.
CommandLine agreed_command_line(const distview::Communicator& comm, int argc, char** argv) {
    CommandLine line = distview::agree_on(comm, "shallow_water", [&] {
        CommandLine parsed = parse_command_line(argc, argv);
        if (comm.rank() == root && parsed.help.empty()) {
            program::require_distinct({{"--json", parsed.options.json_path},
                                       {"--png", parsed.options.png_path},
                                       {"--checkpoint", parsed.options.checkpoints.path},
                                       {"--movie", parsed.options.movie_path}});
            program::require_distinct({{"--json", parsed.options.json_path},
                                       {"--png", parsed.options.png_path},
                                       {"--restart", parsed.options.checkpoints.restart}});
            if (!parsed.options.json_path.empty())
                program::require_writable("--json", parsed.options.json_path);
            if (!parsed.options.png_path.empty())
                program::require_writable("--png", parsed.options.png_path);
            if (!parsed.options.checkpoints.path.empty())
                program::require_writable("--checkpoint", parsed.options.checkpoints.path);
            if (!parsed.options.movie_path.empty()) {
                program::require_writable("--movie", parsed.options.movie_path);
                require_new_movie(parsed.options);
            }
        }
        return parsed;
    });
    distview::agree(comm, "command line", nullptr,
                    digest(line.options) + (line.help.empty() ? 0 : 1));
    return line;
}

/// h, u and v.
template <class Real, class Space>
std::array<Array<Real>, 3> state_on_host(const Model<Real, Space>& model) {
    return {model.on_host(model.h()), model.on_host(model.u()), model.on_host(model.v())};
}

template <class Real, class Space>
StepReport describe_step(const distview::Communicator& comm, const Options& options,
                         const Model<Real, Space>& model) {
    StepReport report;
    report.step = model.steps_done();
    const std::array<Array<Real>, 3> state = state_on_host(model);
    for (std::size_t f = 0; f < state.size(); ++f)
        report.fields[f] = statistics(comm, model.section(), options.nx, model.field(state[f]));
    return report;
}

/// A field's interior on root, empty elsewhere. Collective.
template <class Real>
std::vector<double> whole(const distview::Communicator& comm, const Array<Real>& array) {
    const auto global = distview::gather(Exec(), comm, array, root);
    return std::vector<double>(global.data(), global.data() + global.size());
}

template <class Real, class Space>
void draw(const distview::Communicator& comm, const Options& options,
          const Model<Real, Space>& model) {
    const Parameters parameters;
    const double days = static_cast<double>(model.steps_done()) * parameters.time_step() / 86400;
    const auto [h, u, v] = state_on_host(model);
    const Snapshot snapshot{
        options.nx,    options.ny, whole<Real>(comm, h), whole<Real>(comm, u), whole<Real>(comm, v),
        parameters.dx, days};
    distview::agree_on(comm, "shallow_water", [&] {
        if (comm.rank() == root) write_picture(options.png_path, snapshot);
    });
}

template <class Real, class Space>
void run(const Space& exec, const distview::Communicator& comm, const Options& options) {
    Report report;
    report.options = options;
    Model<Real, Space> model(exec, comm, options);
    report.grid = model.grid();
    report.threads =
        Kokkos::DefaultHostExecutionSpace().concurrency(); // of the host, also for a device
    report.messages_per_step = model.messages_per_step();

    if (options.benchmark) {
        report.seconds = timed(exec, comm, [&] {
            report.benchmark = benchmark(exec, comm, options, model);
            report.steps.push_back(describe_step(comm, options, model));
        });
    } else {
        RunFiles<Real, Space> files(comm, options);
        Progress progress(options.progress && comm.rank() == root, options.steps);
        report.seconds = timed(exec, comm, [&] {
            model.initialize();
            files.restart(model);
            for (;;) {
                if (std::binary_search(options.report_steps.begin(), options.report_steps.end(),
                                       model.steps_done()))
                    report.steps.push_back(describe_step(comm, options, model));
                files.write_due(model);
                if (model.steps_done() == options.steps) break;
                model.step();
                progress.update(model.steps_done());
            }
        });
        report.files = files.report();
    }

    distview::agree_on(comm, "shallow_water", [&] {
        if (comm.rank() != root) return;
        program::write_report(options.json_path, to_json(report), to_table(report));
    });
    const bool is_reported = !report.steps.empty() && report.steps.back().step == options.steps;
    require_finite(is_reported ? report.steps.back() : describe_step(comm, options, model));
    if (!options.png_path.empty()) draw(comm, options, model);
}

template <class Space>
void run_on(const Space& exec, const distview::Communicator& comm, const Options& options) {
    if (options.element == Element::float64)
        run<double>(exec, comm, options);
    else
        run<float>(exec, comm, options);
}

void run_program(const distview::Communicator& comm, int argc, char** argv) {
    const CommandLine line = agreed_command_line(comm, argc, argv);
    if (!line.help.empty()) {
        if (comm.rank() == root) std::fputs(line.help.c_str(), stdout);
        return;
    }
#ifdef KOKKOS_ENABLE_CUDA
    if (line.options.space == "cuda") return run_on(Kokkos::Cuda(), comm, line.options);
#endif
    run_on(Exec(), comm, line.options);
}

} // namespace

} // namespace shallow_water

int main(int argc, char** argv) {
    return program::run_program(argc, argv, "shallow_water", shallow_water::run_program);
}
