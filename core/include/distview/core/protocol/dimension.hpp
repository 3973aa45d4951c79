// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/axis_layout.hpp>
#include <distview/core/padding.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace distview::protocol {

/// A completed dimension dictionary: aliases expanded, defaults filled in, with its process and axis.
///
/// `{}` (0.10) and dist_type 'n' (0.9) become a block on one process. The numbers keep the meaning that
/// the version gives them: the two versions define the bounds of a padded block differently,
///
///                                0.10                      0.9
///     start, stop enclose        all padding               boundary padding only
///     edge padding, periodic     counted in size           communication padding, not counted
///     elements of the buffer     stop - start              stop - start + communication padding
///
/// and the functions below hide the difference. A Dimension reads the index list of the DimData from which
/// it was made, so it must not outlive that DimData.
struct Dimension {
    Version version{};
    int process = -1;
    int axis = 0;
    /// Extent of the buffer along the axis.
    std::int64_t extent = 0;

    DistType type = DistType::block;
    std::int64_t size = 0;
    std::int64_t grid_size = 1;
    std::int64_t grid_rank = 0;
    std::int64_t start = 0;
    std::int64_t stop = 0;
    Widths padding{};
    /// Whether the key 'padding' is present (0.9 requires it on all processes or on none).
    bool padding_given = false;
    bool periodic = false;
    std::int64_t block_size = 1;
    bool one_to_one = false;
    std::span<const std::int64_t> indices{};

    /// Whether the padding at the two ends of the axis counts towards size.
    constexpr bool edges_counted() const noexcept { return version.is_0_10() || !periodic; }
    /// The padding beside neighbouring grid ranks, 0 at the two ends of the axis.
    constexpr Widths communication() const noexcept {
        return {grid_rank > 0 ? padding.low : 0, grid_rank < grid_size - 1 ? padding.high : 0};
    }
    /// The padding at the two ends of the axis, 0 elsewhere.
    constexpr Widths edges() const noexcept {
        return {grid_rank == 0 ? padding.low : 0, grid_rank == grid_size - 1 ? padding.high : 0};
    }

    /// First owned index and one past the last, in the numbering of the version (a periodic axis'
    /// edge padding is owned in 0.10 and not in 0.9). Block only; requires rules B2 and B9.
    constexpr std::int64_t owned_begin() const noexcept {
        return version.is_0_10() ? start + communication().low : start;
    }
    constexpr std::int64_t owned_end() const noexcept {
        return version.is_0_10() ? stop - communication().high : stop;
    }

    /// Number of elements of the section according to these data; empty if it exceeds 2^63-1.
    /// Requires size >= 0, a grid rank in the grid, stop >= start, block_size >= 1.
    std::optional<std::int64_t> local_count() const noexcept;
};

/// Completes a dictionary. Missing keys read as 0: check rules K1 to K6 and B7 first
/// (check_local() does both), or use complete() only on data that are known to conform.
Dimension complete(const Version& version, const DimData& dim, std::int64_t extent, int axis,
                   int process);

/// The completed dictionaries of an array's processes, each with the same number of axes.
class DimensionTable {
public:
    DimensionTable(int rank, std::vector<Dimension> dimensions)
        : m_rank(rank), m_dimensions(std::move(dimensions)) {}

    int rank() const noexcept { return m_rank; }
    const Dimension& operator()(int process, int axis) const noexcept {
        return m_dimensions[static_cast<std::size_t>(process) * static_cast<std::size_t>(m_rank) +
                            static_cast<std::size_t>(axis)];
    }
    /// Distance between the numbers of processes whose grid ranks differ by one on `axis` and not on other axes.
    int stride(int axis) const noexcept;
    /// For each grid rank of an axis, in order: the dictionary of the process whose
    /// other grid ranks are 0. Requires rules X1 to X4.
    std::vector<Dimension> row(int axis) const;

private:
    int m_rank;
    std::vector<Dimension> m_dimensions;
};

} // namespace distview::protocol
