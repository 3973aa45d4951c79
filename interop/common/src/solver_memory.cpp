// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/interop/solver_memory.hpp>

#include <atomic>

namespace distview {

namespace {
std::atomic<std::int64_t> door_bytes{0};
} // namespace

std::int64_t bytes_copied_at_the_door() noexcept {
    return door_bytes.load(std::memory_order_relaxed);
}

void impl::count_door_copy(std::int64_t bytes) noexcept {
    door_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

} // namespace distview
