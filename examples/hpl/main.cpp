// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_option.hpp"
#include "measure.hpp"
#include "output.hpp"
#include "program.hpp"
#include "report.hpp"

#include <cstdio>

namespace {

using program::root;

void run(const distview::Communicator& comm, int argc, char** argv) {
    distview::ProcessGrid grid;
    const hpl::CommandLine line = distview::agree_on(comm, "hpl", [&] {
        hpl::CommandLine parsed = hpl::parse_command_line(argc, argv);
        if (!parsed.help.empty()) return parsed;
        grid = program::grid_of_option(parsed.options.grid, comm.size());
        // Swapped rows go along the columns of the grid, which had better be the short ones.
        if (parsed.options.grid.empty() && grid.extent(0) > grid.extent(1))
            grid = distview::ProcessGrid{grid.extent(1), grid.extent(0)};
        if (comm.rank() == root && !parsed.options.json_path.empty())
            program::require_writable("--json", parsed.options.json_path);
        return parsed;
    });
    distview::agree(comm, "command line", nullptr, program::digest_of_arguments(argc, argv));
    if (!line.help.empty()) {
        if (comm.rank() == root) std::fputs(line.help.c_str(), stdout);
        return;
    }

    const hpl::Report report = hpl::measure(program::Exec(), comm, line.options, grid);
    distview::agree_on(comm, "hpl", [&] {
        if (comm.rank() != root) return;
        program::write_report(line.options.json_path, hpl::to_json(report), hpl::to_table(report));
    });
    distview::require<distview::Error>(report.check.passed(), [&] {
        return distview::text("the result is wrong: residual ", report.check.residual);
    });
}

} // namespace

int main(int argc, char** argv) { return program::run_program(argc, argv, "hpl", run); }
