// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "command_line.hpp"
#include "space_option.hpp"

#include <limits>
#include <optional>

namespace ptrans {

namespace {

using distview::text;

[[noreturn]] void refuse(const std::string& message) { throw distview::UsageError(message); }

constexpr std::int64_t most_elements = std::int64_t(1) << 40;

} // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app(
        "Parallel transposition, C = beta * C + A^T, of block-cyclic matrices as in HPCC's\n"
        "PTRANS. Each trial assigns ranks to the grid in another way; the report has the slowest.");
    app.name("ptrans");
    std::optional<std::int64_t> m, n, mb, nb;
    std::optional<std::uint32_t> seed_a, seed_c;
    std::string variant = "hpcc";
    app.add_option("--variant", variant,
                   "hpcc or chapel: the benchmark whose matrices and check are used")
        ->capture_default_str();
    const auto add_size = [&](const char* option, auto& size, const char* description) {
        program::add_whole_number<std::int64_t>(app, option, size, {1, most_elements}, description);
    };
    add_size("--m", m, "rows of A [as --n, else 4096]");
    add_size("--n", n, "columns of A [as --m, else 4096]");
    add_size("--mb", mb, "rows of a block of A [as --nb, else 128]");
    add_size("--nb", nb, "columns of a block of A [as --mb, else 128]");
    app.add_option("--grid", options.grid, "PxQ rows and columns of processes [chosen]");
    program::add_number(app, "--beta", options.beta, "the factor of C");
    constexpr std::uint32_t most_seed = (1U << 31) - 1;
    program::add_whole_number<std::uint32_t>(app, "--seed-a", seed_a, {0, most_seed},
                                             "hpcc: the seed of A [100]");
    program::add_whole_number<std::uint32_t>(app, "--seed-c", seed_c, {0, most_seed},
                                             "hpcc: the seed of C [200]");
    program::add_whole_number<std::uint64_t>(app, "--seed-grid", options.seed_grid,
                                             {0, std::numeric_limits<std::uint64_t>::max()},
                                             "seed of the assignments of ranks to the grid");
    program::add_whole_number<int>(app, "--trials", options.trials, {1, 1000000},
                                   "number of timed trials; the report has the slowest");
    app.add_option("--space", options.space, "host or cuda: where matrices lie and are moved")
        ->capture_default_str();
    program::add_json_option(app, options.json_path);

    line.help = program::parse(app, argc, argv);
    if (!line.help.empty()) return line;

    program::require_space(options.space);
    if (variant != "hpcc" && variant != "chapel")
        refuse(text("--variant: expected hpcc or chapel, got '", variant, '\''));
    options.variant = variant == "hpcc" ? Variant::hpcc : Variant::chapel;
    options.m = m ? *m : n.value_or(options.m);
    options.n = n ? *n : m.value_or(options.n);
    options.mb = mb ? *mb : nb.value_or(options.mb);
    options.nb = nb ? *nb : mb.value_or(options.nb);
    if (options.m > most_elements / options.n)
        refuse(text("--m, --n: expected at most ", most_elements, " elements, got ", options.m,
                    " x ", options.n));
    if (options.variant == Variant::chapel && (seed_a || seed_c))
        refuse("--seed-a, --seed-c: Chapel's matrices have no seeds");
    options.seed_a = seed_a.value_or(options.seed_a);
    options.seed_c = seed_c.value_or(options.seed_c);
    return line;
}

} // namespace ptrans
