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

/// Elements before the first whole line.
template <class T>
std::int64_t before_line(const char* address, std::int64_t count) {
    const auto past =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % line_size);
    const std::int64_t bytes = past == 0 ? 0 : static_cast<std::int64_t>(line_size) - past;
    return std::min(count, bytes / static_cast<std::int64_t>(sizeof(T)));
}

/// Squares of half a cache line's length, wherever they begin, and singly what is left.
template <class From, class To, class Op>
void move_half_squares(const Mover<From, To, Op>& mover, const char* from, char* to,
                       const MoveLoop& outer, const MoveLoop& inner) {
    constexpr std::size_t half = line_size / 2;
    constexpr std::int64_t edge = line_elements<sizeof(From), half>;
    const std::int64_t columns = outer.count / edge * edge;
    const std::int64_t rows = inner.count / edge * edge;
    alignas(half) char square[static_cast<std::size_t>(edge) * half];
    for (std::int64_t j = 0; j < columns; j += edge)
        for (std::int64_t i = 0; i < rows; i += edge) {
            transpose_lines<sizeof(From), half>(
                from + j * outer.from_stride + i * inner.from_stride, inner.from_stride, square);
            mover.template run_square<half>(square, to + j * outer.to_stride + i * inner.to_stride,
                                            outer.to_stride);
        }
    const auto rest = [&](std::int64_t j, std::int64_t more_columns, std::int64_t i,
                          std::int64_t more_rows) {
        move_singly(mover, from + j * outer.from_stride + i * inner.from_stride,
                    to + j * outer.to_stride + i * inner.to_stride, of_count(outer, more_columns),
                    of_count(inner, more_rows));
    };
    rest(0, columns, rows, inner.count - rows);
    rest(columns, outer.count - columns, 0, inner.count);
}

/// Squares of a cache line's length are transposed in registers: whatever the strides' common power of
/// two, every line on either side is met once. They begin at lines of the source along the one axis, and
/// of the target along the other.
template <class From, class To, class Op>
void move_squares(const Mover<From, To, Op>& mover, const MoveBlock& block) {
    constexpr std::int64_t edge = line_elements<sizeof(From)>;
    const MoveLoop& outer = block.outer;
    const MoveLoop& inner = block.inner;
    const std::int64_t first_column = before_line<From>(block.from, outer.count);
    const std::int64_t first_row = before_line<To>(block.to, inner.count);
    const std::int64_t end_column = first_column + (outer.count - first_column) / edge * edge;
    const std::int64_t end_row = first_row + (inner.count - first_row) / edge * edge;

    alignas(line_size) char square[edge * static_cast<std::int64_t>(line_size)];
    for (std::int64_t j = first_column; j < end_column; j += edge)
        for (std::int64_t i = first_row; i < end_row; i += edge) {
            const char* const from = block.from + j * outer.from_stride + i * inner.from_stride;
            char* const to = block.to + j * outer.to_stride + i * inner.to_stride;
            transpose_lines<sizeof(From)>(from, inner.from_stride, square);
            // Too many rows are read at once for the processor to see that each goes on.
            const char* const next =
                j + edge < end_column ? from + line_size : block.next_from + i * inner.from_stride;
            for (std::int64_t k = 0; k < edge; ++k) prefetch(next + k * inner.from_stride);
            mover.template run_square<line_size>(square, to, outer.to_stride);
        }

    // What is left around the squares: above, below, and on either side.
    const auto rest = [&](std::int64_t j, std::int64_t columns, std::int64_t i, std::int64_t rows) {
        move_half_squares(mover, block.from + j * outer.from_stride + i * inner.from_stride,
                          block.to + j * outer.to_stride + i * inner.to_stride,
                          of_count(outer, columns), of_count(inner, rows));
    };
    rest(0, first_column, 0, inner.count);
    rest(first_column, end_column - first_column, 0, first_row);
    rest(first_column, end_column - first_column, end_row, inner.count - end_row);
    rest(end_column, outer.count - end_column, 0, inner.count);
}

template <class From, class To, class Op>
void move_transposed(const Mover<From, To, Op>& mover, const MoveBlock& block) {
    if constexpr (transposes_lines<sizeof(From)>)
        if (block.outer.from_stride == static_cast<std::int64_t>(sizeof(From)) &&
            block.inner.to_stride == static_cast<std::int64_t>(sizeof(To)))
            return move_squares(mover, block);
    move_singly(mover, block.from, block.to, block.outer, block.inner);
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
