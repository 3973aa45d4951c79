// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_option.hpp"
#include "output.hpp"
#include "program.hpp"
#include "report.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

namespace {

using program::root;

void run(const distview::Communicator& comm, int argc, char** argv) {
    distview::ProcessGrid grid;
    const poisson::CommandLine line = distview::agree_on(comm, "poisson", [&] {
        poisson::CommandLine parsed = poisson::parse_command_line(argc, argv);
        if (!parsed.help.empty()) return parsed;
        const poisson::Shape& shape = parsed.options.shape;
        const std::span<const std::int64_t> cells(shape.n, static_cast<std::size_t>(shape.axes));
        grid = program::grid_of_option(parsed.options.grid, comm.size(), shape.axes, cells);
        if (comm.rank() == root) {
            program::require_distinct({{"--json", parsed.options.json_path},
                                       {"--checkpoint", parsed.options.checkpoints.path}});
            program::require_distinct({{"--json", parsed.options.json_path},
                                       {"--restart", parsed.options.checkpoints.restart}});
        }
        if (comm.rank() == root && !parsed.options.json_path.empty())
            program::require_writable("--json", parsed.options.json_path);
        if (comm.rank() == root && !parsed.options.checkpoints.path.empty())
            program::require_writable("--checkpoint", parsed.options.checkpoints.path);
        return parsed;
    });
    distview::agree(comm, "command line", nullptr, program::digest_of_arguments(argc, argv));
    if (!line.help.empty()) {
        if (comm.rank() == root) std::fputs(line.help.c_str(), stdout);
        return;
    }

    const poisson::Report report = poisson::solve(comm, line.options, grid);
    distview::agree_on(comm, "poisson", [&] {
        if (comm.rank() != root) return;
        program::write_report(line.options.json_path, poisson::to_json(report),
                              poisson::to_table(report));
    });
    distview::require<distview::Error>(report.result.converged(), [&] {
        return distview::text("not converged: residual ", report.residual(), " after ",
                              report.result.iterations, " iterations");
    });
}

} // namespace

int main(int argc, char** argv) { return program::run_program(argc, argv, "poisson", run); }
