// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_box.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace distview::impl {

template <std::size_t Bytes>
inline void copy_fixed(const char* from, char* to) {
    std::memcpy(to, from, Bytes);
}

/// Of more than 32 bytes, for runs that are too short to pay for a call.
inline void copy_medium_run(const char* from, char* to, std::int64_t bytes) {
    const std::int64_t last = bytes - 32;
    for (std::int64_t i = 0; i < last; i += 32) copy_fixed<32>(from + i, to + i);
    copy_fixed<32>(from + last, to + last);
}

inline void copy_run(const char* from, char* to, std::int64_t bytes) {
    switch (bytes) {
    case 4: return copy_fixed<4>(from, to);
    case 8: return copy_fixed<8>(from, to);
    case 16: return copy_fixed<16>(from, to);
    case 24: return copy_fixed<24>(from, to);
    default: break;
    }
    if (bytes > 32 && bytes <= tuning::longest_medium_run) return copy_medium_run(from, to, bytes);
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// A row of runs of so many bytes. Memory is what it waits for: the less there is between two loads, the
/// more of them are under way. Numbers come by value, so that no store can change them.
template <std::size_t Bytes>
inline void copy_row(CopyBox::Axis row, const char* from, char* to) {
    for (std::int64_t i = 0; i < row.count; ++i) {
        copy_fixed<Bytes>(from, to);
        from += row.source_stride;
        to += row.destination_stride;
    }
}

/// The same with one lane of runs as long: the two ends of rows.
template <std::size_t Bytes>
inline void copy_row_of_two(CopyBox::Axis row, CopyBox::Lane lane, const char* from, char* to) {
    for (std::int64_t i = 0; i < row.count; ++i) {
        copy_fixed<Bytes>(from, to);
        copy_fixed<Bytes>(from + lane.source, to + lane.destination);
        from += row.source_stride;
        to += row.destination_stride;
    }
}

template <std::size_t Bytes>
inline void copy_short_row(const CopyBox& box, const CopyBox::Axis& row, const char* from,
                           char* to) {
    if (box.lane_count == 0)
        copy_row<Bytes>(row, from, to);
    else
        copy_row_of_two<Bytes>(row, box.lanes[0], from, to);
}

/// Copies the elements of the innermost axis, with their lanes.
inline void copy_innermost(const CopyBox& box, const CopyBox::Axis& row, const char* from,
                           char* to) {
    const std::int64_t bytes = box.element_size;
    if (box.lane_count == 0 || (box.lane_count == 1 && box.lanes[0].bytes == bytes)) {
        switch (bytes) { // one to four elements of 4 or 8 bytes
        case 4: return copy_short_row<4>(box, row, from, to);
        case 8: return copy_short_row<8>(box, row, from, to);
        case 12: return copy_short_row<12>(box, row, from, to);
        case 16: return copy_short_row<16>(box, row, from, to);
        case 24: return copy_short_row<24>(box, row, from, to);
        case 32: return copy_short_row<32>(box, row, from, to);
        default: break;
        }
    }
    const CopyBox::Axis axis = row;
    const CopyBox::Lane lanes[CopyBox::most_lanes] = {box.lanes[0], box.lanes[1]};
    const int lane_count = box.lane_count;
    for (std::int64_t i = 0; i < axis.count; ++i) {
        copy_run(from, to, bytes);
        for (int k = 0; k < lane_count; ++k)
            copy_run(from + lanes[k].source, to + lanes[k].destination, lanes[k].bytes);
        from += axis.source_stride;
        to += axis.destination_stride;
    }
}

/// Calls visit(from, to) for each place of the outer axes.
template <class Visit>
inline void for_each_row(const CopyBox& box, Visit&& visit) {
    const int inner = box.rank - 1;
    std::int64_t index[max_rank] = {};
    const char* from = box.source;
    char* to = box.destination;
    for (;;) {
        visit(from, to);
        int d = inner - 1;
        for (; d >= 0; --d) {
            const CopyBox::Axis& axis = box.axes[d];
            from += axis.source_stride;
            to += axis.destination_stride;
            if (++index[d] < axis.count) break;
            index[d] = 0;
            from -= axis.count * axis.source_stride;
            to -= axis.count * axis.destination_stride;
        }
        if (d < 0) return;
    }
}

/// Calls visit(from, to, bytes) for each run that is contiguous on both sides.
template <class Visit>
inline void for_each_run(const CopyBox& box, Visit&& visit) {
    const CopyBox::Axis row = box.rank == 0 ? CopyBox::Axis{} : box.axes[box.rank - 1];
    for_each_row(box, [&](const char* from, char* to) {
        for (std::int64_t i = 0; i < row.count; ++i) {
            const char* const source = from + i * row.source_stride;
            char* const destination = to + i * row.destination_stride;
            visit(source, destination, static_cast<std::size_t>(box.element_size));
            for (int k = 0; k < box.lane_count; ++k)
                visit(source + box.lanes[k].source, destination + box.lanes[k].destination,
                      static_cast<std::size_t>(box.lanes[k].bytes));
        }
    });
}

/// Copies one box, in the calling thread.
inline void copy(const CopyBox& box) {
    const CopyBox::Axis row = box.rank == 0 ? CopyBox::Axis{} : box.axes[box.rank - 1];
    for_each_row(box, [&](const char* from, char* to) { copy_innermost(box, row, from, to); });
}

/// Bytes of the cache lines that copying boxes[begin, end) touches on one side; adds up no more than tells whether one thread copies them.
inline std::int64_t touched_bytes(const CopyBox* boxes, int begin, int end) {
    std::int64_t bytes = 0;
    for (int i = begin; i < end && bytes < tuning::one_thread_bytes; ++i)
        bytes += touched_bytes(boxes[i]);
    return bytes;
}

/// Copies boxes[begin, end), as run_boxes() does; they must stay until the work has finished.
template <ExecutionSpace Exec>
void copy_boxes(const Exec& exec, const std::string& label, const CopyBox* boxes, int begin,
                int end) {
    run_boxes(
        exec, label, begin, end, [boxes](int i) { copy(boxes[i]); },
        [=] { return touched_bytes(boxes, begin, end); });
}

} // namespace distview::impl
