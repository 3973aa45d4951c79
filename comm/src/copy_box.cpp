// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/copy_box.hpp>

#include <algorithm>

namespace distview::impl {

namespace {

/// Bytes that one piece should copy at most: enough to outweigh handing it to a thread, small
/// enough that a few neighbours' regions keep several threads busy.
constexpr std::int64_t piece_bytes = 16384;

/// Outermost first: by the larger of the two strides, so that the inner loop is dense on one side
/// at least.
void order_axes(CopyBox& box) {
    std::stable_sort(box.axes, box.axes + box.rank,
                     [](const CopyBox::Axis& a, const CopyBox::Axis& b) {
                         return std::max(a.source_stride, a.destination_stride) >
                                std::max(b.source_stride, b.destination_stride);
                     });
}

void merge_axes(CopyBox& box) {
    const auto drop = [&](int d) {
        std::copy(box.axes + d + 1, box.axes + box.rank, box.axes + d);
        --box.rank;
    };
    for (int d = box.rank - 1; d >= 0; --d)
        if (box.axes[d].count == 1) drop(d);
    for (int d = box.rank - 2; d >= 0; --d) {
        CopyBox::Axis& outer = box.axes[d];
        const CopyBox::Axis& inner = box.axes[d + 1];
        if (outer.source_stride != inner.count * inner.source_stride ||
            outer.destination_stride != inner.count * inner.destination_stride)
            continue;
        outer = {outer.count * inner.count, inner.source_stride, inner.destination_stride};
        drop(d + 1);
    }
    if (box.rank == 0) return;
    const CopyBox::Axis& innermost = box.axes[box.rank - 1];
    if (innermost.source_stride == box.element_size &&
        innermost.destination_stride == box.element_size) {
        box.element_size *= innermost.count;
        --box.rank;
    }
}

} // namespace

void append_copy(std::vector<CopyBox>& boxes, CopyBox box) {
    std::int64_t bytes = box.element_size;
    for (int d = 0; d < box.rank; ++d) bytes *= box.axes[d].count;
    if (bytes == 0) return;
    order_axes(box);
    merge_axes(box);

    if (box.rank == 0) {
        for (std::int64_t at = 0; at < bytes; at += piece_bytes) {
            CopyBox piece = box;
            piece.source += at;
            piece.destination += at;
            piece.element_size = std::min(piece_bytes, bytes - at);
            boxes.push_back(piece);
        }
        return;
    }
    const CopyBox::Axis outer = box.axes[0];
    const std::int64_t step = std::max<std::int64_t>(1, piece_bytes / (bytes / outer.count));
    for (std::int64_t at = 0; at < outer.count; at += step) {
        CopyBox piece = box;
        piece.source += at * outer.source_stride;
        piece.destination += at * outer.destination_stride;
        piece.axes[0].count = std::min(step, outer.count - at);
        boxes.push_back(piece);
    }
}

} // namespace distview::impl
