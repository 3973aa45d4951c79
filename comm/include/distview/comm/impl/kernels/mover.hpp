// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/move_nest.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/kernels/transpose_lines.hpp>
#include <distview/core/element_type.hpp>

#include <Kokkos_Core.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace distview::impl {

// Element operations: To operator()(To here, To incoming) for an element that arrives, and whether `here` is
// looked at. Sections are typed, packed messages are bytes: all goes through memcpy, which compilers
// turn into loads and stores.

/// Replaces what is there.
struct Insert {
    static constexpr bool reads_target = false;
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T&, const T& incoming) const {
        return incoming;
    }
};

/// alpha * incoming, whatever is there: 0 * NaN does not matter.
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
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(beta * here + alpha * incoming);
    }
};

/// Whether all copies of an element that several processes of the source hold are put together; else one
/// of them is taken.
template <class Op>
inline constexpr bool combines_copies = true;
template <>
inline constexpr bool combines_copies<Insert> = false;
template <class Scalar>
inline constexpr bool combines_copies<ScaledInsert<Scalar>> = false;
template <class Alpha, class Beta>
inline constexpr bool combines_copies<LinearUpdate<Alpha, Beta>> = false;

template <class Op>
constexpr bool reads_target() {
    if constexpr (requires { Op::reads_target; })
        return Op::reads_target;
    else
        return true;
}

template <class T>
inline T load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Moves elements of type From to elements of type To.
template <class From, class To, class Op>
struct Mover {
    static constexpr std::int64_t from_size = sizeof(From);
    static constexpr std::int64_t to_size = sizeof(To);
    /// Whether bytes are copied as they are.
    static constexpr bool is_copy = std::is_same_v<From, To> && std::is_same_v<Op, Insert>;

    Op op{};
    bool conjugate = false; ///< complex elements only
    bool streams = false;   ///< whether what is only written goes past the caches

    void element(const char* from, char* to) const {
        To incoming = convert(load<From>(from));
        if constexpr (reads_target<Op>())
            incoming = op(load<To>(to), incoming);
        else
            incoming = op(incoming, incoming);
        std::memcpy(to, &incoming, sizeof(To));
    }

    /// Elements that follow each other on both sides; both do not overlap, unless they are the same.
    void run(const char* from, char* to, std::int64_t count) const {
        if (is_copy && !must_conjugate()) {
            const auto bytes = static_cast<std::size_t>(count * from_size);
            if (from == to) return;
            if (streams)
                stream_copy(from, to, bytes);
            else
                std::memcpy(to, from, bytes);
        } else if (from == to) {
            for (std::int64_t i = 0; i < count; ++i)
                element(from + i * from_size, to + i * to_size);
        } else {
            update_run(from, to, count);
        }
    }

    /// The same for a square of lines of source elements, one after the other. Not past the caches: the
    /// lines of the target lie far apart, and memory would write them one by one.
    template <std::size_t LineBytes>
    void run_square(const char* from, char* to, std::int64_t to_stride) const {
        if (!is_copy || must_conjugate()) return update_square<LineBytes>(from, to, to_stride);
        for (std::int64_t k = 0; k < line_elements<sizeof(From), LineBytes>; ++k)
            std::memcpy(to + k * to_stride, from + k * static_cast<std::int64_t>(LineBytes),
                        LineBytes);
    }

private:
    static constexpr bool is_complex = IsComplex<From>::value;

    void update_run(const char* __restrict from, char* __restrict to, std::int64_t count) const {
        for (std::int64_t i = 0; i < count; ++i) element(from + i * from_size, to + i * to_size);
    }

    /// A function of its own: compilers forget what does not overlap when they inline.
    template <std::size_t LineBytes>
#if defined(__GNUC__)
    [[gnu::noinline]]
#endif
    void update_square(const char* __restrict from, char* __restrict to,
                       std::int64_t to_stride) const {
        constexpr std::int64_t edge = line_elements<sizeof(From), LineBytes>;
        for (std::int64_t k = 0; k < edge; ++k) {
            for (std::int64_t i = 0; i < edge; ++i) element(from + i * from_size, to + i * to_size);
            from += LineBytes;
            to += to_stride;
        }
    }

    bool must_conjugate() const { return is_complex && conjugate; }

    To convert(const From& value) const {
        if constexpr (is_complex && IsComplex<To>::value) {
            using Part = typename To::value_type;
            return To(static_cast<Part>(value.real()),
                      static_cast<Part>(conjugate ? -value.imag() : value.imag()));
        } else {
            return static_cast<To>(value);
        }
    }
};

/// An element of which only the size is known.
template <std::size_t Bytes>
struct RawElement {
    char bytes[Bytes];
};
template <std::size_t Bytes>
using RawMover = Mover<RawElement<Bytes>, RawElement<Bytes>, Insert>;

/// Elements of one loop.
template <class MoverType>
void move_row(const MoverType& mover, const char* from, char* to, const MoveLoop& row) {
    if (row.has_tables()) {
        const std::int64_t* const from_at = row.from_table;
        const std::int64_t* const to_at = row.to_table;
        for (std::int64_t i = 0; i < row.count; ++i)
            mover.element(from + from_at[i], to + to_at[i]);
        return;
    }
    if (row.from_stride == MoverType::from_size && row.to_stride == MoverType::to_size)
        return mover.run(from, to, row.count);
    const std::int64_t from_stride = row.from_stride;
    const std::int64_t to_stride = row.to_stride;
    for (std::int64_t i = 0; i < row.count; ++i) {
        mover.element(from, to);
        from += from_stride;
        to += to_stride;
    }
}

/// Elements of a block one by one: for what is left over, and for types that registers do not hold.
template <class MoverType>
void move_singly(const MoverType& mover, const char* from, char* to, const MoveLoop& outer,
                 const MoveLoop& inner) {
    for (std::int64_t j = 0; j < outer.count; ++j)
        move_row(mover, from + j * outer.from_stride, to + j * outer.to_stride, inner);
}

inline MoveLoop of_count(MoveLoop loop, std::int64_t count) {
    loop.count = count;
    return loop;
}

} // namespace distview::impl
