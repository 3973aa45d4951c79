# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, extremes, norms and scalar products on one process, against NumPy and plain integers."""

import math
import tracemalloc

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS, random_values

every_number = pytest.mark.parametrize("dtype", NUMBERS)
INTEGERS = [code for code in NUMBERS if code[0] in "iu"]
FLOATS = [code for code in NUMBERS if code[0] == "f"]


def of(values, dtype, **more):
    """A view of one axis with these interior elements."""
    view = distview.zeros(len(values), dtype=dtype, **more)
    view.interior[...] = values
    return view


def random_view(dtype, shape=(7, 6)):
    view = distview.zeros(shape, "bc", dtype=dtype, padding=(2, 0))
    view.view[...] = random_values(np.random.default_rng(5), view.local_shape, dtype)
    return view


@every_number
@pytest.mark.parametrize("cells", ["interior", "owned"])
def test_random_elements(dtype, cells):
    """Reductions over the interior or the owned cells; never over communication padding."""
    view = random_view(dtype)
    cells_of = getattr(view, cells)
    kind = np.dtype(dtype).kind
    exact = [x.item() for x in cells_of.ravel()]
    if kind in "biu":
        total = sum(map(int, exact)) % 2**64
        if kind != "u" and total >= 2**63:
            total -= 2**64
        assert view.sum(cells) == total == cells_of.sum()
        assert type(view.sum(cells)) is int
        squares = sum(int(x) ** 2 for x in exact) % 2**64
        assert view.dot(view, cells) % 2**64 == squares
        assert view.norm(1, cells) == pytest.approx(float(sum(abs(int(x)) for x in exact)), rel=1e-14)
    else:
        scale = math.fsum(abs(x) for x in exact)
        real, imaginary = (math.fsum(getattr(x, p) for x in exact) for p in ("real", "imag"))
        assert abs(view.sum(cells) - complex(real, imaginary)) <= 1e-15 * scale
        assert type(view.sum(cells)) is (complex if kind == "c" else float)
        assert view.norm(1, cells) == pytest.approx(scale, rel=1e-14)
        assert view.dot(view, cells) == pytest.approx(math.fsum(abs(x) ** 2 for x in exact), rel=1e-14)
    norm = math.sqrt(math.fsum(float(abs(x)) ** 2 for x in exact))
    assert view.norm(cells=cells) == view.norm(2, cells) == pytest.approx(norm, rel=1e-14)
    assert view.norm(math.inf, cells) == float(max(map(abs, exact)))
    assert view.norm(np.inf, cells) == view.norm(float("inf"), cells)
    if kind == "c":
        for extreme in (view.min, view.max):
            with pytest.raises(distview.ShapeError, match="complex numbers have no order"):
                extreme(cells)
    else:
        assert (view.min(cells), view.max(cells)) == (min(exact), max(exact))
        assert type(view.min(cells)) is {"b": bool, "f": float}.get(kind, int)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_extremes_of_integers(dtype):
    least, most = (int(n) for n in (np.iinfo(dtype).min, np.iinfo(dtype).max))
    view = of([most, least, most], dtype)
    assert (view.min(), view.max()) == (least, most)
    total = 2 * most + least
    expected = (total + 2**63) % 2**64 - 2**63 if least else total % 2**64
    assert view.sum() == expected
    assert view.norm(math.inf) == float(max(most, -least))  # the least integer has no positive counterpart
    assert view.norm(1) == pytest.approx(float(2 * most - least), rel=1e-15)
    assert of([least], dtype).norm() == float(-least)
    assert (of([most], dtype).min(), of([least], dtype).max()) == (most, least)


def test_integers_are_added_up_modulo_2_to_the_64():
    assert of([2**63 - 1, 1], "i8").sum() == -(2**63)
    assert of([-(2**63), -1], "i8").sum() == 2**63 - 1
    assert of([2**64 - 1, 2], "u8").sum() == 1
    assert of([2**63] * 2, "u8").sum() == 0
    assert of([2**64 - 1], "u8").dot(of([2**64 - 1], "u8")) == 1
    assert of([2**32], "i8").dot(of([2**32], "i8")) == 0
    assert of([127] * 1000, "i1").sum() == 127_000
    assert of([255] * 1000, "u1").dot(of([255] * 1000, "u1")) == 65_025_000
    assert of([True] * 300, "?").sum() == 300
    assert of([True, True, False], "?").dot(of([True, False, True], "?")) == 1


def test_floating_point_is_added_up_in_64_bits():
    tenth = float(np.float32(0.1))
    assert of([0.1] * 100_000, "f4").sum() == pytest.approx(100_000 * tenth, rel=1e-14)
    assert of([60_000.0] * 4, "f2").sum() == 240_000 - 4 * (60_000 - float(np.float16(60_000)))
    assert of([1e30] * 3, "f4").norm() == pytest.approx(math.sqrt(3) * float(np.float32(1e30)), rel=1e-15)
    assert of([1e30] * 3, "f4").dot(of([1e30] * 3, "f4")) < math.inf
    assert of([3e30 + 4e30j], "c8").norm() == pytest.approx(5e30, rel=1e-6)


@pytest.mark.parametrize("dtype", FLOATS)
def test_not_a_number(dtype):
    """NaN propagates, as in NumPy, wherever it is."""
    for place in range(5):
        values = [2.0, -1.0, 3.0, 0.0, 1.0]
        values[place] = math.nan
        view = of(values, dtype)
        for result in (view.min(), view.max(), view.sum(), view.norm(), view.norm(1),
                       view.norm(math.inf), view.dot(view)):  # fmt: skip
            assert math.isnan(result)
    inf = of([math.inf, -math.inf, 0], dtype)
    assert (inf.min(), inf.max(), inf.norm(1)) == (-math.inf, math.inf, math.inf)
    with np.errstate(invalid="ignore"):
        assert math.isnan(inf.sum())
    assert (of([math.inf] * 2, dtype).min(), of([-math.inf] * 2, dtype).max()) == (math.inf, -math.inf)


@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
@pytest.mark.parametrize("transposed", [False, True])
def test_norms_allocate_nothing_once_ranks_have_agreed(monkeypatch, scale, transposed):
    """Running out of memory there would be one rank's error only, and the others would wait."""
    values = np.arange(1.0, 300 * 400 + 1).reshape(300, 400) * scale
    memory = np.zeros((800, 300)).T[:, ::2] if transposed else np.zeros((300, 400))
    memory[...] = values
    view = distview.wrap(memory, (300, 400))
    before = []

    def agreed(*arguments):
        result = distview._comm.agreed(*arguments)
        tracemalloc.reset_peak()
        before.append(tracemalloc.get_traced_memory()[0])
        return result

    monkeypatch.setattr(distview._reductions, "agreed", agreed)
    tracemalloc.start()
    try:
        found = view.norm(2)
        allocated = tracemalloc.get_traced_memory()[1] - before[0]
    finally:
        tracemalloc.stop()
    assert allocated < memory.size
    assert math.isclose(found, scale * math.sqrt(float((np.arange(1.0, 300 * 400 + 1) ** 2).sum())), rel_tol=1e-12)
    assert (memory == values).all()


def test_complex_products_conjugate_the_first():
    first, second = of([1 + 2j, 3j], "c8"), of([2 - 1j, 4], "c16")
    assert first.dot(second) == np.vdot(first.view, second.view) == (1 - 2j) * (2 - 1j) - 12j
    assert second.dot(first) == first.dot(second).conjugate()
    assert first.dot(of([1, 2], "i4")) == (1 - 2j) - 6j
    assert of([1, 2], "f4").dot(second) == 2 - 1j + 8
    assert math.isnan(of([complex(math.nan, 0)], "c16").norm())


@pytest.mark.parametrize(
    "first, second, kind",
    [("u1", "i8", int), ("i8", "u1", int), ("u8", "i8", float), ("i8", "u8", float),
     ("?", "i1", int), ("?", "u8", int), ("i2", "f4", float), ("f2", "c8", complex)],
)  # fmt: skip
def test_products_of_two_types(first, second, kind):
    """As in NumPy: a type that holds both. For signed and unsigned types only -1 shows the difference."""
    second_value = -3 if second[0] != "u" else 3
    result = of([1, 1], first).dot(of([second_value, 0], second))
    assert result == second_value and type(result) is kind


@every_number
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_without_elements(dtype, shape):
    view = distview.zeros(shape, "bc", dtype=dtype)
    kind = {"c": complex, "f": float}.get(np.dtype(dtype).kind, int)
    assert view.sum() == view.dot(view) == 0 and type(view.sum()) is type(view.dot(view)) is kind
    for order in (1, 2, math.inf):
        assert view.norm(order) == 0.0 and type(view.norm(order)) is float
    for name in ("min", "max"):
        with pytest.raises((distview.UsageError, distview.ShapeError)) as caught:
            getattr(view, name)()
        if kind is not complex:
            assert str(caught.value) == f"{name}: the array has no interior cells"
    only_padding = distview.ones(0, padding=2, dtype=dtype)
    assert only_padding.sum() == 0 and only_padding.sum("owned") == 4


def test_elements_of_other_byte_order_and_width():
    """The package does not make such elements, but imports them."""
    big = distview.wrap(np.array([1, 2**64 - 1], ">u8"), 2)
    assert (big.min(), big.max(), big.sum()) == (1, 2**64 - 1, 0)
    assert distview.wrap(np.array([-5, 7], ">i4"), 2).sum() == 2
    wide = distview.wrap(np.array([1.5, -2.5], np.longdouble), 2)
    assert (wide.sum(), wide.min(), wide.max(), wide.norm(1)) == (-1.0, -2.5, 1.5, 4.0)
    wide = distview.wrap(np.array([3 + 4j], np.clongdouble), 1)
    assert (wide.sum(), wide.norm(), wide.dot(wide)) == (3 + 4j, 5.0, 25)


@pytest.mark.parametrize(
    "use, error, text",
    [
        (lambda v: v.sum("all"), distview.UsageError,
         "sum: expected cells to be \"interior\" or \"owned\", got 'all'"),
        (lambda v: v.min(0), distview.UsageError,
         'min: expected cells to be "interior" or "owned", got 0'),
        (lambda v: v.norm(3), distview.UsageError, "norm: expected order 1, 2 or inf, got 3"),
        (lambda v: v.norm("fro"), distview.UsageError, "norm: expected order 1, 2 or inf, got 'fro'"),
        (lambda v: v.norm(-math.inf), distview.UsageError,
         "norm: expected order 1, 2 or inf, got -inf"),
        (lambda v: v.norm(None), distview.UsageError, "norm: expected order 1, 2 or inf, got None"),
        (lambda v: v.dot(v.view), distview.UsageError, "dot: expected a DistView, got ndarray"),
        (lambda v: v.dot(None), distview.UsageError, "dot: expected a DistView, got NoneType"),
        (lambda v: v.dot(distview.zeros(3, "c")), distview.ShapeError,
         "dot: expected two arrays of the same layout"),
        (lambda v: v.dot(distview.zeros(3, padding=1)), distview.ShapeError,
         "dot: expected two arrays of the same layout"),
        (lambda v: distview.wrap(np.zeros(3, "S4"), 3).sum(), distview.ShapeError,
         "sum: elements of type |S4 are not numbers"),
        (lambda v: distview.wrap(np.zeros(3, [("x", "f8")]), 3).max(), distview.ShapeError,
         "max: elements of type [('x', '<f8')] are not numbers"),
        (lambda v: v.dot(distview.wrap(np.zeros(3, "S4"), 3)), distview.ShapeError,
         "dot: elements of type |S4 are not numbers"),
    ],
)  # fmt: skip
def test_what_cannot_be_reduced(use, error, text):
    with pytest.raises(error) as caught:
        use(distview.zeros(3))
    assert str(caught.value) == text
