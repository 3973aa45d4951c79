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
        comm, "daxpy", argc, argv, daxpy::parse_command_line, [&](const daxpy::Options& given) {
            grid = program::grid_of_option(given.grid, comm.size());
        });
    if (!options) return;

    const daxpy::Report report = daxpy::measure(daxpy::Exec(), comm, *options, grid);
    distview::agree_on(comm, "daxpy", [&] {
        if (comm.rank() != root) return;
        program::write_report(options->json_path, daxpy::to_json(report), daxpy::to_table(report));
    });
    distview::require<distview::Error>(report.check.mismatches == 0, [&] {
        return distview::text(report.check.mismatches, " elements are wrong");
    });
}

} // namespace

int main(int argc, char** argv) { return program::run_program(argc, argv, "daxpy", run); }
