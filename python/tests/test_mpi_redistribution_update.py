# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""alpha, beta, combination, conjugation and conversion of redistributions, against NumPy."""

from decimal import Decimal
from fractions import Fraction

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS, interior, scattered
from mpi_cases import lowest, on_rank, raised_on_all
from redistributions import gathered, random_pair, same

USAGE, SHAPE = distview.UsageError, distview.ShapeError
CALCULATED = ["f8", "f4", "c16", "c8", "i8", "i4", "u8", "u4"]
COMBINED = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def whole_numbers(rng, shape, dtype):
    """Small numbers, so that their sums and products are exact in all types."""
    values = rng.integers(0 if np.dtype(dtype).kind == "u" else -9, 10, shape).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values += 1j * rng.integers(-9, 10, shape)
    return values


def filled(comm, layout, dtype, seed):
    whole = whole_numbers(np.random.default_rng(seed), layout.protocol_shape, dtype)
    view = scattered(distview.zeros(None, layout, comm, dtype), whole)
    return view, interior(layout, whole).copy()


class Case:
    """A random plan, and its effect on whole arrays."""

    def __init__(self, comm, seed, salt, conjugate=False):
        rng = np.random.default_rng([seed, comm.size, salt])
        self.source, self.target, self.axes, self.taken, self.put = random_pair(rng, comm.size)
        self.plan = distview.RedistributionPlan(
            self.source, self.target, comm, permutation=self.axes, from_slice=self.taken,
            to_slice=self.put, conjugate=conjugate,
        )  # fmt: skip

    def moved(self, whole):
        return whole[self.taken].transpose(self.axes)


@pytest.mark.parametrize("seed", range(32))
def test_alpha_and_beta(comm, seed):
    dtype = np.dtype(CALCULATED[seed % len(CALCULATED)])
    case = Case(comm, seed, 10)
    a, whole_a = filled(comm, case.source, dtype, seed)
    b, whole_b = filled(comm, case.target, dtype, seed + 1)
    alpha, beta = (2 - 1j, 3j) if dtype.kind == "c" else (3, 2) if dtype.kind == "u" else (-3, 2)
    for factors in ({"alpha": alpha, "beta": beta}, {"alpha": alpha}, {"beta": 1}):
        case.plan.execute(a, b, **factors)
        expected = dtype.type(factors.get("alpha", 1)) * case.moved(whole_a)
        whole_b[case.put] = expected + dtype.type(factors.get("beta", 0)) * whole_b[case.put]
        found = gathered(comm, b)
        assert found.dtype == dtype and (found == whole_b).all()


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_numpy_factors_of_complex_arrays(comm, dtype):
    """Imaginary parts count, also if a factor's real part is the default."""
    a = distview.from_function(lambda i, j: i + 1j * j, (6, 8), "bb", comm, dtype)
    b = distview.zeros_like(a)
    plan = distview.RedistributionPlan(a, b)
    whole = gathered(comm, a)
    for kind in (np.complex128, np.complex64, np.array):
        plan.execute(a, b)
        for alpha, beta in ((1, 1j), (1 + 5j, 0), (2 - 1j, 3j)):
            before = gathered(comm, b)
            plan.execute(a, b, alpha=kind(alpha), beta=kind(beta))
            assert (gathered(comm, b) == alpha * whole + beta * before).all()


@pytest.mark.parametrize("dtype", ["i8", "i4", "u8", "u4"])
def test_numpy_factors_of_integer_arrays(comm, dtype):
    a, b = distview.full((9, 8), 5, "bb", comm, dtype), distview.full((9, 8), 7, "cc", comm, dtype)
    plan = distview.RedistributionPlan(a, b)
    for three, two in ((np.int32(3), np.uint8(2)), (np.array(3), np.int64(2))):
        b.view[...] = 7
        plan.execute(a, b, alpha=three, beta=two)
        assert (gathered(comm, b) == 29).all()
    if dtype == "u8":
        plan.execute(a, b, alpha=2**63 + 1)
        assert (gathered(comm, b) == 2**63 + 5).all()


def copies(layout):
    """The number of processes that hold each interior cell: indices of unstructured axes may be on several."""
    result = np.ones((1,) * layout.rank, int)
    for axis, kind in enumerate(layout.types):
        counts = np.ones(layout.shape[axis], int)
        if kind == "u":
            processes = range(layout.process_count)
            lists = {layout.coordinates(p)[axis]: layout.global_indices(axis, p) for p in processes}
            counts = np.unique(np.concatenate(list(lists.values())), return_counts=True)[1]
        result = result * counts.reshape([-1 if d == axis else 1 for d in range(layout.rank)])
    return result


@pytest.mark.parametrize("seed", range(24))
def test_combine(comm, seed):
    dtype, (name, function) = CALCULATED[seed % len(CALCULATED)], list(COMBINED.items())[seed % 3]
    if dtype in ("c16", "c8"):
        name, function = "sum", np.add
    case = Case(comm, seed, 11)
    a, whole_a = filled(comm, case.source, dtype, seed)
    b, whole_b = filled(comm, case.target, dtype, seed + 1)
    for _ in range(2):
        case.plan.execute(a, b, combine=name)
        contributions = whole_a * copies(case.source) if name == "sum" else whole_a
        whole_b[case.put] = function(whole_b[case.put], case.moved(contributions.astype(dtype)))
        assert same(gathered(comm, b), whole_b)


@pytest.mark.parametrize("seed", range(12))
def test_conjugate(comm, seed):
    dtype = np.dtype(["c16", "c8"][seed % 2])
    case = Case(comm, seed, 12, conjugate=True)
    a, whole_a = filled(comm, case.source, dtype, seed)
    b, whole_b = filled(comm, case.target, dtype, seed + 1)
    case.plan.execute(a, b)
    whole_b[case.put] = case.moved(whole_a).conj()
    assert (gathered(comm, b) == whole_b).all()
    case.plan.execute(a, b, alpha=2j, beta=1)
    whole_b[case.put] += dtype.type(2j) * case.moved(whole_a).conj()
    assert (gathered(comm, b) == whole_b).all()


def is_converted(one, other):
    order = "?iufc"
    kinds = [np.dtype(dtype).kind.replace("b", "?").replace("u", "i") for dtype in (one, other)]
    return order.index(kinds[0]) <= order.index(kinds[1])


@pytest.mark.parametrize("seed", range(len(NUMBERS)))
def test_conversion(comm, seed):
    """Converts one type to all others through one plan, as astype() does; or the same error on all ranks."""
    one = NUMBERS[seed]
    case = Case(comm, seed, 13)
    a, whole_a = filled(comm, case.source, one, seed)
    for other in NUMBERS:
        b, whole_b = filled(comm, case.target, other, seed + 1)
        if not is_converted(one, other):
            caught = raised_on_all(comm, lambda b=b: case.plan.execute(a, b))
            assert type(caught) is SHAPE and "differ in element type" in str(caught)
            continue
        for _ in range(2):
            case.plan.execute(a, b)
            whole_b[case.put] = case.moved(whole_a).astype(other)
            assert same(gathered(comm, b), whole_b)
            a.owned[...] = a.owned[...].copy()
        assert a.dtype == one


def test_conversion_sees_new_values(comm):
    """The array that a plan keeps for conversion gets the source's current values each time."""
    a = distview.full((6, 5), 1.5, "bb", comm)
    b = distview.zeros((6, 5), "cb", comm, "f4")
    plan = distview.RedistributionPlan(a, b)
    for value in (1.5, -2.25):
        a.view[...] = value
        plan.execute(a, b, alpha=2, beta=0)
        assert (gathered(comm, b) == 2 * value).all()


def test_nan_that_is_not_read(comm):
    a = distview.full((7, 4), 3.0, "bb", comm)
    b = distview.full((7, 4), float("nan"), "cc", comm)
    distview.redistribute(a, out=b, alpha=0.5)
    assert (gathered(comm, b) == 1.5).all()


def test_redistribute_with_all_of_it(comm):
    a = distview.from_function(lambda i, j: i + 1j * j, (6, 8), "bb", comm, "c16")
    whole = gathered(comm, a)
    single = distview.redistribute(a, "cb", dtype="c8", conjugate=True, permutation=(1, 0))
    assert single.dtype == np.complex64 and (gathered(comm, single) == whole.conj().T).all()
    b = distview.redistribute(a, "nc")
    assert distview.redistribute(single, out=b, permutation=(1, 0), alpha=2, beta=-1) is b
    assert (gathered(comm, b) == 2 * whole.conj() - whole).all()
    distview.redistribute(a, out=b, combine="sum")
    assert (gathered(comm, b) == 2 * whole.conj()).all()


def wrong_updates(comm, plan, a, b):
    """A plan, its arguments on one rank, and the expected error."""
    factor = "expected {} to be a number that can be converted to {}, got {}"
    names = "expected combine to be 'sum', 'min' or 'max', got "
    yield plan, a, b, {"combine": "product"}, USAGE, names + "'product'"
    yield plan, a, b, {"combine": 3}, USAGE, names + "3"
    yield plan, a, b, {"combine": "sum", "beta": 1}, USAGE, "expected alpha and beta, or combine, got both"
    yield plan, a, b, {"alpha": "2"}, USAGE, factor.format("alpha", "float64", "'2'")
    yield plan, a, b, {"beta": 1j}, USAGE, factor.format("beta", "float64", "1j")
    yield plan, a, b, {"alpha": None}, USAGE, factor.format("alpha", "float64", "None")
    for value in (np.complex128(2 + 3j), np.complex64(1), np.array(1j), np.complex128(2)):
        yield plan, a, b, {"alpha": value}, USAGE, factor.format("alpha", "float64", repr(value))
    small = distview.zeros_like(b, "i2")
    differ = "source and target differ in element type: float64 ('d') and int16 ('h')"
    yield plan, a, small, {}, SHAPE, differ
    same_layouts = distview.RedistributionPlan(b, b, comm)
    types = "int32, int64, uint32, uint64, float32, float64, complex64 or complex128"
    text = f"expected elements of {types} to calculate with, got int16"
    yield same_layouts, small, distview.zeros_like(small), {"beta": 1}, SHAPE, text
    pair = [distview.zeros_like(b, "c8") for _ in range(2)]
    text = "complex numbers have no order, combine cannot be 'max'"
    yield same_layouts, *pair, {"combine": "max"}, SHAPE, text
    pair = [distview.zeros_like(b, "i4") for _ in range(2)]
    wrong = (0.5, 2**31, np.float32(0.5), np.array(2.5), Fraction(5, 2), Decimal("2.5"), "2", np.complex128(2))
    for value in wrong:
        yield same_layouts, *pair, {"alpha": value}, USAGE, factor.format("alpha", "int32", repr(value))


def test_wrong_updates_on_one_rank(comm):
    start = "RedistributionPlan.execute: "
    a, b = distview.full((9, 8), 2.0, "bb", comm), distview.zeros((9, 8), "cc", comm)
    plan = distview.RedistributionPlan(a, b)
    c = distview.zeros_like(b)
    for used, source, target, keywords, error, text in list(wrong_updates(comm, plan, a, b)):
        good = (a, b, {}) if used is plan else (b, c, {})
        for rank in range(comm.size):
            x, y, given = on_rank(comm, rank, (source, target, keywords), good)
            caught = raised_on_all(comm, lambda p=used, x=x, y=y, k=given: p.execute(x, y, **k))
            assert type(caught) is error and str(caught).startswith(start + text), str(caught)
            assert str(caught).endswith(lowest(comm, rank))
    for rank in range(comm.size if comm.size > 1 else 0):
        factors = on_rank(comm, rank, {"alpha": 2.0}, {"alpha": 3.0})
        caught = raised_on_all(comm, lambda k=factors: plan.execute(a, b, **k))
        assert "expected the same arguments on all ranks" in str(caught)
        assert " is " in str(caught) and " on rank 0" in str(caught)
    conjugates = distview.RedistributionPlan(a, b, conjugate=True)
    caught = raised_on_all(comm, lambda: conjugates.execute(a, b))
    assert type(caught) is SHAPE
    assert str(caught).startswith(start + "the plan conjugates: expected complex elements, got float64")
    plan.execute(a, b)
    assert (gathered(comm, b) == 2).all()
