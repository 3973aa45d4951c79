// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>

#include "protocol_reference.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

/// One process's part of an axis, element by element; empty if its dictionary is wrong.
struct OraclePart {
    std::string type;
    std::int64_t size = 0, grid_size = 1, rank = 0, start = 0, stop = 0, block_size = 1;
    bool periodic = false, one_to_one = false, has_padding = false;
    std::int64_t low = 0, high = 0;        ///< padding
    std::vector<std::int64_t> owned;       ///< in the version's numbering
    std::vector<std::int64_t> left, right; ///< copies of the neighbours' elements
};

/// Checks a dictionary by listing its elements; for small numbers.
inline std::optional<OraclePart> oracle_part(const protocol::Version& version,
                                             const protocol::DimData& dim, std::int64_t extent) {
    const bool old = version.minor == 9;
    OraclePart part;
    if (!old && dim.empty()) {
        part.type = "b";
        part.size = part.stop = extent;
        for (std::int64_t g = 0; g < extent; ++g) part.owned.push_back(g);
        return part;
    }
    if (!dim.dist_type || !dim.size || *dim.size < 0) return {};
    part.type = *dim.dist_type;
    part.size = *dim.size;
    part.periodic = dim.periodic.value_or(false);
    const bool undistributed = old && part.type == "n";
    if (undistributed) {
        part.type = "b";
        part.stop = part.size;
        if (dim.proc_grid_size.value_or(1) != 1 || dim.proc_grid_rank.value_or(0) != 0 ||
            dim.start.value_or(0) != 0 || dim.stop.value_or(part.size) != part.size)
            return {};
    } else {
        if (!dim.proc_grid_size || !dim.proc_grid_rank) return {};
        part.grid_size = *dim.proc_grid_size;
        part.rank = *dim.proc_grid_rank;
        if (part.grid_size < 1 || part.rank < 0 || part.rank >= part.grid_size) return {};
    }
    const bool first = part.rank == 0;
    const bool last = part.rank == part.grid_size - 1;

    if (part.type == "b") {
        if (!undistributed) {
            if (!dim.start || !dim.stop) return {};
            part.start = *dim.start;
            part.stop = *dim.stop;
        }
        part.has_padding = dim.padding.has_value();
        if (dim.padding && dim.padding->length != 2) return {};
        if (dim.padding) part.low = dim.padding->low;
        if (dim.padding) part.high = dim.padding->high;
        if (part.low < 0 || part.high < 0) return {};
        if (part.start < 0 || part.stop < part.start || part.stop > part.size) return {};
        if ((first && part.start != 0) || (last && part.stop != part.size)) return {};
        const bool wraps = old && part.periodic;
        const bool low_is_copy = !first || wraps;
        const bool high_is_copy = !last || wraps;
        std::vector<std::int64_t> cells;
        if (old) {
            for (std::int64_t g = part.start; g < part.stop; ++g) part.owned.push_back(g);
            const auto owned_count = static_cast<std::int64_t>(part.owned.size());
            if ((low_is_copy ? 0 : part.low) + (high_is_copy ? 0 : part.high) > owned_count)
                return {};
            if (owned_count + (low_is_copy ? part.low : 0) + (high_is_copy ? part.high : 0) !=
                extent)
                return {};
        } else {
            for (std::int64_t g = part.start; g < part.stop; ++g) cells.push_back(g);
            const auto count = static_cast<std::int64_t>(cells.size());
            if (count != extent || part.low + part.high > count) return {};
            const auto left = low_is_copy ? part.low : 0;
            const auto right = high_is_copy ? part.high : 0;
            part.left.assign(cells.begin(), cells.begin() + left);
            part.owned.assign(cells.begin() + left, cells.end() - right);
            part.right.assign(cells.end() - right, cells.end());
        }
        return part;
    }
    if (dim.padding && (dim.padding->length != 2 || dim.padding->low || dim.padding->high))
        return {};
    if (!old && part.periodic) return {};
    if (part.type == "c") {
        part.block_size = dim.block_size.value_or(1);
        if (!dim.start || part.block_size < 1) return {};
        part.start = *dim.start;
        for (std::int64_t g = 0; g < part.size; ++g)
            if (g / part.block_size % part.grid_size == part.rank) part.owned.push_back(g);
        const bool clamped = part.owned.empty() && part.start == part.size;
        if (part.start != part.rank * part.block_size && !clamped) return {};
    } else if (part.type == "u") {
        if (!dim.indices) return {};
        part.owned = *dim.indices;
        part.one_to_one = dim.one_to_one.value_or(false);
        const std::set<std::int64_t> distinct(part.owned.begin(), part.owned.end());
        if (distinct.size() != part.owned.size()) return {};
    } else {
        return {};
    }
    if (static_cast<std::int64_t>(part.owned.size()) != extent) return {};
    return part;
}

/// Whether the parts of one axis, ordered by grid rank, together form the axis.
inline bool oracle_axis(const protocol::Version& version, const std::vector<OraclePart>& row) {
    std::vector<std::int64_t> all;
    for (const OraclePart& part : row) all.insert(all.end(), part.owned.begin(), part.owned.end());
    const std::int64_t size = row.front().size;
    if (row.front().type == "u") {
        const std::set<std::int64_t> distinct(all.begin(), all.end());
        if (row.front().one_to_one && distinct.size() != all.size()) return false;
        return static_cast<std::int64_t>(distinct.size()) <= size &&
               size <= static_cast<std::int64_t>(all.size());
    }
    if (row.front().type == "c") return true;
    if (static_cast<std::int64_t>(all.size()) != size) return false;
    for (std::int64_t g = 0; g < size; ++g)
        if (all[static_cast<std::size_t>(g)] != g) return false;
    if (version.minor == 9) return true;
    const auto holds = [](const OraclePart& part, const std::vector<std::int64_t>& elements) {
        return std::all_of(elements.begin(), elements.end(), [&](std::int64_t g) {
            return std::find(part.owned.begin(), part.owned.end(), g) != part.owned.end();
        });
    };
    for (std::size_t r = 0; r + 1 < row.size(); ++r)
        if (row[r].high != row[r + 1].low || !holds(row[r + 1], row[r].right) ||
            !holds(row[r], row[r + 1].left))
            return false;
    return true;
}

/// An independent implementation of check_all() for arrays of small numbers. Lists every element:
/// each is owned as often as it should be, and the neighbour owns each padding element.
inline bool oracle_accepts(const protocol::Version& version,
                           const std::vector<protocol::SectionDescription>& sections) {
    const std::size_t rank = sections.front().dim_data.size();
    std::vector<std::vector<OraclePart>> parts;
    for (const auto& section : sections) {
        if (section.dim_data.size() != rank || section.extents.size() != rank) return false;
        parts.emplace_back();
        for (std::size_t d = 0; d < rank; ++d) {
            auto part = oracle_part(version, section.dim_data[d], section.extents[d]);
            if (!part) return false;
            parts.back().push_back(std::move(*part));
        }
    }
    std::int64_t product = 1;
    for (std::size_t d = 0; d < rank; ++d) {
        const OraclePart& one = parts[0][d];
        for (const auto& process : parts) {
            const OraclePart& part = process[d];
            if (part.type != one.type || part.size != one.size || part.grid_size != one.grid_size ||
                part.periodic != one.periodic || part.block_size != one.block_size ||
                part.one_to_one != one.one_to_one)
                return false;
            if (version.minor == 9 && part.has_padding != one.has_padding) return false;
        }
        product *= one.grid_size;
    }
    if (product != static_cast<std::int64_t>(sections.size())) return false;

    for (std::size_t p = 0; p < parts.size(); ++p) {
        std::int64_t number = 0;
        for (const OraclePart& part : parts[p]) number = number * part.grid_size + part.rank;
        if (number != static_cast<std::int64_t>(p)) return false;
    }
    for (std::size_t d = 0; d < rank; ++d) {
        std::vector<OraclePart> row(static_cast<std::size_t>(parts[0][d].grid_size));
        for (auto process = parts.rbegin(); process != parts.rend(); ++process)
            row[static_cast<std::size_t>((*process)[d].rank)] = (*process)[d];
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const OraclePart& part = parts[p][d];
            const OraclePart& same = row[static_cast<std::size_t>(part.rank)];
            const bool wraps = version.minor == 9 && part.periodic;
            const bool low_shared = part.rank > 0 || wraps;
            const bool high_shared = part.rank < part.grid_size - 1 || wraps;
            if (part.start != same.start || part.stop != same.stop || part.owned != same.owned ||
                (low_shared && part.low != same.low) || (high_shared && part.high != same.high))
                return false;
        }
        if (!oracle_axis(version, row)) return false;
    }
    return true;
}

} // namespace distview::testing
