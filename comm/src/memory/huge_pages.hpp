// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace distview::impl {

/// Bytes of a huge page of shared memory; 0 if the system has none or they are switched off:
/// /sys/kernel/mm/transparent_hugepage/enabled says never, or DISTVIEW_HUGE_PAGES is 0. Never throws, because
/// a rank allocates memory alone; plans, which all ranks make together, call check_huge_pages_choice().
std::size_t huge_page_bytes();

/// Throws UsageError if DISTVIEW_HUGE_PAGES is neither 0 nor 1.
void check_huge_pages_choice();

/// Maps a file so that its huge pages are huge pages here, too; null, with errno set, on
/// failure. Release it with munmap(result, bytes). Writable only if `writable`.
char* map_shared(int descriptor, std::size_t bytes, bool writable);

/// Reserves the memory of a file that map_shared() has mapped at `data`: in huge pages as far
/// as the kernel has them, then in small ones. Returns 0, or an errno if memory is lacking.
int reserve_shared(int descriptor, char* data, std::size_t bytes);

} // namespace distview::impl
