// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/padding.hpp>
#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace distview {

/// How deep the padding of sections holds what the owners of its elements have.
///
/// Counted along each axis from the elements that no exchange writes: those that the process owns; on a periodic axis,
/// the interior. The same on all processes, which therefore use padding up in the same step: a process at a wall, where
/// it has none to fill, counts that side as the others do.
///
/// Units: elements, at most 65535
class ValidPadding {
public:
    /// None is.
    constexpr ValidPadding() noexcept = default;

    constexpr Widths depth(int axis) const noexcept {
        const auto at = 2 * static_cast<std::size_t>(axis);
        return {m_depths[at], m_depths[at + 1]};
    }
    constexpr void set_depth(int axis, Widths depth) noexcept {
        const auto at = 2 * static_cast<std::size_t>(axis);
        m_depths[at] = shortened(depth.low);
        m_depths[at + 1] = shortened(depth.high);
    }
    /// Whether that is true of positions that are in the padding of several axes at once, too.
    constexpr bool has_corners() const noexcept { return m_has_corners; }
    constexpr void set_corners(bool has_corners) noexcept { m_has_corners = has_corners; }

    /// Whether all that `other` says is valid is valid here.
    constexpr bool reaches(const ValidPadding& other) const noexcept {
        for (std::size_t i = 0; i < m_depths.size(); ++i)
            if (m_depths[i] < other.m_depths[i]) return false;
        return m_has_corners || !other.m_has_corners;
    }

    /// On low sides, and on high sides, along the axis where it is deepest.
    constexpr Widths deepest() const noexcept {
        Widths result;
        for (int axis = 0; axis < max_rank; ++axis)
            result = {std::max(result.low, depth(axis).low),
                      std::max(result.high, depth(axis).high)};
        return result;
    }
    /// The same, nowhere deeper than `most`.
    constexpr ValidPadding limited_to(Widths most) const noexcept {
        ValidPadding result = *this;
        for (int axis = 0; axis < max_rank; ++axis)
            result.set_depth(
                axis, {std::min(depth(axis).low, most.low), std::min(depth(axis).high, most.high)});
        return result;
    }

    friend constexpr bool operator==(const ValidPadding&, const ValidPadding&) noexcept = default;

private:
    /// Short: every exchange notes what it has filled.
    using Depth = std::uint16_t;
    static constexpr Depth shortened(std::int64_t depth) noexcept {
        constexpr std::int64_t most = std::numeric_limits<Depth>::max();
        return static_cast<Depth>(std::clamp(depth, std::int64_t{0}, most));
    }

    std::array<Depth, 2 * max_rank> m_depths{}; ///< low and high side of axis 0, of axis 1, ...
    bool m_has_corners = false;
};

} // namespace distview
