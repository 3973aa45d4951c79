// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace distview::testing {

/// Allocations made while counting.
struct AllocationCounts {
    /// operator new, malloc and its relatives, in this process, outside of MPI.
    std::int64_t heap = 0;
    /// What they asked for together, whether or not it has been freed since.
    std::int64_t heap_bytes = 0;
    /// Allocations of Kokkos, in any memory space.
    std::int64_t kokkos = 0;
    /// What the first few of them were and where they came from, for failure messages.
    std::string description;
};

/// Counts the allocations of this process, all threads of it, from construction to stop().
///
/// Not counted are allocations inside of MPI calls, by the threads that MPI has started, and inside
/// of an UncountedScope. Scopes may nest. Expectations of GoogleTest allocate: put them after
/// stop(), or use count_allocations.
///
/// Under AddressSanitizer and ThreadSanitizer the counts come from the sanitizer's own hooks; the
/// latter's miss aligned_alloc and posix_memalign.
class CountAllocations {
public:
    /// What else to count than the heap. Kokkos's own allocations are reported by its tools interface,
    /// and a listener there makes Kokkos allocate for each kernel: watch the heap alone to see what
    /// a program allocates without.
    enum class Watch { heap, heap_and_kokkos };

    explicit CountAllocations(Watch watch = Watch::heap_and_kokkos);
    CountAllocations(const CountAllocations&) = delete;
    CountAllocations& operator=(const CountAllocations&) = delete;
    ~CountAllocations();

    /// Ends the counting; a second call gives the same result.
    const AllocationCounts& stop();

private:
    bool m_watches_kokkos;
    bool m_armed = true;
    AllocationCounts m_counts;
};

/// The allocations that a call makes.
template <class Function>
AllocationCounts count_allocations(Function&& function) {
    CountAllocations counter;
    function();
    return counter.stop();
}

/// The same with nobody listening to Kokkos.
template <class Function>
AllocationCounts count_heap_allocations(Function&& function) {
    CountAllocations counter(CountAllocations::Watch::heap);
    function();
    return counter.stop();
}

/// While one exists, this thread's allocations are not counted.
class UncountedScope {
public:
    UncountedScope();
    UncountedScope(const UncountedScope&) = delete;
    UncountedScope& operator=(const UncountedScope&) = delete;
    ~UncountedScope();
};

/// While one exists, the allocation by operator new that this thread makes after `skipped` others fails, once: memory ends
/// there. Those inside of MPI, of an UncountedScope and of Kokkos as it frees a View are passed over. Nothing fails under a
/// sanitizer that owns the heap.
class FailAllocation {
public:
    explicit FailAllocation(std::int64_t skipped);
    FailAllocation(const FailAllocation&) = delete;
    FailAllocation& operator=(const FailAllocation&) = delete;
    ~FailAllocation();

    bool has_failed() const;
};

} // namespace distview::testing
