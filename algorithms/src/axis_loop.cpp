// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/axis_loop.hpp>

namespace distview::impl {

AxisLoop::AxisLoop(int rank, int axis, const Extents& extents, const Extents& source,
                   const Extents& target, bool by_target) {
    const auto closer = [by_target](const LoopAxis& a, const LoopAxis& b) {
        return by_target ? a.stride.target < b.stride.target : a.stride.source < b.stride.source;
    };
    LoopAxis* end = m_axes;
    std::int64_t in_buffer = 1;
    for (int d = rank - 1; d >= 0; --d) {
        const auto i = static_cast<std::size_t>(d);
        if (d == axis) continue;
        const LoopAxis next{extents[i], {source[i], target[i], in_buffer}};
        in_buffer *= extents[i];
        if (extents[i] == 1) continue;
        // From the last axis on: of axes with equal distances, the one that is closest in the buffer comes first.
        LoopAxis* const place = std::upper_bound(m_axes, end, next, closer);
        std::move_backward(place, end, end + 1);
        *place = next;
        ++end;
    }
    m_rank = std::max(static_cast<int>(end - m_axes), 1);
    for (int k = 1; k < m_rank; ++k) m_rows *= m_axes[k].extent;
    // Without cells no row is left, and nothing is divided by an extent of 0.
    if (row() == 0) m_rows = 0;
}

} // namespace distview::impl
