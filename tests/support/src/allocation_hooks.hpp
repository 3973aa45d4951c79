// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace distview::testing::impl {

/// Reports an allocation to the armed counters; allocates nothing itself.
void note_heap_allocation(const char* kind, std::size_t bytes) noexcept;
void note_kokkos_allocation(const char* label, std::size_t bytes) noexcept;

/// Whether a FailAllocation has this one fail.
bool allocation_fails() noexcept;

/// The allocations of threads that exist now, besides the calling one, are never counted.
/// Called between MPI_Init and Kokkos::initialize, when these are the threads of MPI.
void ignore_other_threads();

/// Makes the linker take the replacements of operator new and malloc into the program; under a
/// sanitizer installs its hooks.
void link_allocation_hooks();

} // namespace distview::testing::impl
