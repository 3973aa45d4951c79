// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/assert.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Macros.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

namespace distview {

/// Maximum number of axes of an array: the limit of Kokkos::View.
inline constexpr int max_rank = 8;

/// Coordinates of one process in a process grid; entries from the grid's rank on are 0.
using GridCoordinates = std::array<int, max_rank>;

/// A grid of processes: axis i of an array is split over extent(i) processes.
///
/// Ranks number the grid in C order, the last axis fastest, as MPI_Cart_create without reordering
/// does: in a 2 x 3 grid rank 4 has the coordinates (1, 1). A grid without axes has one process.
/// A grid is pure arithmetic: it does not depend on the processes that exist.
///
/// Collective: no (local)
/// Cost:       no allocation; O(rank) arithmetic
/// Errors:     LayoutError for extents below 1, more than max_rank axes, or more than 2^31-1
///             processes
/// Source:     Distributed Array Protocol 0.10.0, "process grid"
class ProcessGrid {
public:
    ProcessGrid() = default;
    ProcessGrid(std::initializer_list<int> extents)
        : ProcessGrid(std::span<const int>(extents.begin(), extents.size())) {}
    explicit ProcessGrid(std::span<const int> extents) {
        require<LayoutError>(extents.size() <= static_cast<std::size_t>(max_rank), [&] {
            return text("ProcessGrid: expected at most ", max_rank, " axes, got ", extents.size());
        });
        std::int64_t size = 1;
        for (const int extent : extents) {
            require<LayoutError>(extent >= 1, [&] {
                return text("ProcessGrid: expected at least 1 process along every axis, got ",
                            tuple_text(extents));
            });
            size *= extent;
            require<LayoutError>(size <= std::numeric_limits<int>::max(), [&] {
                return text("ProcessGrid: ", tuple_text(extents), " has more than ",
                            std::numeric_limits<int>::max(), " processes");
            });
            m_extents[m_rank++] = extent;
        }
        m_size = static_cast<int>(size);
    }

    /// A grid of `process_count` processes over `rank` axes, as close to a cube as possible. Extents descend; the
    /// first is as small as possible, then the second, and so on. MPI_Dims_create is meant to return the same; for 72
    /// processes some MPI libraries return 12 x 6, this function returns 9 x 8.
    static ProcessGrid balanced(int process_count, int rank);

    /// Number of axes.
    KOKKOS_FUNCTION constexpr int rank() const noexcept { return m_rank; }
    /// Number of processes.
    KOKKOS_FUNCTION constexpr int size() const noexcept { return m_size; }
    /// Number of processes along an axis, 0 <= axis < rank().
    KOKKOS_FUNCTION constexpr int extent(int axis) const noexcept {
        DISTVIEW_ASSERT(axis >= 0 && axis < m_rank);
        return m_extents[axis];
    }

    /// Coordinates of process `process`, 0 <= process < size().
    constexpr GridCoordinates coordinates(int process) const noexcept {
        DISTVIEW_ASSERT(process >= 0 && process < m_size);
        GridCoordinates result{};
        for (int axis = m_rank - 1; axis >= 0; --axis) {
            result[static_cast<std::size_t>(axis)] = process % extent(axis);
            process /= extent(axis);
        }
        return result;
    }

    /// Process with these coordinates, 0 <= coordinates[i] < extent(i).
    constexpr int process(const GridCoordinates& coordinates) const noexcept {
        int result = 0;
        for (int axis = 0; axis < m_rank; ++axis)
            result = result * extent(axis) + coordinates[static_cast<std::size_t>(axis)];
        return result;
    }

    /// "2 x 3"; "1" for a grid without axes.
    std::string describe() const;

    friend constexpr bool operator==(const ProcessGrid&, const ProcessGrid&) = default;

private:
    int m_extents[max_rank] = {}; // not std::array: read on device
    int m_rank = 0;
    int m_size = 1;
};

} // namespace distview
