// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Constants that a benchmark chose: each with its unit and the benchmark (of perf/comm) that shows what it is worth.
namespace distview::impl::tuning {

/// Bytes that processors fetch and share as one.
inline constexpr std::int64_t cache_line = 64;

// Padding exchange: boxes of bytes

/// Bytes of cache lines that one piece of a box touches at most on either side: enough to outweigh handing it to a
/// thread; little enough that a few neighbours' regions keep several threads busy, and that pieces which meet the same
/// lines, taken one after the other, find them in the cache. bench_padding_exchange
inline constexpr std::int64_t box_piece_bytes = 16384;
/// Bytes from which on the rows of a box, or of ghosts, are copied as fast from where they are as from a pack.
/// bench_padding_exchange, bench_ghost_exchange
inline constexpr std::int64_t long_row_bytes = 256;
/// Bytes of memory below which a kernel of the host runs on the calling thread: starting other threads and waiting for
/// them costs as much as 5 to 50 us of copying, and milliseconds where threads share a core. bench_small_copies
inline constexpr std::int64_t one_thread_bytes = std::int64_t{1} << 20;

// Redistribution: nests of loops

/// Runs of an axis, and elements of a run on average: with more and shorter runs a table of elements is faster than
/// loops. bench_redistribution
inline constexpr std::int64_t few_runs = 8;
inline constexpr std::int64_t long_run_elements = 16;
/// Nests of one transfer; beyond, tables replace the longest list of runs. bench_redistribution
inline constexpr std::int64_t most_nests = 65536;
/// Elements of a block along either loop of a transposition: some hundred pages of memory on either side, which
/// address translation still covers, and rows long enough to be fetched ahead. bench_redistribution
inline constexpr std::int64_t transposed_edge = 128;
/// Bytes of a block that does not transpose. bench_redistribution
inline constexpr std::int64_t row_block_bytes = 65536;
/// Elements of a unit of work. bench_redistribution
inline constexpr std::int64_t unit_elements = 32768;
/// Elements of a unit that takes turns with units of the same source, which caches keep meanwhile. bench_redistribution
inline constexpr std::int64_t interleaved_unit_elements = 2048;
/// Bytes of the rows between a row and the one that is prefetched meanwhile; longer rows, and rows without gaps, are not
/// prefetched. bench_redistribution: without it 1.5 and 1.6 times as long on one processor, 0.83 and 0.88 on another
/// (perf/results/2026-11-28-bars.md)
inline constexpr std::int64_t prefetch_distance = 4096;
/// Bytes of a transposition that is not fetched ahead, since both sides may be in a cache: it takes 0.6 to 0.85 of the time,
/// and 1.0 to 1.4 if they are not (perf/results/2026-11-30-transposed-in-cache.md)
inline constexpr std::int64_t cached_bytes = std::int64_t{1} << 20;
/// Bytes of a move that is written past the caches: more than these hold for long. bench_redistribution
inline constexpr std::int64_t streamed_bytes = std::int64_t{4} << 20;
/// Elements from which on a run is fetched whole, with little of the gaps behind it, so that targets read it; the
/// owner writes shorter ones. bench_redistribution
inline constexpr std::int64_t long_read_run = 512;

// Redistribution: rounds

/// Bytes of shared memory that a process packs borrowed arrays into: what is packed is still in a cache when it is read.
/// bench_borrowed_arrays
inline constexpr std::int64_t shared_round_bytes = std::int64_t{4} << 20;
/// Bytes of the buffer of a transposition in place: rounds take longer than agreeing on them, and what is packed is still in
/// a cache when it is read. bench_redistribution: in one round 1.29 to 1.57 times as long (perf/results/2026-11-25-constants.md)
inline constexpr std::int64_t in_place_bytes = std::int64_t{8} << 20;

// Waiting

/// Looks at a neighbour's flag, or for a message, before a thread sleeps or yields, and yields of a thread that shares its
/// core. bench_exchange_latency, bench_exchange_oversubscribed
inline constexpr int spins = 2000;
inline constexpr int yields = 5;

// Device

/// Elements of a tile, and the edge of a square one. perf/device/bench_device
inline constexpr int device_tile_elements = 1024;
inline constexpr int device_tile_edge = 32;
/// Elements that a thread reads before it uses the first of them. perf/device/bench_device
inline constexpr int device_reads_at_once = 4;
/// Threads of a team. perf/device/bench_device
inline constexpr int device_team_threads = 256;

} // namespace distview::impl::tuning
