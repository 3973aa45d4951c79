// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace distview {

/// A running 64-bit hash of numbers, enumerators and texts (splitmix64's finaliser, chained). agree() compares such hashes
/// between ranks.
class Hash {
public:
    template <class Number>
        requires std::integral<Number> || std::is_enum_v<Number>
    Hash& add(Number value) noexcept {
        std::uint64_t z = m_value + 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(value);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        m_value = z ^ (z >> 31);
        return *this;
    }
    /// Adds the bits of a number.
    template <std::same_as<double> Number>
    Hash& add(Number value) noexcept {
        return add(std::bit_cast<std::uint64_t>(value));
    }
    Hash& add(std::string_view text) noexcept {
        for (const char c : text) add(c);
        return add(text.size());
    }
    std::uint64_t value() const noexcept { return m_value; }

private:
    std::uint64_t m_value = 0;
};

/// The hash of these values, in this order.
template <class... Values>
std::uint64_t hash_of(const Values&... values) noexcept {
    Hash hash;
    (hash.add(values), ...);
    return hash.value();
}

} // namespace distview
