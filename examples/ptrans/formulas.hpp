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

// Block (I, J) of A lies on process (I mod p, J mod q), and its target, block (J, I) of C, on
// (J mod p, I mod q): with L = lcm(p, q) the pattern repeats every L blocks along both axes. The
// formulas below hold if there is a whole number of repetitions.

/// Whether the numbers of blocks are multiples of L, and all blocks are whole.
inline bool formulas_hold(const Shape& shape) {
    const std::int64_t l = std::lcm<std::int64_t>(shape.p, shape.q);
    return shape.m % (shape.mb * l) == 0 && shape.n % (shape.nb * l) == 0;
}

/// Number of processes with which each process exchanges elements, itself included if it is one of them:
/// one on a square grid, all if p and q have no common divisor.
inline int partners_by_formula(const Shape& shape) {
    const int l = std::lcm(shape.p, shape.q);
    return (l / shape.p) * (l / shape.q);
}

/// Bytes of float64 that go to other processes: all blocks (I, J) except those with I = J mod L.
inline std::int64_t wire_bytes_by_formula(const Shape& shape) {
    const std::int64_t l = std::lcm<std::int64_t>(shape.p, shape.q);
    return 8 * (shape.elements() - shape.elements() / l);
}

} // namespace ptrans
