// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocated_bytes.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#if defined(__NVCC__)
// nvcc treats operator new as a device function, too; no device code calls this one.
#pragma nv_diag_suppress 20011, 20014
#endif

namespace {

std::atomic<std::size_t> allocated{0};

void* counted(std::size_t size) {
    allocated.fetch_add(size, std::memory_order_relaxed);
    if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}

} // namespace

void* operator new(std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace distview::perf {

std::size_t allocated_bytes() noexcept { return allocated; }

} // namespace distview::perf
