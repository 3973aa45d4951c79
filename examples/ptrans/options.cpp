// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "space_option.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <optional>
#include <utility>

namespace ptrans {

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
        "Parallel transposition, C = beta * C + A^T, of block-cyclic matrices as in HPCC's\n"
        "PTRANS: every trial with another assignment of ranks to the grid, the worst counts.");
    app.name("ptrans");
    std::optional<std::int64_t> m, n, mb, nb, seed_a, seed_c;
    std::string variant = "hpcc";
    app.add_option("--variant", variant, "hpcc or chapel: whose matrices and check")
        ->capture_default_str();
    app.add_option("--m", m, "rows of A [as --n, else 4096]");
    app.add_option("--n", n, "columns of A [as --m, else 4096]");
    app.add_option("--mb", mb, "rows of a block of A [as --nb, else 128]");
    app.add_option("--nb", nb, "columns of a block of A [as --mb, else 128]");
    app.add_option("--grid", options.grid, "PxQ rows and columns of processes [chosen]");
    app.add_option("--beta", options.beta, "the factor of C")->capture_default_str();
    app.add_option("--seed-a", seed_a, "hpcc: the seed of A [100]");
    app.add_option("--seed-c", seed_c, "hpcc: the seed of C [200]");
    app.add_option("--seed-grid", options.seed_grid, "of the assignments of ranks to the grid")
        ->capture_default_str();
    app.add_option("--trials", options.trials, "how often to time, the worst counts")
        ->capture_default_str();
    app.add_option("--space", options.space, "host or cuda: where matrices lie and are moved")
        ->capture_default_str();
    app.add_option("--json", options.json_path, "write the report to this file");

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        line.help = app.help();
        return line;
    } catch (const CLI::ParseError& error) {
        refuse(text(error.what(), " (--help lists the options)"));
    }

    program::require_space(options.space);
    if (variant != "hpcc" && variant != "chapel")
        refuse(text("--variant: expected hpcc or chapel, got '", variant, '\''));
    options.variant = variant == "hpcc" ? Variant::hpcc : Variant::chapel;
    for (const auto& [option, value] :
         {std::pair("--m", m), {"--n", n}, {"--mb", mb}, {"--nb", nb}})
        if (value) require_range(option, *value, 1, most_elements);
    options.m = m ? *m : n.value_or(options.m);
    options.n = n ? *n : m.value_or(options.n);
    options.mb = mb ? *mb : nb.value_or(options.mb);
    options.nb = nb ? *nb : mb.value_or(options.nb);
    if (options.m > most_elements / options.n)
        refuse(text("--m, --n: expected at most ", most_elements, " elements, got ", options.m,
                    " x ", options.n));
    if (!std::isfinite(options.beta))
        refuse(text("--beta: expected a finite number, got ", options.beta));
    if (options.variant == Variant::chapel && (seed_a || seed_c))
        refuse("--seed-a, --seed-c: Chapel's matrices have no seeds");
    constexpr std::int64_t most_seed = (std::int64_t(1) << 31) - 1;
    require_range("--seed-a", seed_a.value_or(0), 0, most_seed);
    require_range("--seed-c", seed_c.value_or(0), 0, most_seed);
    options.seed_a = static_cast<std::uint32_t>(seed_a.value_or(options.seed_a));
    options.seed_c = static_cast<std::uint32_t>(seed_c.value_or(options.seed_c));
    require_range("--trials", options.trials, 1, 1000000);
    return line;
}

} // namespace ptrans
