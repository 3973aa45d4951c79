// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <distview/core/version.hpp>

#include <iomanip>
#include <sstream>

namespace daxpy {

namespace {

double elements(const Report& report) {
    return static_cast<double>(report.options.rows) * static_cast<double>(report.options.columns);
}

double gigabytes_per_second(const Report& report, double seconds) {
    return seconds > 0 ? bytes_per_element * elements(report) * 1e-9 / seconds : 0;
}

std::int64_t bytes_of_a_rank(const Report& report) { return 2 * 8 * report.elements_of_a_rank; }

/// Where x and y were during the computation, as far as it is known: trials run warm.
std::string where(const Report& report) {
    const std::int64_t of_a_rank = bytes_of_a_rank(report);
    const std::int64_t cache = report.last_level_cache_bytes;
    std::ostringstream out;
    out << std::setprecision(3) << "x and y " << static_cast<double>(of_a_rank) / 0x1p20
        << " MiB per rank, last-level cache ";
    if (cache == 0) return out.str() + "unknown";
    out << static_cast<double>(cache) / 0x1p20 << " MiB";
    // A machine may have several such caches, and a rank may use one of them alone.
    if (of_a_rank <= cache / report.grid.size())
        out << ": they fit, so the rates are cache rates";
    else if (of_a_rank <= cache)
        out << ": they may fit, so the rates may be cache rates";
    return out.str();
}

std::string grid_text(const distview::ProcessGrid& grid) {
    return std::to_string(grid.extent(0)) + 'x' + std::to_string(grid.extent(1));
}

} // namespace

std::string to_json(const Report& report) {
    nlohmann::ordered_json json;
    const double gbs = gigabytes_per_second(report, report.seconds);
    json["rows"] = report.options.rows;
    json["cols"] = report.options.columns;
    json["block"] = report.options.block;
    json["alpha"] = report.options.alpha;
    json["grid"] = grid_text(report.grid);
    json["ranks"] = report.grid.size();
    json["threads"] = report.threads;
    json["trials"] = report.options.trials;
    json["bytes_per_rank"] = bytes_of_a_rank(report);
    json["last_level_cache_bytes"] = nullptr;
    if (report.last_level_cache_bytes > 0)
        json["last_level_cache_bytes"] = report.last_level_cache_bytes;
    // If elements are not integers, the nearest integer.
    json["sum_y"] = program::json_integer(report.check.sum);
    json["sum_y_is_exact"] = report.check.sum.is_integer();
    json["mismatches"] = report.check.mismatches;
    json["seconds"] = report.seconds;
    json["gbs"] = gbs;
    json["gbs_per_rank"] = gbs / report.grid.size();
    json["blas_seconds"] = nullptr;
    json["blas_block_seconds"] = nullptr;
    if (report.blas) {
        json["blas_seconds"] = report.blas->seconds;
        json["blas_block_seconds"] = report.blas->block_seconds;
        json["blas_calls"] = report.blas->calls;
        json["blas_block_calls"] = report.blas->blocks;
        json["wrap_ns"] = report.blas->wrap_seconds * 1e9;
    }
    json["triad_gbs"] = report.triad_gbs;
    json["triad_array_bytes"] = report.triad_array_bytes;
    json["share_of_triad"] = gbs / report.triad_gbs;
    json["version"] = distview::version();
    json["commit"] = distview::build_info().git_commit;
    return program::dump(json);
}

std::string to_table(const Report& report) {
    std::ostringstream out;
    const auto row = [&](const char* name, double seconds) {
        out << "  " << std::left << std::setw(24) << name << std::right << std::fixed
            << std::setprecision(6) << std::setw(12) << seconds << " s" << std::setprecision(2)
            << std::setw(10) << gigabytes_per_second(report, seconds) << " GB/s\n";
    };
    out << report.options.rows << " x " << report.options.columns << " elements in blocks of 1 x "
        << report.options.block << " on a " << grid_text(report.grid) << " grid, " << report.threads
        << " threads each, median of " << report.options.trials << "\n  " << where(report) << '\n';
    row("expression", report.seconds);
    if (report.blas) {
        row("BLAS, by section", report.blas->seconds);
        row("BLAS, by block", report.blas->block_seconds);
    }
    out << "  " << std::left << std::setw(38) << "STREAM triad" << std::right << std::setw(10)
        << report.triad_gbs << " GB/s\n";
    out << "  sum of y " << program::to_string(report.check.sum) << ", wrong elements "
        << report.check.mismatches << '\n';
    return out.str();
}

} // namespace daxpy
