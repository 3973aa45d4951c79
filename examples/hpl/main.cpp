// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agreed_options.hpp"
#include "grid_option.hpp"
#include "measure.hpp"
#include "output.hpp"
#include "program.hpp"
#include "report.hpp"

namespace {

using program::root;

void run(const distview::Communicator& comm, int argc, char** argv) {
    distview::ProcessGrid grid;
    const auto options = program::agreed_options(
        comm, "hpl", argc, argv, hpl::parse_command_line, [&](const hpl::Options& given) {
            grid = program::grid_of_option(given.grid, comm.size());
            // Swapped rows move along the columns of the grid, so these should be the short side.
            if (given.grid.empty() && grid.extent(0) > grid.extent(1))
                grid = distview::ProcessGrid{grid.extent(1), grid.extent(0)};
        });
    if (!options) return;

    const hpl::Report report = hpl::measure(program::Exec(), comm, *options, grid);
    distview::agree_on(comm, "hpl", [&] {
        if (comm.rank() != root) return;
        program::write_report(options->json_path, hpl::to_json(report), hpl::to_table(report));
    });
    distview::require<distview::Error>(report.check.passed(), [&] {
        return distview::text("the result is wrong: residual ", report.check.residual);
    });
}

} // namespace

int main(int argc, char** argv) { return program::run_program(argc, argv, "hpl", run); }
