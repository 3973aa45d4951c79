// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/move_nest.hpp>
#include <distview/comm/impl/stream_copy.hpp>
#include <distview/comm/impl/transpose_lines.hpp>
#include <distview/core/element_type.hpp>

#include <Kokkos_Core.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace distview::impl {

// What happens to an element that arrives: To operator()(To here, To incoming), and whether `here` is
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
template <class Scalar>
struct LinearUpdate {
    static constexpr bool reads_target = true;
    Scalar alpha;
    Scalar beta;
    template <class T>
    KOKKOS_FUNCTION constexpr T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(beta * here + alpha * incoming);
    }
};

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

    /// Elements that follow each other on both sides; both do not overlap.
    void run(const char* __restrict from, char* __restrict to, std::int64_t count) const {
        if constexpr (is_copy) {
            if (!must_conjugate()) {
                const auto bytes = static_cast<std::size_t>(count * from_size);
                if (streams)
                    stream_copy(from, to, bytes);
                else
                    std::memcpy(to, from, bytes);
                return;
            }
        }
        for (std::int64_t i = 0; i < count; ++i) element(from + i * from_size, to + i * to_size);
    }

    /// The same for one cache line of source elements. Not past the caches: the lines next to it in the
    /// square are far away, and memory writes them one by one.
    void run_line(const char* __restrict from, char* __restrict to) const {
        constexpr std::int64_t count = line_elements<sizeof(From)>;
        if (is_copy && !must_conjugate())
            std::memcpy(to, from, line_size);
        else
            for (std::int64_t i = 0; i < count; ++i)
                element(from + i * from_size, to + i * to_size);
    }

private:
    static constexpr bool is_complex = IsComplex<From>::value;

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

/// Squares of a cache line's length are transposed in registers: whatever the strides' common power of
/// two, every line on either side is met once.
template <class From, class To, class Op>
void move_transposed(const Mover<From, To, Op>& mover, const MoveBlock& block) {
    MoveLoop outer = block.outer;
    MoveLoop inner = block.inner;
    std::int64_t columns = 0; // of the squares
    std::int64_t rows = 0;
    if constexpr (transposes_lines<sizeof(From)>) {
        constexpr std::int64_t edge = line_elements<sizeof(From)>;
        if (outer.from_stride == static_cast<std::int64_t>(sizeof(From)) &&
            inner.to_stride == static_cast<std::int64_t>(sizeof(To))) {
            columns = outer.count / edge * edge;
            rows = inner.count / edge * edge;
        }
        alignas(line_size) char square[edge * line_size];
        for (std::int64_t j = 0; j < columns; j += edge) {
            for (std::int64_t i = 0; i < rows; i += edge) {
                const char* const from = block.from + j * outer.from_stride + i * inner.from_stride;
                char* const to = block.to + j * outer.to_stride + i * inner.to_stride;
                transpose_lines<sizeof(From)>(from, inner.from_stride, square);
                // Too many rows are read at once for the processor to see that each goes on.
                const char* const next =
                    j + edge < columns ? from + line_size : block.next_from + i * inner.from_stride;
                for (std::int64_t k = 0; k < edge; ++k) prefetch(next + k * inner.from_stride);
                for (std::int64_t k = 0; k < edge; ++k)
                    mover.run_line(square + k * static_cast<std::int64_t>(line_size),
                                   to + k * outer.to_stride);
            }
        }
    }
    // Below the squares, then to the right of all.
    outer.count = columns;
    inner.count = block.inner.count - rows;
    move_singly(mover, block.from + rows * inner.from_stride, block.to + rows * inner.to_stride,
                outer, inner);
    outer.count = block.outer.count - columns;
    inner.count = block.inner.count;
    move_singly(mover, block.from + columns * outer.from_stride,
                block.to + columns * outer.to_stride, outer, inner);
}

/// Rows one after the other. Where they are short and something lies between them, the processor fetches
/// what lies between and not the next row: it is asked for that.
template <class MoverType>
void move_rows(const MoverType& mover, const MoveBlock& block) {
    constexpr std::int64_t ahead = 4096; // bytes
    constexpr std::int64_t long_row = 4096;
    const MoveLoop& outer = block.outer;
    const std::int64_t row = block.inner.count * block.inner.from_stride;
    const bool has_gaps = !outer.has_tables() && !block.inner.has_tables() && row > 0 &&
                          row < long_row && outer.from_stride > row;
    const std::int64_t distance = has_gaps ? ahead / row * outer.from_stride : 0;
    for (std::int64_t j = 0; j < outer.count; ++j) {
        const char* const from = block.from + outer.from(j);
        if (has_gaps)
            for (std::int64_t at = 0; at < row; at += static_cast<std::int64_t>(line_size))
                prefetch(from + distance + at);
        move_row(mover, from, block.to + outer.to(j), block.inner);
    }
}

template <class MoverType>
void move_block(const MoverType& mover, const MoveBlock& block) {
    if (block.transposes)
        move_transposed(mover, block);
    else
        move_rows(mover, block);
}

} // namespace distview::impl
