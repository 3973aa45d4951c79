// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

/// How the two sides of a SyncLine are ordered. In a file of its own because the tests replace it by
/// weaker orders, to see that the race detector then reports them.
namespace distview::impl::sync_order {

/// Of what a process says: after all that it wrote.
inline constexpr std::memory_order publish = std::memory_order_release;
/// Of what another one sees: before all that it reads.
inline constexpr std::memory_order arrive = std::memory_order_acquire;

} // namespace distview::impl::sync_order
