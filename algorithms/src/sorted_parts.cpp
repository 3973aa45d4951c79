// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/sorted_parts.hpp>

#include <cstddef>
#include <utility>

namespace distview::impl {

ArrayLayout blocks_for_sorting(const ArrayLayout& layout) {
    const AxisLayout& axis = layout.axis(0);
    if (!axis.is_block()) return {layout.grid(), {block(axis.size())}};
    std::vector<std::int64_t> bounds{0};
    for (int p = 0; p < axis.grid_size(); ++p)
        bounds.push_back(axis.as_block().interior(p).end.value());
    return {layout.grid(), {block_bounds(std::move(bounds))}};
}

std::vector<std::int64_t> inner_bounds(const ArrayLayout& blocks) {
    std::vector<std::int64_t> bounds;
    for (int p = 1; p < blocks.process_count(); ++p)
        bounds.push_back(blocks.axis(0).as_block().interior(p).begin.value());
    return bounds;
}

SortedParts::SortedParts(const ArrayLayout& blocks, int process,
                         std::span<const std::int64_t> cuts) {
    const BlockLayout& axis = blocks.axis(0).as_block();
    const int processes = blocks.process_count();
    for (int p = 0; p < processes; ++p) {
        const GlobalRange from = axis.interior(p);
        const auto at = static_cast<std::size_t>(p);
        const std::int64_t begin = process == 0 ? 0 : cuts[at];
        const std::int64_t end = process == processes - 1
                                     ? from.size()
                                     : cuts[cuts.size() - static_cast<std::size_t>(processes) + at];
        m_begins.push_back(m_list.size());
        m_list.add_box({{from.begin.value() + begin, from.begin.value() + end}});
    }
}

} // namespace distview::impl
