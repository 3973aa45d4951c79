// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces operator new, malloc and its relatives in the test program, for Linux with glibc. The
// shared libraries that the program loads (Kokkos, MPI, the C library) call these definitions, too,
// so every allocation is seen. Where a sanitizer owns the heap, its hooks are used instead.
#include "allocation_hooks.hpp"

#include "sanitizers.hpp"

#if DISTVIEW_TESTING_SANITIZER_HEAP

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*,
                                                                  std::size_t),
                                                         void (*)(const volatile void*));

namespace distview::testing::impl {

namespace {

void on_malloc(const volatile void*, std::size_t bytes) { note_heap_allocation("malloc", bytes); }
void on_free(const volatile void*) {}

} // namespace

void link_allocation_hooks() { __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free); }

} // namespace distview::testing::impl

#else

#include <cerrno>
#include <cstdlib>
#include <new>

#if defined(__NVCC__)
// nvcc compiles malloc and operator new for the device, too; no device code calls them.
#pragma nv_diag_suppress 20011, 20013, 20014, 20015
#endif

namespace {

using distview::testing::impl::allocation_fails;
using distview::testing::impl::note_heap_allocation;

} // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* __libc_valloc(std::size_t);
void* __libc_pvalloc(std::size_t);

void* malloc(std::size_t size) noexcept {
    note_heap_allocation("malloc", size);
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    note_heap_allocation("calloc", count * size);
    return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
    note_heap_allocation("realloc", size);
    return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    note_heap_allocation("aligned_alloc", size);
    return __libc_memalign(alignment, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    note_heap_allocation("memalign", size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    note_heap_allocation("posix_memalign", size);
    const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!power_of_two || alignment % sizeof(void*) != 0) {
        return EINVAL;
    }
    void* result = __libc_memalign(alignment, size);
    if (result == nullptr) {
        return ENOMEM;
    }
    *memory = result;
    return 0;
}

void* valloc(std::size_t size) noexcept {
    note_heap_allocation("valloc", size);
    return __libc_valloc(size);
}

void* pvalloc(std::size_t size) noexcept {
    note_heap_allocation("pvalloc", size);
    return __libc_pvalloc(size);
}

} // extern "C"

namespace {

void* raw_allocate(std::size_t size, std::size_t alignment) noexcept {
    size = size == 0 ? 1 : size;
    return alignment == 0 ? __libc_malloc(size) : __libc_memalign(alignment, size);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    note_heap_allocation("operator new", size);
    return raw_allocate(size, alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
    void* memory = allocation_fails() ? nullptr : allocate(size, alignment);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

constexpr std::size_t bytes(std::align_val_t alignment) {
    return static_cast<std::size_t>(alignment);
}

} // namespace

void* operator new(std::size_t n) { return allocate_or_throw(n, 0); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, 0); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 0); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 0); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, bytes(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, bytes(a)); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(n, bytes(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate(n, bytes(a));
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }

namespace distview::testing::impl {

void link_allocation_hooks() {}

} // namespace distview::testing::impl

#endif // DISTVIEW_TESTING_SANITIZER_HEAP
