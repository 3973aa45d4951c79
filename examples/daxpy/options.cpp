// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <optional>

namespace daxpy {

namespace {

using distview::text;

[[noreturn]] void refuse(const std::string& message) { throw distview::UsageError(message); }

void require_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most)
        refuse(text(option, ": expected a number from ", least, " to ", most, ", got ", value));
}

constexpr std::int64_t most_elements = std::int64_t(1) << 40;

} // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app(
        "y = alpha * x + y on a block-cyclic array of rows and columns, X(r,i) = r + i and\n"
        "Y(r,i) = 10 + r + i from 1 on: as an expression and by the BLAS on the sections.");
    app.name("daxpy");
    std::optional<std::int64_t> t, rows, columns, block;
    app.add_option("--t", t, "32 rows, 8192*T columns, blocks of 512*T columns [1]");
    app.add_option("--rows", rows, "rows, with --cols and --block in the place of --t");
    app.add_option("--cols", columns, "columns");
    app.add_option("--block", block, "columns in a block, which has one row");
    app.add_option("--alpha", options.alpha, "the factor")->capture_default_str();
    app.add_option("--grid", options.grid, "PxQ rows and columns of processes [chosen]");
    app.add_option("--trials", options.trials, "how often to time, the median counts")
        ->capture_default_str();
    app.add_option("--triad-mib", options.triad_mib,
                   "MiB of each array of the STREAM triad, all ranks together [four times the "
                   "last-level cache]");
    app.add_option("--json", options.json_path, "write the report to this file");

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        line.help = app.help();
        return line;
    } catch (const CLI::ParseError& error) {
        refuse(text(error.what(), " (--help lists the options)"));
    }

    if (t && (rows || columns || block))
        refuse("--t: sets rows, columns and blocks; --rows, --cols and --block do not apply");
    if (rows || columns || block) {
        if (!rows || !columns || !block)
            refuse("--rows, --cols, --block: expected all three or none");
        require_range("--rows", *rows, 0, most_elements);
        require_range("--cols", *columns, 0, most_elements);
        require_range("--block", *block, 1, most_elements);
        if (*columns > 0 && *rows > most_elements / *columns)
            refuse(text("--rows, --cols: expected at most ", most_elements, " elements, got ",
                        *rows, " x ", *columns));
        options.rows = *rows;
        options.columns = *columns;
        options.block = *block;
    } else {
        require_range("--t", t.value_or(1), 1, most_elements / (32 * 8192));
        options.columns = 8192 * t.value_or(1);
        options.block = 512 * t.value_or(1);
    }
    if (!std::isfinite(options.alpha))
        refuse(text("--alpha: expected a finite number, got ", options.alpha));
    require_range("--trials", options.trials, 1, 1000000);
    require_range("--triad-mib", options.triad_mib, 0, std::int64_t(1) << 20);
    return line;
}

} // namespace daxpy
