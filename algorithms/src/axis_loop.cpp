// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/axis_loop.hpp>

#include <utility>
#include <vector>

namespace distview::impl {

AxisLoop::AxisLoop(std::span<const LoopAxis> axes, bool by_target) {
    std::vector<LoopAxis> longer;
    for (const LoopAxis& axis : axes)
        if (axis.extent != 1) longer.push_back(axis);
    const auto distance = [by_target](const LoopAxis& axis) {
        return by_target ? axis.stride.target : axis.stride.source;
    };
    // Stable, and the last axis first: of equal distances that which is the closest in the buffer.
    std::reverse(longer.begin(), longer.end());
    std::stable_sort(longer.begin(), longer.end(), [&](const LoopAxis& a, const LoopAxis& b) {
        return distance(a) < distance(b);
    });
    std::copy(longer.begin(), longer.end(), m_axes);
    m_rank = std::max(static_cast<int>(longer.size()), 1);
    for (int k = 1; k < m_rank; ++k) m_rows *= m_axes[k].extent;
    // No cells at all: nothing is divided by an extent of 0 then.
    if (row() == 0) m_rows = 0;
}

AxisLoop make_loop(int rank, int axis, const Extents& extents, const Extents& source,
                   const Extents& target, bool by_target) {
    std::vector<LoopAxis> axes;
    std::int64_t in_buffer = 1;
    for (int d = rank - 1; d >= 0; --d) {
        const auto i = static_cast<std::size_t>(d);
        if (d == axis) continue;
        axes.push_back({extents[i], {source[i], target[i], in_buffer}});
        in_buffer *= extents[i];
    }
    std::reverse(axes.begin(), axes.end());
    return {axes, by_target};
}

} // namespace distview::impl
