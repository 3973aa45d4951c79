// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace distview::impl {

/// Elements along one axis that move between a coordinate of one process grid and one of another grid.
///
/// Element j of repeat i, 0 <= j < length and 0 <= i < repeats, is at position
/// `mine + j * my_step + i * my_period` of this section, and at the same expression of `theirs` in
/// the other section. Positions count all padding, as LocalIndex does; steps may be negative.
struct AxisRun {
    int peer = 0; ///< coordinate of the other section along this axis
    std::int64_t mine = 0;
    std::int64_t theirs = 0;
    std::int64_t length = 0;
    std::int64_t my_step = 1;
    std::int64_t their_step = 1;
    std::int64_t repeats = 1;
    std::int64_t my_period = 0; ///< 0 if there is one repeat
    std::int64_t their_period = 0;

    std::int64_t elements() const noexcept { return length * repeats; }
    friend bool operator==(const AxisRun&, const AxisRun&) = default;
};

inline std::int64_t count_elements(std::span<const AxisRun> runs) {
    std::int64_t sum = 0;
    for (const AxisRun& run : runs) sum += run.elements();
    return sum;
}

/// Advances to the next choice of one element from each list d of count(d) elements, the last
/// list fastest; false after the last choice.
template <class Choice, class Count>
bool next_choice(Choice& choice, std::size_t lists, const Count& count) {
    for (std::size_t d = lists; d-- > 0; choice[d] = 0)
        if (++choice[d] < count(d)) return true;
    return false;
}

/// Runs of an axis whose layouts know the labels of one process only, found by asking all processes.
struct FoundAxis {
    /// Runs from the lowest process that holds each source element, then from the second lowest, and so on.
    using RunsByCopy = std::vector<std::vector<AxisRun>>;

    int to_coordinate = -1; ///< -1: not a process of the target's grid
    RunsByCopy to{};
    int from_coordinate = -1;
    RunsByCopy from{};
    std::int64_t count = 0;     ///< elements of the target that the source has, each counted once
    std::int64_t delivered = 0; ///< elements that all coordinates of the target receive
    int most_copies = 1;        ///< most source processes that hold one element
    bool in_place = false;      ///< whether all elements stay in place, on all processes
};

/// Text of a LayoutError about indices of a target that the source lacks.
std::string missing_indices_text(const std::string& where, int source_axis, std::int64_t count,
                                 std::int64_t lowest);

/// FoundAxis for all axes of layouts; members that are not set follow from the layouts.
struct FoundRuns {
    std::array<std::shared_ptr<const FoundAxis>, max_rank> axes{};
    std::optional<bool> are_alike{}; ///< whether the layouts are alike along the other axes
    std::optional<std::int64_t> wire_elements{};
};

} // namespace distview::impl
