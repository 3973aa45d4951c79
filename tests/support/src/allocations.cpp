// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/allocations.hpp>

#include "allocation_hooks.hpp"
#include "kokkos_tools.hpp"

#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace distview::testing {

namespace {

/// One of the first allocations, with its call stack.
struct Trace {
    char what[96];
    std::size_t bytes;
    std::array<void*, 24> frames;
    int depth;
};

constexpr int max_traces = 6;
constexpr int max_foreign_threads = 64;

// Constant-initialised: malloc is called before any constructor has run.
constinit std::atomic<int> g_armed{0};
constinit std::atomic<int> g_watching_kokkos{0};
constinit std::atomic<std::int64_t> g_heap{0};
constinit std::atomic<std::int64_t> g_heap_bytes{0};
constinit std::atomic<std::int64_t> g_kokkos{0};
constinit std::atomic<int> g_traces_used{0};
constinit std::array<Trace, max_traces> g_traces{};
constinit std::array<pid_t, max_foreign_threads> g_foreign_threads{};
constinit std::atomic<int> g_foreign_count{0};

constinit thread_local int t_uncounted_depth = 0;
constinit thread_local int t_is_foreign = -1;
constinit thread_local std::int64_t t_until_failure = -1; ///< allocations; below 0: none fails

pid_t this_thread_id() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

bool is_foreign_thread() noexcept {
    if (t_is_foreign < 0) {
        const pid_t me = this_thread_id();
        t_is_foreign = 0;
        for (int i = 0; i < g_foreign_count; ++i) {
            t_is_foreign |= static_cast<int>(g_foreign_threads[static_cast<std::size_t>(i)] == me);
        }
    }
    return t_is_foreign != 0;
}

void note(std::atomic<std::int64_t>& counter, const char* what, std::size_t bytes) noexcept {
    if (t_uncounted_depth > 0 || is_foreign_thread()) {
        return;
    }
    if (&counter == &g_heap) {
        g_heap_bytes += static_cast<std::int64_t>(bytes);
    }
    const UncountedScope no_recursion;
    ++counter;
    const int index = g_traces_used++;
    if (index < max_traces) {
        Trace& trace = g_traces[static_cast<std::size_t>(index)];
        std::strncpy(trace.what, what, sizeof(trace.what) - 1);
        trace.bytes = bytes;
        trace.depth = ::backtrace(trace.frames.data(), static_cast<int>(trace.frames.size()));
    }
}

std::string describe_traces() {
    std::ostringstream text;
    const int n = std::min(g_traces_used.load(), max_traces);
    for (int i = 0; i < n; ++i) {
        const Trace& trace = g_traces[static_cast<std::size_t>(i)];
        text << trace.what << ", " << trace.bytes << " bytes, from\n";
        char** symbols = ::backtrace_symbols(trace.frames.data(), trace.depth);
        for (int frame = 0; frame < trace.depth && symbols != nullptr; ++frame) {
            text << "    " << symbols[frame] << '\n';
        }
        std::free(symbols);
    }
    return text.str();
}

/// Counts Kokkos allocations while any counter is armed.
class KokkosAllocationObserver : public impl::KokkosObserver {
    void observe(const impl::RawKokkosEvent& event) override {
        if (event.kind == KokkosEventKind::allocation) {
            impl::note_kokkos_allocation(event.label, event.bytes);
        }
    }
};

KokkosAllocationObserver& kokkos_observer() {
    static KokkosAllocationObserver observer;
    return observer;
}

} // namespace

namespace impl {

void note_heap_allocation(const char* kind, std::size_t bytes) noexcept {
    if (g_armed.load(std::memory_order_relaxed) != 0) {
        note(g_heap, kind, bytes);
    }
}

void note_kokkos_allocation(const char* label, std::size_t bytes) noexcept {
    if (g_armed.load(std::memory_order_relaxed) != 0) {
        note(g_kokkos, label, bytes);
    }
}

/// As it frees a View in a destructor, Kokkos allocates memory for the label of a fence. If that allocation fails, any
/// program terminates.
bool frees_a_view() noexcept {
    const UncountedScope not_counted;
    std::array<void*, 12> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    char** symbols = ::backtrace_symbols(frames.data(), depth);
    bool found = false;
    for (int frame = 0; frame < depth && symbols != nullptr; ++frame) {
        found = found || std::strstr(symbols[frame], "HostSpace10deallocateE") != nullptr;
    }
    std::free(symbols);
    return found;
}

bool allocation_fails() noexcept {
    if (t_until_failure < 0 || t_uncounted_depth > 0) return false;
    if (t_until_failure == 0 && frees_a_view()) return false;
    return t_until_failure-- == 0;
}

void ignore_other_threads() {
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
        const pid_t thread = static_cast<pid_t>(std::atoi(task.path().filename().c_str()));
        if (thread != this_thread_id() && g_foreign_count < max_foreign_threads) {
            g_foreign_threads[static_cast<std::size_t>(g_foreign_count)] = thread;
            ++g_foreign_count;
        }
    }
}

} // namespace impl

FailAllocation::FailAllocation(std::int64_t skipped) { t_until_failure = skipped; }
FailAllocation::~FailAllocation() { t_until_failure = -1; }
bool FailAllocation::has_failed() const { return t_until_failure < 0; }

UncountedScope::UncountedScope() { ++t_uncounted_depth; }

UncountedScope::~UncountedScope() { --t_uncounted_depth; }

CountAllocations::CountAllocations(Watch watch) : m_watches_kokkos(watch != Watch::heap) {
    const UncountedScope set_up;
    // The first call of backtrace loads a library.
    std::array<void*, 2> frames;
    ::backtrace(frames.data(), 2);
    if (g_armed == 0) {
        g_traces_used = 0;
    }
    if (m_watches_kokkos && g_watching_kokkos++ == 0) {
        impl::attach(kokkos_observer());
    }
    m_counts.heap = -g_heap;
    m_counts.heap_bytes = -g_heap_bytes;
    m_counts.kokkos = -g_kokkos;
    ++g_armed;
}

CountAllocations::~CountAllocations() { stop(); }

const AllocationCounts& CountAllocations::stop() {
    if (m_armed) {
        m_armed = false;
        --g_armed;
        m_counts.heap += g_heap;
        m_counts.heap_bytes += g_heap_bytes;
        m_counts.kokkos += g_kokkos;
        const UncountedScope tear_down;
        m_counts.description = m_counts.heap + m_counts.kokkos > 0 ? describe_traces() : "";
        if (m_watches_kokkos && --g_watching_kokkos == 0) {
            impl::detach(kokkos_observer());
        }
    }
    return m_counts;
}

} // namespace distview::testing
