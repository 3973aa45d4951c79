// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planted fault: data read by a process may be older than the flag that it has read.
#pragma once

#include <atomic>

namespace distview::impl::sync_order {

inline constexpr std::memory_order publish = std::memory_order_release;
inline constexpr std::memory_order arrive = std::memory_order_relaxed;

} // namespace distview::impl::sync_order
