// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/point_moves.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// Copies the bytes of an element in the widest units that its addresses and size allow.
template <class Unit>
KOKKOS_INLINE_FUNCTION void copy_units(const char* from, char* to, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(Unit)))
        *reinterpret_cast<Unit*>(to + at) = *reinterpret_cast<const Unit*>(from + at);
}
KOKKOS_INLINE_FUNCTION void copy_element(const char* from, char* to, std::int64_t bytes) {
    const auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from) |
                                                reinterpret_cast<std::uintptr_t>(to)) |
                      bytes;
    switch (bits & -bits) {
    case 1: return copy_units<std::uint8_t>(from, to, bytes);
    case 2: return copy_units<std::uint16_t>(from, to, bytes);
    case 4: return copy_units<std::uint32_t>(from, to, bytes);
    default: return copy_units<std::uint64_t>(from, to, bytes);
    }
}

/// Lists of an execution, for elements without an address of their own: sources and targets.
struct PointLists {
    char* from = nullptr;
    char* to = nullptr;
};

/// Copies element i.
KOKKOS_INLINE_FUNCTION void copy_point(const PointMoves& moves, const PointLists& lists,
                                       std::int64_t i) {
    const auto place = [&](const PointMoves::End& end, char* list) {
        return end.first(list) + (end.at ? end.at[i] : i * moves.element_size);
    };
    copy_element(place(moves.from, lists.from), place(moves.to, lists.to), moves.element_size);
}

/// Copies elements of `Bytes` bytes. Between two elements only loads wait for memory, so that many loads are in flight.
template <std::size_t Bytes>
void copy_points(const PointMoves& moves, const char* from, char* to) {
    constexpr auto size = static_cast<std::int64_t>(Bytes);
    const std::int64_t* const from_at = moves.from.at;
    const std::int64_t* const to_at = moves.to.at;
    const std::int64_t count = moves.count;
    if (from_at && to_at)
        for (std::int64_t i = 0; i < count; ++i)
            std::memcpy(to + to_at[i], from + from_at[i], Bytes);
    else if (from_at)
        for (std::int64_t i = 0; i < count; ++i)
            std::memcpy(to + i * size, from + from_at[i], Bytes);
    else if (to_at)
        for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + to_at[i], from + i * size, Bytes);
    else
        std::memcpy(to, from, Bytes * static_cast<std::size_t>(count));
}

/// Copies elements of a table to consecutive places, past the caches. Loads all elements of a
/// line before the next line's, so that no store waits between them.
template <std::size_t Bytes>
void stream_points(const PointMoves& moves, const char* from, char* to) {
    constexpr auto size = static_cast<std::int64_t>(Bytes);
    constexpr auto line = static_cast<std::int64_t>(line_size);
    constexpr auto of_line = line / size;
    const std::int64_t* const at = moves.from.at;
    const std::int64_t count = moves.count;
    const auto is_line = [&](std::int64_t i) {
        return reinterpret_cast<std::uintptr_t>(to + i * size) % line_size == 0;
    };
    std::int64_t i = 0;
    for (; i < count && i < of_line && !is_line(i); ++i)
        std::memcpy(to + i * size, from + at[i], Bytes);
    if (is_line(i)) {
        for (; i + of_line <= count; i += of_line) {
            std::uint64_t elements[line_size / sizeof(std::uint64_t)];
            for (std::int64_t k = 0; k < of_line; ++k)
                std::memcpy(reinterpret_cast<char*>(elements) + k * size, from + at[i + k], Bytes);
            stream_words(elements, to + i * size);
        }
        end_streaming();
    }
    for (; i < count; ++i) std::memcpy(to + i * size, from + at[i], Bytes);
}

/// Work of run_boxes(): call i copies piece i. Pieces must stay until the work has finished.
struct CopyPieces {
    const PointMoves* pieces;
    PointLists lists;

    void operator()(int i) const {
        const PointMoves& moves = pieces[i];
        const char* const from = moves.from.first(lists.from);
        char* const to = moves.to.first(lists.to);
        if (moves.streams) {
            switch (moves.element_size) {
            case 1: return stream_points<1>(moves, from, to);
            case 2: return stream_points<2>(moves, from, to);
            case 4: return stream_points<4>(moves, from, to);
            case 8: return stream_points<8>(moves, from, to);
            case 16: return stream_points<16>(moves, from, to);
            default: break;
            }
        }
        switch (moves.element_size) {
        case 1: return copy_points<1>(moves, from, to);
        case 2: return copy_points<2>(moves, from, to);
        case 4: return copy_points<4>(moves, from, to);
        case 8: return copy_points<8>(moves, from, to);
        case 16: return copy_points<16>(moves, from, to);
        default: break;
        }
        for (std::int64_t k = 0; k < moves.count; ++k) copy_point(moves, lists, k);
    }
    std::int64_t bytes(int begin, int end) const {
        std::int64_t bytes = 0;
        for (int i = begin; i < end; ++i) bytes += pieces[i].count * tuning::cache_line;
        return bytes;
    }
};

/// In place of an element type that is not known: values replace elements as bytes.
struct AnyElement {};

/// Work of run_boxes(): call i combines the elements of share i with values, one after the
/// other, because elements may occur several times.
template <class T, class Op>
struct CombineShares {
    const std::vector<PointMoves>* shares;
    PointLists lists;
    Op op;

    void operator()(int share) const {
        for (const PointMoves& moves : shares[share]) {
            const char* const from = moves.from.first(lists.from);
            char* const to = moves.to.first(lists.to);
            const auto offset = [&](const PointMoves::End& end, std::int64_t i) {
                return end.at ? end.at[i] : i * moves.element_size;
            };
            for (std::int64_t i = 0; i < moves.count; ++i) {
                const char* const value = from + offset(moves.from, i);
                char* const here = to + offset(moves.to, i);
                if constexpr (std::is_same_v<T, AnyElement>) {
                    copy_element(value, here, moves.element_size);
                } else {
                    T element,
                        incoming; // alignment of AnyDistViews is less than that of complex numbers
                    std::memcpy(&element, here, sizeof(T));
                    std::memcpy(&incoming, value, sizeof(T));
                    element = op(element, incoming);
                    std::memcpy(here, &element, sizeof(T));
                }
            }
        }
    }
    std::int64_t bytes(int begin, int end) const {
        std::int64_t bytes = 0;
        for (int share = begin; share < end; ++share)
            for (const PointMoves& moves : shares[share]) bytes += moves.count * tuning::cache_line;
        return bytes;
    }
};

/// Copies the elements of tables in a device's memory, with one thread for each.
struct CopyPoint {
    PointMoves moves;
    PointLists lists;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { copy_point(moves, lists, i); }
};

/// Combines element i with its values.
template <class T, class Op>
struct CombinePoint {
    PointSums sums;
    const char* list;
    Op op;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
        char* const here = sums.to + sums.to_at[i];
        for (std::int64_t k = sums.first[i]; k < sums.first[i + 1]; ++k) {
            const std::int64_t place = sums.values[k];
            const char* const value =
                place < 0 ? list + ~place : reinterpret_cast<const char*>(place);
            if constexpr (std::is_same_v<T, AnyElement>) {
                copy_element(value, here, sums.element_size);
            } else {
                T& element = *reinterpret_cast<T*>(here);
                element = op(element, *reinterpret_cast<const T*>(value));
            }
        }
    }
};

} // namespace distview::impl
