// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/sync_order.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <atomic>
#include <cstdint>

namespace distview::impl {

/// Flag by which one process shows another its progress. Fills its own cache line, and the
/// adjacent one that prefetchers load with it.
///
/// Lies in memory that both processes map; only one process advances it. This code knows neither
/// MPI nor processes: threads on plain memory can use it, so that tests check it for races.
struct alignas(128) SyncLine {
    /// Has the value e once the step of exchange e is done: values only grow. Contains a key of
    /// the call and its set of arrays (see next_epoch()), so that processes notice mixed-up
    /// calls. The highest bit means that no value follows. One word, so that nothing is written
    /// after the awaited value: a process that has seen it may free the line.
    std::atomic<std::uint64_t> epoch{0};
    /// Number of threads that sleep until `epoch` changes.
    std::atomic<std::uint32_t> sleepers{0};
    /// Number of the plan to which the line belongs, until another plan gets it.
    std::atomic<std::uint64_t> plan{0};
};
static_assert(sizeof(SyncLine) == 128 && std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

/// State of an awaited process; gone: it will not arrive.
enum class Arrival { here, not_yet, gone };

inline constexpr std::uint64_t gone_bit = std::uint64_t{1} << 63;

/// Epoch of a plan's next execution, with a key of 8 bits. Adding 1 gives the next exchange in it.
constexpr std::uint64_t next_epoch(std::uint64_t epoch, std::uint64_t key) noexcept {
    return ((epoch >> 24) + 1) << 24 | (key & 0xff) << 16;
}

/// Sets the line to `epoch` and wakes threads that sleep on it. A thread that sees `epoch` also
/// sees everything that this thread wrote before.
///
/// Does not wait until other processes can see the value, which would cost as much as the rest
/// of a small exchange: a thread that falls asleep at that moment sleeps until its time limit.
/// Only for `oversubscribed` processes, which sleep at once, a fence prevents this.
void publish(SyncLine& line, std::uint64_t epoch, bool oversubscribed) noexcept;

/// Tells all current and later waiters that nothing follows `epoch`.
inline void publish_last(SyncLine& line, std::uint64_t epoch) noexcept {
    publish(line, epoch | gone_bit, true);
}

/// Whether a line has reached exactly `epoch`; if so, data that its process wrote before may be read.
/// The process cannot go on before they have been read: a greater value means another exchange.
inline Arrival arrived_at(const SyncLine& line, std::uint64_t epoch) noexcept {
    const std::uint64_t value = line.epoch.load(sync_order::arrive);
    if ((value & ~gone_bit) == epoch) return Arrival::here;
    return value > epoch ? Arrival::gone : Arrival::not_yet; // the highest bit makes it greater
}

/// Whether a line has reached or passed `epoch`.
inline Arrival arrived(const SyncLine& line, std::uint64_t epoch) noexcept {
    const std::uint64_t value = line.epoch.load(sync_order::arrive);
    if ((value & ~gone_bit) >= epoch) return Arrival::here;
    return (value & gone_bit) != 0 ? Arrival::gone : Arrival::not_yet;
}

/// Whether the line's process was not gone yet when this thread finished its earlier reads.
/// Then the thread read the offered data, not later contents of the memory.
inline bool stayed(const SyncLine& line) noexcept {
    std::atomic_thread_fence(std::memory_order_acquire);
    return (line.epoch.load(std::memory_order_relaxed) & gone_bit) == 0;
}

/// How a thread waits. With its own core it spins, because neighbours mostly arrive soon, and then
/// sleeps until it is woken. If processes are `oversubscribed`, the awaited process needs this core:
/// the thread yields a few times, which costs a tenth of sleeping and waking, and then sleeps.
class Waiter {
public:
    explicit Waiter(bool oversubscribed) noexcept
        : m_spins(oversubscribed ? 0 : tuning::spins),
          m_yields(oversubscribed ? tuning::yields : 0) {}

    /// Waits a little for `line` to reach `epoch`. True when some time has passed: the caller
    /// should let MPI make progress, without which a neighbour may not arrive.
    bool wait(SyncLine& line, std::uint64_t epoch) noexcept;

private:
    int m_spins;
    int m_yields;
};

} // namespace distview::impl
