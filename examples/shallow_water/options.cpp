// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include "command_line.hpp"
#include "output.hpp"
#include "space_option.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace shallow_water {

namespace {

using distview::text;
using distview::UsageError;

[[noreturn]] void refuse(const std::string& message) { throw UsageError(message); }

/// Reads "3x2" as 3 rows and 2 columns of processes.
void parse_grid(const std::string& value, Options& options) {
    std::istringstream in(value);
    char x = 0;
    if (!(in >> options.grid_rows >> x >> options.grid_columns) || x != 'x' || !in.eof() ||
        options.grid_rows < 1 || options.grid_columns < 1)
        refuse(text("--grid: expected PYxPX, rows and columns of processes such as 3x2, got '",
                    value, '\''));
}

std::vector<std::int64_t> parse_steps(const std::string& value) {
    std::vector<std::int64_t> steps;
    std::istringstream in(value);
    std::string item;
    while (std::getline(in, item, ',')) {
        std::size_t end = 0;
        std::int64_t step = -1;
        try {
            step = std::stoll(item, &end);
        } catch (const std::exception&) {
            end = 0;
        }
        if (end == 0 || end != item.size() || step < 0)
            refuse(text("--report-steps: expected numbers of steps >= 0 separated by commas, got '",
                        value, '\''));
        steps.push_back(step);
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

} // namespace

std::int64_t steps_of_days(const Parameters& parameters, double days) {
    const double end = days * 86400;
    const double dt = parameters.time_step();
    std::int64_t steps = 1;
    for (double time = dt; time < end; time += 100 * dt) steps += 100;
    return steps;
}

CommandLine parse_command_line(int argc, const char* const* argv) {
    CommandLine line;
    Options& options = line.options;
    CLI::App app("The shallow-water model of the mpi4jax benchmark: a jet in a channel that is\n"
                 "periodic from west to east, on any number of ranks.");
    app.name("shallow_water");
    std::optional<std::int64_t> nx, ny, steps;
    std::optional<double> days;
    std::string dtype, grid, report_steps;
    const std::map<std::string, Mode> modes{{"C", Mode::corrected}, {"P", Mode::published}};
    const std::map<std::string, Exchanges> exchanges{{"literal", Exchanges::literal},
                                                     {"fused", Exchanges::fused}};
    const std::map<std::string, Cut> cuts{
        {"", Cut::automatic}, {"strips", Cut::strips}, {"tiles", Cut::tiles}};
    std::string mode = "C";
    std::string cut;
    std::string exchange = "fused";

    constexpr std::int64_t most = std::int64_t(1) << 30;
    program::add_whole_number<std::int64_t>(app, "--nx", nx, {1, most},
                                            "interior columns [360; benchmark 3600]");
    program::add_whole_number<std::int64_t>(app, "--ny", ny, {1, most},
                                            "interior rows [180; benchmark 1800]");
    auto* steps_option = program::add_whole_number<std::int64_t>(
        app, "--steps", steps, {0, std::numeric_limits<std::int64_t>::max()},
        "time steps, the first (Euler) one included [101]");
    program::add_number(app, "--days", days,
                        "simulated days, in blocks of 100 steps after the first")
        ->excludes(steps_option);
    app.add_option("--dtype", dtype, "float64 or float32 [float64; benchmark float32]");
    app.add_option("--mode", mode, "C: the corrected program, P: the published one")
        ->capture_default_str();
    app.add_option("--exchanges", exchange, "literal or fused")->capture_default_str();
    app.add_option("--space", options.space, "host or cuda: where arrays lie and kernels run")
        ->capture_default_str();
    app.add_option(
        "--cut", cut,
        "strips, or tiles (mode C only): how a fused sweep is divided [strips; mode C on cuda: "
        "tiles]");
    program::add_whole_number<int>(
        app, "--deep", options.deep, {1, 1000},
        "exchange padding of 2 * K cells every K-th step (mode C, strips) [1]");
    app.add_option("--grid", grid, "PYxPX rows and columns of processes [chosen]");
    app.add_option("--report-steps", report_steps,
                   "steps after which to report statistics; 0 is the initial state [0,1,last]");
    program::add_json_option(app, options.json_path);
    app.add_option("--png", options.png_path, "write a picture of the last state to this file");
    program::add_checkpoint_options(app, options.checkpoints, "steps");
    app.add_option("--movie", options.movie_path,
                   "write h, u and v of some steps to this file; NAME.vtkhdf for ParaView");
    auto* movie_every = program::add_whole_number<std::int64_t>(
        app, "--movie-every", options.movie_every, {1, std::numeric_limits<std::int64_t>::max()},
        "write to --movie after every so many steps, at the beginning and at the end");
    app.add_flag("--benchmark", options.benchmark,
                 "time 500 steps and a STREAM triad (1 + 500 steps of 3600 x 1800)");
    app.add_flag("--poison", options.poison, "fill padding with NaN before each exchange");
    app.add_flag("--progress", options.progress, "show progress if standard error is a terminal");
    app.add_flag("--summary", options.summary, "print invariants and norms at the end");

    line.help = program::parse(app, argc, argv);
    if (!line.help.empty()) return line;

    if (modes.count(mode) == 0) refuse(text("--mode: expected C or P, got '", mode, '\''));
    options.mode = modes.at(mode);
    if (exchanges.count(exchange) == 0)
        refuse(text("--exchanges: expected literal or fused, got '", exchange, '\''));
    options.exchanges = exchanges.at(exchange);
    if (cuts.count(cut) == 0) refuse(text("--cut: expected strips or tiles, got '", cut, '\''));
    options.cut = cuts.at(cut);
    // Options without effect are errors, so that nobody takes them for part of a measurement.
    if (options.cut != Cut::automatic && options.exchanges == Exchanges::literal)
        refuse("--cut: expected --exchanges fused, because it divides fused sweeps, got literal");
    if (options.cut == Cut::tiles && options.mode == Mode::published)
        refuse("--cut tiles: expected --mode C, got P, whose sweeps can only be cut into strips");
    if (options.deep > 1 && (options.exchanges == Exchanges::literal ||
                             options.mode == Mode::published || options.cut == Cut::tiles))
        refuse("--deep: expected --mode C, --exchanges fused and --cut strips; only their "
               "sweeps also compute cells around the section");
    program::require_space(options.space);
    if (dtype.empty()) dtype = options.benchmark ? "float32" : "float64";
    if (dtype != "float64" && dtype != "float32")
        refuse(text("--dtype: expected float64 or float32, got '", dtype, '\''));
    options.element = dtype == "float64" ? Element::float64 : Element::float32;

    options.nx = nx.value_or(options.benchmark ? 3600 : 360);
    options.ny = ny.value_or(options.benchmark ? 1800 : 180);
    if (!grid.empty()) parse_grid(grid, options);
    program::require_file("--png", options.png_path, "the picture");
    program::require_file("--movie", options.movie_path, "the film");

    if (days && !(*days > 0 && *days <= 1e5))
        refuse(text("--days: expected more than 0 and at most 100000, got ", *days));
    program::check_checkpoint_options(options.checkpoints);
    program::require_hdf5("--movie", options.movie_path);
    if (movie_every->count() > 0 && options.movie_path.empty())
        refuse("--movie-every: expected --movie FILE as well");
    if (options.benchmark && !(options.checkpoints.path.empty() &&
                               options.checkpoints.restart.empty() && options.movie_path.empty()))
        refuse("--benchmark: reads and writes no files; --checkpoint, --restart and --movie do not "
               "apply");
    if (options.benchmark && (days || steps.value_or(501) != 501))
        refuse("--benchmark: times 1 + 500 steps; --steps and --days do not apply");
    options.steps = days                ? steps_of_days(Parameters(), *days)
                    : options.benchmark ? 501
                                        : steps.value_or(101);
    options.report_steps =
        report_steps.empty() ? parse_steps(text("0,1,", options.steps)) : parse_steps(report_steps);
    if (report_steps.empty() && options.steps == 0) options.report_steps = {0};
    if (options.report_steps.back() > options.steps)
        refuse(text("--report-steps: step ", options.report_steps.back(), " is beyond the ",
                    options.steps, " steps of the run"));
    if (options.benchmark && !report_steps.empty() &&
        options.report_steps != std::vector<std::int64_t>{501})
        refuse("--benchmark: reports step 501 only; --report-steps does not apply");
    if (options.benchmark) options.report_steps = {501};
    return line;
}

std::uint64_t digest(const Options& options) {
    std::ostringstream all;
    all << options.nx << ' ' << options.ny << ' ' << options.steps << ' '
        << static_cast<int>(options.element) << static_cast<int>(options.mode)
        << static_cast<int>(options.exchanges) << static_cast<int>(options.cut) << options.space
        << ' ' << options.deep << ' ' << options.grid_rows << ' ' << options.grid_columns << ' '
        << options.benchmark << options.poison << options.progress << options.summary;
    for (const std::int64_t step : options.report_steps) all << ' ' << step;
    all << '\n'
        << options.json_path << '\n'
        << options.png_path << '\n'
        << options.checkpoints.path << '\n'
        << options.checkpoints.every << ' ' << options.checkpoints.restart << '\n'
        << options.movie_path << '\n'
        << options.movie_every;
    return std::hash<std::string>()(all.str());
}

} // namespace shallow_water
