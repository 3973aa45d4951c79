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

/// The value that a word stands for.
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

/// Three axes, unless the sizes given are those of x and y.
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

} // namespace

const char* to_string(Sides sides) {
    return sides == Sides::walls ? "walls" : sides == Sides::periodic ? "periodic" : "neumann";
}
const char* to_string(Coefficient coefficient) {
    return coefficient == Coefficient::smooth ? "smooth" : "jumping";
}
const char* to_string(Precondition precondition) {
    return precondition == Precondition::none ? "none" : "jacobi";
}

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app(
        "Solves -div(k grad u) = f on the unit square or cube by conjugate gradients, without a\n"
        "matrix, and compares u with the solution that f was made of.");
    app.name("poisson");
    Sizes sizes;
    std::optional<std::int64_t> n;
    std::optional<int> dimensions;
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
    app.add_option("--solver", solver, "cg")->capture_default_str();
    app.add_option("--precondition", precondition, "none or jacobi")->capture_default_str();
    app.add_option("--grid", options.grid, "PxQ or PxQxR processes along the axes [chosen]");
    app.add_flag("--reproducible", options.reproducible,
                 "the same history of residuals, bit for bit, on any number of ranks and any grid");
    program::add_number(app, "--tolerance", options.tolerance,
                        "of the residual's norm, relative to the right side's");
    program::add_whole_number<int>(app, "--max-iterations", options.max_iterations, {0, 1000000000},
                                   "give up after these");
    app.add_option("--space", options.space, "host or cuda: where arrays lie and are worked on")
        ->capture_default_str();
    program::add_json_option(app, options.json_path);

    line.help = program::parse(app, argc, argv);
    if (!line.help.empty()) return line;

    program::require_space(options.space);
    distview::require<distview::UsageError>(
        solver == "cg", [&] { return text("--solver: expected cg, got '", solver, '\''); });
    options.precondition =
        word("--precondition", precondition, {Precondition::none, Precondition::jacobi});
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
        return text("--tolerance: expected a number from 0 on, got ", options.tolerance);
    });
    return line;
}

} // namespace poisson
