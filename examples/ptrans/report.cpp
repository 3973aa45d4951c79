// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <distview/core/text.hpp>
#include <distview/core/version.hpp>

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ptrans {

namespace {

/// HPCC's rate: it counts the matrix once.
double gigabytes_per_second(const Report& report, double seconds) {
    return seconds > 0 ? 8e-9 * static_cast<double>(report.shape.elements()) / seconds : 0;
}

/// The rate of the bytes that must be read and written.
double memory_gigabytes_per_second(const Report& report, double seconds) {
    return seconds > 0 ? 1e-9 * static_cast<double>(report.memory_bytes) / seconds : 0;
}

std::string grid_text(const Shape& shape) { return distview::text(shape.p, 'x', shape.q); }

const char* variant_text(const Report& report) {
    return report.options.variant == Variant::hpcc ? "hpcc" : "chapel";
}

} // namespace

std::string to_json(const Report& report) {
    const Options& options = report.options;
    const Trial& worst = report.worst();
    nlohmann::ordered_json json;
    json["variant"] = variant_text(report);
    json["m"] = options.m;
    json["n"] = options.n;
    json["mb"] = options.mb;
    json["nb"] = options.nb;
    json["grid"] = grid_text(report.shape);
    json["ranks"] = report.shape.p * report.shape.q;
    json["space"] = options.space;
    json["threads"] = report.threads;
    json["beta"] = options.beta;
    if (options.variant == Variant::hpcc) {
        json["seed_a"] = options.seed_a;
        json["seed_c"] = options.seed_c;
    }
    json["residual"] = report.check.residual;
    json["tolerance"] = report.check.tolerance;
    json["passed"] = report.check.passed();
    json["sum"] = report.check.sum;
    json["sum_2p30"] = program::json_integer(report.check.sum_2p30);
    json["wsum_2p30"] = program::json_integer(report.check.wsum_2p30);
    json["sums_are_exact"] =
        report.check.sum_2p30.is_integer() && report.check.wsum_2p30.is_integer();
    json["seconds"] = worst.seconds;
    json["gbs"] = gigabytes_per_second(report, worst.seconds);
    json["memory_bytes"] = report.memory_bytes;
    json["memory_gbs"] = memory_gigabytes_per_second(report, worst.seconds);
    json["first_seconds"] = worst.first_seconds;
    json["trials"] = report.trials.size();
    json["trial_seconds"] = nlohmann::ordered_json::array();
    for (const Trial& trial : report.trials) json["trial_seconds"].push_back(trial.seconds);
    json["worst_ranks"] = worst.ranks;
    json["partners"] = report.traffic.partners;
    json["wire_bytes"] = report.traffic.wire_bytes;
    json["version"] = distview::version();
    json["commit"] = distview::build_info().git_commit;
    return program::dump(json);
}

std::string to_table(const Report& report) {
    const Options& options = report.options;
    const auto [fewest, most] =
        std::minmax_element(report.traffic.partners.begin(), report.traffic.partners.end());
    std::ostringstream out;
    out << "C = " << options.beta << " * C + A^T, " << variant_text(report) << ": A is "
        << options.m << " x " << options.n << " in blocks of " << options.mb << " x " << options.nb
        << " on a " << grid_text(report.shape) << " grid, " << report.threads << " threads each\n";
    out << "  worst of " << report.trials.size() << " trials  " << std::setprecision(4)
        << report.worst().seconds << " s, " << gigabytes_per_second(report, report.worst().seconds)
        << " GB/s; memory read and written "
        << memory_gigabytes_per_second(report, report.worst().seconds) << " GB/s\n";
    out << "  partners of a process  " << *fewest << " to " << *most
        << ", bytes to other processes " << report.traffic.wire_bytes << '\n';
    out << "  sum * 2^30  " << program::to_string(report.check.sum_2p30) << ", weighted "
        << program::to_string(report.check.wsum_2p30) << '\n';
    out << "  residual  " << report.check.residual << ", at most " << report.check.tolerance << ": "
        << (report.check.passed() ? "passed" : "FAILED") << '\n';
    return out.str();
}

} // namespace ptrans
