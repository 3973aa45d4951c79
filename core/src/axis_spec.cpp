// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/array_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace distview {

AxisSpec block(std::int64_t interior_size, const BlockOptions& options) {
    return {BlockSpec{interior_size, BlockSplit::balanced, options, {}, {}}};
}

AxisSpec regular_block(std::int64_t interior_size, const BlockOptions& options) {
    return {BlockSpec{interior_size, BlockSplit::regular, options, {}, {}}};
}

AxisSpec block_bounds(std::vector<std::int64_t> bounds, const BlockOptions& options,
                      std::vector<Widths> paddings) {
    const std::int64_t interior_size = bounds.empty() ? 0 : bounds.back();
    return {BlockSpec{interior_size, BlockSplit::irregular, options, std::move(bounds),
                      std::move(paddings)}};
}

AxisSpec cyclic(std::int64_t size) { return {CyclicSpec{size, 1, false}}; }

AxisSpec block_cyclic(std::int64_t size, std::int64_t block_size) {
    return {CyclicSpec{size, block_size, false}};
}

AxisSpec unstructured(std::vector<std::vector<std::int64_t>> labels, bool one_to_one) {
    return {UnstructuredSpec{-1, one_to_one, std::move(labels), -1, false, {}}};
}

AxisSpec unstructured(std::vector<std::vector<std::int64_t>> labels,
                      const UnstructuredOptions& options) {
    return {UnstructuredSpec{-1, false, std::move(labels), -1, false, options.ghosts}};
}

AxisSpec unstructured_local(std::int64_t size, int process, std::vector<std::int64_t> labels,
                            bool one_to_one) {
    require<LayoutError>(process >= 0, [&] {
        return text("unstructured_local: expected a process >= 0, got ", process);
    });
    return {UnstructuredSpec{size, one_to_one, {std::move(labels)}, process, false, {}}};
}

AxisSpec unstructured_local(std::int64_t size, int process, std::vector<std::int64_t> labels,
                            const UnstructuredOptions& options) {
    AxisSpec result = unstructured_local(size, process, std::move(labels));
    std::get<UnstructuredSpec>(result.value).ghosts = options.ghosts;
    return result;
}

namespace {

AxisSpec spec_of(const BlockLayout& layout) {
    const int processes = layout.grid_size();
    BlockOptions options{
        .padding = {}, .boundary = layout.boundary(), .periodic = layout.periodic()};
    if (layout.split() != BlockSplit::irregular) {
        options.padding = layout.widest_padding();
        return layout.split() == BlockSplit::regular ? regular_block(layout.size(), options)
                                                     : block(layout.size(), options);
    }
    std::vector<std::int64_t> bounds{0};
    std::vector<Widths> paddings;
    for (int p = 0; p < processes; ++p) {
        bounds.push_back(layout.interior(p).end.value());
        paddings.push_back(layout.communication_padding(p));
    }
    return block_bounds(std::move(bounds), options, std::move(paddings));
}

AxisSpec spec_of(const UnstructuredLayout& layout) {
    UnstructuredSpec lists;
    const auto add = [&](int p) {
        const std::int64_t* const labels = layout.labels(p);
        lists.labels.emplace_back(labels, labels + layout.local_extent(p));
        if (layout.has_ghosts()) lists.ghosts.push_back(layout.ghosts(p));
    };
    lists.one_to_one = layout.one_to_one();
    lists.periodic = layout.periodic();
    lists.known_process = layout.known_process();
    if (lists.known_process >= 0) {
        lists.size = layout.size();
        add(lists.known_process);
    } else {
        for (int p = 0; p < layout.grid_size(); ++p) add(p);
    }
    return {std::move(lists)};
}

} // namespace

AxisSpec axis_spec(const AxisLayout& layout) {
    switch (layout.type()) {
    case DistType::cyclic:
        return {CyclicSpec{layout.size(), layout.as_cyclic().block_size(), layout.periodic()}};
    case DistType::unstructured: return spec_of(layout.as_unstructured());
    case DistType::block: break;
    }
    return spec_of(layout.as_block());
}

ArrayLayout permute_axes(const ArrayLayout& layout, const std::vector<int>& permutation) {
    std::vector<int> sorted = permutation;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> all(static_cast<std::size_t>(layout.rank()));
    std::iota(all.begin(), all.end(), 0);
    require<LayoutError>(sorted == all, [&] {
        return text("permute_axes: expected a permutation of ", layout.rank(), " axes, got ",
                    tuple_text(permutation));
    });
    std::vector<int> grid;
    std::vector<AxisSpec> axes;
    for (const int axis : permutation) {
        grid.push_back(layout.grid().extent(axis));
        axes.push_back(axis_spec(layout.axis(axis)));
    }
    return ArrayLayout(ProcessGrid(grid), axes);
}

} // namespace distview
