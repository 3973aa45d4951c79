// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace distview::impl {

/// Bytes of a huge page of shared memory; 0 if there are none, or none are wanted: the administrator's
/// /sys/kernel/mm/transparent_hugepage/enabled says never, or DISTVIEW_HUGE_PAGES is 0. Never throws, since memory
/// is allocated by a rank alone; plans, which all ranks make, call check_huge_pages_choice().
std::size_t huge_page_bytes();

/// Throws UsageError if DISTVIEW_HUGE_PAGES is neither 0 nor 1.
void check_huge_pages_choice();

/// Memory of a file, mapped so that huge pages of the file are huge pages here, too; null, with errno set,
/// if there is none. To be given back by munmap(result, bytes). Written to only if `writable`.
char* map_shared(int descriptor, std::size_t bytes, bool writable);

/// Reserves the memory of a file that map_shared() has mapped at data, in huge pages as far as the kernel has
/// them and in small ones beyond; 0, or why there is not enough (an errno).
int reserve_shared(int descriptor, char* data, std::size_t bytes);

} // namespace distview::impl
