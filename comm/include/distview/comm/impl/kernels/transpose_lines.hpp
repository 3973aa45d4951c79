// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/stream_copy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace distview::impl {

/// Number of elements of 4, 8 or 16 bytes in a cache line, and of lines in the squares transposed in registers.
template <std::size_t Bytes>
inline constexpr std::int64_t line_elements = line_size / Bytes;

// nvcc's front end does not expand packs in the arguments of built-in functions.
#if defined(__GNUC__) && !defined(__CUDACC__) && __has_builtin(__builtin_shufflevector)

/// Whether squares of such elements can be transposed in registers.
template <std::size_t Bytes>
inline constexpr bool transposes_lines = Bytes == 4 || Bytes == 8 || Bytes == 16;

namespace lines {

/// Bytes of the registers for which the program is compiled. GCC splits longer vectors into
/// elements in memory: vectors of 64 bytes took up to 4 times as long for AVX2, and up to 6
/// times for SSE2 (perf/results/2026-11-29-transposed-lines.md).
#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif

/// Source lane of lane i in the two lines that stage `Step` exchanges; an element has `Lanes` lanes.
template <int Step, int Lanes>
constexpr int low_lane(int i, int count) {
    return (i / Lanes & Step) ? i - Step * Lanes + count : i;
}
template <int Step, int Lanes>
constexpr int high_lane(int i, int count) {
    return (i / Lanes & Step) ? i + count : i + Step * Lanes;
}

/// Exchanges the off-diagonal halves of every square of 2 x Step lines.
template <int Step, int Lanes, class Vector, int... I>
inline void exchange(Vector* line, std::integer_sequence<int, I...>) {
    constexpr int count = sizeof...(I);
    constexpr int elements = count / Lanes;
    for (int k = 0; k < elements; ++k) {
        if (k & Step) continue;
        const Vector a = line[k];
        const Vector b = line[k + Step];
        line[k] = __builtin_shufflevector(a, b, low_lane<Step, Lanes>(I, count)...);
        line[k + Step] = __builtin_shufflevector(a, b, high_lane<Step, Lanes>(I, count)...);
    }
}

template <int Step, int Lanes, class Vector, class Indices>
inline void exchange_all(Vector* line, Indices indices) {
    constexpr int elements = static_cast<int>(indices.size()) / Lanes;
    if constexpr (Step < elements) {
        exchange<Step, Lanes>(line, indices);
        exchange_all<2 * Step, Lanes>(line, indices);
    }
}

} // namespace lines

/// Reads a square of elements, line by line, `stride` bytes apart, and writes it transposed, `to_stride` bytes apart.
template <std::size_t Bytes>
inline void transpose_lines(const char* from, std::int64_t stride, char* to,
                            std::int64_t to_stride) {
    using Number = std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>;
    typedef Number Vector __attribute__((vector_size(lines::register_bytes)));
    constexpr int lanes = Bytes / sizeof(Number);
    constexpr int count = sizeof(Vector) / sizeof(Number);
    constexpr auto element = static_cast<std::int64_t>(Bytes);
    constexpr std::int64_t edge = sizeof(Vector) / Bytes; // of squares in registers
    constexpr auto elements = line_elements<Bytes>;
    for (std::int64_t column = 0; column < elements; column += edge)
        for (std::int64_t row = 0; row < elements; row += edge) {
            Vector line[edge];
            for (std::int64_t k = 0; k < edge; ++k)
                std::memcpy(&line[k], from + (row + k) * stride + column * element, sizeof(Vector));
            lines::exchange_all<1, lanes>(line, std::make_integer_sequence<int, count>());
            for (std::int64_t k = 0; k < edge; ++k)
                std::memcpy(to + (column + k) * to_stride + row * element, &line[k],
                            sizeof(Vector));
        }
}

#else

template <std::size_t Bytes>
inline constexpr bool transposes_lines = false;

#endif

} // namespace distview::impl
