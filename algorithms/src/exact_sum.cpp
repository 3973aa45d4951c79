// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/exact_sum.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace distview::impl {

namespace {

__extension__ using UInt128 = unsigned __int128;

/// mantissa * 2^exponent, or slightly more if `inexact`, rounded once to a T. The highest bit of the mantissa is set.
template <class T>
T rounded_to(std::uint64_t mantissa, int exponent, bool inexact) {
    // The last bit of the result: a T has 53 bits (float: 24), or fewer if it is subnormal.
    constexpr int digits = std::numeric_limits<T>::digits;
    const int last =
        std::max(exponent + 64 - digits, std::numeric_limits<T>::min_exponent - digits);
    const int shift = last - exponent;
    if (shift > 64) return 0; // less than half of the least subnormal number
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = mantissa & (2 * half - 1); // all bits if shift is 64
    std::uint64_t whole = shift == 64 ? 0 : mantissa >> shift;
    if (rest > half || (rest == half && (inexact || whole % 2 == 1))) ++whole;
    return std::ldexp(static_cast<T>(whole), last);
}

/// The floor of the square root; `value` is at least 2^126, the root hence at least 2^63.
std::uint64_t integer_root(UInt128 value) {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
        const std::uint64_t with = root | bit;
        if (static_cast<UInt128>(with) * with <= value) root = with;
    }
    return root;
}

/// The absolute value of a sum, as bits.
template <class Sum>
class Magnitude {
public:
    explicit Magnitude(const Sum& sum) : m_sum(sum) {
        m_sum.normalize();
        m_negative = m_sum.words[Sum::digits - 1] < 0;
        if (m_negative) {
            for (std::int64_t& word : m_sum.words) word = -word;
            m_sum.normalize();
        }
        for (int i = Sum::digits - 1; i >= 0 && m_bits == 0; --i)
            if (m_sum.words[i] != 0)
                m_bits = 32 * i + static_cast<int>(
                                      std::bit_width(static_cast<std::uint64_t>(m_sum.words[i])));
    }
    bool negative() const { return m_negative; }
    /// Number of bits up to the highest bit that is set; 0 for zero.
    int bits() const { return m_bits; }
    /// Bits [first, first + 64); bits below bit 0 are zeros.
    std::uint64_t at(int first) const {
        std::uint64_t result = 0;
        for (int k = 0; k < 3; ++k) {
            const int digit = (first >> 5) + k;
            const int shift = 32 * k - (first & 31);
            if (digit < 0 || digit >= Sum::digits || shift == 64) continue;
            const auto value = static_cast<std::uint64_t>(m_sum.words[digit]);
            result |= shift >= 0 ? value << shift : value >> -shift;
        }
        return result;
    }
    /// Whether any bit below `end` is set.
    bool any_below(int end) const {
        for (int i = 0; 32 * i < end; ++i) {
            const int kept = std::min(end - 32 * i, 32);
            if (m_sum.words[i] & ((std::int64_t{1} << kept) - 1)) return true;
        }
        return false;
    }

private:
    Sum m_sum;
    bool m_negative = false;
    int m_bits = 0;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether NaN or infinities determine the sum; if so, stores it in `result`.
template <class Sum>
bool is_special(const Sum& sum, double& result) {
    if (sum.not_a_number > 0 || (sum.plus_infinity > 0 && sum.minus_infinity > 0))
        result = std::numeric_limits<double>::quiet_NaN();
    else if (sum.plus_infinity > 0)
        result = infinity;
    else if (sum.minus_infinity > 0)
        result = -infinity;
    else
        return false;
    return true;
}

} // namespace

template <bool Wide>
template <class T>
T ExactSum<Wide>::rounded() const {
    double special = 0;
    if (is_special(*this, special)) return static_cast<T>(special);
    const Magnitude<ExactSum> magnitude(*this);
    if (magnitude.bits() == 0) return 0;
    const int first = magnitude.bits() - 64;
    const T result =
        rounded_to<T>(magnitude.at(first), first + lowest, magnitude.any_below(first));
    return magnitude.negative() ? -result : result;
}

template <bool Wide>
double ExactSum<Wide>::rounded_root() const {
    double result = 0;
    if (is_special(*this, result)) return result;
    const Magnitude<ExactSum> magnitude(*this);
    if (magnitude.bits() == 0) return 0;
    // The highest 127 or 128 bits, so that the bits below them are a whole power of four.
    const int first = magnitude.bits() - 128 + magnitude.bits() % 2;
    static_assert(lowest % 2 == 0);
    const UInt128 value =
        static_cast<UInt128>(magnitude.at(first + 64)) << 64 | magnitude.at(first);
    const std::uint64_t root = integer_root(value);
    const bool inexact = static_cast<UInt128>(root) * root != value || magnitude.any_below(first);
    return rounded_to<double>(root, (first + lowest) / 2, inexact);
}

template double ExactSum<false>::rounded<double>() const;
template double ExactSum<true>::rounded<double>() const;
template float ExactSum<false>::rounded<float>() const;
template double ExactSum<false>::rounded_root() const;
template double ExactSum<true>::rounded_root() const;

} // namespace distview::impl
