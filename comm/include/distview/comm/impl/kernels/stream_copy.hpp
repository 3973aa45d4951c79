// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace distview::impl {

// Copies past the caches. Memory that is written but not read, and exceeds the caches, need not be
// fetched first: two of three transfers over the memory bus remain. memcpy does so for long runs only.

inline constexpr auto line_size = static_cast<std::size_t>(tuning::cache_line);

/// Writes one whole line; `to` is a multiple of 64 bytes.
inline void stream_line(const char* from, char* to) {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < line_size; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#else
    std::memcpy(to, from, line_size);
#endif
}

/// The same for 8 numbers, which need not be in memory: if bytes are assembled one after the
/// other, GCC builds registers of 64 bytes and stores these, to load them again.
inline void stream_words(const std::uint64_t* words, char* to) {
#if defined(__SSE2__)
    for (std::size_t i = 0; i < line_size / sizeof(std::uint64_t); i += 2)
        _mm_stream_si128(
            reinterpret_cast<__m128i*>(to + i * sizeof(std::uint64_t)),
            _mm_set_epi64x(static_cast<long long>(words[i + 1]), static_cast<long long>(words[i])));
#else
    std::memcpy(to, words, line_size);
#endif
}

/// Copies bytes that do not overlap; partly written lines go through the caches.
inline void stream_copy(const char* from, char* to, std::size_t bytes) {
    const std::size_t before =
        (line_size - reinterpret_cast<std::uintptr_t>(to) % line_size) % line_size;
    if (bytes < before + line_size) {
        std::memcpy(to, from, bytes);
        return;
    }
    std::memcpy(to, from, before);
    std::size_t at = before;
    for (; at + line_size <= bytes; at += line_size) stream_line(from + at, to + at);
    std::memcpy(to + at, from + at, bytes - at);
}

/// Fetches the line of an address, which may lie outside the program's memory, for use soon.
inline void prefetch(const char* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    static_cast<void>(address);
#endif
}

/// The same for use later: bypasses the first cache.
inline void prefetch_far(const char* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address, 0, 2);
#else
    static_cast<void>(address);
#endif
}

/// Must be called by the thread that wrote, before other threads are told.
inline void end_streaming() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

} // namespace distview::impl
