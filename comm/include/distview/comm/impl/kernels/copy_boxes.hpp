// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_box.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace distview::impl {

/// The rows of a box, one after the other: all indices of its outer axes.
class BoxRows {
public:
    explicit BoxRows(const CopyBox& box) : m_box(box), m_from(box.source), m_to(box.destination) {}

    const char* from() const noexcept { return m_from; }
    char* to() const noexcept { return m_to; }
    /// Advances to the next row; false if there is none.
    bool next() noexcept {
        for (int d = m_box.rank - 2; d >= 0; --d) {
            const CopyBox::Axis& axis = m_box.axes[d];
            m_from += axis.source_stride;
            m_to += axis.destination_stride;
            if (++m_index[d] < axis.count) return true;
            m_index[d] = 0;
            m_from -= axis.count * axis.source_stride;
            m_to -= axis.count * axis.destination_stride;
        }
        return false;
    }

private:
    const CopyBox& m_box;
    const char* m_from;
    char* m_to;
    std::int64_t m_index[max_rank] = {};
};

/// Copies a box of runs of `Bytes` bytes, with one lane of equally long runs (the two ends of rows) or none. Memory
/// limits the speed: the fewer instructions lie between two loads, the more loads are in flight (1.2 to 1.8 times as
/// fast: perf/results/2026-11-29-joined-boxes.md). `row` and `lane` are local copies, which no store can change.
template <std::size_t Bytes>
void copy_rows(const CopyBox& box) {
    const CopyBox::Axis row = box.innermost();
    const CopyBox::Lane lane = box.lanes[0];
    const bool has_lane = box.lane_count > 0;
    BoxRows rows(box);
    do {
        const char* from = rows.from();
        char* to = rows.to();
        for (std::int64_t i = 0; i < row.count; ++i) {
            std::memcpy(to, from, Bytes);
            if (has_lane) std::memcpy(to + lane.destination, from + lane.source, Bytes);
            from += row.source_stride;
            to += row.destination_stride;
        }
    } while (rows.next());
}

/// Work of run_boxes(): call i copies box i. Boxes must stay until the work has finished.
struct CopyBoxes {
    const CopyBox* boxes;

    void operator()(int i) const {
        const CopyBox& box = boxes[i];
        const std::int64_t bytes = box.element_size;
        if (box.lane_count == 0 || (box.lane_count == 1 && box.lanes[0].bytes == bytes)) {
            switch (bytes) { // one to four elements of 4 or 8 bytes
            case 4: return copy_rows<4>(box);
            case 8: return copy_rows<8>(box);
            case 12: return copy_rows<12>(box);
            case 16: return copy_rows<16>(box);
            case 24: return copy_rows<24>(box);
            case 32: return copy_rows<32>(box);
            default: break;
            }
        }
        const CopyBox::Axis row = box.innermost();
        const CopyBox::Lane lanes[CopyBox::most_lanes] = {box.lanes[0], box.lanes[1]};
        const int lane_count = box.lane_count;
        BoxRows rows(box);
        do {
            const char* from = rows.from();
            char* to = rows.to();
            for (std::int64_t k = 0; k < row.count; ++k) {
                std::memcpy(to, from, static_cast<std::size_t>(bytes));
                for (int lane = 0; lane < lane_count; ++lane)
                    std::memcpy(to + lanes[lane].destination, from + lanes[lane].source,
                                static_cast<std::size_t>(lanes[lane].bytes));
                from += row.source_stride;
                to += row.destination_stride;
            }
        } while (rows.next());
    }

    /// Bytes of the cache lines on one side; stops adding once they exceed what one thread copies.
    std::int64_t bytes(int begin, int end) const {
        std::int64_t bytes = 0;
        for (int i = begin; i < end && bytes < tuning::one_thread_bytes; ++i)
            bytes += touched_bytes(boxes[i]);
        return bytes;
    }
};

/// Work of run_boxes(): call i replaces each element of box i's destination by op(element,
/// source element). Boxes must not overlap, and must stay until the work has finished.
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
