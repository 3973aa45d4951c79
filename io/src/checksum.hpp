// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace distview::impl {

/// XXH3 of 64 bits.
std::uint64_t xxh3(const void* bytes, std::size_t count);

} // namespace distview::impl
