# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, extremes, norms, products and gather() with different arguments on ranks: the same error on all."""

import math

import distview
import numpy as np
import pytest
from mpi_cases import on_rank, raised_on_all, same_on_all

CALLS = {
    "sum": lambda u: u.sum(),
    "min": lambda u: u.min(),
    "max": lambda u: u.max(),
    "norm": lambda u: u.norm(),
    "norm(inf)": lambda u: u.norm(math.inf),
    "dot": lambda u: u.dot(u),
    "gather": lambda u: u.gather(),
}

#: Calls of one rank and of the others, with arrays a, b (alike), c (another layout), d (another element type).
PAIRS = {
    "slices": (lambda a, b, c, d: a[::2], lambda a, b, c, d: a[::3]),
    "slices of as many cells": (lambda a, b, c, d: a[:4], lambda a, b, c, d: a[1:5]),
    "a slice and the whole": (lambda a, b, c, d: a[1:], lambda a, b, c, d: a),
    "layouts": (lambda a, b, c, d: c, lambda a, b, c, d: a),
    "element types": (lambda a, b, c, d: d, lambda a, b, c, d: a),
    "arrays": (lambda a, b, c, d: b, lambda a, b, c, d: a),
    "slices of two arrays": (lambda a, b, c, d: b[1:3], lambda a, b, c, d: a[1:3]),
}


@pytest.fixture
def arrays(comm):
    a, b = (distview.ones(12, comm=comm) for _ in range(2))
    c, d = distview.ones(12, "c", comm), distview.ones(12, comm=comm, dtype="int64")
    return a, b, c, d


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_other_arrays_on_one_rank(comm, arrays, call, pair):
    for rank in range(comm.size if comm.size > 1 else 0):
        odd, other = (make(*arrays) for make in pair)
        caught = raised_on_all(comm, lambda: call(on_rank(comm, rank, odd, other)))  # noqa: B023
        assert type(caught) is distview.UsageError and "ranks" in str(caught)
    assert same_on_all(comm, arrays[0].sum()) == 12


@pytest.mark.parametrize("name", ["sum", "norm", "max", "gather", "dot"])
def test_other_cells_on_one_rank(comm, name):
    u = distview.ones(12, comm=comm, padding=1)
    more = (u,) if name == "dot" else ()
    for rank in range(comm.size if comm.size > 1 else 0):
        cells = on_rank(comm, rank, "owned", "interior")
        raised_on_all(comm, lambda: getattr(u, name)(*more, cells=cells))  # noqa: B023


def test_other_orders_and_roots_on_one_rank(comm, arrays):
    for rank in range(comm.size if comm.size > 1 else 0):
        order = on_rank(comm, rank, 1, 2)
        raised_on_all(comm, lambda: arrays[0].norm(order))  # noqa: B023
        root = on_rank(comm, rank, 1, 0)
        raised_on_all(comm, lambda: arrays[0].gather(root))  # noqa: B023
        second = on_rank(comm, rank, arrays[0], arrays[1])
        raised_on_all(comm, lambda: arrays[0].dot(second))  # noqa: B023


def test_slices_that_one_rank_looks_at_by_itself(comm, arrays):
    """Slices that one rank makes locally do not affect the other ranks."""
    a = arrays[0]
    if comm.rank == 0:
        assert len(a[::2]) == 6 and a[1:3][:1].ndim == 1
    assert same_on_all(comm, a[::2].sum()) == 6 and same_on_all(comm, a[1:3][:1].norm()) == 1
    gathered = a[::2].gather()
    assert (gathered is None) == (comm.rank != 0)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
@pytest.mark.parametrize("exponent", [-307, -200, -30, 0, 30, 200, 307])
def test_norms_that_squares_leave(comm, dtype, exponent):
    """The norm is correct wherever it is representable, even if its squares are not."""
    if dtype == "f4" and abs(exponent) > 30:
        exponent = int(math.copysign(37, exponent))
    u = distview.zeros(12, comm=comm, dtype=dtype)
    unit = 10.0**exponent
    if comm.rank == comm.size - 1 and u.interior.size > 1:
        u.interior[:2] = (3 * unit, 4 * unit)
    expected = math.hypot(*(float(abs(x)) for x in u.interior))
    expected = comm.bcast(expected, comm.size - 1)
    assert same_on_all(comm, u.norm()) == pytest.approx(expected, rel=1e-14, abs=0)
    assert expected > 0


def test_norms_of_what_is_no_number(comm):
    u = distview.zeros(12, comm=comm)
    assert u.norm() == 0
    for value in (math.inf, math.nan):
        if comm.rank == 0:
            u.interior[0] = value
        assert same_on_all(comm, u.norm()) == pytest.approx(value, nan_ok=True)


def test_sums_of_sizes_that_one_rank_cannot_represent(comm):
    """The result is infinite on all ranks, whatever np.seterr() sets for overflows."""
    u = distview.zeros(3 * comm.size, comm=comm)
    if comm.rank == comm.size - 1:
        u.interior[...] = 1e308
    with np.errstate(all="raise"):
        assert same_on_all(comm, u.norm(1)) == math.inf
        assert same_on_all(comm, u.norm()) == pytest.approx(math.sqrt(3) * 1e308)


def test_products_of_arrays_on_ranks_in_another_order(comm):
    """A rank's sections then belong to different processes of the grid."""
    if comm.size == 1:
        return
    ordered = distview.order_ranks(comm, [1, 0, *range(2, comm.size)])
    u, v = (distview.from_function(lambda i: i, 12, comm=c) for c in (comm, ordered))
    error = raised_on_all(comm, lambda: u.dot(v))
    assert type(error) is distview.UsageError and str(error) == (
        "dot: expected two arrays whose communicators order the ranks alike, got an array on which this rank is process 0 "
        f"and one on which it is process 1 [rank 0 of {comm.size}; 2 ranks failed]"
    )
    assert same_on_all(comm, u.dot(u)) == same_on_all(comm, v.dot(v)) == sum(i * i for i in range(12))
    ordered.Free()


@pytest.mark.parametrize("layout", ["bb", "cb", "bc", (("c", 2), "n"), ("n", ("c", 3))])
@pytest.mark.parametrize("padding", [0, 1])
def test_gathered_places(comm, layout, padding):
    """Each cell is at its place: by slices if they cover a process's cells, else by indices."""
    widths = [padding if letter[0] in "bn" else 0 for letter in layout]
    u = distview.from_function(
        lambda i, j: 100 * i + j, (9, 10), layout, comm, padding=widths, boundary=0
    )
    for root in range(comm.size):
        got = u.gather(root)
        if comm.rank == root:
            i, j = np.indices((9, 10))
            np.testing.assert_array_equal(got, 100 * i + j)
        else:
            assert got is None
