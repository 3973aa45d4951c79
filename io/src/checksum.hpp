// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace distview::impl {

/// XXH3 of 64 bits.
std::uint64_t xxh3(const void* bytes, std::size_t count);
/// The same for bytes passed in pieces: piece(b, e) returns the address of bytes [b, e) of `count`.
std::uint64_t
xxh3_of_pieces(std::int64_t count, std::int64_t piece_bytes,
               const std::function<const std::byte*(std::int64_t, std::int64_t)>& piece);

} // namespace distview::impl
