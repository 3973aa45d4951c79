// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/copy_box.hpp>

#include <cstddef>
#include <functional>

namespace distview::impl {

namespace {

/// Sorts axes by the larger of the two strides, outermost first, so that the inner loop is
/// dense on at least one side.
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
}

/// Turns a contiguous innermost axis into one element.
void merge_elements(CopyBox& box) {
    if (box.rank == 0) return;
    const CopyBox::Axis& innermost = box.axes[box.rank - 1];
    if (innermost.source_stride == box.element_size &&
        innermost.destination_stride == box.element_size) {
        box.element_size *= innermost.count;
        --box.rank;
    }
}

bool is_empty(const CopyBox& box) {
    return std::any_of(box.axes, box.axes + box.rank,
                       [](const CopyBox::Axis& axis) { return axis.count == 0; });
}

/// Brings a box into its fastest form; false if the box is empty.
bool arrange_elements(CopyBox& box) {
    if (is_empty(box)) return false;
    order_axes(box);
    merge_axes(box);
    return true;
}
/// The same for elements that are moved as bytes.
bool arrange_bytes(CopyBox& box) {
    if (!arrange_elements(box)) return false;
    merge_elements(box);
    return true;
}

/// Makes `other` a lane of `box` if both have the same shape.
bool join(CopyBox& box, const CopyBox& other) {
    if (box.rank == 0 || box.rank != other.rank || box.lane_count == CopyBox::most_lanes)
        return false;
    for (int d = 0; d < box.rank; ++d)
        if (box.axes[d].count != other.axes[d].count ||
            box.axes[d].source_stride != other.axes[d].source_stride ||
            box.axes[d].destination_stride != other.axes[d].destination_stride)
            return false;
    box.lanes[box.lane_count++] = {other.source - box.source, other.destination - box.destination,
                                   other.element_size};
    return true;
}

/// Appends pieces, cut along the outermost axis.
void append_pieces(std::vector<CopyBox>& boxes, const CopyBox& box) {
    const CopyBox::Axis outer = box.axes[0];
    const std::int64_t step =
        std::max<std::int64_t>(1, tuning::box_piece_bytes / (touched_bytes(box) / outer.count));
    for (std::int64_t at = 0; at < outer.count; at += step) {
        CopyBox piece = box;
        piece.source += at * outer.source_stride;
        piece.destination += at * outer.destination_stride;
        piece.axes[0].count = std::min(step, outer.count - at);
        boxes.push_back(piece);
    }
}

/// Appends pieces of one run of bytes.
void append_run(std::vector<CopyBox>& boxes, const CopyBox& run) {
    for (std::int64_t at = 0; at < run.element_size; at += tuning::box_piece_bytes) {
        CopyBox piece = run;
        piece.source += at;
        piece.destination += at;
        piece.element_size = std::min(tuning::box_piece_bytes, run.element_size - at);
        boxes.push_back(piece);
    }
}

} // namespace

void append_copies(std::vector<CopyBox>& boxes, std::vector<CopyBox> copies, bool whole) {
    if (whole) {
        for (CopyBox& box : copies)
            if (arrange_bytes(box)) boxes.push_back(box);
        return;
    }
    std::vector<CopyBox> joined;
    for (CopyBox& box : copies)
        if (arrange_bytes(box) && std::none_of(joined.begin(), joined.end(), [&](CopyBox& earlier) {
                return join(earlier, box);
            }))
            joined.push_back(box);
    const auto first = static_cast<std::ptrdiff_t>(boxes.size());
    for (const CopyBox& box : joined)
        if (box.rank > 0)
            append_pieces(boxes, box);
        else
            append_run(boxes, box);
    // Sorts pieces so that neighbours in memory follow each other.
    std::stable_sort(boxes.begin() + first, boxes.end(), [](const CopyBox& a, const CopyBox& b) {
        return std::less<>()(a.destination, b.destination);
    });
}

void append_combination(std::vector<CopyBox>& boxes, CopyBox box, bool whole) {
    if (!arrange_elements(box)) return;
    if (box.rank > 0 && !whole)
        append_pieces(boxes, box);
    else
        boxes.push_back(box);
}

} // namespace distview::impl
