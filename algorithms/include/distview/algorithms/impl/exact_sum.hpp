// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

namespace distview::impl {

// Exact sums of doubles. The words of a sum are digits of 32 bits in integers of 64 bits, so that carries can be
// deferred. Sums of integers do not depend on the order, so ranks and threads add their sums word by word.

/// How a value is added to a word: plainly, or atomically if many threads of a device add.
struct PlainAddition {
    KOKKOS_FORCEINLINE_FUNCTION static void add(std::int64_t& word, std::int64_t value) {
        word += value;
    }
};
struct AtomicAddition {
    KOKKOS_FORCEINLINE_FUNCTION static void add(std::int64_t& word, std::int64_t value) {
        Kokkos::atomic_add(&word, value);
    }
};

/// A finite double is (-1)^negative * mantissa * 2^(position - 1074); all three are integers.
struct DoubleParts {
    std::uint64_t mantissa;
    int position;
    bool negative;
    bool finite;
};
KOKKOS_FORCEINLINE_FUNCTION DoubleParts parts_of(double value) {
    const auto bits = Kokkos::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52) & 0x7ff;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    const bool normal = exponent > 0;
    return {fraction | (std::uint64_t{normal} << 52), normal ? exponent - 1 : 0, (bits >> 63) != 0,
            exponent != 0x7ff};
}

/// The exact sum of doubles; if `Wide`, also of products of two doubles.
///
/// The value is the sum over i of words[i] * 2^(32 i + lowest), with room for 2^63 summands of any size. NaN and
/// infinities are counted separately. A sum consists of plain words: once the sums of several ranks are normalized,
/// they are added up word by word.
///
///     ExactSum<false> sum;
///     sum.clear();
///     for (const double x : numbers) sum.add(x);
///     return sum.rounded();
template <bool Wide>
struct ExactSum {
    static constexpr bool wide = Wide;
    /// Exponent of the lowest bit: a multiple of 32 below the lowest bit of any summand, which is -1074 or -2148.
    static constexpr int lowest = Wide ? -2176 : -1088;
    static constexpr int digits = Wide ? 134 : 68;

    std::int64_t words[digits];
    std::int64_t not_a_number;   ///< number of NaNs added
    std::int64_t plus_infinity;  ///< number of these added
    std::int64_t minus_infinity; ///< number of these added
    std::int64_t additions;      ///< additions since words were normalized

    KOKKOS_FUNCTION void clear() { *this = {}; }

    /// Adds one number of any size, NaN and infinities included.
    KOKKOS_FUNCTION void add(double value) {
        add_number<PlainAddition>(value);
        count_addition();
    }
    /// Adds x * y without rounding.
    KOKKOS_FUNCTION void add_product(double x, double y)
        requires Wide
    {
        add_exact_product<PlainAddition>(x, y);
        count_addition();
    }
    KOKKOS_FUNCTION void add(const ExactSum& other) {
        for (int i = 0; i < digits; ++i) words[i] += other.words[i];
        not_a_number += other.not_a_number;
        plus_infinity += other.plus_infinity;
        minus_infinity += other.minus_infinity;
        normalize();
    }

    /// Propagates carries: afterwards all words are in [0, 2^32), except the last, which has the sign.
    KOKKOS_FUNCTION void normalize() {
        std::int64_t carry = 0;
        for (int i = 0; i + 1 < digits; ++i) {
            const std::int64_t word = words[i] + carry;
            carry = word >> 32;
            words[i] = word & 0xffffffff;
        }
        words[digits - 1] += carry;
        additions = 0;
    }

    /// The sum, rounded once to the nearest double (or float), ties to even; NaN and infinities as in IEEE 754. A sum
    /// of zero is +0.
    template <class T = double>
    T rounded() const;
    /// The square root of the sum, which must not be negative, rounded once.
    double rounded_root() const;

    /// add() without normalizing; `Addition` may be atomic. At most 2^27 calls in a row.
    template <class Addition>
    KOKKOS_FUNCTION void add_number(double value) {
        const DoubleParts parts = parts_of(value);
        if (!parts.finite) return add_special<Addition>(value);
        add_bits<Addition>(parts.mantissa, parts.position - 1074 - lowest, parts.negative);
    }
    template <class Addition>
    KOKKOS_FUNCTION void add_exact_product(double x, double y) {
        const DoubleParts a = parts_of(x);
        const DoubleParts b = parts_of(y);
        if (!a.finite || !b.finite) return add_special<Addition>(x * y);
        const int position = a.position + b.position - 2 * 1074 - lowest;
        const bool negative = a.negative != b.negative;
        constexpr std::uint64_t low = 0xffffffff;
        add_bits<Addition>((a.mantissa & low) * (b.mantissa & low), position, negative);
        add_bits<Addition>((a.mantissa >> 32) * (b.mantissa & low), position + 32, negative);
        add_bits<Addition>((a.mantissa & low) * (b.mantissa >> 32), position + 32, negative);
        add_bits<Addition>((a.mantissa >> 32) * (b.mantissa >> 32), position + 64, negative);
    }

private:
    /// An addition changes a word by less than 2^35, so two sums with 2^26 additions each can be added.
    KOKKOS_FUNCTION void count_addition() {
        if (++additions >= (std::int64_t{1} << 26)) normalize();
    }
    template <class Addition>
    KOKKOS_FUNCTION void add_special(double value) {
        Addition::add(value > 0 ? plus_infinity : value < 0 ? minus_infinity : not_a_number, 1);
    }
    /// Adds +-value * 2^(position + lowest), in three digits.
    template <class Addition>
    KOKKOS_FUNCTION void add_bits(std::uint64_t value, int position, bool negative) {
        const int shift = position & 31;
        std::int64_t* word = words + (position >> 5);
        const std::uint64_t low = (value & 0xffffffff) << shift;
        const std::uint64_t high = (value >> 32) << shift;
        // Branchless: a branch would often be mispredicted.
        const std::int64_t sign = -static_cast<std::int64_t>(negative);
        const auto give = [sign](std::int64_t& to, std::uint64_t digit) {
            Addition::add(to, (static_cast<std::int64_t>(digit) ^ sign) - sign);
        };
        give(word[0], low & 0xffffffff);
        give(word[1], (low >> 32) + (high & 0xffffffff));
        give(word[2], high >> 32);
    }
};
static_assert(std::is_trivially_copyable_v<ExactSum<true>>);
static_assert(sizeof(ExactSum<false>) == sizeof(std::int64_t) * (ExactSum<false>::digits + 4));

extern template double ExactSum<false>::rounded<double>() const;
extern template double ExactSum<true>::rounded<double>() const;
extern template float ExactSum<false>::rounded<float>() const;
extern template double ExactSum<false>::rounded_root() const;
extern template double ExactSum<true>::rounded_root() const;

/// Maximum number of numbers added to a sum at once; each row counts as a multiple of exact_lanes.
inline constexpr int exact_block = 1024;
inline constexpr int exact_lanes = 16;

/// Numbers x[0], x[1], ... in memory, or products x[0] * y[0], x[1] * y[1], ...
struct NumberRow {
    const double* x;
    const double* y;
    int count;

    friend bool operator==(const NumberRow&, const NumberRow&) = default;
};

/// Adds the numbers of some rows. They are expected to be below 2^bound; `bound` may begin with any value, and each
/// call improves it.
///
/// Costs a few vector operations each if the numbers are zero or within 30 powers of two of the largest; the sum is
/// exact for all other numbers, too.
template <bool Wide>
void add_numbers(ExactSum<Wide>& sum, int& bound, std::span<const NumberRow> rows);
/// Same, for products, which are not rounded.
void add_products(ExactSum<true>& sum, int& bound, std::span<const NumberRow> rows);
/// The sum of numbers in double; the order of the additions depends only on `count`.
double rounded_sum(const double* values, int count);

} // namespace distview::impl
