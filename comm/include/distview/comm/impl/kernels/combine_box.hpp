// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_boxes.hpp>

#include <cstdint>
#include <cstring>
#include <string>

namespace distview::impl {

/// Replaces every element of a box's destination by op(itself, the source's), in the calling thread.
template <class T, class Op>
void combine(const CopyBox& box, const Op& op) {
    const auto combine_element = [&op](const char* from, char* to) {
        T here;
        T incoming;
        std::memcpy(&here, to, sizeof(T));
        std::memcpy(&incoming, from, sizeof(T));
        here = op(here, incoming);
        std::memcpy(to, &here, sizeof(T));
    };
    if (box.rank == 0) return combine_element(box.source, box.destination);
    const CopyBox::Axis row = box.axes[box.rank - 1];
    for_each_row(box, [&](const char* from, char* to) {
        for (std::int64_t i = 0; i < row.count; ++i)
            combine_element(from + i * row.source_stride, to + i * row.destination_stride);
    });
}

/// Combines boxes[begin, end), which must not overlap, in one kernel on `exec`; see copy_boxes().
template <class T, ExecutionSpace Exec, class Op>
void combine_boxes(const Exec& exec, const std::string& label, const CopyBox* boxes, int begin,
                   int end, const Op& op) {
    run_boxes(
        exec, label, begin, end, [boxes, op](int i) { combine<T>(boxes[i], op); },
        [=] { return touched_bytes(boxes, begin, end); });
}

} // namespace distview::impl
