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
        comm, "ptrans", argc, argv, ptrans::parse_command_line, [&](const ptrans::Options& given) {
            grid = program::grid_of_option(given.grid, comm.size());
        });
    if (!options) return;

    const ptrans::Report report = ptrans::measure(comm, *options, grid);
    distview::agree_on(comm, "ptrans", [&] {
        if (comm.rank() != root) return;
        program::write_report(options->json_path, ptrans::to_json(report),
                              ptrans::to_table(report));
    });
    distview::require<distview::Error>(report.check.passed(), [&] {
        return distview::text("the result is wrong: residual ", report.check.residual);
    });
}

} // namespace

int main(int argc, char** argv) { return program::run_program(argc, argv, "ptrans", run); }
