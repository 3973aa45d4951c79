// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/kernels/transpose_lines.hpp>
#include <distview/core/element_type.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>

namespace distview::impl {

// Element operations have To operator()(To here, To incoming) for an arriving element, and say
// whether they read `here`. Sections are typed, packed messages are bytes: all elements go
// through memcpy, which compilers turn into loads and stores.

/// Replaces the element.
struct Insert {
    static constexpr bool reads_target = false;
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T&, const T& incoming) const {
        return incoming;
    }
};

/// alpha * incoming, independent of `here`: a NaN in it has no effect.
template <class Scalar>
struct ScaledInsert {
    static constexpr bool reads_target = false;
    Scalar alpha;
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T&, const T& incoming) const {
        return static_cast<T>(alpha * incoming);
    }
};

/// beta * here + alpha * incoming.
template <class Alpha, class Beta = Alpha>
struct LinearUpdate {
    static constexpr bool reads_target = true;
    Alpha alpha;
    Beta beta;

    bool ignores_target() const { return beta == Beta(0); }
    bool inserts() const { return ignores_target() && alpha == Alpha(1); }
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(beta * here + alpha * incoming);
    }
};

/// Whether all copies of an element that several source processes hold are combined; else one
/// copy is used.
template <class Op>
inline constexpr bool combines_copies = true;
template <>
inline constexpr bool combines_copies<Insert> = false;
template <class Alpha, class Beta>
inline constexpr bool combines_copies<LinearUpdate<Alpha, Beta>> = false;

template <class Op>
constexpr bool reads_target() {
    if constexpr (requires { Op::reads_target; })
        return Op::reads_target;
    else
        return true;
}
/// Whether the result depends on the target's elements.
template <class Op>
bool reads_target(const Op& op) {
    if constexpr (requires { op.ignores_target(); })
        return !op.ignores_target();
    else
        return reads_target<Op>();
}

template <class T>
inline T load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Converts as static_cast does, or to the complex conjugate.
template <class To, class From>
KOKKOS_INLINE_FUNCTION To converted(const From& value, bool conjugate) {
    if constexpr (IsComplex<From>::value && IsComplex<To>::value) {
        using Part = typename To::value_type;
        return To(static_cast<Part>(value.real()),
                  static_cast<Part>(conjugate ? -value.imag() : value.imag()));
    } else {
        return static_cast<To>(value);
    }
}

/// Moves elements of type From to elements of type To.
template <class From, class To, class Op>
struct Mover {
    static constexpr std::int64_t from_size = sizeof(From);
    static constexpr std::int64_t to_size = sizeof(To);

    Op op{};
    bool conjugate = false; ///< complex elements only
    bool streams = false;   ///< whether memory that is only written bypasses the caches

    /// Whether bytes are copied unchanged.
    bool copies() const {
        return std::is_same_v<From, To> && std::is_same_v<Op, Insert> &&
               !(IsComplex<From>::value && conjugate);
    }

    void element(const char* from, char* to) const {
        To incoming = converted<To>(load<From>(from), conjugate);
        if constexpr (reads_target<Op>())
            incoming = op(load<To>(to), incoming);
        else
            incoming = op(incoming, incoming);
        std::memcpy(to, &incoming, sizeof(To));
    }

    /// Moves elements that are consecutive on both sides; the sides do not overlap.
    void run(const char* __restrict from, char* __restrict to, std::int64_t count) const {
        for (std::int64_t i = 0; i < count; ++i) element(from + i * from_size, to + i * to_size);
    }

    /// The same for a square of consecutive lines of source elements. A separate function,
    /// because compilers that inline forget that memory does not overlap.
#if defined(__GNUC__)
    [[gnu::noinline]]
#endif
    void run_square(const char* __restrict from, char* __restrict to,
                    std::int64_t to_stride) const {
        constexpr std::int64_t edge = line_elements<sizeof(From)>;
        for (std::int64_t k = 0; k < edge; ++k) {
            for (std::int64_t i = 0; i < edge; ++i) element(from + i * from_size, to + i * to_size);
            from += line_size;
            to += to_stride;
        }
    }
};

/// An element with only a known size: words that devices load and store at once. An element of
/// 16 bytes lies at a multiple of 8, as two doubles do.
template <std::size_t Bytes>
struct RawElement {
    using Word =
        std::tuple_element_t<std::bit_width(std::min(Bytes, std::size_t{8})) - 1,
                             std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
    Word words[Bytes / sizeof(Word)];
};

} // namespace distview::impl
