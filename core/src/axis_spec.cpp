// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/array_layout.hpp>

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

AxisSpec cyclic(std::int64_t size) { return {CyclicSpec{size, 1}}; }

AxisSpec block_cyclic(std::int64_t size, std::int64_t block_size) {
    return {CyclicSpec{size, block_size}};
}

AxisSpec unstructured(std::vector<std::vector<std::int64_t>> labels, bool one_to_one) {
    return {UnstructuredSpec{-1, one_to_one, std::move(labels), -1}};
}

AxisSpec unstructured_local(std::int64_t size, int process, std::vector<std::int64_t> labels,
                            bool one_to_one) {
    require<LayoutError>(process >= 0, [&] {
        return text("unstructured_local: expected a process >= 0, got ", process);
    });
    return {UnstructuredSpec{size, one_to_one, {std::move(labels)}, process}};
}

} // namespace distview
