// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace distview::perf {

/// Bytes that operator new has handed out so far; freed bytes are not subtracted. Programs that have
/// allocated_bytes.cpp among their sources replace operator new by one that counts.
std::size_t allocated_bytes() noexcept;

} // namespace distview::perf
