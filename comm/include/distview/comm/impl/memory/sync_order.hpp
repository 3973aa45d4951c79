// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

/// Memory orders of the two sides of a SyncLine. In a separate file because tests replace it by
/// weaker orders, to check that the race detector reports them.
namespace distview::impl::sync_order {

/// Order of a published value: after everything that its process wrote.
inline constexpr std::memory_order publish = std::memory_order_release;
/// Order of an observed value: before everything that its process reads.
inline constexpr std::memory_order arrive = std::memory_order_acquire;

} // namespace distview::impl::sync_order
