// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/point_moves.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace distview::impl {

/// The bytes of an element of this address and size, in the widest units that both allow.
template <class Unit>
KOKKOS_INLINE_FUNCTION void copy_units(const char* from, char* to, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(Unit)))
        *reinterpret_cast<Unit*>(to + at) = *reinterpret_cast<const Unit*>(from + at);
}
KOKKOS_INLINE_FUNCTION void copy_element(const char* from, char* to, std::int64_t bytes) {
    switch (bytes & -bytes) {
    case 1: return copy_units<std::uint8_t>(from, to, bytes);
    case 2: return copy_units<std::uint16_t>(from, to, bytes);
    case 4: return copy_units<std::uint32_t>(from, to, bytes);
    default: return copy_units<std::uint64_t>(from, to, bytes);
    }
}

/// Element i.
KOKKOS_INLINE_FUNCTION void copy_point(const PointMoves& moves, char* list, std::int64_t i) {
    const auto place = [&](const PointMoves::End& end) {
        return end.first(list) + (end.at ? end.at[i] : i * moves.element_size);
    };
    copy_element(place(moves.from), place(moves.to), moves.element_size);
}

/// Elements of so many bytes. Between two of them nothing waits for memory but loads, so that many are under way.
template <std::size_t Bytes, bool FromTable, bool ToTable>
void copy_points_of(const PointMoves& moves, const char* from, char* to) {
    constexpr auto size = static_cast<std::int64_t>(Bytes);
    const std::int64_t* const from_at = moves.from.at;
    const std::int64_t* const to_at = moves.to.at;
    for (std::int64_t i = 0; i < moves.count; ++i)
        std::memcpy(to + (ToTable ? to_at[i] : i * size),
                    from + (FromTable ? from_at[i] : i * size), Bytes);
}
/// Elements of a table, one after the other past the caches. All of a line are loaded before the next one's, so that no
/// store waits between them.
template <std::size_t Bytes>
void stream_points_of(const PointMoves& moves, const char* from, char* to) {
    const std::int64_t* const at = moves.from.at;
    const auto copy = [&](std::int64_t i) {
        std::memcpy(to + static_cast<std::size_t>(i) * Bytes, from + at[i], Bytes);
    };
    constexpr auto of_line = static_cast<std::int64_t>(line_size / Bytes);
    std::int64_t i = 0;
    const auto is_line = [&] {
        return reinterpret_cast<std::uintptr_t>(to + static_cast<std::size_t>(i) * Bytes) %
                   line_size ==
               0;
    };
    for (; i < moves.count && i < of_line && !is_line(); ++i) copy(i);
    if (is_line()) {
        for (; i + of_line <= moves.count; i += of_line) {
            char line[line_size];
            for (std::int64_t k = 0; k < of_line; ++k)
                std::memcpy(line + static_cast<std::size_t>(k) * Bytes, from + at[i + k], Bytes);
            stream_line(line, to + static_cast<std::size_t>(i) * Bytes);
        }
        end_streaming();
    }
    for (; i < moves.count; ++i) copy(i);
}
template <std::size_t Bytes>
void copy_points_of(const PointMoves& moves, const char* from, char* to) {
    if (moves.streams) return stream_points_of<Bytes>(moves, from, to);
    if (moves.from.at && moves.to.at) return copy_points_of<Bytes, true, true>(moves, from, to);
    if (moves.from.at) return copy_points_of<Bytes, true, false>(moves, from, to);
    if (moves.to.at) return copy_points_of<Bytes, false, true>(moves, from, to);
    std::memcpy(to, from, Bytes * static_cast<std::size_t>(moves.count));
}

/// All elements, in the calling thread.
inline void copy_points(const PointMoves& moves, char* list) {
    const char* const from = moves.from.first(list);
    char* const to = moves.to.first(list);
    switch (moves.element_size) {
    case 1: return copy_points_of<1>(moves, from, to);
    case 2: return copy_points_of<2>(moves, from, to);
    case 4: return copy_points_of<4>(moves, from, to);
    case 8: return copy_points_of<8>(moves, from, to);
    case 16: return copy_points_of<16>(moves, from, to);
    default: break;
    }
    for (std::int64_t i = 0; i < moves.count; ++i) copy_point(moves, list, i);
}

/// Combines element i with its values.
template <class T, class Op>
KOKKOS_INLINE_FUNCTION void combine_point(const PointSums& sums, const char* list, const Op& op,
                                          std::int64_t i) {
    T& element = *reinterpret_cast<T*>(sums.to + sums.to_at[i]);
    for (std::int64_t k = sums.first[i]; k < sums.first[i + 1]; ++k) {
        const std::int64_t place = sums.values[k];
        const char* const value = place < 0 ? list + ~place : reinterpret_cast<const char*>(place);
        element = op(element, *reinterpret_cast<const T*>(value));
    }
}

/// Copies pieces [begin, end), as run_boxes() does; they must stay until the work has finished.
template <ExecutionSpace Exec>
void move_points(const Exec& exec, const std::string& label, const PointMoves* pieces, int begin,
                 int end, char* list) {
    run_boxes(
        exec, label, begin, end, [=](int i) { copy_points(pieces[i], list); },
        [=] {
            std::int64_t bytes = 0;
            for (int i = begin; i < end; ++i) bytes += pieces[i].count * tuning::cache_line;
            return bytes;
        });
}

/// The same for elements that are combined.
template <class T, ExecutionSpace Exec, class Op>
void combine_points(const Exec& exec, const std::string& label, const PointSums* pieces, int begin,
                    int end, const char* list, const Op& op) {
    run_boxes(
        exec, label, begin, end,
        [=](int piece) {
            const PointSums& sums = pieces[piece];
            for (std::int64_t i = 0; i < sums.count; ++i) combine_point<T>(sums, list, op, i);
        },
        [=] {
            std::int64_t bytes = 0;
            for (int i = begin; i < end; ++i) bytes += pieces[i].count * tuning::cache_line;
            return bytes;
        });
}

/// Copies the elements of tables in a device's memory, by a thread each.
struct CopyPoint {
    PointMoves moves;
    char* list;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { copy_point(moves, list, i); }
};
template <class T, class Op>
struct CombinePoint {
    PointSums sums;
    const char* list;
    Op op;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
        combine_point<T>(sums, list, op, i);
    }
};

} // namespace distview::impl
