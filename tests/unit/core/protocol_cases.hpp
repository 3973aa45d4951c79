// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/protocol/violation.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

using protocol::DimData;
using protocol::PaddingValue;
using protocol::SectionDescription;
using protocol::v0_10_0;
using protocol::v0_9_0;

inline const protocol::Version both_versions[] = {v0_10_0, v0_9_0};

using MaybePadding = std::optional<PaddingValue>;

/// {'dist_type': 'b', 'size': ..., 'proc_grid_size': P, 'proc_grid_rank': r, 'start', 'stop', ...}
inline DimData block_dim(std::int64_t size, std::int64_t grid_size, std::int64_t grid_rank,
                         std::int64_t start, std::int64_t stop, MaybePadding padding = {},
                         std::optional<bool> periodic = {}) {
    return {.dist_type = "b",
            .size = size,
            .proc_grid_size = grid_size,
            .proc_grid_rank = grid_rank,
            .start = start,
            .stop = stop,
            .padding = padding,
            .periodic = periodic};
}

inline DimData cyclic_dim(std::int64_t size, std::int64_t grid_size, std::int64_t grid_rank,
                          std::int64_t start, std::optional<std::int64_t> block_size = {}) {
    return {.dist_type = "c",
            .size = size,
            .proc_grid_size = grid_size,
            .proc_grid_rank = grid_rank,
            .start = start,
            .block_size = block_size};
}

inline DimData unstructured_dim(std::int64_t size, std::int64_t grid_size, std::int64_t grid_rank,
                                std::vector<std::int64_t> indices,
                                std::optional<bool> one_to_one = {}) {
    return {.dist_type = "u",
            .size = size,
            .proc_grid_size = grid_size,
            .proc_grid_rank = grid_rank,
            .indices = std::move(indices),
            .one_to_one = one_to_one};
}

/// {'dist_type': 'n', 'size': ...}, 0.9 only.
inline DimData undistributed_dim(std::int64_t size) { return {.dist_type = "n", .size = size}; }

/// One process's section of an array with one axis.
inline SectionDescription section(const DimData& dim, std::int64_t extent) {
    return {{dim}, {extent}};
}

/// An array with one axis: the dictionary and the extent of each process.
inline std::vector<SectionDescription>
sections(std::initializer_list<std::pair<DimData, std::int64_t>> processes) {
    std::vector<SectionDescription> result;
    for (const auto& [dim, extent] : processes) result.push_back(section(dim, extent));
    return result;
}

/// An array whose axes are described by grid rank, on the processes of the grid in C order.
inline std::vector<SectionDescription>
product(const std::vector<std::vector<SectionDescription>>& axes) {
    std::vector<SectionDescription> result(1);
    for (const auto& axis : axes) {
        std::vector<SectionDescription> longer;
        for (const SectionDescription& prefix : result)
            for (const SectionDescription& end : axis) {
                longer.push_back(prefix);
                longer.back().dim_data.push_back(end.dim_data.front());
                longer.back().extents.push_back(end.extents.front());
            }
        result = std::move(longer);
    }
    return result;
}

/// "code at axis 0, key 'size', process 1" for short failure messages; "conforms" without a violation.
inline std::string summary(const protocol::Verdict& verdict) {
    if (!verdict) return "conforms";
    return verdict->code + " at axis " + std::to_string(verdict->axis) + ", key '" + verdict->key +
           "', process " + std::to_string(verdict->process);
}

/// The reason code; "conforms" without a violation.
inline std::string code_of(const protocol::Verdict& verdict) {
    return verdict ? verdict->code : "conforms";
}

inline void expect_conforms(const protocol::Verdict& verdict) {
    EXPECT_EQ(summary(verdict), "conforms") << (verdict ? verdict->message : "");
}

/// Expects this violation with this message, without its prefix "DAP import, process <process>: ".
inline void expect_violation(const protocol::Verdict& verdict, std::string_view code, int axis,
                             const std::string& key, int process, const std::string& message) {
    ASSERT_TRUE(verdict.has_value()) << "conforms, expected " << code;
    EXPECT_EQ(verdict->code, code) << verdict->message;
    EXPECT_EQ(verdict->axis, axis);
    EXPECT_EQ(verdict->key, key);
    EXPECT_EQ(verdict->process, process);
    EXPECT_EQ(verdict->message, "DAP import, process " + std::to_string(process) + ": " + message);
}

} // namespace distview::testing
