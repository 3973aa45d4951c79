# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums of rational numbers, rounded once, and numbers for which floating-point sums are wrong."""

import math
import struct
from fractions import Fraction

import numpy as np


def bits(number):
    """The bits of a float; all NaNs have the same bits."""
    return "nan" if math.isnan(number) else struct.pack("<d", number)


def _rounded(exact):
    """The nearest float: division of integers rounds to even, and raises if the result is too large."""
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _sum_of(terms, rounded=True):
    """The sum of the products of pairs."""
    total, special = Fraction(0), 0.0
    for x, y in terms:
        if math.isfinite(x) and math.isfinite(y):
            total += Fraction(x) * Fraction(y)
        else:
            special += x * y
    if special != 0:
        return special
    return _rounded(total) if rounded else total


def exact_sum(numbers):
    return _sum_of((float(x), 1.0) for x in numbers)


def exact_dot(x, y, rounded=True):
    """The exact scalar product, rounded; else a fraction unless NaN or infinite."""
    return _sum_of(((float(a), float(b)) for a, b in zip(x, y, strict=True)), rounded)


def exact_root(square):
    """The square root of a fraction, rounded to the nearest float, ties to even."""
    if isinstance(square, float):
        return square
    # More bits than rounding needs: an irrational root is never halfway between two floats, and a rational root is
    # found exactly, since squares of floats have few bits.
    scaled = square * 4**1300
    root = math.isqrt(math.floor(scaled))
    exact = Fraction(root) if root * root == scaled else Fraction(2 * root + 1, 2)
    return _rounded(exact / 2**1300)


def _uniform(rng, count):
    return rng.uniform(-1, 1, count)


def _cancelling(rng, count):
    half = rng.uniform(-1e300, 1e300, count // 2)
    small = rng.uniform(-1e-300, 1e-300, count - 2 * (count // 2))
    return rng.permutation(np.concatenate([half, -half, small]))


def _subnormal(rng, count):
    return rng.integers(-(2**52), 2**52, count) * 5e-324


def _huge(rng, count):
    return rng.choice([1.7976931348623157e308, -1.7976931348623157e308, 1e308, -1e300], count)


def _wide(rng, count):
    return np.ldexp(rng.uniform(-1, 1, count), rng.integers(-1070, 1024, count))


def _tiny_products(rng, count):
    return np.ldexp(rng.uniform(1, 2, count), rng.integers(-560, -480, count))


def _halfway(rng, count):
    return rng.choice([1.0, -1.0, 2.0**-53, -(2.0**-53), 2.0**-106, 2.0**53, 5e-324], count)


def _with_nan(rng, count):
    return np.where(rng.integers(0, max(count, 1), count) == 0, np.nan, rng.uniform(-1, 1, count))


def _with_infinity(rng, count):
    return np.where(rng.integers(0, max(count, 1), count) == 0, np.inf, rng.uniform(1, 2, count))


def _with_infinities(rng, count):
    return np.where(rng.integers(0, 5, count) == 0, rng.choice([np.inf, -np.inf], count), 1.0)


ADVERSARIAL = [
    _uniform, _cancelling, _subnormal, _huge, _wide, _tiny_products, _halfway, _with_nan, _with_infinity,
    _with_infinities,
]  # fmt: skip
