// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "command_line.hpp"
#include "kernels.hpp"

#include <limits>

namespace hpl {

namespace {

using distview::text;

[[noreturn]] void refuse(const std::string& message) { throw distview::UsageError(message); }

/// With this limit [A | b] has less than 2^40 elements.
constexpr std::int64_t most_equations = (std::int64_t(1) << 20) - 1;

} // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app(
        "Solves A x = b by LU factorisation with partial pivoting, as HPL does: [A | b] is\n"
        "block-cyclic, its elements are HPL's random numbers, and the residual is checked.");
    app.name("hpl");
    program::add_whole_number<std::int64_t>(app, "--n", options.n, {1, most_equations},
                                            "number of equations");
    program::add_whole_number<std::int64_t>(app, "--nb", options.nb, {1, most_equations},
                                            "rows and columns of a block");
    app.add_option("--grid", options.grid, "PxQ rows and columns of processes [chosen, P <= Q]");
    program::add_whole_number<std::uint64_t>(app, "--seed", options.seed,
                                             {0, std::numeric_limits<std::uint64_t>::max()},
                                             "seed of the random numbers");
    std::string update = "kokkos";
    app.add_option(
           "--update", update,
           "kokkos or blas: the library that multiplies blocks; with kokkos, the factors have\n"
           "the same bits on any grid")
        ->capture_default_str();
    program::add_json_option(app, options.json_path);

    line.help = program::parse(app, argc, argv);
    if (!line.help.empty()) return line;

    if (update != "kokkos" && update != "blas")
        refuse(text("--update: expected kokkos or blas, got '", update, '\''));
    options.update = update == "blas" ? Update::blas : Update::kokkos;
    if (options.update == Update::blas && !have_blas())
        refuse("--update: expected kokkos, got blas: this program was built without a BLAS");
    return line;
}

} // namespace hpl
