// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_boxes.hpp>

#include <cstdint>
#include <cstring>

namespace distview::impl {

/// Work of run_boxes(): call i replaces each element of box i's destination by op(itself, the source's). Boxes must not
/// overlap, and stay until it has finished.
template <class T, class Op>
struct CombineBoxes {
    const CopyBox* boxes;
    Op op;

    void operator()(int i) const {
        const CopyBox::Axis row = boxes[i].innermost();
        BoxRows rows(boxes[i]);
        do {
            const char* from = rows.from();
            char* to = rows.to();
            for (std::int64_t k = 0; k < row.count; ++k) {
                T here;
                T incoming;
                std::memcpy(&here, to, sizeof(T));
                std::memcpy(&incoming, from, sizeof(T));
                here = op(here, incoming);
                std::memcpy(to, &here, sizeof(T));
                from += row.source_stride;
                to += row.destination_stride;
            }
        } while (rows.next());
    }
    std::int64_t bytes(int begin, int end) const { return CopyBoxes{boxes}.bytes(begin, end); }
};

} // namespace distview::impl
