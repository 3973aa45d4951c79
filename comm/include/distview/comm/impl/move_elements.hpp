// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/move_nest.hpp>
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
                std::memcpy(to, from, static_cast<std::size_t>(count * from_size));
                return;
            }
        }
        for (std::int64_t i = 0; i < count; ++i) element(from + i * from_size, to + i * to_size);
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

/// Elements in a tile's row and column: as many as lie in a few cache lines, and few enough that the
/// tile stays in the first-level cache.
inline constexpr std::int64_t tile_edge = 32;

/// Fetches a tile of the source row by row, whole cache lines each, and writes it row by row of the
/// target: no line is met twice, whatever the strides' common power of two.
template <class From, class To, class Op>
void transpose_tile(const Mover<From, To, Op>& mover, const char* from, char* to,
                    const MoveLoop& outer, const MoveLoop& inner) {
    alignas(64) char tile[tile_edge * tile_edge * sizeof(From)];
    constexpr std::int64_t size = sizeof(From);
    const std::int64_t rows = inner.count;    // of the source
    const std::int64_t columns = outer.count; // likewise
    const auto fetch = [&](std::int64_t row_count, std::int64_t column_count,
                           std::int64_t column_stride) {
        for (std::int64_t i = 0; i < row_count; ++i) {
            const char* const source = from + i * inner.from_stride;
            char* const column = tile + i * size;
            for (std::int64_t j = 0; j < column_count; ++j)
                std::memcpy(column + j * tile_edge * size, source + j * column_stride, size);
        }
    };
    if (rows == tile_edge && columns == tile_edge && outer.from_stride == size)
        fetch(tile_edge, tile_edge, size);
    else
        fetch(rows, columns, outer.from_stride);
    for (std::int64_t j = 0; j < columns; ++j) {
        char* const target = to + j * outer.to_stride;
        const char* const source = tile + j * tile_edge * size;
        if (inner.to_stride == static_cast<std::int64_t>(sizeof(To)))
            mover.run(source, target, rows);
        else
            for (std::int64_t i = 0; i < rows; ++i)
                mover.element(source + i * size, target + i * inner.to_stride);
    }
}

template <class MoverType>
void move_block(const MoverType& mover, const MoveBlock& block) {
    if (!block.transposes) {
        for (std::int64_t j = 0; j < block.outer.count; ++j)
            move_row(mover, block.from + block.outer.from(j), block.to + block.outer.to(j),
                     block.inner);
        return;
    }
    MoveLoop outer = block.outer;
    MoveLoop inner = block.inner;
    for (std::int64_t j = 0; j < block.outer.count; j += tile_edge) {
        outer.count = std::min(tile_edge, block.outer.count - j);
        for (std::int64_t i = 0; i < block.inner.count; i += tile_edge) {
            inner.count = std::min(tile_edge, block.inner.count - i);
            transpose_tile(mover, block.from + j * outer.from_stride + i * inner.from_stride,
                           block.to + j * outer.to_stride + i * inner.to_stride, outer, inner);
        }
    }
}

} // namespace distview::impl
