// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <cstdlib>
#include <limits>

namespace distview::impl {

namespace {

/// Distance between elements; a loop with tables counts as far apart.
std::int64_t distance(const MoveLoop& loop, std::int64_t stride) {
    return loop.has_tables() ? std::numeric_limits<std::int64_t>::max() : std::abs(stride);
}
std::int64_t to_distance(const MoveLoop& loop) { return distance(loop, loop.to_stride); }
std::int64_t from_distance(const MoveLoop& loop) { return distance(loop, loop.from_stride); }

} // namespace

void MoveNest::add(MoveLoop loop) {
    if (loop.count == 0) m_empty = true;
    if (loop.count <= 1) {
        if (loop.count == 1) {
            m_from += loop.from(0);
            m_to += loop.to(0);
        }
        return;
    }
    if (!loop.has_tables() &&
        loop.to_stride < 0) { // so that the target's memory is written upwards
        m_from += (loop.count - 1) * loop.from_stride;
        m_to += (loop.count - 1) * loop.to_stride;
        loop.from_stride = -loop.from_stride;
        loop.to_stride = -loop.to_stride;
    }
    m_loops[m_depth++] = loop;
}

void MoveNest::merge() {
    for (int d = m_depth - 2; d >= 0; --d) {
        MoveLoop& outer = m_loops[d];
        const MoveLoop& inner = m_loops[d + 1];
        if (outer.has_tables() || inner.has_tables() ||
            outer.from_stride != inner.count * inner.from_stride ||
            outer.to_stride != inner.count * inner.to_stride)
            continue;
        outer = {outer.count * inner.count, inner.from_stride, inner.to_stride};
        std::copy(m_loops + d + 2, m_loops + m_depth, m_loops + d + 1);
        --m_depth;
    }
}

void MoveNest::arrange(std::int64_t element_size) {
    // No stable sort, because that allocates.
    std::sort(m_loops, m_loops + m_depth,
              [](const MoveLoop& a, const MoveLoop& b) { return to_distance(a) > to_distance(b); });
    merge();
    if (m_depth > 1) {
        MoveLoop* const inner = m_loops + m_depth - 1;
        MoveLoop* const along_source =
            std::min_element(m_loops, m_loops + m_depth, [](const MoveLoop& a, const MoveLoop& b) {
                return from_distance(a) < from_distance(b);
            });
        m_transposes = from_distance(*along_source) < from_distance(*inner) &&
                       !inner->has_tables() && !along_source->has_tables();
        if (m_transposes) std::rotate(along_source, along_source + 1, inner);
    }
    while (m_depth < 2) {
        std::copy_backward(m_loops, m_loops + m_depth, m_loops + m_depth + 1);
        m_loops[0] = {};
        ++m_depth;
    }
    choose_blocks(element_size);
}

void MoveNest::choose_blocks(std::int64_t element_size) {
    const std::int64_t outer = m_loops[m_depth - 2].count;
    const std::int64_t inner = m_loops[m_depth - 1].count;
    const std::int64_t most =
        m_transposes ? tuning::transposed_edge * tuning::transposed_edge
                     : std::max<std::int64_t>(1, tuning::row_block_bytes / element_size);
    m_inner_per_block = std::min(inner, m_transposes ? tuning::transposed_edge : most);
    m_outer_per_block = std::min(outer, std::max<std::int64_t>(1, most / m_inner_per_block));
    if (m_transposes && m_outer_per_block > tuning::transposed_edge &&
        inner > tuning::transposed_edge)
        m_outer_per_block = tuning::transposed_edge;
}

std::int64_t MoveNest::elements() const noexcept {
    if (m_empty) return 0;
    std::int64_t result = 1;
    for (int d = 0; d < m_depth; ++d) result *= m_loops[d].count;
    return result;
}

std::int64_t MoveNest::block_count() const noexcept {
    if (m_empty) return 0;
    std::int64_t result = outer_blocks() * inner_blocks();
    for (int d = 0; d < m_depth - 2; ++d) result *= m_loops[d].count;
    return result;
}

} // namespace distview::impl
