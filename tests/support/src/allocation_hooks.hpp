// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace distview::testing::impl {

/// Reports an allocation to the armed counters; allocates nothing itself.
void note_heap_allocation(const char* kind, std::size_t bytes) noexcept;
void note_kokkos_allocation(const char* label, std::size_t bytes) noexcept;

/// Whether a FailAllocation makes the current allocation fail.
bool allocation_fails() noexcept;

/// Excludes the allocations of all threads that exist now, except the calling one. Called between
/// MPI_Init and Kokkos::initialize, when these are the threads of MPI.
void ignore_other_threads();

/// Makes the linker include the replacements of operator new and malloc in the program; under a
/// sanitizer installs its hooks.
void link_allocation_hooks();

} // namespace distview::testing::impl
