# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reproducible sums, scalar products and norms on one process. Oracle: exact fractions."""

import math
from fractions import Fraction

import distview
import numpy as np
import pytest
from exact_fractions import ADVERSARIAL, bits, exact_dot, exact_root, exact_sum
from global_arrays import NUMBERS, random_values


def of(values, dtype="f8", **more):
    view = distview.zeros(len(values), dtype=dtype, **more)
    view.interior[...] = values
    return view


def test_fractions_round_to_even_and_to_infinity():
    """Tests the reference itself."""
    assert exact_sum([1, 2**-53]) == 1.0 and exact_sum([1, 2**-53, 5e-324]) == 1 + 2**-52
    assert exact_sum([1e308, 1e308]) == math.inf and exact_sum([1e308, 1e308, -1e308]) == 1e308
    assert exact_root(Fraction(2)) == math.sqrt(2) and exact_root(Fraction(5e-324) ** 2) == 5e-324
    assert exact_root(Fraction(10) ** 700) == math.inf
    assert math.isnan(exact_sum([math.inf, -math.inf])) and exact_sum([math.inf, 1]) == math.inf


@pytest.mark.parametrize("kind", ADVERSARIAL)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 100, 5000])
def test_adversarial_numbers(kind, count):
    rng = np.random.default_rng([ADVERSARIAL.index(kind), count])
    x, y = (kind(rng, count) for _ in range(2))
    u, v = of(x), of(y)
    assert bits(u.sum(reproducible=True)) == bits(exact_sum(x))
    assert bits(u.dot(v, reproducible=True)) == bits(exact_dot(x, y))
    assert bits(distview.dot(u, v, reproducible=True)) == bits(exact_dot(x, y))
    assert bits(u.norm(1, reproducible=True)) == bits(exact_sum(np.abs(x)))
    assert bits(u.norm(reproducible=True)) == bits(exact_root(exact_dot(x, x, rounded=False)))
    assert bits(u.norm(math.inf, reproducible=True)) == bits(u.norm(math.inf))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("cells", ["interior", "owned"])
def test_every_type(dtype, cells):
    """Integers are added as without `reproducible`; parts of complex numbers are added separately."""
    view = distview.zeros((7, 6), "bc", dtype=dtype, padding=(2, 0))
    view.view[...] = random_values(np.random.default_rng(5), view.local_shape, dtype)
    part = getattr(view, cells)
    total, product = view.sum(cells, reproducible=True), view.dot(view, cells, reproducible=True)
    if part.dtype.kind in "biu":
        assert (total, product) == (view.sum(cells), view.dot(view, cells))
        assert type(total) is int
    elif part.dtype.kind == "c":
        re, im = part.real.ravel(), part.imag.ravel()
        assert total == complex(exact_sum(re), exact_sum(im)) and type(total) is complex
        assert product == exact_dot(np.concatenate([re, im]), np.concatenate([re, im]))
        assert product.imag == 0
        assert view.norm(2, cells, True) == exact_root(
            exact_dot(np.concatenate([re, im]), np.concatenate([re, im]), rounded=False)
        )
    else:
        assert total == exact_sum(part.ravel()) and type(total) is float
        assert product == exact_dot(part.ravel(), part.ravel())
        assert view.norm(1, cells, True) == exact_sum(abs(part).ravel())
    if part.dtype.kind in "biu":
        assert view.norm(1, cells, True) == exact_sum([float(abs(int(x))) for x in part.ravel()])


def test_complex_with_real():
    rng = np.random.default_rng(3)
    x, y, w = (rng.standard_normal(50) * 10.0 ** rng.integers(-9, 9, 50) for _ in range(3))
    z, u = of(x + 1j * y, "c16"), of(w)
    expected = complex(exact_dot(x, w), exact_dot(-y, w))
    assert z.dot(u, reproducible=True) == expected
    assert u.dot(z, reproducible=True) == expected.conjugate()


def test_any_strides():
    rng = np.random.default_rng(4)
    memory = rng.standard_normal((20, 30)) * 1e3 ** rng.integers(-30, 30, (20, 30))
    u = distview.wrap(memory, memory.shape)
    expected = exact_sum(memory.ravel())
    assert u.sum(reproducible=True) == expected
    assert distview.wrap(np.asfortranarray(memory), memory.shape).sum(reproducible=True) == expected
    assert u[::3, 5:17].sum(reproducible=True) == exact_sum(memory[::3, 5:17].ravel())
    assert u.transpose().sum(reproducible=True) == expected


def test_zero_is_positive():
    assert bits(of([-0.0, -0.0]).sum(reproducible=True)) == bits(0.0)
    assert bits(of([]).dot(of([]), reproducible=True)) == bits(0.0)
    assert bits(of([]).norm(reproducible=True)) == bits(0.0)


def test_wrong_arguments():
    u = of([1.0, 2.0])
    for wrong in (lambda: distview.dot(3, u), lambda: distview.dot(u, 3), lambda: distview.dot(u)):
        with pytest.raises(distview.UsageError, match="^dot: "):
            wrong()
    with pytest.raises(distview.ShapeError, match="same layout"):
        distview.dot(u, of([1.0]), reproducible=True)
    with pytest.raises(distview.UsageError, match="order 1, 2 or inf"):
        u.norm(3, reproducible=True)


def test_counted_buffers():
    """The compiled sum accepts only contiguous float64."""
    from distview._distview import ExactSum

    found = ExactSum()
    found.add(np.array([1.0, 2.0]))
    found.add_products(np.array([3.0]), np.array([4.0]))
    assert found.rounded() == 15 and found.rounded_root() == math.sqrt(15)
    for wrong in (np.arange(6.0)[::2], np.arange(3, dtype="f4"), np.arange(3)):
        with pytest.raises(distview.ShapeError, match="contiguous buffer of float64"):
            found.add(wrong)
    with pytest.raises(distview.ShapeError, match="x and y of equal length"):
        found.add_products(np.array([3.0]), np.array([4.0, 5.0]))
