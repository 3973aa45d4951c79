// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "exact_sum.hpp"

#include <distview/core/text.hpp>
#include <distview/core/version.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace hpl {

namespace {

/// HPL's count of operations, which may differ from the operations performed.
double gigaflops_per_second(const Report& report) {
    const auto n = static_cast<double>(report.options.n);
    return report.seconds > 0 ? 1e-9 * (2. / 3 * n * n * n + 1.5 * n * n) / report.seconds : 0;
}

double largest(const std::vector<double>& x) {
    double result = 0;
    for (const double value : x) result = std::max(result, std::abs(value));
    return result;
}

std::string grid_text(const distview::ProcessGrid& grid) {
    return distview::text(grid.extent(0), 'x', grid.extent(1));
}

const char* update_text(const Report& report) {
    return report.options.update == Update::blas ? "blas" : "kokkos";
}

} // namespace

std::string to_json(const Report& report) {
    const Options& options = report.options;
    nlohmann::ordered_json json;
    json["n"] = options.n;
    json["nb"] = options.nb;
    json["grid"] = grid_text(report.grid);
    json["ranks"] = report.grid.size();
    json["threads"] = report.threads;
    json["seed"] = options.seed;
    json["update"] = update_text(report);
    json["residual"] = report.check.residual;
    json["tolerance"] = report.check.tolerance;
    json["passed"] = report.check.passed();
    json["x_first"] = report.x.front();
    json["x_last"] = report.x.back();
    json["x_sum"] = std::accumulate(report.x.begin(), report.x.end(), 0.0);
    json["x_max"] = largest(report.x);
    json["seconds"] = report.seconds;
    json["gflops"] = gigaflops_per_second(report);
    json["panel_seconds"] = report.phases.panel;
    json["exchange_seconds"] = report.phases.exchange;
    json["update_seconds"] = report.phases.update;
    json["solve_seconds"] = report.phases.solve;
    json["version"] = distview::version();
    json["commit"] = distview::build_info().git_commit;
    return program::dump(json);
}

std::string to_table(const Report& report) {
    const Options& options = report.options;
    const Phases& phases = report.phases;
    std::ostringstream out;
    out << "A x = b, " << options.n << " equations in blocks of " << options.nb << " x "
        << options.nb << " on a " << grid_text(report.grid) << " grid, " << report.threads
        << " threads each, updates by " << update_text(report) << '\n';
    out << std::setprecision(4) << "  solved in  " << report.seconds << " s, "
        << gigaflops_per_second(report) << " Gflop/s\n";
    out << "  of the slowest rank  panels " << phases.panel << " s, exchange of rows "
        << phases.exchange << " s, updates " << phases.update << " s, back substitution "
        << phases.solve << " s\n";
    out << "  residual  " << report.check.residual << ", less than " << report.check.tolerance
        << ": " << (report.check.passed() ? "passed" : "FAILED") << '\n';
    return out.str();
}

} // namespace hpl
