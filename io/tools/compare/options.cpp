// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <CLI/CLI.hpp>

#include <cmath>

namespace compare {

using distview::text;

namespace {

void require_tolerance(const char* option, double value, bool bits) {
    distview::require<distview::UsageError>(std::isfinite(value) && value >= 0, [&] {
        return text(option, ": expected a finite number of at least 0, got ", value);
    });
    distview::require<distview::UsageError>(
        !bits || value == 0, [&] { return text(option, ": expected this or --bits, got both"); });
}

} // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app(
        "Compares the arrays of two files (HDF5, .npy, .npz), written by any number of ranks in "
        "any layout.\n"
        "For each array, prints the first element that differs, the number of elements that "
        "differ, and the largest difference.\n"
        "Exit status: 0 the same, 1 not the same, 2 an error.");
    app.name("distview-compare");
    app.add_option("a", options.a, "the first file")->required();
    app.add_option("b", options.b, "the second file")->required();
    app.add_option("--absolute", options.tolerance.absolute,
                   "numbers that differ by at most this count as the same [0]");
    app.add_option("--relative", options.tolerance.relative,
                   "as do numbers that differ by at most this times the larger of the two [0]");
    app.add_flag("--bits", options.tolerance.bits,
                 "numbers are the same if their bits are: 0 differs from -0, and NaNs with other "
                 "bits differ");
    app.add_option("--field", options.fields, "compare this field; may be given again [all]");
    app.add_flag("--no-attributes", options.no_attributes,
                 "do not compare attributes, the values beside the arrays");
    app.add_flag("--by-step", options.by_step,
                 "for a series, print a line for each step that differs");
    app.add_flag("--quiet", options.quiet, "print nothing, for scripts");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        line.help = app.help();
        return line;
    } catch (const CLI::ParseError& error) {
        throw distview::UsageError(text(error.what(), " (--help lists the options)"));
    }
    const Tolerance& tolerance = options.tolerance;
    require_tolerance("--absolute", tolerance.absolute, tolerance.bits);
    require_tolerance("--relative", tolerance.relative, tolerance.bits);
    return line;
}

} // namespace compare
