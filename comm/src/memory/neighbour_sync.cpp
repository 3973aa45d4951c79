// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/neighbour_sync.hpp>

#include <bit>
#include <cerrno>
#include <climits>
#include <ctime>
#include <thread>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace distview::impl {

namespace {

#ifdef __linux__
// std::atomic's own wait() works for threads of one process only.

/// The lower half of the epoch, which changes.
std::uint32_t* low_word(SyncLine& line) noexcept {
    auto* const words = reinterpret_cast<std::uint32_t*>(&line.epoch);
    return std::endian::native == std::endian::little ? words : words + 1;
}

void wake_all(SyncLine& line) noexcept {
    ::syscall(SYS_futex, low_word(line), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Sleeps until another thread wakes it or the epoch is no longer `seen`; true if this does not happen for a while,
/// or sleep is impossible. The time limit also ends a sleep that only a change of the highest bit should have ended.
bool sleep_on(SyncLine& line, std::uint64_t seen) noexcept {
    const std::timespec most{0, 500'000};
    return ::syscall(SYS_futex, low_word(line), FUTEX_WAIT, static_cast<std::uint32_t>(seen), &most,
                     nullptr, 0) != 0 &&
           errno != EAGAIN;
}
#else
void wake_all(SyncLine&) noexcept {}
bool sleep_on(SyncLine&, std::uint64_t) noexcept {
    std::this_thread::yield();
    return true;
}
#endif

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

} // namespace

void publish(SyncLine& line, std::uint64_t epoch, bool oversubscribed) noexcept {
    line.epoch.store(epoch, sync_order::publish);
    // Pairs with a sleeper, which increments `sleepers` before it reads the epoch: here the epoch is written first.
    if (oversubscribed) std::atomic_thread_fence(std::memory_order_seq_cst);
    // The line may be freed by now and hold any number: then a thread wakes in vain.
    if (line.sleepers.load(std::memory_order_relaxed) != 0) wake_all(line);
}

bool Waiter::wait(SyncLine& line, std::uint64_t epoch) noexcept {
    if (m_spins > 0) {
        relax();
        --m_spins;
        return false;
    }
    if (m_yields > 0) {
        std::this_thread::yield();
        return --m_yields == 0; // each may have taken milliseconds
    }
    line.sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint64_t seen = line.epoch.load(std::memory_order_seq_cst);
    const bool waits = (seen & ~gone_bit) < epoch && (seen & gone_bit) == 0;
    const bool in_vain = waits && sleep_on(line, seen);
    line.sleepers.fetch_sub(1, std::memory_order_seq_cst);
    return in_vain;
}

} // namespace distview::impl
