// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/memory/sync_order.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <atomic>
#include <cstdint>

namespace distview::impl {

/// Where one process tells another how far it is; a cache line of its own, and the one that
/// prefetchers take with it.
///
/// Lies in memory that both see. Only one process advances it. Nothing here knows MPI or processes:
/// threads over plain memory do as well, which is how it is tested for races.
struct alignas(128) SyncLine {
    /// Of exchange e the value e, once its step is done: values only grow. It also has a key of the call and its set
    /// of arrays (see next_epoch()), so that processes that mix them up see it. The highest bit says that nothing will come
    /// after it. One word, so that nothing is written after what somebody waits for: whoever has seen it may
    /// free the line.
    std::atomic<std::uint64_t> epoch{0};
    /// How many sleep until it changes.
    std::atomic<std::uint32_t> sleepers{0};
    /// Number of the plan that it belongs to, until it is given to another one.
    std::atomic<std::uint64_t> plan{0};
};
static_assert(sizeof(SyncLine) == 128 && std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

/// The state of a process that is waited for; gone: it does not arrive.
enum class Arrival { here, not_yet, gone };

inline constexpr std::uint64_t gone_bit = std::uint64_t{1} << 63;

/// Number of a plan's next execution, with a key of 8 bits. Adding 1 gives the next exchange in it.
constexpr std::uint64_t next_epoch(std::uint64_t epoch, std::uint64_t key) noexcept {
    return ((epoch >> 24) + 1) << 24 | (key & 0xff) << 16;
}

/// Makes all that this thread wrote before visible to who sees `epoch` arrive, and wakes who sleeps
/// on the line.
///
/// Does not wait until the others can see it, which would cost as much as the rest of a small exchange:
/// who falls asleep at that very moment sleeps until its time is up. Only where processes are `oversubscribed`,
/// and go to sleep at once, is the order of the two worth its price.
void publish(SyncLine& line, std::uint64_t epoch, bool oversubscribed) noexcept;

/// Tells everybody who waits, or will, that nothing comes after `epoch`.
inline void publish_last(SyncLine& line, std::uint64_t epoch) noexcept {
    publish(line, epoch | gone_bit, true);
}

/// Whether a line has come to exactly `epoch`; if so, what its process wrote before may be read. It cannot go on
/// before it has been read: one that is beyond makes another exchange.
inline Arrival arrived_at(const SyncLine& line, std::uint64_t epoch) noexcept {
    const std::uint64_t value = line.epoch.load(sync_order::arrive);
    if ((value & ~gone_bit) == epoch) return Arrival::here;
    return value > epoch ? Arrival::gone : Arrival::not_yet; // the highest bit makes it greater
}

/// Whether a line has come to `epoch`, or beyond.
inline Arrival arrived(const SyncLine& line, std::uint64_t epoch) noexcept {
    const std::uint64_t value = line.epoch.load(sync_order::arrive);
    if ((value & ~gone_bit) >= epoch) return Arrival::here;
    return (value & gone_bit) != 0 ? Arrival::gone : Arrival::not_yet;
}

/// Whether a line's process had not gone when this thread finished the reads before this call: then
/// what it read was what the process offered, not what was made of the memory afterwards.
inline bool stayed(const SyncLine& line) noexcept {
    std::atomic_thread_fence(std::memory_order_acquire);
    return (line.epoch.load(std::memory_order_relaxed) & gone_bit) == 0;
}

/// How a thread waits. With a core of its own it spins, since neighbours are mostly about to arrive, and then
/// sleeps until it is woken. Where processes are `oversubscribed`, one that is waited for needs this core: the thread offers
/// it a few times, which costs a tenth of falling asleep and being woken, and then sleeps.
class Waiter {
public:
    explicit Waiter(bool oversubscribed) noexcept
        : m_spins(oversubscribed ? 0 : tuning::spins),
          m_yields(oversubscribed ? tuning::yields : 0) {}

    /// Waits a little for `line` to come to `epoch`. True when some time has passed: a good moment
    /// to let MPI make progress, without which a neighbour may not arrive.
    bool wait(SyncLine& line, std::uint64_t epoch) noexcept;

private:
    int m_spins;
    int m_yields;
};

} // namespace distview::impl
