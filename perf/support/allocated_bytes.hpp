// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace distview::perf {

/// Bytes that operator new has given out so far, none of them subtracted again. Programs with
/// allocated_bytes.cpp among their sources have an operator new that counts.
std::size_t allocated_bytes() noexcept;

} // namespace distview::perf
