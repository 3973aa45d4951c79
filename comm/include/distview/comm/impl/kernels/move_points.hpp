// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/point_moves.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/kernels/stream_copy.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

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

/// Lists of an execution: where elements are that have no address, and where they go.
struct PointLists {
    char* from = nullptr;
    char* to = nullptr;
};

/// Element i.
KOKKOS_INLINE_FUNCTION void copy_point(const PointMoves& moves, const PointLists& lists,
                                       std::int64_t i) {
    const auto place = [&](const PointMoves::End& end, char* list) {
        return end.first(list) + (end.at ? end.at[i] : i * moves.element_size);
    };
    copy_element(place(moves.from, lists.from), place(moves.to, lists.to), moves.element_size);
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
/// Asks for the element that a loop comes to later: of those far apart, more than a processor asks for on its own.
inline void prefetch_point(const char* data, const PointMoves::End& end, std::int64_t i,
                           std::int64_t count) {
    prefetch(data + end.at[std::min(i + tuning::point_prefetch_distance, count - 1)]);
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
            for (std::int64_t k = 0; k < of_line; ++k) {
                prefetch_point(from, moves.from, i + k, moves.count);
                std::memcpy(line + static_cast<std::size_t>(k) * Bytes, from + at[i + k], Bytes);
            }
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
inline void copy_points(const PointMoves& moves, const PointLists& lists) {
    const char* const from = moves.from.first(lists.from);
    char* const to = moves.to.first(lists.to);
    switch (moves.element_size) {
    case 1: return copy_points_of<1>(moves, from, to);
    case 2: return copy_points_of<2>(moves, from, to);
    case 4: return copy_points_of<4>(moves, from, to);
    case 8: return copy_points_of<8>(moves, from, to);
    case 16: return copy_points_of<16>(moves, from, to);
    default: break;
    }
    for (std::int64_t i = 0; i < moves.count; ++i) copy_point(moves, lists, i);
}

/// Combines elements with values, one after the other, as elements may occur several times.
template <class T, class Op>
void combine_points(const PointMoves& moves, const PointLists& lists, const Op& op) {
    const char* const from = moves.from.first(lists.from);
    char* const to = moves.to.first(lists.to);
    const auto offset = [&](const PointMoves::End& end, std::int64_t i) {
        return end.at ? end.at[i] : i * moves.element_size;
    };
    for (std::int64_t i = 0; i < moves.count; ++i) {
        if (moves.to.at) prefetch_point(to, moves.to, i, moves.count);
        T& element = *reinterpret_cast<T*>(to + offset(moves.to, i));
        element = op(element, *reinterpret_cast<const T*>(from + offset(moves.from, i)));
    }
}

/// Copies pieces [begin, end), as run_boxes() does; they must stay until the work has finished.
template <ExecutionSpace Exec>
void move_points(const Exec& exec, const std::string& label, const PointMoves* pieces, int begin,
                 int end, const PointLists& lists) {
    run_boxes(
        exec, label, begin, end, [=](int i) { copy_points(pieces[i], lists); },
        [=] {
            std::int64_t bytes = 0;
            for (int i = begin; i < end; ++i) bytes += pieces[i].count * tuning::cache_line;
            return bytes;
        });
}

/// Combines, where each share's moves are made in their order.
template <class T, ExecutionSpace Exec, class Op>
void combine_shares(const Exec& exec, const std::string& label,
                    const std::vector<PointMoves>* shares, int begin, int end,
                    const PointLists& lists, const Op& op) {
    run_boxes(
        exec, label, begin, end,
        [=](int share) {
            for (const PointMoves& moves : shares[share]) combine_points<T>(moves, lists, op);
        },
        [=] {
            std::int64_t bytes = 0;
            for (int share = begin; share < end; ++share)
                for (const PointMoves& moves : shares[share])
                    bytes += moves.count * tuning::cache_line;
            return bytes;
        });
}

/// Copies the elements of tables in a device's memory, by a thread each.
struct CopyPoint {
    PointMoves moves;
    PointLists lists;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { copy_point(moves, lists, i); }
};
/// Of each field.
template <ExecutionSpace Exec, class Lists>
void move_points_on_device(const Exec& exec, const std::string& label,
                           const std::vector<std::vector<PointMoves>>& of_fields,
                           const Lists& lists_of) {
    for (std::size_t f = 0; f < of_fields.size(); ++f)
        for (const PointMoves& moves : of_fields[f])
            run_boxes(exec, label, std::int64_t{0}, moves.count, CopyPoint{moves, lists_of(f)});
}

/// Combines element i with its values.
template <class T, class Op>
struct CombinePoint {
    PointSums sums;
    const char* list;
    Op op;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
        T& element = *reinterpret_cast<T*>(sums.to + sums.to_at[i]);
        for (std::int64_t k = sums.first[i]; k < sums.first[i + 1]; ++k) {
            const std::int64_t place = sums.values[k];
            const char* const value =
                place < 0 ? list + ~place : reinterpret_cast<const char*>(place);
            element = op(element, *reinterpret_cast<const T*>(value));
        }
    }
};

} // namespace distview::impl
