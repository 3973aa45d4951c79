// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agreed_options.hpp"
#include "grid_option.hpp"
#include "output.hpp"
#include "program.hpp"
#include "report.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace {

using program::root;

void run(const distview::Communicator& comm, int argc, char** argv) {
    distview::ProcessGrid grid;
    const auto options = program::agreed_options(
        comm, "poisson", argc, argv, poisson::parse_command_line,
        [&](const poisson::Options& given) {
            const poisson::Shape& shape = given.shape;
            const std::span<const std::int64_t> cells(shape.n,
                                                      static_cast<std::size_t>(shape.axes));
            grid = program::grid_of_option(given.grid, comm.size(), shape.axes, cells);
            if (comm.rank() != root) return;
            const std::string& checkpoint = given.checkpoints.path;
            program::require_distinct({{"--json", given.json_path}, {"--checkpoint", checkpoint}});
            program::require_distinct(
                {{"--json", given.json_path}, {"--restart", given.checkpoints.restart}});
            if (!checkpoint.empty()) program::require_writable("--checkpoint", checkpoint);
        });
    if (!options) return;

    const poisson::Report report = poisson::solve(comm, *options, grid);
    distview::agree_on(comm, "poisson", [&] {
        if (comm.rank() != root) return;
        program::write_report(options->json_path, poisson::to_json(report),
                              poisson::to_table(report));
    });
    distview::require<distview::Error>(report.result.converged(), [&] {
        return distview::text("not converged: residual ", report.residual(), " after ",
                              report.result.iterations, " iterations");
    });
}

} // namespace

int main(int argc, char** argv) { return program::run_program(argc, argv, "poisson", run); }
