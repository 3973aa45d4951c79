// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "copy_counter.hpp"

#include <dlfcn.h>

#include <atomic>

namespace distview::testing {

namespace {

std::atomic<const char*> watched_begin{nullptr};
std::atomic<const char*> watched_end{nullptr};
std::atomic<std::int64_t> counted{0};

bool is_watched(const void* at, std::size_t bytes) noexcept {
    const auto* const begin = static_cast<const char*>(at);
    return begin < watched_end.load(std::memory_order_relaxed) &&
           begin + bytes > watched_begin.load(std::memory_order_relaxed);
}

using Function = void* (*)(void*, const void*, std::size_t);
std::atomic<Function> copy_of_libc{nullptr}, move_of_libc{nullptr};

void* moved(std::atomic<Function>& function, const char* name, void* to, const void* from,
            std::size_t bytes) noexcept {
    Function original = function.load(std::memory_order_relaxed);
    if (!original) {
        original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
        function.store(original, std::memory_order_relaxed);
    }
    if (is_watched(to, bytes) || is_watched(from, bytes))
        counted.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
    return original(to, from, bytes);
}

} // namespace

CopyCounter::CopyCounter(const void* begin, std::size_t bytes) noexcept {
    counted = 0;
    watched_begin = static_cast<const char*>(begin);
    watched_end = static_cast<const char*>(begin) + bytes;
}
CopyCounter::~CopyCounter() {
    watched_end = nullptr;
    watched_begin = nullptr;
}
std::int64_t CopyCounter::bytes() const noexcept { return counted.load(); }

} // namespace distview::testing

extern "C" {
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept {
    return distview::testing::moved(distview::testing::copy_of_libc, "memcpy", to, from, bytes);
}
void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
    return distview::testing::moved(distview::testing::move_of_libc, "memmove", to, from, bytes);
}
}
