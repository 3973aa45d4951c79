// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/process_grid.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace distview::impl {

/// Numbers of processes along axes; 1 behind the last axis.
using Factors = std::array<int, max_rank>;

template <class Visit>
void for_each_product(int count, int axes, const Factors& multiples, Factors& factors, int axis,
                      const Visit& visit) {
    const auto d = static_cast<std::size_t>(axis);
    if (axis == axes) {
        if (count == 1) visit(std::as_const(factors));
        return;
    }
    for (int factor = 1; factor <= count; ++factor) {
        if (count % factor != 0 || multiples[d] % factor != 0) continue;
        factors[d] = factor;
        for_each_product(count / factor, axes, multiples, factors, axis + 1, visit);
    }
    factors[d] = 1;
}
/// Calls visit(factors) for all ways to write `count` as a product of `axes` factors of which factor d
/// divides multiples[d], unless that is 0; in lexicographic order of the factors.
template <class Visit>
void for_each_product(int count, int axes, const Factors& multiples, const Visit& visit) {
    Factors factors;
    factors.fill(1);
    for_each_product(count, axes, multiples, factors, 0, visit);
}

} // namespace distview::impl
