// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmark.hpp"
#include "model.hpp"
#include "options.hpp"
#include "output.hpp"
#include "picture.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "timing.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/comm/agreement.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace shallow_water {

namespace {

using program::root;
using program::timed;

/// Options on which all ranks agree. Collective.
CommandLine agreed_command_line(const distview::Communicator& comm, int argc, char** argv) {
    CommandLine line = distview::agree_on(comm, "shallow_water", [&] {
        CommandLine parsed = parse_command_line(argc, argv);
        if (comm.rank() == root && parsed.help.empty()) {
            if (!parsed.options.json_path.empty())
                program::require_writable("--json", parsed.options.json_path);
            if (!parsed.options.png_path.empty())
                program::require_writable("--png", parsed.options.png_path);
        }
        return parsed;
    });
    distview::agree(comm, "command line", nullptr,
                    digest(line.options) + (line.help.empty() ? 0 : 1));
    return line;
}

template <class Real>
StepReport describe_step(const distview::Communicator& comm, const Options& options,
                         const Model<Real>& model) {
    model.fence("shallow_water: the host reads the state");
    StepReport report;
    report.step = model.steps_done();
    const std::array<Field<Real>, 3> fields{model.field(model.h()), model.field(model.u()),
                                            model.field(model.v())};
    for (std::size_t f = 0; f < fields.size(); ++f)
        report.fields[f] = statistics(comm, model.section(), options.nx, fields[f]);
    return report;
}

/// A field's interior on root, empty elsewhere. Collective.
template <class Real>
std::vector<double> whole(const Exec& exec, const distview::Communicator& comm,
                          const Array<Real>& array) {
    const auto global = distview::gather(exec, comm, array, root);
    return std::vector<double>(global.data(), global.data() + global.size());
}

template <class Real>
void draw(const Exec& exec, const distview::Communicator& comm, const Options& options,
          const Model<Real>& model) {
    const Parameters parameters;
    const double days = static_cast<double>(model.steps_done()) * parameters.time_step() / 86400;
    const Snapshot snapshot{options.nx,
                            options.ny,
                            whole(exec, comm, model.h()),
                            whole(exec, comm, model.u()),
                            whole(exec, comm, model.v()),
                            parameters.dx,
                            days};
    distview::agree_on(comm, "shallow_water", [&] {
        if (comm.rank() == root) write_picture(options.png_path, snapshot);
    });
}

template <class Real>
void run(const distview::Communicator& comm, const Options& options) {
    const Exec exec;
    Report report;
    report.options = options;
    Model<Real> model(exec, comm, options);
    report.grid = model.grid();
    report.threads = exec.concurrency();
    report.messages_per_step = model.messages_per_step();

    if (options.benchmark) {
        report.seconds = timed(exec, comm, [&] {
            report.benchmark = benchmark(exec, comm, options, model);
            report.steps.push_back(describe_step(comm, options, model));
        });
    } else {
        Progress progress(options.progress && comm.rank() == root, options.steps);
        report.seconds = timed(exec, comm, [&] {
            model.initialize();
            for (;;) {
                if (std::binary_search(options.report_steps.begin(), options.report_steps.end(),
                                       model.steps_done()))
                    report.steps.push_back(describe_step(comm, options, model));
                if (model.steps_done() == options.steps) break;
                model.step();
                progress.update(model.steps_done());
            }
        });
    }

    if (!options.png_path.empty()) draw(exec, comm, options, model);
    distview::agree_on(comm, "shallow_water", [&] {
        if (comm.rank() != root) return;
        if (!options.json_path.empty()) program::write_file(options.json_path, to_json(report));
        std::fputs(to_table(report).c_str(), stdout);
    });
}

void run_program(const distview::Communicator& comm, int argc, char** argv) {
    const CommandLine line = agreed_command_line(comm, argc, argv);
    if (!line.help.empty()) {
        if (comm.rank() == root) std::fputs(line.help.c_str(), stdout);
    } else if (line.options.element == Element::float64) {
        run<double>(comm, line.options);
    } else {
        run<float>(comm, line.options);
    }
}

} // namespace

} // namespace shallow_water

int main(int argc, char** argv) {
    return program::run_program(argc, argv, "shallow_water", shallow_water::run_program);
}
