// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/assert.hpp>
#include <distview/core/padding.hpp>
#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace distview {

/// The depth to which the padding of sections holds the same values as the owners' elements.
///
/// Depth counts along each axis from the elements that no exchange writes: the owned elements; on a periodic axis, the
/// interior. It is the same on all processes, so they all use up padding in the same step: a process at a wall has no
/// padding to fill there, but counts that side as the others do.
///
/// Units: elements, at most 65535
class ValidPadding {
public:
    /// No padding is valid.
    constexpr ValidPadding() noexcept = default;

    constexpr Widths depth(int axis) const noexcept {
        DISTVIEW_ASSERT(axis >= 0 && axis < max_rank);
        const auto at = 2 * static_cast<std::size_t>(axis);
        return {m_depths[at], m_depths[at + 1]};
    }
    constexpr void set_depth(int axis, Widths depth) noexcept {
        DISTVIEW_ASSERT(axis >= 0 && axis < max_rank);
        const auto at = 2 * static_cast<std::size_t>(axis);
        m_depths[at] = shortened(depth.low);
        m_depths[at + 1] = shortened(depth.high);
    }
    /// Whether the depths also hold in corners: positions in the padding of several axes at once.
    constexpr bool has_corners() const noexcept { return m_has_corners; }
    constexpr void set_corners(bool has_corners) noexcept { m_has_corners = has_corners; }

    /// Whether all padding that is valid according to `other` is also valid according to this object.
    constexpr bool reaches(const ValidPadding& other) const noexcept {
        for (std::size_t i = 0; i < m_depths.size(); ++i)
            if (m_depths[i] < other.m_depths[i]) return false;
        return m_has_corners || !other.m_has_corners;
    }

    /// The greatest depth of all axes, for low sides and for high sides.
    constexpr Widths deepest() const noexcept {
        Widths result;
        for (int axis = 0; axis < max_rank; ++axis)
            result = {std::max(result.low, depth(axis).low),
                      std::max(result.high, depth(axis).high)};
        return result;
    }
    /// The same with all depths limited to `most`.
    constexpr ValidPadding limited_to(Widths most) const noexcept {
        ValidPadding result = *this;
        for (int axis = 0; axis < max_rank; ++axis)
            result.set_depth(
                axis, {std::min(depth(axis).low, most.low), std::min(depth(axis).high, most.high)});
        return result;
    }

    friend constexpr bool operator==(const ValidPadding&, const ValidPadding&) noexcept = default;

private:
    /// A short type, because every exchange stores the depths.
    using Depth = std::uint16_t;
    static constexpr Depth shortened(std::int64_t depth) noexcept {
        constexpr std::int64_t most = std::numeric_limits<Depth>::max();
        return static_cast<Depth>(std::clamp(depth, std::int64_t{0}, most));
    }

    std::array<Depth, 2 * max_rank> m_depths{}; ///< low and high side of axis 0, of axis 1, ...
    bool m_has_corners = false;
};

} // namespace distview
