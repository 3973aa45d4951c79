// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planted fault: a flag may become visible before the data written earlier.
#pragma once

#include <atomic>

namespace distview::impl::sync_order {

inline constexpr std::memory_order publish = std::memory_order_relaxed;
inline constexpr std::memory_order arrive = std::memory_order_acquire;

} // namespace distview::impl::sync_order
