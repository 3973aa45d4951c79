// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

enum class KokkosEventKind {
    parallel_for,
    parallel_reduce,
    parallel_scan,
    fence,
    region,
    allocation,
    deallocation,
    deep_copy,
};

/// One thing that Kokkos did.
struct KokkosEvent {
    KokkosEventKind kind;
    /// Label of the kernel, fence, region or view; for a deep copy, of the destination.
    std::string label;
    /// Memory space, for allocations and deep copies.
    std::string space;
    /// For deep copies.
    std::string source_label;
    std::string source_space;
    /// For kernels and fences: compare with device_id_of(exec).
    std::uint32_t device_id = 0;
    /// For allocations and deep copies.
    std::uint64_t bytes = 0;
    /// For kernels: the number of threads requested from OpenMP; 0 if it cannot be observed (see shows_threads()).
    unsigned threads = 0;
};

/// Records what Kokkos does in this process from construction to stop(), in order.
///
/// Includes Kokkos's own events: a deep copy fences, and a kernel fills an allocated view. Their
/// labels begin with "Kokkos::".
class KokkosEvents {
public:
    KokkosEvents();
    KokkosEvents(const KokkosEvents&) = delete;
    KokkosEvents& operator=(const KokkosEvents&) = delete;
    ~KokkosEvents();

    /// Ends the recording.
    void stop();

    const std::vector<KokkosEvent>& all() const;
    std::vector<KokkosEvent> of_kind(KokkosEventKind kind) const;

    /// parallel_for, parallel_reduce and parallel_scan.
    std::vector<KokkosEvent> kernels() const;
    std::vector<KokkosEvent> fences() const { return of_kind(KokkosEventKind::fence); }
    std::vector<KokkosEvent> regions() const { return of_kind(KokkosEventKind::region); }
    std::vector<KokkosEvent> allocations() const { return of_kind(KokkosEventKind::allocation); }
    std::vector<KokkosEvent> deep_copies() const { return of_kind(KokkosEventKind::deep_copy); }

private:
    class Recorder;
    std::unique_ptr<Recorder> m_recorder;
};

std::vector<std::string> labels(const std::vector<KokkosEvent>& events);

/// The events whose label begins with none of `prefixes`. Deep copies are left out, because they
/// carry the labels of the user's views.
std::vector<KokkosEvent> labelled_otherwise(const std::vector<KokkosEvent>& events,
                                            const std::vector<std::string>& prefixes);

/// One line per event, for failure messages.
std::string describe(const std::vector<KokkosEvent>& events);

/// The device_id that kernels and fences on this execution space instance carry.
template <class ExecutionSpace>
std::uint32_t device_id_of(const ExecutionSpace& exec) {
    return Kokkos::Tools::Experimental::device_id(exec);
}

/// An instance other than the default one, with the same number of threads. If Kokkos numbers it separately (CUDA does;
/// OpenMP in Kokkos 5.2 does not, see half_instance()), its work can be told from work on the default instance.
template <class ExecutionSpace>
ExecutionSpace separate_instance() {
    return Kokkos::Experimental::partition_space(ExecutionSpace{}, 1).front();
}

/// Kernels and fences of an instance other than `exec`, or of all instances. Leaves out events that
/// Kokkos adds because a tool is listening, and fences before it frees memory.
template <class ExecutionSpace>
std::vector<KokkosEvent> escapes_from(const ExecutionSpace& exec, const KokkosEvents& events) {
    std::vector<KokkosEvent> result = events.kernels();
    const std::vector<KokkosEvent> fences = events.fences();
    result.insert(result.end(), fences.begin(), fences.end());
    std::erase_if(result, [&](const KokkosEvent& event) {
        return event.device_id == device_id_of(exec) ||
               event.label.starts_with("Kokkos::Tools::") ||
               event.label.find("::impl_deallocate ") != std::string::npos;
    });
    return result;
}

/// Whether the number of threads that a kernel requests can be observed: for OpenMP in programs built by GCC, because
/// the tests intercept calls of its runtime library. Neither callbacks of Kokkos Tools nor instances of OpenMP and
/// Threads, all numbered 1, identify the instance of a kernel.
template <class ExecutionSpace>
constexpr bool shows_threads() {
#if defined(KOKKOS_ENABLE_OPENMP) && defined(__GNUC__) && !defined(__clang__)
    return std::is_same_v<ExecutionSpace, Kokkos::OpenMP>;
#else
    return false;
#endif
}

/// With shows_threads(), an instance with half of the default instance's threads, which must be two or more: the number
/// of threads then identifies its kernels. Otherwise the default instance. partition_space() of OpenMP returns copies
/// of the default instance unless nested regions are enabled.
template <class ExecutionSpace>
ExecutionSpace half_instance() {
    if constexpr (shows_threads<ExecutionSpace>())
        return ExecutionSpace(ExecutionSpace{}.concurrency() / 2);
    else
        return ExecutionSpace();
}

/// Kernels that request a number of threads other than that of `exec`, or were not seen to request
/// any. Fences request no threads: a fence of another host instance cannot be detected.
template <class ExecutionSpace>
std::vector<KokkosEvent> kernels_on_other_threads(const ExecutionSpace& exec,
                                                  const KokkosEvents& events) {
    std::vector<KokkosEvent> result = events.kernels();
    std::erase_if(result, [&](const KokkosEvent& kernel) {
        return kernel.threads == static_cast<unsigned>(exec.concurrency());
    });
    return result;
}

/// Expects that kernels of work(exec) run on the threads of `exec`: first the default instance, then half_instance().
///
/// A kernel run by the calling thread alone requests no threads, whichever its instance is. If an instance has several
/// threads, kernels with a label that begins with one of `prefixes` must request them, and at least one such kernel
/// must run. Skips the test if threads cannot be observed, or the default instance has one thread.
template <class ExecutionSpace, class Work>
void expect_threads_of_given_instance(const std::vector<std::string>& prefixes, const Work& work) {
    const ExecutionSpace whole;
    if (!shows_threads<ExecutionSpace>() || whole.concurrency() < 2)
        GTEST_SKIP() << "kernels of " << ExecutionSpace::name()
                     << " do not show their threads, or are on one";
    for (const ExecutionSpace& exec : {whole, half_instance<ExecutionSpace>()}) {
        KokkosEvents events;
        work(exec);
        events.stop();
        const std::vector<KokkosEvent> kernels = events.kernels();
        std::vector<KokkosEvent> elsewhere = kernels_on_other_threads(exec, events);
        std::vector<KokkosEvent> silent = elsewhere;
        std::erase_if(elsewhere, [](const KokkosEvent& kernel) { return kernel.threads == 0; });
        std::erase_if(silent, [](const KokkosEvent& kernel) { return kernel.threads != 0; });
        EXPECT_EQ(labels(elsewhere), std::vector<std::string>())
            << "not on the " << exec.concurrency() << " threads of the instance";
        if (exec.concurrency() == 1) continue;
        EXPECT_EQ(labels(silent), labels(labelled_otherwise(silent, prefixes)))
            << "too small to tell on which instance they are";
        EXPECT_LT(labelled_otherwise(kernels, prefixes).size(), kernels.size())
            << describe(kernels);
    }
}

} // namespace distview::testing
