// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/sorted_parts.hpp>

#include <distview/comm/collectives.hpp>

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

std::vector<std::int64_t> gather_cuts(const Communicator& comm,
                                      const std::vector<std::int64_t>& cuts) {
    std::vector<std::int64_t> all(cuts.size() * static_cast<std::size_t>(comm.size()));
    if (!cuts.empty()) all_gather(comm, cuts.data(), all.data(), cuts.size() * sizeof(cuts[0]));
    return all;
}

SortedParts::SortedParts(const ArrayLayout& blocks, int process,
                         std::span<const std::int64_t> all_cuts) {
    const BlockLayout& axis = blocks.axis(0).as_block();
    const auto me = static_cast<std::size_t>(process);
    const auto n_cuts = static_cast<std::size_t>(blocks.process_count() - 1);
    for (std::size_t r = 0; r <= n_cuts; ++r) {
        const GlobalRange from = axis.interior(static_cast<int>(r));
        const auto cuts = all_cuts.subspan(r * n_cuts, n_cuts);
        const std::int64_t begin = me == 0 ? 0 : cuts[me - 1];
        const std::int64_t end = me == n_cuts ? from.size() : cuts[me];
        m_begins.push_back(m_list.size());
        m_list.add_box({{from.begin.value() + begin, from.begin.value() + end}});
    }
}

} // namespace distview::impl
