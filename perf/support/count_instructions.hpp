// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace distview::perf {

/// Runs `work` and returns how many instructions this thread executes for it, outside the operating
/// system; empty where they cannot be counted.
///
/// A second process steps through the instructions one by one, since virtual machines often lack counters. This is
/// thousands of times slower than `work` alone, so any rank that this thread waits for has arrived long before.
std::optional<std::int64_t> count_instructions(const std::function<void()>& work);

} // namespace distview::perf
