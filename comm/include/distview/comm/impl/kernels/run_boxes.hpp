// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/tuning.hpp>
#include <distview/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace distview::impl {

/// Whether kernels of a host space have ended when their launch returns.
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

/// Whether run_boxes() on `exec` uses one thread only, because others would take longer to start than to help.
template <ExecutionSpace Exec, class Number, class Work>
bool is_small(const Work& work, Number begin, Number end) {
    if constexpr (is_synchronous<Exec> && requires { work.bytes(begin, end); })
        return work.bytes(begin, end) < tuning::one_thread_bytes;
    else
        return false;
}

/// Whether the calling thread is in an OpenMP parallel region in which Kokkos would end the process
/// if a kernel began: Kokkos' own condition. Kokkos 4 may run such kernels on one thread instead.
template <ExecutionSpace Exec>
bool is_in_region() noexcept {
#ifdef KOKKOS_ENABLE_OPENMP
    if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
        const int level = omp_get_level();
        return level > 1 || (level == 1 && omp_get_max_active_levels() <= 1);
    }
#endif
    return false;
}

/// The table entry that contains a number: the last entry whose `first` is not greater.
template <class Entry, class Number>
KOKKOS_INLINE_FUNCTION const Entry& entry_of(const Entry* table, int count, Number number) {
    int low = 0;
    int high = count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (table[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return table[low];
}

/// Calls work(i) for i in [begin, end), of type Number, in one kernel on `exec`. The calling thread makes
/// all calls itself if `exec` has no other threads, in parallel regions of the program, and if `work` has
/// bytes(begin, end), asked only with several threads, and these are less than tuning::one_thread_bytes.
///
/// Allocates nothing, which needs care: from Kokkos 5 on a launch copies its label, and libgomp
/// allocates a team for every parallel region of one thread. Kokkos gets the label, and copies
/// it, only if a profiling tool listens to an instance with several threads.
///
/// Space: on return work may still run on `exec`
template <class Number = int, ExecutionSpace Exec, class Work>
void run_boxes(const Exec& exec, const std::string& label, Number begin, Number end,
               const Work& work) {
    if (begin == end) return;
    const bool is_watched = Kokkos::Tools::profileLibraryLoaded();
    if (runs_at_once(exec) || is_small<Exec>(work, begin, end) || is_in_region<Exec>()) {
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

} // namespace distview::impl
