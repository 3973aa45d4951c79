// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace distview::impl {

std::uint64_t xxh3(const void* bytes, std::size_t count) { return XXH3_64bits(bytes, count); }

} // namespace distview::impl
