// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/runtime.hpp>

#include <atomic>
#include <chrono>

namespace distview {

namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};

} // namespace

void set_interrupt_check(InterruptCheck check) noexcept {
    interrupt_check.store(check, std::memory_order_release);
}

void impl::check_interrupt() {
    const InterruptCheck check = interrupt_check.load(std::memory_order_acquire);
    if (!check) return;
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds interval{20};
    thread_local Clock::time_point last{};
    const Clock::time_point now = Clock::now();
    if (now - last < interval) return;
    last = now;
    check();
}

} // namespace distview
