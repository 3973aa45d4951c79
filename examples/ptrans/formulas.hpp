// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <numeric>

namespace ptrans {

/// C = A^T of an m x n matrix A in blocks of mb x nb, on a grid of p x q processes.
struct Shape {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t mb = 1;
    std::int64_t nb = 1;
    int p = 1;
    int q = 1;

    std::int64_t elements() const noexcept { return m * n; }
};

// Block (I, J) of A lies on process (I mod p, J mod q), and block (J, I) of C, where it goes to, on
// (J mod p, I mod q): with L = lcm(p, q) the pattern repeats every L blocks along both axes. What
// follows holds where there is a whole number of repetitions.

/// Whether the numbers of blocks, all of them whole, are multiples of L.
inline bool formulas_hold(const Shape& shape) {
    const std::int64_t l = std::lcm<std::int64_t>(shape.p, shape.q);
    return shape.m % (shape.mb * l) == 0 && shape.n % (shape.nb * l) == 0;
}

/// Processes that each process exchanges elements with, itself included where it is one of them:
/// one on a square grid, all where p and q have no common divisor.
inline int partners_by_formula(const Shape& shape) {
    const int l = std::lcm(shape.p, shape.q);
    return (l / shape.p) * (l / shape.q);
}

/// Bytes of float64 that go to other processes: those of all blocks (I, J) but I = J mod L.
inline std::int64_t wire_bytes_by_formula(const Shape& shape) {
    const std::int64_t l = std::lcm<std::int64_t>(shape.p, shape.q);
    return 8 * (shape.elements() - shape.elements() / l);
}

} // namespace ptrans
