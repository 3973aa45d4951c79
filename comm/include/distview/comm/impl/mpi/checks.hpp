// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace distview::impl {

/// Converts a count to MPI's int; throws UsageError that names `caller` if it exceeds 2^31-1.
int message_count(std::int64_t count, const char* caller, const char* unit = "bytes");

/// Runs the function of set_interrupt_check(), at most every 20 ms on each thread.
///
/// For the slow branch of waiting loops, where a thread yields or sleeps. Costs one load without a function,
/// else also a look at the clock. May throw: callers must leave a state with which other ranks can go on.
void check_interrupt();

} // namespace distview::impl
