// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "command_line.hpp"
#include "space_option.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

namespace poisson {

namespace {

using distview::text;

constexpr std::int64_t most_cells = std::int64_t{1} << 40;
constexpr std::array size_options{"--nx", "--ny", "--nz"};
constexpr std::array side_options{"--x-sides", "--y-sides", "--z-sides"};

/// The value that a word names.
template <class Value>
Value word(const std::string& option, const std::string& given,
           std::initializer_list<Value> values) {
    std::string expected;
    for (const Value value : values) {
        if (given == to_string(value)) return value;
        expected += (expected.empty() ? "" : " or ") + std::string(to_string(value));
    }
    throw distview::UsageError(text(option, ": expected ", expected, ", got '", given, '\''));
}

Sides sides_of(const std::string& option, const std::string& given) {
    return word(option, given, {Sides::walls, Sides::periodic, Sides::neumann});
}

using Sizes = std::array<std::optional<std::int64_t>, 3>;

/// Three axes, unless only the sizes of x and y are given.
int axes_of(const Sizes& sizes, const std::optional<std::int64_t>& n) {
    return sizes[2] || (n && !sizes[0] && !sizes[1]) || (!sizes[0] && !sizes[1]) ? 3 : 2;
}

void set_sizes(Shape& shape, const Sizes& sizes, const std::optional<std::int64_t>& n) {
    std::int64_t cells = 1;
    for (int d = 0; d < shape.axes; ++d) {
        shape.n[d] = sizes[static_cast<std::size_t>(d)].value_or(n.value_or(64));
        distview::require<distview::UsageError>(cells <= most_cells / shape.n[d], [&] {
            return text("--n, --nx, --ny, --nz: expected at most ", most_cells, " cells");
        });
        cells *= shape.n[d];
    }
}

/// Checks which options fit together, and chooses whether to assemble a matrix unless the user has chosen.
void set_solver(Options& options, bool matrix_free) {
    const bool own = options.solver == Solver::cg;
    const bool amg = options.precondition == Precondition::amg;
    distview::require<distview::UsageError>(
        !(options.assembled && matrix_free),
        "--assembled: expected this or --matrix-free, got both");
    distview::require<distview::UsageError>(!own || !options.assembled, [] {
        return text(
            "--assembled: expected --solver petsc, hypre or belos, got cg, which needs no matrix");
    });
    distview::require<distview::UsageError>(!own || !amg, [] {
        return text("--precondition amg: expected --solver petsc, hypre or belos, got cg");
    });
    distview::require<distview::UsageError>(!amg || !matrix_free, [] {
        return text("--precondition amg: expected --assembled, got --matrix-free: multigrid is "
                    "built from a matrix");
    });
    distview::require<distview::UsageError>(own || !options.reproducible, [&] {
        return text("--reproducible: expected --solver cg, got ", to_string(options.solver));
    });
    distview::require<distview::UsageError>(own || options.space == "host", [&] {
        return text("--space: expected host with --solver ", to_string(options.solver), ", got ",
                    options.space);
    });
    const program::CheckpointFiles& files = options.checkpoints;
    distview::require<distview::UsageError>(
        own || (files.path.empty() && files.restart.empty()), [&] {
            return text(files.path.empty() ? "--restart" : "--checkpoint",
                        ": expected --solver cg, got ", to_string(options.solver),
                        ", which does not expose its iteration");
        });
    distview::require<distview::UsageError>(options.solver != Solver::hypre || !matrix_free,
                                            "--matrix-free: expected --solver petsc, belos or cg, "
                                            "got hypre, whose operators are matrices");
    if (options.solver == Solver::hypre || amg) options.assembled = true;
}

} // namespace

const char* to_string(Sides sides) {
    return sides == Sides::walls ? "walls" : sides == Sides::periodic ? "periodic" : "neumann";
}
const char* to_string(Coefficient coefficient) {
    return coefficient == Coefficient::smooth ? "smooth" : "jumping";
}
const char* to_string(Precondition precondition) {
    return precondition == Precondition::none     ? "none"
           : precondition == Precondition::jacobi ? "jacobi"
                                                  : "amg";
}
const char* to_string(Solver solver) {
    switch (solver) {
    case Solver::petsc: return "petsc";
    case Solver::hypre: return "hypre";
    case Solver::belos: return "belos";
    case Solver::cg: break;
    }
    return "cg";
}

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app("Solves -div(k grad u) = f on the unit square or cube by conjugate gradients:\n"
                 "by this library without a matrix, or by a solver library. Compares u with the\n"
                 "known solution from which f was computed.");
    app.name("poisson");
    Sizes sizes;
    std::optional<std::int64_t> n;
    std::optional<int> dimensions;
    bool matrix_free = false;
    std::string solver = "cg", precondition = "jacobi", coefficient = "smooth", all_sides = "walls";
    std::array<std::string, 3> sides;
    const auto add_size = [&](const char* option, auto& size, const char* description) {
        program::add_whole_number<std::int64_t>(app, option, size, {1, most_cells}, description);
    };
    add_size("--n", n, "cells along every axis [64]");
    for (std::size_t d = 0; d < 3; ++d)
        add_size(size_options[d], sizes[d], "cells along this axis [as --n]");
    program::add_whole_number<int>(app, "--dimensions", dimensions, {2, 3},
                                   "2 or 3 [3; 2 if --nx or --ny is given and --nz is not]");
    app.add_option("--sides", all_sides, "walls (u = 0), periodic or neumann (no flux): all sides")
        ->capture_default_str();
    for (std::size_t d = 0; d < 3; ++d)
        app.add_option(side_options[d], sides[d], "the two sides of this axis [as --sides]");
    app.add_option("--coefficient", coefficient, "smooth or jumping (by a factor of 100): k")
        ->capture_default_str();
    app.add_option("--solver", solver, "cg (this library's own), petsc, hypre or belos")
        ->capture_default_str();
    app.add_option("--precondition", precondition,
                   "none, jacobi or, with solver libraries only, amg (multigrid)")
        ->capture_default_str();
    app.add_flag("--assembled", options.assembled,
                 "use a matrix, from which the solver libraries make their own");
    app.add_flag("--matrix-free", matrix_free,
                 "use the stencil [unless amg or hypre needs a matrix]");
    app.add_option("--grid", options.grid, "PxQ or PxQxR processes along the axes [chosen]");
    app.add_flag("--reproducible", options.reproducible,
                 "the same history of residuals, bit for bit, on any number of ranks and any grid");
    program::add_number(app, "--tolerance", options.tolerance,
                        "bound of the residual's norm, relative to the norm of the right side");
    program::add_whole_number<int>(app, "--max-iterations", options.max_iterations, {0, 1000000000},
                                   "stop after so many iterations");
    app.add_option("--space", options.space, "host or cuda: where arrays lie and kernels run")
        ->capture_default_str();
    program::add_checkpoint_options(app, options.checkpoints, "iterations");
    program::add_json_option(app, options.json_path);

    line.help = program::parse(app, argc, argv);
    if (!line.help.empty()) return line;

    program::require_space(options.space);
    program::check_checkpoint_options(options.checkpoints);
    options.solver =
        word("--solver", solver, {Solver::cg, Solver::petsc, Solver::hypre, Solver::belos});
    options.precondition = word("--precondition", precondition,
                                {Precondition::none, Precondition::jacobi, Precondition::amg});
    set_solver(options, matrix_free);
    Shape& shape = options.shape;
    shape.coefficient =
        word("--coefficient", coefficient, {Coefficient::smooth, Coefficient::jumping});
    shape.axes = dimensions.value_or(axes_of(sizes, n));
    distview::require<distview::UsageError>(shape.axes == 3 || !sizes[2],
                                            "--nz: expected --dimensions 3");
    distview::require<distview::UsageError>(shape.axes == 3 || sides[2].empty(),
                                            "--z-sides: expected --dimensions 3");
    set_sizes(shape, sizes, n);
    for (std::size_t d = 0; d < 3; ++d)
        shape.sides[d] =
            sides[d].empty() ? sides_of("--sides", all_sides) : sides_of(side_options[d], sides[d]);
    distview::require<distview::UsageError>(options.tolerance >= 0, [&] {
        return text("--tolerance: expected a number of at least 0, got ", options.tolerance);
    });
    return line;
}

} // namespace poisson
