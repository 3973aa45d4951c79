// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

namespace distview::testing {

/// Allocations made while counting.
struct AllocationCounts {
    /// Allocations of this process by operator new, malloc and its relatives, outside of MPI.
    std::int64_t heap = 0;
    /// Bytes requested by these allocations, whether or not they have been freed since.
    std::int64_t heap_bytes = 0;
    /// Allocations of Kokkos, in any memory space.
    std::int64_t kokkos = 0;
    /// Sizes and call stacks of the first few allocations, for failure messages.
    std::string description;
};

/// Counts the allocations of all threads of this process, from construction to stop().
///
/// Allocations inside MPI calls, by threads that MPI has started, and inside an UncountedScope are
/// not counted. Scopes may nest. Expectations of GoogleTest allocate: put them after stop(), or use
/// count_allocations.
///
/// Under AddressSanitizer and ThreadSanitizer the counts come from the sanitizer's own hooks; the
/// hooks of ThreadSanitizer miss aligned_alloc and posix_memalign.
class CountAllocations {
public:
    /// Selects whether allocations of Kokkos are counted besides the heap. The tools interface of
    /// Kokkos reports them, and a listener there makes Kokkos allocate for each kernel: watch the
    /// heap alone to see what a program allocates without a listener.
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

/// The allocations that a call makes, on the heap and in Kokkos.
template <class Function>
AllocationCounts count_allocations(Function&& function) {
    CountAllocations counter;
    function();
    return counter.stop();
}

/// The heap allocations that a call makes while no tool listens to Kokkos.
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

/// While one exists, one allocation by operator new of this thread fails: the one after `skipped`
/// others. Allocations inside MPI, inside an UncountedScope, and by Kokkos as it frees a View are
/// passed over. Nothing fails under a sanitizer that owns the heap.
class FailAllocation {
public:
    explicit FailAllocation(std::int64_t skipped);
    FailAllocation(const FailAllocation&) = delete;
    FailAllocation& operator=(const FailAllocation&) = delete;
    ~FailAllocation();

    bool has_failed() const;
};

} // namespace distview::testing
