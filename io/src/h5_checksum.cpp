// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checksum.hpp"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace distview::impl {

std::uint64_t xxh3(const void* bytes, std::size_t count) { return XXH3_64bits(bytes, count); }

std::uint64_t
xxh3_of_pieces(std::int64_t count, std::int64_t piece_bytes,
               const std::function<const std::byte*(std::int64_t, std::int64_t)>& piece) {
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    for (std::int64_t b = 0; b < count; b += piece_bytes) {
        const std::int64_t e = std::min(count, b + piece_bytes);
        (void)XXH3_64bits_update(&state, piece(b, e), static_cast<std::size_t>(e - b));
    }
    return XXH3_64bits_digest(&state);
}

} // namespace distview::impl
