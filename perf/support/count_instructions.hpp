// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace distview::perf {

/// Does `work`, and says how many instructions this thread executes for it, outside the operating
/// system; none where that cannot be found out.
///
/// A second process steps through them one by one, since virtual machines often have no counters:
/// thousands of times slower than `work` alone, so whoever this thread waits for has long come.
std::optional<std::int64_t> count_instructions(const std::function<void()>& work);

} // namespace distview::perf
