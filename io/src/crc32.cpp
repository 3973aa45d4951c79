// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "crc32.hpp"

#include <array>
#include <cstring>

namespace distview::impl {

namespace {

constexpr std::uint32_t polynomial = 0xEDB88320u; // bits in reverse: bit 31 is the constant term
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// tables[k][b]: the effect of byte b on the remainder k bytes later.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t remainder = byte;
        for (int bit = 0; bit < 8; ++bit)
            remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? polynomial : 0);
        tables[0][byte] = remainder;
    }
    for (std::size_t k = 1; k < tables.size(); ++k)
        for (std::size_t byte = 0; byte < 256; ++byte)
            tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xff];
    return tables;
}

constexpr Tables tables = make_tables();

/// a * b modulo the polynomial.
std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    std::uint32_t result = 0;
    for (std::uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
        if ((a & bit) != 0) result ^= b;
        b = (b >> 1) ^ ((b & 1) != 0 ? polynomial : 0);
    }
    return result;
}

} // namespace

std::uint64_t crc32(const void* bytes, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::uint32_t remainder = 0xffffffffu;
    for (; count >= 8; count -= 8, at += 8) {
        const std::uint32_t low =
            remainder ^ (std::uint32_t{at[0]} | std::uint32_t{at[1]} << 8 |
                         std::uint32_t{at[2]} << 16 | std::uint32_t{at[3]} << 24);
        remainder = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^
                    tables[5][(low >> 16) & 0xff] ^ tables[4][low >> 24] ^ tables[3][at[4]] ^
                    tables[2][at[5]] ^ tables[1][at[6]] ^ tables[0][at[7]];
    }
    for (; count > 0; --count, ++at)
        remainder = (remainder >> 8) ^ tables[0][(remainder ^ *at) & 0xff];
    return remainder ^ 0xffffffffu;
}

std::uint32_t combined_crc32(std::uint32_t first, std::uint32_t second, std::int64_t second_bytes) {
    // The first remainder passes through second_bytes zero bytes: this multiplies it by x^(8 second_bytes).
    std::uint32_t power = 0x00800000u; // x^8
    for (; second_bytes > 0; second_bytes >>= 1) {
        if ((second_bytes & 1) != 0) first = product(power, first);
        power = product(power, power);
    }
    return first ^ second;
}

} // namespace distview::impl
