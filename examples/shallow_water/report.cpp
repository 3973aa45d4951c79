// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "reference.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/core/version.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace shallow_water {

namespace {

constexpr std::array<const char*, 3> names{"h", "u", "v"};

std::string line(const char* format, ...) {
    char buffer[256];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    return std::string(buffer) + '\n';
}

std::string grid_text(const distview::ProcessGrid& grid) {
    return std::to_string(grid.extent(0)) + 'x' + std::to_string(grid.extent(1));
}

const char* element_text(const Options& options) {
    return options.element == Element::float64 ? "float64" : "float32";
}

std::string norms_table(const Report& report) {
    std::string result;
    for (const StepReport& step : report.steps) {
        const auto reference = reference_norms(report.options, report.grid, step.step);
        if (!reference) continue;
        const std::array<double, 3> expected{reference->h, reference->u, reference->v};
        for (std::size_t f = 0; f < 3; ++f)
            result += line("  L2 of %s at step %-6lld %22.13g   reference %22.13g   off by %8.1e",
                           names[f], static_cast<long long>(step.step), step.fields[f].l2,
                           expected[f], std::abs(step.fields[f].l2 / expected[f] - 1));
    }
    return result;
}

std::string invariants_table(const Report& report) {
    if (report.steps.empty()) return {};
    const StepReport& first = report.steps.front();
    const StepReport& last = report.steps.back();
    std::string result;
    result += line("  %-26s step %-16lld step %lld", "", static_cast<long long>(first.step),
                   static_cast<long long>(last.step));
    const auto row = [&](const char* name, double before, double after) {
        result += line("  %-26s %-21.13g %.13g", name, before, after);
    };
    row("volume / cell area (m)", first.fields[0].sum, last.fields[0].sum);
    result += line("  %-26s %-21s %.1e", "  relative drift", "",
                   std::abs(last.fields[0].sum / first.fields[0].sum - 1));
    row("lowest surface (m)", first.fields[0].min, last.fields[0].min);
    row("highest surface (m)", first.fields[0].max, last.fields[0].max);
    row("fastest eastward (m/s)", first.fields[1].max, last.fields[1].max);
    row("fastest northward (m/s)", first.fields[2].max, last.fields[2].max);
    return result;
}

} // namespace

void require_finite(const StepReport& last) {
    for (std::size_t f = 0; f < names.size(); ++f)
        distview::require<distview::Error>(last.fields[f].is_finite(), [&] {
            return distview::text("expected finite h, u and v after step ", last.step,
                                  ", got infinity or NaN in ", names[f],
                                  ": the model is unstable, as on some large domains");
        });
}

std::string to_json(const Report& report) {
    using Json = nlohmann::ordered_json;
    const Options& options = report.options;
    Json json;
    json["nx"] = options.nx;
    json["ny"] = options.ny;
    json["mode"] = options.mode == Mode::corrected ? "C" : "P";
    json["dtype"] = element_text(options);
    json["exchanges"] = options.exchanges == Exchanges::literal ? "literal" : "fused";
    json["space"] = options.space;
    json["grid"] = grid_text(report.grid);
    json["ranks"] = report.grid.size();
    json["threads"] = report.threads;
    json["steps_done"] = options.steps;
    const FileReport& files = report.files;
    if (files.restart_step >= 0)
        json["restart"] = {{"file", options.checkpoints.restart}, {"step", files.restart_step}};
    if (files.checkpoints > 0)
        json["checkpoint"] = {{"file", options.checkpoints.path},
                              {"written", files.checkpoints},
                              {"step", files.checkpoint_step}};
    if (files.frames > 0) json["movie"] = {{"file", options.movie_path}, {"frames", files.frames}};
    json["messages_per_step"] = report.messages_per_step;
    json["run_seconds"] = report.seconds;
    json["version"] = distview::version();
    json["commit"] = distview::build_info().git_commit;
    if (report.benchmark) {
        json["seconds"] = report.benchmark->seconds;
        json["mcell_steps_per_s"] = report.benchmark->mcell_steps_per_s;
        json["triad_gbs"] = report.benchmark->triad_gbs;
        json["triad_share"] = report.benchmark->triad_share;
        json["triad_array_bytes"] = report.benchmark->triad_array_bytes;
    }
    json["steps"] = Json::object();
    for (const StepReport& step : report.steps) {
        Json& fields = json["steps"][std::to_string(step.step)];
        for (std::size_t f = 0; f < 3; ++f) {
            const Statistics& s = step.fields[f];
            // As text, because many readers of JSON keep only 53 bits of a number.
            char digest[17];
            std::snprintf(digest, sizeof digest, "%016llx",
                          static_cast<unsigned long long>(s.digest));
            fields[names[f]] = {{"sum", s.sum}, {"min", s.min},   {"max", s.max},
                                {"l2", s.l2},   {"wsum", s.wsum}, {"digest", digest}};
        }
        if (const auto reference = reference_norms(options, report.grid, step.step))
            json["reference_l2"][std::to_string(step.step)] = {
                {"h", reference->h}, {"u", reference->u}, {"v", reference->v}};
    }
    return json.dump(2) + '\n';
}

std::string to_table(const Report& report) {
    const Options& options = report.options;
    std::string result =
        line("%lld x %lld cells, %lld steps, mode %s, %s, %s exchanges, messages per step "
             "from rank 0: %.4g",
             static_cast<long long>(options.nx), static_cast<long long>(options.ny),
             static_cast<long long>(options.steps), options.mode == Mode::corrected ? "C" : "P",
             element_text(options), options.exchanges == Exchanges::literal ? "literal" : "fused",
             report.messages_per_step) +
        line("%d ranks in a %s grid (rows x columns), %d threads each: %.2f s", report.grid.size(),
             grid_text(report.grid).c_str(), report.threads, report.seconds);
    const FileReport& files = report.files;
    if (files.restart_step >= 0)
        result += "  continued from step " + std::to_string(files.restart_step) + " of '" +
                  options.checkpoints.restart + "'\n";
    if (files.checkpoints > 0)
        result += "  wrote " + std::to_string(files.checkpoints) +
                  " checkpoints, the last of step " + std::to_string(files.checkpoint_step) +
                  ", to '" + options.checkpoints.path + "'\n";
    if (files.frames > 0)
        result += "  wrote " + std::to_string(files.frames) + " steps of a film to '" +
                  options.movie_path + "'\n";
    if (options.summary) result += invariants_table(report);
    result += norms_table(report);
    if (report.benchmark) {
        const BenchmarkReport& b = *report.benchmark;
        result += line("  500 steps in %.3f s: %.1f Mcell-steps/s", b.seconds, b.mcell_steps_per_s);
        result +=
            line("  %d bytes per cell and step: %.2f of the STREAM triad's %.2f GB/s in this run",
                 options.element == Element::float32 ? 64 : 128, b.triad_share, b.triad_gbs);
    }
    return result;
}

} // namespace shallow_water
