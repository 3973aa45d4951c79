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

/// Elements along one axis that move between one coordinate of a process grid and one of another's.
///
/// Element j of repeat i, 0 <= j < length and 0 <= i < repeats, is at position
/// `mine + j * my_step + i * my_period` of this section and at the same expression of `theirs` in the
/// other one. Positions count all padding, as LocalIndex does; steps may be negative.
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

/// Goes on to the next choice of an element of each of some lists of count(d), the last list's fastest; false behind the
/// last one.
template <class Choice, class Count>
bool next_choice(Choice& choice, std::size_t lists, const Count& count) {
    for (std::size_t d = lists; d-- > 0; choice[d] = 0)
        if (++choice[d] < count(d)) return true;
    return false;
}

/// Runs of an axis of which layouts say one process's labels only, after all processes have been asked.
struct FoundAxis {
    /// Runs from the lowest process that holds each element of the source, from the second, and so on.
    using RunsByCopy = std::vector<std::vector<AxisRun>>;

    int to_coordinate = -1; ///< -1: it is no process of the target's grid
    RunsByCopy to{};
    int from_coordinate = -1;
    RunsByCopy from{};
    std::int64_t count = 0;     ///< elements of the target that the source has, each counted once
    std::int64_t delivered = 0; ///< elements that all coordinates of the target receive
    int most_copies = 1;        ///< processes of the source that hold one of them
    bool in_place = false;      ///< whether, on all processes, these are where they are sent from
};

/// Text of a LayoutError about indices of a target that the source does not have.
std::string missing_indices_text(const std::string& where, int source_axis, std::int64_t count,
                                 std::int64_t lowest);

/// The same for whole layouts; what is not set follows from the layouts.
struct FoundRuns {
    std::array<std::shared_ptr<const FoundAxis>, max_rank> axes{};
    std::optional<bool> are_alike{}; ///< whether the layouts are along the other axes
    std::optional<std::int64_t> wire_elements{};
};

} // namespace distview::impl
