// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/exact_folds.hpp>
#include <distview/algorithms/impl/exact_sum.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace distview::impl {

namespace {

/// The loops of exact_folds.hpp, compiled for one instruction set.
struct Loops {
    Folds (*numbers)(std::span<const NumberRow>, const FoldStarts&, Leftovers&);
    Folds (*products)(std::span<const NumberRow>, const FoldStarts&, Leftovers&);
    double (*sum)(const double*, int);
};

// Libraries are compiled for any processor of a family. These loops take most of the time of reproducible sums, so they
// are compiled for several instruction sets.
#define DISTVIEW_LOOPS(NAME, TARGET, VECTOR, FUSED)                                                \
    TARGET Folds NAME##_numbers(std::span<const NumberRow> rows, const FoldStarts& starts,         \
                                Leftovers& left) {                                                 \
        return fold_numbers<VECTOR>(rows, starts, left);                                           \
    }                                                                                              \
    TARGET Folds NAME##_products(std::span<const NumberRow> rows, const FoldStarts& starts,        \
                                 Leftovers& left) {                                                \
        return fold_products<VECTOR, FUSED>(rows, starts, left);                                   \
    }                                                                                              \
    TARGET double NAME##_sum(const double* values, int count) {                                    \
        return sum_in_lanes<VECTOR>(values, count);                                                \
    }                                                                                              \
    constexpr Loops NAME##_loops { NAME##_numbers, NAME##_products, NAME##_sum }

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA) || defined(FP_FAST_FMA)
DISTVIEW_LOOPS(plain, , Vector16, true);
#else
DISTVIEW_LOOPS(plain, , Vector16, false);
#endif
#ifdef __x86_64__
DISTVIEW_LOOPS(avx2, [[gnu::target("avx2,fma")]], Vector32, true);
#ifdef __clang__
DISTVIEW_LOOPS(avx512, [[gnu::target("avx512f,avx512dq")]], Vector64, true);
#else
DISTVIEW_LOOPS(avx512, [[gnu::target("avx512f,avx512dq,prefer-vector-width=512")]], Vector64, true);
#endif
#endif

/// The loops for this processor.
const Loops& loops() {
#ifdef __x86_64__
    static const Loops& chosen = __builtin_cpu_supports("avx512dq") ? avx512_loops
                                 : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                     ? avx2_loops
                                     : plain_loops;
    return chosen;
#else
    return plain_loops;
#endif
}

/// The exponent of a power of two above `largest`, and one more, since the next block may have larger numbers.
int bound_of(double largest) { return std::max(std::ilogb(largest), -1074) + 2; }

/// Whether folds for numbers below 2^bound are right: no number was NaN, infinite or larger.
bool has_held(const Folds& folds, int bound) {
    return folds.largest < std::ldexp(1.0, bound) && !std::isnan(folds.sums[0]);
}

/// Calls fold(starts) with the bound of the previous block, and again with a new one if that fails. False if both fail.
template <class Fold>
bool fold_within(int& bound, Folds& folds, const Fold& fold) {
    folds = fold(FoldStarts(bound));
    if (has_held(folds, bound)) return true;
    if (!(folds.largest < greatest_folded)) return false;
    bound = bound_of(folds.largest);
    folds = fold(FoldStarts(bound));
    return has_held(folds, bound);
}

/// The bound for the next block: smaller if this one was far too large.
int next_bound(int bound, const Folds& folds) {
    const bool too_large = folds.largest > 0 && std::ilogb(folds.largest) < bound - 8;
    return too_large ? bound_of(folds.largest) : bound;
}

/// Adds the remainders, some of them zero, that two folds within a bound have left. Overwrites them.
template <bool Wide>
void add_left(ExactSum<Wide>& sum, int bound, double* left, int count) {
    // A fold takes as long as a few single additions.
    constexpr int few = 16;
    constexpr int most_folds = 12;
    for (int fold = 0; fold < most_folds && count > few; ++fold) {
        bound -= 2 * fold_bits;
        Leftovers rest;
        const NumberRow row{left, left, count};
        const Folds folds = loops().numbers({&row, 1}, FoldStarts(bound), rest);
        sum.add(folds.sums[0]);
        sum.add(folds.sums[1]);
        if (!folds.anything_left) return;
        int others = 0;
        for (int i = 0; i < count; ++i) {
            left[others] = rest.of_numbers[i];
            others += rest.of_numbers[i] != 0;
        }
        count = others;
    }
    for (int i = 0; i < count; ++i) sum.add(left[i]);
}

/// Adds products if some, but not all, have bits below 2^-1074.
void add_small_products(ExactSum<true>& sum, int& bound, std::span<const NumberRow> rows) {
    std::array<NumberRow, exact_block / exact_lanes> of_others;
    double others[exact_block];
    double* end = others;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto& [x, y, count] = rows[r];
        of_others[r] = {end, y, count};
        for (int i = 0; i < count; ++i) {
            const bool small = std::abs(x[i] * y[i]) < least_folded_product;
            if (small) sum.add_product(x[i], y[i]);
            *end++ = small ? 0 : x[i];
        }
    }
    add_products(sum, bound, std::span(of_others).first(rows.size()));
}

} // namespace

template <bool Wide>
void add_numbers(ExactSum<Wide>& sum, int& bound, std::span<const NumberRow> rows) {
    Leftovers left;
    Folds folds;
    const bool folded = fold_within(bound, folds, [&](const FoldStarts& starts) {
        return loops().numbers(rows, starts, left);
    });
    if (!folded) {
        for (const NumberRow& row : rows)
            for (int i = 0; i < row.count; ++i) sum.add(row.x[i]);
        return;
    }
    sum.add(folds.sums[0]);
    sum.add(folds.sums[1]);
    if (folds.anything_left) add_left(sum, bound, left.of_numbers, left.count);
    bound = next_bound(bound, folds);
}

void add_products(ExactSum<true>& sum, int& bound, std::span<const NumberRow> rows) {
    Leftovers left;
    Folds folds;
    const bool folded = fold_within(bound, folds, [&](const FoldStarts& starts) {
        return loops().products(rows, starts, left);
    });
    if (folded && folds.any_small) return add_small_products(sum, bound, rows);
    if (!folded) {
        for (const NumberRow& row : rows)
            for (int i = 0; i < row.count; ++i) sum.add_product(row.x[i], row.y[i]);
        return;
    }
    for (const double part : folds.sums) sum.add(part);
    if (folds.anything_left) {
        add_left(sum, bound, left.of_numbers, left.count);
        add_left(sum, bound - 53, left.of_errors, left.count);
    }
    bound = next_bound(bound, folds);
}

double rounded_sum(const double* values, int count) { return loops().sum(values, count); }

template void add_numbers(ExactSum<false>&, int&, std::span<const NumberRow>);
template void add_numbers(ExactSum<true>&, int&, std::span<const NumberRow>);

} // namespace distview::impl
