// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace distview::impl {

/// Elements along one axis that move between one coordinate of a process grid and one of another's.
///
/// Element j of repeat i, 0 <= j < length and 0 <= i < repeats, is at position
/// `mine + j * my_step + i * my_period` of this section and at the same expression of `theirs` in the
/// other one. Positions count all padding, as LocalIndex does; steps may be negative.
///
/// Collective: no (local)
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

} // namespace distview::impl
