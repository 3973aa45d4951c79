// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include <concepts>
#include <cstdint>

namespace distview {

/// Numbers of padding elements on the low and on the high side of a section along one axis.
///
/// Communication padding holds copies of elements that a neighbouring process owns. Boundary padding lies
/// at the two ends of the whole array. It holds separate elements, which an exchange writes only if the
/// axis is periodic. docs/index_spaces.md draws both.
///
/// Units: elements
struct Widths {
    std::int64_t low = 0;
    std::int64_t high = 0;

    constexpr Widths() noexcept = default;
    /// The same width on both sides.
    template <std::integral Integer>
    KOKKOS_FUNCTION constexpr Widths(Integer both) noexcept
        : low(static_cast<std::int64_t>(both)), high(static_cast<std::int64_t>(both)) {}
    KOKKOS_FUNCTION constexpr Widths(std::int64_t low_width, std::int64_t high_width) noexcept
        : low(low_width), high(high_width) {}

    KOKKOS_FUNCTION friend constexpr bool operator==(Widths a, Widths b) noexcept {
        return a.low == b.low && a.high == b.high;
    }
};

} // namespace distview
