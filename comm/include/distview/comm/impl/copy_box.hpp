// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/concepts.hpp>
#include <distview/core/process_grid.hpp>

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
struct CopyBox {
    struct Axis {
        std::int64_t count = 1;
        std::int64_t source_stride = 0;      ///< bytes
        std::int64_t destination_stride = 0; ///< bytes
    };
    const char* source = nullptr;
    char* destination = nullptr;
    std::int64_t element_size = 1; ///< bytes; a merged contiguous run counts as one element
    int rank = 0;
    Axis axes[max_rank];
};

/// Appends the copy of a box, in its fastest order and cut into pieces that threads can share.
void append_copy(std::vector<CopyBox>& boxes, CopyBox box);

template <class Word>
inline void copy_row(const CopyBox::Axis& row, const char* from, char* to) {
    for (std::int64_t i = 0; i < row.count; ++i) {
        Word word;
        std::memcpy(&word, from + i * row.source_stride, sizeof(Word));
        std::memcpy(to + i * row.destination_stride, &word, sizeof(Word));
    }
}

/// Copies the elements of the innermost axis.
inline void copy_innermost(const CopyBox& box, const CopyBox::Axis& row, const char* from,
                           char* to) {
    switch (box.element_size) {
    case 4: return copy_row<std::uint32_t>(row, from, to);
    case 8: return copy_row<std::uint64_t>(row, from, to);
    default: break;
    }
    for (std::int64_t i = 0; i < row.count; ++i)
        std::memcpy(to + i * row.destination_stride, from + i * row.source_stride,
                    static_cast<std::size_t>(box.element_size));
}

/// Copies one box, in the calling thread.
inline void copy(const CopyBox& box) {
    if (box.rank == 0) {
        std::memcpy(box.destination, box.source, static_cast<std::size_t>(box.element_size));
        return;
    }
    const int inner = box.rank - 1;
    std::int64_t index[max_rank] = {};
    const char* from = box.source;
    char* to = box.destination;
    for (;;) {
        copy_innermost(box, box.axes[inner], from, to);
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

/// Copies boxes[begin, end) in one kernel on `exec`.
///
/// Allocates nothing, which takes care: from Kokkos 5 on a launch copies its label, and libgomp
/// allocates a team for every parallel region of one thread. Only where a profiling tool listens to
/// an instance with several threads does Kokkos get the label and copy it.
///
/// Space: on return work may still run on `exec`; the boxes must stay until it has finished
template <ExecutionSpace Exec>
void copy_boxes(const Exec& exec, const std::string& label, const CopyBox* boxes, int begin,
                int end) {
    if (begin == end) return;
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    if (is_synchronous<Exec> && exec.concurrency() == 1) {
        std::uint64_t kernel = 0;
        if (is_watched)
            Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec),
                                            &kernel);
        for (int i = begin; i < end; ++i) copy(boxes[i]);
        if (is_watched) Kokkos::Tools::endParallelFor(kernel);
        return;
    }
    static const std::string no_label;
    Kokkos::parallel_for(is_watched ? label : no_label,
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, begin, end),
                         [boxes](int i) { copy(boxes[i]); });
}

} // namespace distview::impl
