// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/exact_sum.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

// Most numbers of a block have few bits below those of the largest. A fold takes the next 42 bits of all numbers. It
// adds each number to a running sum so large that the sum's last bit is the last of these bits: the number is rounded
// to that bit, and its remainder is exact. The running sums of a block add up exactly, too. (Rump's ExtractVector;
// Demmel and Nguyen's indexed sums.) Two folds take all bits of numbers within 31 powers of two of the bound.
//
// Compile with -ffp-contract=off.

namespace distview::impl {

/// Numbers processed at once, in one or several vectors.
inline constexpr int lanes = exact_lanes;
/// Running sums begin at 1.5 * 2^exponent and stay in [2^exponent, 2^(exponent + 1)): 2^10 numbers below
/// 2^(exponent - headroom) change them by less than 2^(exponent - 1).
inline constexpr int headroom = 11;
/// The remainders of a fold are at most 2^-fold_bits of the bound of its input.
inline constexpr int fold_bits = 53 - headroom;
static_assert(exact_block <= 1 << (headroom - 1) && exact_block % lanes == 0);
/// Running sums of larger numbers would overflow.
inline constexpr double greatest_folded = 0x1p1009;
/// Smaller products may have bits below 2^-1074.
inline constexpr double least_folded_product = 0x1p-960;

/// Initial values of running sums for numbers below 2^bound, and for the errors of products of that size.
struct FoldStarts {
    explicit FoldStarts(int bound)
        : numbers{start(bound), start(bound - fold_bits)},
          errors{start(bound - 53), start(bound - 53 - fold_bits)} {}

    double numbers[2];
    double errors[2];

private:
    /// At least the start for the least normal number: with that start folds leave no remainder.
    static double start(int bound) { return std::ldexp(1.5, std::max(bound + headroom, -1022)); }
};

struct Folds {
    double sums[4] = {}; ///< sums of numbers or products, and of the errors of products
    double largest = 0;  ///< the largest absolute value that is not NaN
    bool anything_left = false;
    bool any_small = false; ///< some product of nonzero factors is below least_folded_product
};

/// The remainders that two folds have left of the numbers, or of products and their errors.
struct Leftovers {
    int count = 0;
    alignas(64) double of_numbers[exact_block];
    alignas(64) double of_errors[exact_block];
};

// The compiler's own vector types: running sums stay in registers, however the compiler treats loops.
using Vector16 [[gnu::vector_size(16)]] = double;
using Vector32 [[gnu::vector_size(32)]] = double;
using Vector64 [[gnu::vector_size(64)]] = double;

#define DISTVIEW_INLINE [[gnu::always_inline]] inline

template <class Vector>
inline constexpr int width = static_cast<int>(sizeof(Vector) / sizeof(double));
template <class Vector>
using Bits = decltype(Vector{} < Vector{});

template <class Vector>
DISTVIEW_INLINE void fill(Vector& vector, double value) {
    for (int k = 0; k < width<Vector>; ++k) vector[k] = value;
}

template <class Vector>
DISTVIEW_INLINE void absolute(Vector& size, const Vector& value) {
    Bits<Vector> mask{};
    for (int k = 0; k < width<Vector>; ++k) mask[k] = 0x7fffffffffffffff;
    size = (Vector)((Bits<Vector>)value & mask);
}

/// The running sums of two folds; an addition returns the remainder.
template <class Vector>
struct Running {
    Vector high{};
    Vector low{};

    DISTVIEW_INLINE void begin(const double (&starts)[2]) {
        fill(high, starts[0]);
        fill(low, starts[1]);
    }
    DISTVIEW_INLINE void add(const Vector& value, Vector& left) {
        const Vector high_sum = high + value;
        const Vector rest = value - (high_sum - high);
        high = high_sum;
        const Vector low_sum = low + rest;
        left = rest - (low_sum - low);
        low = low_sum;
    }
    DISTVIEW_INLINE void end(const double (&starts)[2], double* sums) const {
        for (int k = 0; k < width<Vector>; ++k) {
            sums[0] += high[k] - starts[0];
            sums[1] += low[k] - starts[1];
        }
    }
};

/// Calls step(i, x, y) for `lanes` numbers of a row after the other; zeros fill up the last step of a row. i counts all
/// numbers, these zeros included; returns their number.
template <class Step>
DISTVIEW_INLINE int in_steps(std::span<const NumberRow> rows, const Step& step) {
    int slot = 0;
    for (const NumberRow& row : rows) {
        int i = 0;
        for (; i + lanes <= row.count; i += lanes, slot += lanes) step(slot, row.x + i, row.y + i);
        if (i == row.count) continue;
        double last_x[lanes] = {};
        double last_y[lanes] = {};
        for (int k = 0; i + k < row.count; ++k) {
            last_x[k] = row.x[i + k];
            last_y[k] = row.y[i + k];
        }
        step(slot, last_x, last_y);
        slot += lanes;
    }
    return slot;
}

template <class Vector>
DISTVIEW_INLINE Folds fold_numbers(std::span<const NumberRow> rows, const FoldStarts& starts,
                                   Leftovers& left) {
    constexpr int vectors = lanes / width<Vector>;
    Running<Vector> sums[vectors];
    for (auto& sum : sums) sum.begin(starts.numbers);
    Vector largest{};
    Bits<Vector> bits{};
    left.count =
        in_steps(rows, [&](int i, const double* x, const double*) __attribute__((always_inline)) {
            for (int v = 0; v < vectors; ++v) {
                Vector value{};
                Vector size{};
                Vector rest{};
                std::memcpy(&value, x + v * width<Vector>, sizeof(value));
                absolute(size, value);
                largest = size > largest ? size : largest;
                sums[v].add(value, rest);
                bits |= (Bits<Vector>)rest;
                std::memcpy(left.of_numbers + i + v * width<Vector>, &rest, sizeof(rest));
            }
        });
    Folds folds;
    for (const auto& sum : sums) sum.end(starts.numbers, folds.sums);
    for (int k = 0; k < width<Vector>; ++k) {
        folds.largest = std::max(folds.largest, largest[k]);
        folds.anything_left = folds.anything_left || bits[k] != 0;
    }
    return folds;
}

/// x * y = product + error. Without fused operations Dekker's algorithm computes the error, which is NaN for factors of
/// 2^996 and above.
template <bool Fused, class Vector>
DISTVIEW_INLINE void multiply(const Vector& x, const Vector& y, Vector& product, Vector& error) {
    product = x * y;
    if constexpr (Fused) {
        for (int k = 0; k < width<Vector>; ++k) error[k] = __builtin_fma(x[k], y[k], -product[k]);
    } else {
        const double splitter = 0x1p27 + 1;
        const Vector x_wide = splitter * x;
        const Vector y_wide = splitter * y;
        const Vector x_high = x_wide - (x_wide - x);
        const Vector y_high = y_wide - (y_wide - y);
        const Vector x_low = x - x_high;
        const Vector y_low = y - y_high;
        error = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
    }
}

template <class Vector, bool Fused>
DISTVIEW_INLINE Folds fold_products(std::span<const NumberRow> rows, const FoldStarts& starts,
                                    Leftovers& left) {
    constexpr int vectors = lanes / width<Vector>;
    Running<Vector> sums[vectors];
    Running<Vector> errors[vectors];
    for (auto& sum : sums) sum.begin(starts.numbers);
    for (auto& sum : errors) sum.begin(starts.errors);
    Vector largest{};
    Vector least{};
    fill(least, least_folded_product);
    Bits<Vector> bits{};
    Bits<Vector> small{}; // only the sign bits count
    left.count = in_steps(rows, [&](int i, const double* from_x,
                                    const double* from_y) __attribute__((always_inline)) {
        for (int v = 0; v < vectors; ++v) {
            Vector a{};
            Vector b{};
            Vector product{};
            Vector error{};
            Vector size{};
            Vector rest{};
            std::memcpy(&a, from_x + v * width<Vector>, sizeof(a));
            std::memcpy(&b, from_y + v * width<Vector>, sizeof(b));
            multiply<Fused>(a, b, product, error);
            absolute(size, product);
            largest = size > largest ? size : largest;
            // Sign bits of integers replace comparisons, since compilers split comparisons of vectors.
            absolute(a, a);
            absolute(b, b);
            a = a < b ? a : b;
            small |= ((Bits<Vector>)size - (Bits<Vector>)least) & ~((Bits<Vector>)a - 1);
            sums[v].add(product, rest);
            bits |= (Bits<Vector>)rest;
            std::memcpy(left.of_numbers + i + v * width<Vector>, &rest, sizeof(rest));
            errors[v].add(error, rest);
            bits |= (Bits<Vector>)rest;
            std::memcpy(left.of_errors + i + v * width<Vector>, &rest, sizeof(rest));
        }
    });
    Folds folds;
    for (const auto& sum : sums) sum.end(starts.numbers, folds.sums);
    for (const auto& sum : errors) sum.end(starts.errors, folds.sums + 2);
    if (std::isnan(folds.sums[2])) folds.sums[0] = folds.sums[2];
    for (int k = 0; k < width<Vector>; ++k) {
        folds.largest = std::max(folds.largest, largest[k]);
        folds.anything_left = folds.anything_left || bits[k] != 0;
        folds.any_small = folds.any_small || small[k] < 0;
    }
    return folds;
}

template <class Vector>
DISTVIEW_INLINE double sum_in_lanes(const double* values, int count) {
    constexpr int vectors = lanes / width<Vector>;
    Vector sums[vectors] = {};
    const NumberRow row{values, values, count};
    in_steps({&row, 1}, [&](int, const double* x, const double*) __attribute__((always_inline)) {
        for (int v = 0; v < vectors; ++v) {
            Vector value{};
            std::memcpy(&value, x + v * width<Vector>, sizeof(value));
            sums[v] += value;
        }
    });
    double of_lanes[lanes];
    std::memcpy(of_lanes, sums, sizeof(of_lanes));
    for (int step = lanes / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) of_lanes[k] += of_lanes[k + step];
    return of_lanes[0];
}

} // namespace distview::impl
