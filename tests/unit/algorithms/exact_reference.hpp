// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

// The reference for reproducible sums: sums and products of doubles by schoolbook arithmetic on long numbers; the
// nearest double or float is found by exact comparison of distances. Slow and simple.

namespace distview::testing {

__extension__ using UInt128 = unsigned __int128;

/// A non-negative multiple of 2^-2240 below 2^2240.
class LongNumber {
public:
    LongNumber() = default;
    /// factor * 2^exponent
    LongNumber(UInt128 factor, int exponent) {
        for (; factor != 0; factor >>= 1, ++exponent)
            if (factor & 1) set(exponent);
    }
    /// |x * y|, both finite.
    static LongNumber product(double x, double y) {
        int x_exponent = 0;
        int y_exponent = 0;
        const double x_fraction = std::frexp(std::abs(x), &x_exponent);
        const double y_fraction = std::frexp(std::abs(y), &y_exponent);
        const auto a = static_cast<std::uint64_t>(std::ldexp(x_fraction, 53));
        const auto b = static_cast<std::uint64_t>(std::ldexp(y_fraction, 53));
        return {static_cast<UInt128>(a) * b, x_exponent + y_exponent - 106};
    }

    LongNumber& operator+=(const LongNumber& other) {
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < m_digits.size(); ++i) {
            const UInt128 digit = UInt128{m_digits[i]} + other.m_digits[i] + carry;
            m_digits[i] = static_cast<std::uint64_t>(digit);
            carry = static_cast<std::uint64_t>(digit >> 64);
        }
        return *this;
    }
    /// `other` must not be greater.
    LongNumber& operator-=(const LongNumber& other) {
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < m_digits.size(); ++i) {
            const UInt128 taken = UInt128{other.m_digits[i]} + borrow;
            borrow = taken > m_digits[i] ? 1 : 0;
            m_digits[i] -= static_cast<std::uint64_t>(taken);
        }
        return *this;
    }
    friend std::strong_ordering operator<=>(const LongNumber& a, const LongNumber& b) {
        return std::lexicographical_compare_three_way(a.m_digits.rbegin(), a.m_digits.rend(),
                                                      b.m_digits.rbegin(), b.m_digits.rend());
    }
    friend bool operator==(const LongNumber&, const LongNumber&) = default;
    bool is_zero() const { return *this == LongNumber(); }

private:
    static constexpr int lowest = -2240;
    void set(int exponent) {
        const int bit = exponent - lowest;
        m_digits.at(static_cast<std::size_t>(bit / 64)) |= std::uint64_t{1} << (bit % 64);
    }
    std::array<std::uint64_t, 70> m_digits{};
};

/// The midpoint between a finite double or float >= 0 and the next one; after the greatest, the limit to infinity.
struct Midpoint {
    template <class T>
    explicit Midpoint(T x) {
        constexpr int digits = std::numeric_limits<T>::digits;
        constexpr int lowest = std::numeric_limits<T>::min_exponent - digits;
        const int exponent = // exponent of the last bit of x
            x == 0 ? lowest : std::max(std::ilogb(x) - (digits - 1), lowest);
        factor = 2 * static_cast<std::uint64_t>(std::ldexp(static_cast<double>(x), -exponent)) + 1;
        last = exponent - 1;
    }
    LongNumber value() const { return {factor, last}; }
    LongNumber square() const { return {static_cast<UInt128>(factor) * factor, 2 * last}; }
    std::uint64_t factor;
    int last;
};

/// The nearest number of type T; `compare(midpoint)` states on which side of a midpoint the value lies. Ties to even.
template <class T, class Compare>
T nearest(const Compare& compare) {
    // Finds the least number whose upper midpoint is not exceeded, by bisection over the bits.
    using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    Bits low = 0;
    Bits high = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    while (low < high) {
        const Bits middle = low + (high - low) / 2;
        const std::strong_ordering side = compare(Midpoint(std::bit_cast<T>(middle)));
        if (side > 0 || (side == 0 && middle % 2 == 1))
            low = middle + 1;
        else
            high = middle;
    }
    return std::bit_cast<T>(low);
}

/// An exact sum, with NaN and infinities handled as in IEEE 754.
class ReferenceSum {
public:
    void add(double x) { add_product(x, 1); }
    void add_product(double x, double y) {
        if (std::isfinite(x) && std::isfinite(y))
            (std::signbit(x) == std::signbit(y) ? m_positive : m_negative) +=
                LongNumber::product(x, y);
        else
            m_special += x * y;
    }
    /// Rounded once to the nearest double or float.
    template <class T = double>
    T rounded() const {
        if (m_special != 0) return static_cast<T>(m_special);
        const bool negative = m_negative > m_positive;
        const LongNumber size = magnitude();
        const T result = nearest<T>([&](const Midpoint& m) { return size <=> m.value(); });
        return negative ? -result : result;
    }
    double rounded_root() const {
        if (m_special != 0) return m_special;
        const LongNumber size = magnitude();
        return nearest<double>([&](const Midpoint& m) { return size <=> m.square(); });
    }

private:
    LongNumber magnitude() const {
        LongNumber size = std::max(m_positive, m_negative);
        size -= std::min(m_positive, m_negative);
        return size;
    }
    LongNumber m_positive;
    LongNumber m_negative;
    double m_special = 0; ///< sum of NaN and infinities, the same in any order
};

} // namespace distview::testing
