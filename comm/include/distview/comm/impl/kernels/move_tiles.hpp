// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_moves.hpp>
#include <distview/comm/impl/kernels/mover.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::impl {

/// Moves one tile with each team of `Threads` threads.
template <class From, class To, class Op, int Threads>
struct MoveTile {
    /// Elements that are too long to be staged are moved one by one.
    static constexpr bool can_stage = sizeof(To) <= 16;
    static constexpr bool reads = reads_target<Op>();
    static constexpr std::size_t scratch_bytes =
        can_stage ? DeviceMove::staged_elements * sizeof(To) + alignof(To) : 0;

    const DeviceMove* moves;
    int count;
    Op op;
    bool conjugate;

    template <class Team>
    KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
        const int tile = team.league_rank();
        const DeviceMove& move = entry_of(moves, count, tile);
        // 32 bits, because devices divide these much faster.
        int rest = tile - move.first;
        const std::int64_t first_row =
            static_cast<std::int64_t>(rest % move.tiles_along_row) * move.tile_rows;
        rest /= move.tiles_along_row;
        const std::int64_t first_column =
            static_cast<std::int64_t>(rest % move.tiles_along_column) * move.tile_columns;
        rest /= move.tiles_along_column;
        const char* from = move.from;
        char* to = move.to;
        for (int d = move.other_count - 1; d >= 0; --d) {
            const MoveLoop& axis = move.others[d];
            const auto length = static_cast<int>(axis.count);
            const int i = rest % length;
            rest /= length;
            from += axis.from(i);
            to += axis.to(i);
        }
        const int rows = shorter(move.tile_rows, move.row.count - first_row);
        const int columns = shorter(move.tile_columns, move.column.count - first_column);
        const TilePart part{first_row, rows, first_column, columns};
        constexpr int edge = DeviceMove::tile_edge;
        if (!can_stage || !move.transposes)
            move_directly(team, move, from, to, part);
        else if (rows == edge && columns == edge && !move.row.has_tables() &&
                 !move.column.has_tables())
            move_square(team, move, from, to, part);
        else
            move_staged(team, move, from, to, part);
    }

private:
    struct TilePart {
        std::int64_t first_row;
        int rows;
        std::int64_t first_column;
        int columns;
    };

    KOKKOS_INLINE_FUNCTION static int shorter(int tile, std::int64_t left) {
        return left < tile ? static_cast<int>(left) : tile;
    }

    /// One side of an axis: a copy, which no store of an element can change.
    struct Places {
        std::int64_t stride;
        const std::int64_t* table;

        KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
            return table ? table[i] : i * stride;
        }
    };
    KOKKOS_INLINE_FUNCTION static Places sources(const MoveLoop& axis) {
        return {axis.from_stride, axis.from_table};
    }
    KOKKOS_INLINE_FUNCTION static Places targets(const MoveLoop& axis) {
        return {axis.to_stride, axis.to_table};
    }

    /// Number of elements that a thread reads before it uses the first one: memory latency is
    /// long, and a compiler cannot know that none is another's target.
    static constexpr int at_once = tuning::device_reads_at_once;

    /// Calls write(element, read(element)) for the elements of a tile, with all threads of a
    /// team; `Whole` if their number is a multiple of the elements read at once.
    template <class Value, bool Whole = false, class Team, class Read, class Write>
    KOKKOS_INLINE_FUNCTION static void for_elements(const Team& team, int count, const Read& read,
                                                    const Write& write) {
        for (int first = team.team_rank(); first < count; first += at_once * Threads) {
            Value values[at_once]{};
            for (int k = 0; k < at_once; ++k)
                if (Whole || first + k * Threads < count) values[k] = read(first + k * Threads);
            for (int k = 0; k < at_once; ++k)
                if (Whole || first + k * Threads < count) write(first + k * Threads, values[k]);
        }
    }

    template <class Team>
    KOKKOS_INLINE_FUNCTION void move_directly(const Team& team, const DeviceMove& move,
                                              const char* from, char* to,
                                              const TilePart& part) const {
        const int rows = part.rows;
        const Places from_row = sources(move.row), from_column = sources(move.column);
        const Places to_row = targets(move.row), to_column = targets(move.column);
        const auto source = [&](int element) -> const From& {
            return *reinterpret_cast<const From*>(from + from_row(part.first_row + element % rows) +
                                                  from_column(part.first_column + element / rows));
        };
        const auto target = [&](int element) -> To& {
            return *reinterpret_cast<To*>(to + to_row(part.first_row + element % rows) +
                                          to_column(part.first_column + element / rows));
        };
        if constexpr (reads) {
            struct Both {
                From incoming;
                To here;
            };
            for_elements<Both>(
                team, rows * part.columns,
                [&](int element) { return Both{source(element), target(element)}; },
                [&](int element, const Both& both) {
                    target(element) = op(both.here, converted<To>(both.incoming, conjugate));
                });
        } else {
            for_elements<From>(
                team, rows * part.columns, [&](int element) { return source(element); },
                [&](int element, const From& value) {
                    const To incoming = converted<To>(value, conjugate);
                    target(element) = op(incoming, incoming);
                });
        }
    }

    /// Buffer that stages a tile; its rows are one element longer than needed.
    template <class Team>
    KOKKOS_INLINE_FUNCTION static To* stage(const Team& team) {
        return static_cast<To*>(team.team_scratch(0).get_shmem_aligned(
            DeviceMove::staged_elements * sizeof(To), alignof(To)));
    }

    /// Reads along the source's memory, writes along the target's.
    template <class Team>
    KOKKOS_INLINE_FUNCTION void move_staged(const Team& team, const DeviceMove& move,
                                            const char* from, char* to,
                                            const TilePart& part) const {
        To* const staged = stage(team);
        const int rows = part.rows;
        const int columns = part.columns;
        const int pitch = rows + 1;
        const Places from_row = sources(move.row), from_column = sources(move.column);
        for_elements<From>(
            team, rows * columns,
            [&](int element) {
                return *reinterpret_cast<const From*>(
                    from + from_row(part.first_row + element / columns) +
                    from_column(part.first_column + element % columns));
            },
            [&](int element, const From& value) {
                staged[element % columns * pitch + element / columns] =
                    converted<To>(value, conjugate);
            });
        team.team_barrier();
        const Places to_row = targets(move.row), to_column = targets(move.column);
        write_staged<false>(
            team, rows * columns,
            [&](int element) {
                return to + to_row(part.first_row + element % rows) +
                       to_column(part.first_column + element / rows);
            },
            [&](int element) -> const To& {
                return staged[element / rows * pitch + element % rows];
            });
    }

    /// The same for a whole square without tables, like most tiles. Its places need few
    /// instructions; the general case needs so many that memory waits for them.
    template <class Team>
    KOKKOS_INLINE_FUNCTION void move_square(const Team& team, const DeviceMove& move,
                                            const char* from, char* to,
                                            const TilePart& part) const {
        constexpr int edge = DeviceMove::tile_edge;
        constexpr int pitch = edge + 1;
        static_assert(edge * edge % (at_once * Threads) == 0);
        To* const staged = stage(team);
        const auto along = [](int element) {
            return static_cast<int>(static_cast<unsigned>(element) % edge);
        };
        const auto across = [](int element) {
            return static_cast<int>(static_cast<unsigned>(element) / edge);
        };
        const std::int64_t from_row = move.row.from_stride, from_column = move.column.from_stride;
        const std::int64_t to_row = move.row.to_stride, to_column = move.column.to_stride;
        const char* const source =
            from + part.first_row * from_row + part.first_column * from_column;
        char* const target = to + part.first_row * to_row + part.first_column * to_column;
        for_elements<From, true>(
            team, edge * edge,
            [&](int element) {
                return *reinterpret_cast<const From*>(source + across(element) * from_row +
                                                      along(element) * from_column);
            },
            [&](int element, const From& value) {
                staged[along(element) * pitch + across(element)] = converted<To>(value, conjugate);
            });
        team.team_barrier();
        write_staged<true>(
            team, edge * edge,
            [&](int element) {
                return target + along(element) * to_row + across(element) * to_column;
            },
            [&](int element) -> const To& {
                return staged[across(element) * pitch + along(element)];
            });
    }

    /// Updates the element at place(i) by incoming(i), for the elements of a staged tile.
    template <bool Whole, class Team, class Place, class Incoming>
    KOKKOS_INLINE_FUNCTION void write_staged(const Team& team, int elements, const Place& place,
                                             const Incoming& incoming) const {
        const auto target = [&](int element) -> To& {
            return *reinterpret_cast<To*>(place(element));
        };
        if constexpr (reads)
            for_elements<To, Whole>(
                team, elements, [&](int element) { return target(element); },
                [&](int element, const To& here) {
                    target(element) = op(here, incoming(element));
                });
        else
            for_elements<To, Whole>(
                team, elements, [&](int element) { return incoming(element); },
                [&](int element, const To& value) { target(element) = op(value, value); });
    }
};

/// Moves all transfers of a table in one kernel.
///
/// Space: on return work may still run on `exec`
template <class From, class To, ExecutionSpace Exec, class Op>
void move_tiles(const Exec& exec, const std::string& label, const DeviceTable<DeviceMove>& moves,
                const Op& op, bool conjugate) {
    if (moves.units == 0) return;
    static const std::string no_label;
    // Threads of a team: on a device enough to hide memory's latency; on the host one thread has all elements.
    constexpr int threads = is_synchronous<Exec> ? 1 : tuning::device_team_threads;
    using Tile = MoveTile<From, To, Op, threads>;
    // Limits registers so that four teams share a processor. Kokkos refuses a launch if the
    // teams' staging buffers do not fit, so for long elements two teams share it.
    using Bounds = Kokkos::LaunchBounds<256, (Tile::scratch_bytes <= 16384 ? 4 : 2)>;
    Kokkos::TeamPolicy<Exec, Bounds> policy(exec, static_cast<int>(moves.units), threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Tile::scratch_bytes)));
    Kokkos::parallel_for(Kokkos::Tools::profileLibraryLoaded() ? label : no_label, policy,
                         Tile{moves.data(), moves.count, op, conjugate});
}

/// The same; special cases of alpha and beta read less.
template <class From, class To, ExecutionSpace Exec, class Alpha, class Beta>
void move_tiles(const Exec& exec, const std::string& label, const DeviceTable<DeviceMove>& moves,
                const LinearUpdate<Alpha, Beta>& op, bool conjugate) {
    if (op.inserts())
        move_tiles<From, To>(exec, label, moves, Insert{}, conjugate);
    else if (op.ignores_target())
        move_tiles<From, To>(exec, label, moves, ScaledInsert<Alpha>{op.alpha}, conjugate);
    else
        move_tiles<From, To, Exec, LinearUpdate<Alpha, Beta>>(exec, label, moves, op, conjugate);
}

} // namespace distview::impl
