// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview_testing/random.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// Numbers whose floating-point sums are inaccurate. A number depends only on its kind, a seed and its index.

namespace distview::testing {

enum class Numbers {
    uniform,
    cancelling,
    subnormal,
    huge,
    wide,
    any_bits,
    halfway,
    float_halfway,
    tiny_products,
    zeros,
    one_nan,
    one_infinity,
    both_infinities,
};

inline const std::vector<Numbers>& all_numbers() {
    static const std::vector<Numbers> all{
        Numbers::uniform,       Numbers::cancelling,     Numbers::subnormal,
        Numbers::huge,          Numbers::wide,           Numbers::any_bits,
        Numbers::halfway,       Numbers::float_halfway,  Numbers::tiny_products,
        Numbers::zeros,         Numbers::one_nan,        Numbers::one_infinity,
        Numbers::both_infinities};
    return all;
}

/// Number `index` of 0, 1, ...
inline double number_at(Numbers kind, std::uint64_t seed, std::uint64_t index) {
    using limits = std::numeric_limits<double>;
    Random random(seed, index);
    const double uniform = 2 * random.unit() - 1;
    const double sign = random.chance(0.5) ? 1 : -1;
    const auto power = [&](int least, int most) {
        return sign *
               std::ldexp(1 + random.unit(), static_cast<int>(random.integer(least, most + 1)));
    };
    switch (kind) {
    case Numbers::uniform: return uniform;
    case Numbers::cancelling: {
        if (random.chance(0.1)) return 1e-300 * uniform;
        Random pair(seed ^ 0x5555, index / 2);
        return (index % 2 == 0 ? 1e300 : -1e300) * pair.unit();
    }
    case Numbers::subnormal: return std::bit_cast<double>(random.bits() & 0x800fffffffffffff);
    case Numbers::huge: return random.chance(0.2) ? sign * limits::max() : 1e308 * uniform;
    case Numbers::wide: return power(-1074, 1022);
    case Numbers::any_bits: {
        const auto number = std::bit_cast<double>(random.bits());
        return std::isfinite(number) ? number : 0;
    }
    case Numbers::halfway: {
        const int powers[] = {0, -53, -54, -106, -1074, 52, 53, 1};
        return sign * std::ldexp(1.0, powers[random.integer(0, 8)]);
    }
    case Numbers::float_halfway: { // halfway between floats, and numbers lost in a double beside them
        const int powers[] = {0, 0, -24, -24, -25, -80, -149, 1};
        return sign * std::ldexp(1.0, powers[random.integer(0, 8)]);
    }
    case Numbers::tiny_products: return random.chance(0.1) ? uniform : power(-560, -470);
    case Numbers::zeros: return sign * 0.0;
    case Numbers::one_nan: return index == seed % 7 ? limits::quiet_NaN() : uniform;
    case Numbers::one_infinity: return index == seed % 7 ? sign * limits::infinity() : uniform;
    case Numbers::both_infinities:
        return index == 1 ? limits::infinity() : index == 3 ? -limits::infinity() : uniform;
    }
    return 0;
}

/// Equal bits, or both NaN.
inline bool same_number(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

} // namespace distview::testing
