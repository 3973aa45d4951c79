// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <distview/core/text.hpp>
#include <distview/core/version.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iomanip>
#include <sstream>

namespace poisson {

namespace {

using Json = nlohmann::ordered_json;

template <class Value>
std::string by_axis(const Report& report, const Value& value, const char* between = "x") {
    std::string all;
    for (int d = 0; d < report.options.shape.axes; ++d)
        all += (d > 0 ? between : "") + distview::text(value(d));
    return all;
}

const char* stop_text(const distview::ConjugateGradientResult& result) {
    switch (result.stop) {
    case distview::ConjugateGradientStop::converged: return "converged";
    case distview::ConjugateGradientStop::max_iterations: return "max_iterations";
    case distview::ConjugateGradientStop::breakdown: break;
    }
    return "breakdown";
}

std::string solver_text(const Options& options) {
    if (options.solver == Solver::cg) return {};
    return distview::text(" of ", to_string(options.solver),
                          options.assembled ? " with a matrix" : " without a matrix");
}

} // namespace

std::string hex_float(double number) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%a", number);
    return buffer.data();
}

std::string to_json(const Report& report) {
    const Options& options = report.options;
    const Shape& shape = options.shape;
    Json json;
    json["dimensions"] = shape.axes;
    json["n"] = Json::array();
    json["sides"] = Json::array();
    for (int d = 0; d < shape.axes; ++d) {
        json["n"].push_back(shape.n[d]);
        json["sides"].push_back(to_string(shape.sides[d]));
    }
    json["coefficient"] = to_string(shape.coefficient);
    json["solver"] = to_string(options.solver);
    json["assembled"] = options.assembled;
    json["precondition"] = to_string(options.precondition);
    json["reproducible"] = options.reproducible;
    json["tolerance"] = options.tolerance;
    json["max_iterations"] = options.max_iterations;
    if (report.restart_iteration >= 0)
        json["restart"] = {{"file", options.checkpoints.restart},
                           {"iteration", report.restart_iteration}};
    if (report.checkpoints > 0)
        json["checkpoint"] = {{"file", options.checkpoints.path}, {"written", report.checkpoints}};
    json["grid"] = by_axis(report, [&](int d) { return report.grid.extent(d); });
    json["ranks"] = report.grid.size();
    json["space"] = options.space;
    json["threads"] = report.threads;
    json["stop"] = stop_text(report.result);
    json["converged"] = report.result.converged();
    json["iterations"] = report.result.iterations;
    json["residual"] = report.residual();
    json["error_max"] = report.error_max;
    json["right_side"] = hex_float(report.result.right_side);
    json["history"] = Json::array();
    for (const double norm : report.result.history) json["history"].push_back(hex_float(norm));
    json["bytes_copied_at_the_door"] = report.bytes_copied_at_the_door;
    json["setup_seconds"] = report.setup_seconds;
    json["solve_seconds"] = report.solve_seconds;
    json["version"] = distview::version();
    json["commit"] = distview::build_info().git_commit;
    return json.dump(2) + '\n';
}

std::string to_table(const Report& report) {
    const Options& options = report.options;
    const Shape& shape = options.shape;
    std::ostringstream out;
    out << "-div(k grad u) = f, " << by_axis(report, [&](int d) { return shape.n[d]; })
        << " cells, k " << to_string(shape.coefficient) << ", sides "
        << by_axis(
               report, [&](int d) { return to_string(shape.sides[d]); }, ", ")
        << ", on a " << by_axis(report, [&](int d) { return report.grid.extent(d); }) << " grid, "
        << report.threads << " threads each\n";
    out << "  conjugate gradients" << solver_text(options) << ", preconditioner "
        << to_string(options.precondition) << (options.reproducible ? ", reproducible" : "")
        << '\n';
    if (report.restart_iteration >= 0)
        out << "  continued from iteration " << report.restart_iteration << " of '"
            << options.checkpoints.restart << "'\n";
    if (report.checkpoints > 0)
        out << "  wrote " << report.checkpoints << " checkpoints to '" << options.checkpoints.path
            << "'\n";
    out << "  set up  " << std::setprecision(4) << report.setup_seconds << " s, solved  "
        << report.solve_seconds << " s, per iteration  "
        << report.solve_seconds /
               std::max(report.result.iterations - std::max(report.restart_iteration, 0), 1)
        << " s\n";
    out << "  largest error  " << report.error_max << '\n';
    out << "  residual  " << report.residual() << " after " << report.result.iterations
        << " iterations, at most " << options.tolerance << ": " << stop_text(report.result) << '\n';
    return out.str();
}

} // namespace poisson
