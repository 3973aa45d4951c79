// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace distview::impl {

/// A count as MPI's int; throws UsageError, naming `caller`, beyond 2^31-1.
int message_count(std::int64_t count, const char* caller, const char* unit = "bytes");

/// Runs the function of set_interrupt_check(), at most every 20 ms on each thread.
///
/// For the slow branch of waiting loops, where a thread yields or sleeps: without a function it costs one
/// load, else a look at the clock. Not noexcept: callers must leave a state that others can live with.
void check_interrupt();

} // namespace distview::impl
