// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace distview::impl {

/// The CRC that ZIP archives store for their members, in the low 32 bits.
std::uint64_t crc32(const void* bytes, std::size_t count);
/// The CRC of two consecutive runs of bytes, from their CRCs; the second run has `second_bytes` bytes.
std::uint32_t combined_crc32(std::uint32_t first, std::uint32_t second, std::int64_t second_bytes);

} // namespace distview::impl
