// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "command_line.hpp"

#include <optional>

namespace daxpy {

namespace {

using distview::text;

[[noreturn]] void refuse(const std::string& message) { throw distview::UsageError(message); }

constexpr std::int64_t most_elements = std::int64_t(1) << 40;

} // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app(
        "y = alpha * x + y on block-cyclic arrays of rows and columns, where X(r,i) = r + i and\n"
        "Y(r,i) = 10 + r + i, counted from 1: as an expression, and by the BLAS on the sections.");
    app.name("daxpy");
    std::optional<std::int64_t> t, rows, columns, block;
    const auto add_size = [&](const char* option, auto& size, std::int64_t least, std::int64_t most,
                              const char* description) {
        program::add_whole_number<std::int64_t>(app, option, size, {least, most}, description);
    };
    add_size("--t", t, 1, most_elements / (32 * 8192),
             "32 rows, 8192*T columns, blocks of 512*T columns [1]");
    add_size("--rows", rows, 0, most_elements, "rows; --rows, --cols and --block replace --t");
    add_size("--cols", columns, 0, most_elements, "columns");
    add_size("--block", block, 1, most_elements, "columns of a block; a block has one row");
    program::add_number(app, "--alpha", options.alpha,
                        "the factor; 0 leaves out the BLAS, which returns at once for 0");
    app.add_option("--grid", options.grid, "PxQ rows and columns of processes [chosen]");
    program::add_whole_number<int>(app, "--trials", options.trials, {1, 1000000},
                                   "number of timed runs; the report has their median");
    std::optional<std::int64_t> triad_mib;
    add_size("--triad-mib", triad_mib, 0, std::int64_t(1) << 20,
             "MiB of each array of the STREAM triad, all ranks together [four times the "
             "last-level caches of all machines]");
    program::add_json_option(app, options.json_path);

    line.help = program::parse(app, argc, argv);
    if (!line.help.empty()) return line;

    if (t && (rows || columns || block))
        refuse("--t: sets rows, columns and blocks; --rows, --cols and --block do not apply");
    if (rows || columns || block) {
        if (!rows || !columns || !block)
            refuse("--rows, --cols, --block: expected all three or none");
        if (*columns > 0 && *rows > most_elements / *columns)
            refuse(text("--rows, --cols: expected at most ", most_elements, " elements, got ",
                        *rows, " x ", *columns));
        options.rows = *rows;
        options.columns = *columns;
        options.block = *block;
    } else {
        options.columns = 8192 * t.value_or(1);
        options.block = 512 * t.value_or(1);
    }
    options.triad_mib = triad_mib.value_or(options.triad_mib);
    return line;
}

} // namespace daxpy
