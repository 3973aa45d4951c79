// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>
#include <distview/core/process_grid.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// A box of elements to copy from one strided place to another; both may be message buffers.
///
/// Axes are ordered for speed, outermost first, merged where both sides are contiguous; the
/// innermost run may be of whole bytes. Places are fixed when a plan binds.
///
/// Boxes of one shape may go together: then further runs of bytes, the lanes, are copied with every
/// element. What lies close in memory, as the two ends of a row and the row between them, is then met
/// once and not three times.
struct CopyBox {
    struct Axis {
        std::int64_t count = 1;
        std::int64_t source_stride = 0;      ///< bytes
        std::int64_t destination_stride = 0; ///< bytes
    };
    struct Lane {
        std::int64_t source = 0;      ///< bytes from the element
        std::int64_t destination = 0; ///< likewise
        std::int64_t bytes = 0;
    };
    static constexpr int most_lanes = 2;

    const char* source = nullptr;
    char* destination = nullptr;
    std::int64_t element_size = 1; ///< bytes; a merged contiguous run counts as one element
    int rank = 0;
    int lane_count = 0;
    Axis axes[max_rank];
    Lane lanes[most_lanes];
};

/// Appends the copies of boxes, in their fastest order, joined where that saves memory traffic and cut
/// into pieces that threads can share. Boxes must not overlap.
void append_copies(std::vector<CopyBox>& boxes, std::vector<CopyBox> copies);
/// The same for one box.
void append_copy(std::vector<CopyBox>& boxes, const CopyBox& box);
/// The same for a box whose elements are combined with those that are there: never runs of bytes.
void append_combination(std::vector<CopyBox>& boxes, CopyBox box);

/// Appends boxes with their axes in the same order, merged, but neither joined nor cut: for kernels that
/// share a box among many threads.
void append_whole(std::vector<CopyBox>& boxes, const std::vector<CopyBox>& copies);
/// The same for boxes whose elements are combined.
void append_whole_combination(std::vector<CopyBox>& boxes, CopyBox box);

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
    constexpr std::int64_t longest_medium = 512;
    if (bytes > 32 && bytes <= longest_medium) return copy_medium_run(from, to, bytes);
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

/// Host spaces whose kernels have ended when the call that launches them returns.
template <class Exec>
inline constexpr bool is_synchronous =
#ifdef KOKKOS_ENABLE_SERIAL
    std::is_same_v<Exec, Kokkos::Serial> ||
#endif
#ifdef KOKKOS_ENABLE_OPENMP
    std::is_same_v<Exec, Kokkos::OpenMP> ||
#endif
    false;

/// Whether run_boxes() on `exec` is a loop of the calling thread.
template <ExecutionSpace Exec>
bool runs_at_once(const Exec& exec) {
    return is_synchronous<Exec> && exec.concurrency() == 1;
}

/// Bytes of memory below which a kernel of the host runs on the calling thread: starting other threads and waiting
/// for them costs as much as 5 to 50 us of copying, and milliseconds where threads share a core.
/// perf/comm/bench_small_copies.cpp
inline constexpr std::int64_t one_thread_bytes = std::int64_t{1} << 20;

/// Calls work(i) for i in [begin, end), of type Number, in one kernel on `exec`; on the calling thread if bytes(),
/// which is called only if there are others, is less than one_thread_bytes.
///
/// Allocates nothing, which takes care: from Kokkos 5 on a launch copies its label, and libgomp
/// allocates a team for every parallel region of one thread. Only where a profiling tool listens to
/// an instance with several threads does Kokkos get the label and copy it.
///
/// Space: on return work may still run on `exec`
template <class Number = int, ExecutionSpace Exec, class Work, class Bytes>
void run_boxes(const Exec& exec, const std::string& label, Number begin, Number end,
               const Work& work, const Bytes& bytes) {
    if (begin == end) return;
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    if (runs_at_once(exec) || (is_synchronous<Exec> && bytes() < one_thread_bytes)) {
        std::uint64_t kernel = 0;
        if (is_watched)
            Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec),
                                            &kernel);
        for (Number i = begin; i < end; ++i) work(i);
        if (is_watched) Kokkos::Tools::endParallelFor(kernel);
        return;
    }
    static const std::string no_label;
    Kokkos::parallel_for(is_watched ? label : no_label,
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<Number>>(exec, begin, end),
                         work);
}

/// The same, with as many threads as there are.
template <class Number = int, ExecutionSpace Exec, class Work>
void run_boxes(const Exec& exec, const std::string& label, Number begin, Number end,
               const Work& work) {
    run_boxes(exec, label, begin, end, work, [] { return one_thread_bytes; });
}

/// Bytes of the cache lines that copying a box touches on one side.
inline std::int64_t touched_bytes(const CopyBox& box) {
    constexpr std::int64_t line = 64;
    const auto touched = [](std::int64_t bytes) { return bytes < line ? line : bytes; };
    std::int64_t bytes = touched(box.element_size);
    for (int k = 0; k < box.lane_count; ++k) bytes += touched(box.lanes[k].bytes);
    for (int d = 0; d < box.rank; ++d) bytes *= box.axes[d].count;
    return bytes;
}

/// The same of boxes[begin, end); adds up no more than tells whether one thread copies them.
inline std::int64_t touched_bytes(const CopyBox* boxes, int begin, int end) {
    std::int64_t bytes = 0;
    for (int i = begin; i < end && bytes < one_thread_bytes; ++i) bytes += touched_bytes(boxes[i]);
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
