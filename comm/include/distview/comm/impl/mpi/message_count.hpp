// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace distview::impl {

/// A count as MPI's int; throws UsageError, naming `caller`, beyond 2^31-1.
///
/// Collective: no (local)
int message_count(std::int64_t count, const char* caller);

} // namespace distview::impl
