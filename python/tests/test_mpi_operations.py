# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers, reductions and fills over several processes, against whole arrays in NumPy."""

import math
import re

import distview
import numpy as np
import pytest
from distview import _distview
from global_arrays import (
    NUMBERS,
    OTHERS,
    Producer,
    interior,
    part,
    random_layout,
    random_values,
    random_whole,
    scattered,
)
from mpi_cases import lowest, on_rank, raised_on_all, same_on_all


def random_array(comm, seed, dtype):
    rng = np.random.default_rng([seed, comm.size])
    layout = random_layout(rng, comm.size)
    whole = random_whole(rng, layout, dtype)
    return scattered(distview.zeros(None, layout, comm, dtype), whole), whole


# Gather


@pytest.mark.parametrize("seed", range(50))
def test_gather(comm, seed):
    view, whole = random_array(comm, seed, NUMBERS[seed % len(NUMBERS)])
    for times in range(4):  # from the second gather on, sections of ranks on the node are read in place
        root = (seed + times) % comm.size
        for cells, expected in (("interior", interior(view.layout, whole)), ("owned", whole)):
            gathered = view.gather(root, cells)
            if comm.rank != root:
                assert gathered is None
                continue
            assert gathered.dtype == whole.dtype and gathered.flags.c_contiguous
            assert gathered.flags.writeable and gathered.flags.owndata
            np.testing.assert_array_equal(gathered, expected)
        whole = random_whole(np.random.default_rng([seed, times]), view.layout, whole.dtype)
        scattered(view, whole)


def test_gather_again_and_again(comm):
    """The result has a rank's writes before gather(), but not its writes after gather()."""
    view = distview.zeros((30 * comm.size, 7), "bn", comm, int)
    for times in range(50):
        view.view[...] = times
        gathered = view.gather()
        view.view[...] = -1
        assert gathered is None or (gathered == times).all()


def test_gather_after_an_error_of_one_rank(comm):
    """If one rank keeps less data for the array than the others, all still get correct values."""
    view = distview.from_function(lambda i: i, 5 * comm.size, "b", comm, int)
    for _ in range(3):
        view.gather()
    if comm.rank == comm.size - 1:
        view._joint.gathers.forget()
    for _ in range(3):
        gathered = view.gather()
        assert gathered is None or gathered.tolist() == list(range(5 * comm.size))


@pytest.mark.parametrize("transport", ("direct", "message"))
def test_gather_over_transports(comm, transport, monkeypatch):
    monkeypatch.setenv("DISTVIEW_TRANSPORT", transport)
    view = distview.from_function(lambda i: i, 5 * comm.size, "c", comm, int)
    for _ in range(3):
        gathered = view.gather(comm.size - 1)
        assert gathered is None or gathered.tolist() == list(range(5 * comm.size))


def test_gather_keeps_no_access_that_reaches_nobody(comm, monkeypatch):
    """As between nodes, which messages imitate. Later gathers do not try again."""
    monkeypatch.setenv("DISTVIEW_TRANSPORT", "message")
    make = _distview.SectionAccess
    made = []
    monkeypatch.setattr(_distview, "SectionAccess", lambda view: made.append(view) or make(view))
    view = distview.from_function(lambda i: i, 5 * comm.size, "b", comm, int)
    for times in range(5):
        gathered = view.gather(times % comm.size)
        assert gathered is None or gathered.tolist() == list(range(5 * comm.size))
    assert len(made) == 1 and (view._joint.gathers.access is None) == (comm.size > 1)


@pytest.mark.parametrize("dtype", OTHERS)
def test_gather_of_elements_that_are_no_numbers(comm, dtype):
    layout = distview.zeros((7, 5), comm=comm, padding=1).layout
    whole = random_values(np.random.default_rng(4), layout.protocol_shape, dtype)
    memory = np.array(part(layout, whole, comm.rank), order="F")
    view = distview.from_distarray(Producer(layout, comm.rank, memory), comm)
    for _ in range(3):
        gathered = view.gather(comm.size - 1, "owned")
        if comm.rank == comm.size - 1:
            assert gathered.dtype == whole.dtype and (gathered == whole).all()


def test_gather_of_shared_indices_takes_the_owners(comm):
    """Index 5 is on every rank; the lowest rank's element is gathered."""
    lists = [[5, 10 + p] for p in range(comm.size)]
    view = distview.zeros(None, ("u", lists), comm, int)
    view.view[...] = [comm.rank, 100 + comm.rank]
    for _ in range(3):
        gathered = view.gather()
        if comm.rank == 0:
            assert gathered.tolist() == [0, *range(100, 100 + comm.size)]
    assert view.sum() == sum(range(comm.size)) + sum(range(100, 100 + comm.size))


def test_the_indices_of_this_process(comm):
    """Each rank knows its own indices; the lists are exchanged."""
    mine = np.arange(comm.rank, 20, comm.size)[::-1]
    view = distview.from_function(lambda i: 10 * i, 20, mine, comm, int)
    assert view.view.tolist() == (10 * mine).tolist()
    gathered = view.gather()
    if comm.rank == 0:
        assert gathered.tolist() == list(range(0, 200, 10))
    lists = [list(range(p, 20, comm.size))[::-1] for p in range(comm.size)]
    assert view.layout == distview.zeros(20, ("u", lists), comm).layout
    rows = distview.zeros((20, 3), [mine if comm.size == 1 else ("u", mine), "n"], comm)
    assert rows.layout.shape == (20, 3) and rows.grid == (comm.size, 1)
    bad = on_rank(comm, comm.size - 1, "c", mine)
    if comm.size > 1:
        caught = raised_on_all(comm, lambda: distview.zeros(20, bad, comm))
        assert str(caught) == "zeros: expected index arrays on all ranks, or on none"


def test_bytes_of_all_ranks(comm):
    """The exchange of index lists: different lengths, an empty list on rank 0."""
    communicator = distview.zeros(3, comm=comm)._communicator
    for length in (0, 1, 40000):
        pieces = communicator.all_gather_bytes(bytes([comm.rank]) * (length * comm.rank))
        assert pieces == [bytes([p]) * (length * p) for p in range(comm.size)]


def test_gather_arguments_on_one_rank(comm):
    view = distview.ones((7, 6), comm=comm)
    for rank in range(comm.size):
        for bad, text in (
            ((comm.size,), f"gather: expected a root in [0, {comm.size}), got {comm.size}"),
            (("0",), "gather: expected root to be an integer, got '0'"),
            ((0, "all"), 'gather: expected cells to be "interior" or "owned", got \'all\''),
        ):
            caught = raised_on_all(comm, lambda a=on_rank(comm, rank, bad, (0,)): view.gather(*a))
            assert type(caught) is distview.UsageError
            assert str(caught) == text + lowest(comm, rank)
        if comm.size > 1:
            for bad, what in (((1,), "root is "), ((0, "owned"), "cells is ")):
                caught = raised_on_all(comm, lambda a=on_rank(comm, rank, bad, (0,)): view.gather(*a))
                assert "gather: expected the same arguments on all ranks" in str(caught)
                assert what in str(caught) and " on rank 0" in str(caught)
        comm.Barrier()
        whole = view.gather(rank)
        assert (whole is None) == (comm.rank != rank)


# Reductions


@pytest.mark.parametrize("seed", range(50))
def test_reductions(comm, seed):
    """Reductions of all types, also with empty sections."""
    dtype = NUMBERS[seed % len(NUMBERS)]
    view, whole = random_array(comm, seed, dtype)
    kind = np.dtype(dtype).kind
    for cells in ("interior", "owned"):
        mine = [x.item() for x in getattr(view, cells).ravel()]
        every = [x for part_of in comm.allgather(mine) for x in part_of]
        number = {"c": complex, "f": float}.get(kind, int)
        if kind in "biu":
            total = sum(map(int, every))
            assert same_on_all(comm, view.sum(cells)) % 2**64 == total % 2**64
            squares = sum(int(x) ** 2 for x in every) % 2**64
            assert same_on_all(comm, view.dot(view, cells)) % 2**64 == squares
        else:
            scale = math.fsum(map(abs, every)) + 1e-300
            total = complex(math.fsum(complex(x).real for x in every),
                            math.fsum(complex(x).imag for x in every))  # fmt: skip
            assert abs(same_on_all(comm, view.sum(cells)) - total) <= 1e-14 * scale
        assert type(view.sum(cells)) is type(view.dot(view, cells)) is number
        norm = math.sqrt(math.fsum(float(abs(x)) ** 2 for x in every))
        assert same_on_all(comm, view.norm(2, cells)) == pytest.approx(norm, rel=1e-13)
        whole_sum = math.fsum(float(abs(x)) for x in every)
        assert same_on_all(comm, view.norm(1, cells)) == pytest.approx(whole_sum, rel=1e-13)
        greatest = max((float(abs(x)) for x in every), default=0.0)
        # The absolute value of a complex number may be rounded either way.
        wanted = greatest if kind != "c" else pytest.approx(greatest, rel=5e-16)
        assert same_on_all(comm, view.norm(math.inf, cells)) == wanted
        if kind == "c":
            assert type(raised_on_all(comm, lambda c=cells: view.min(c))) is distview.ShapeError
        elif every:
            assert same_on_all(comm, view.min(cells)) == min(every)
            assert same_on_all(comm, view.max(cells)) == max(every)
        else:
            assert type(raised_on_all(comm, lambda c=cells: view.max(c))) is distview.UsageError


@pytest.mark.parametrize(
    "first, second", [("i4", "f8"), ("f4", "c8"), ("u1", "i8"), ("u8", "i8"), ("?", "c16")]
)
def test_products_of_two_types_with_empty_sections(comm, first, second):
    """Ranks with empty sections take part with the type of the product."""
    for n in range(comm.size + 1):
        a = distview.full(n, 1, "b", comm, first)
        b = distview.full(n, 3, "b", comm, second)
        product = same_on_all(comm, a.dot(b))
        assert product == 3 * n
        assert type(product) is type(distview.ones(1, dtype=first).dot(distview.ones(1, dtype=second)))
        assert same_on_all(comm, b.norm(1)) == 3.0 * n


def test_extremes_of_64_bits(comm):
    """The extremes are on the last rank, whose neighbours may be empty."""
    for dtype in ("u8", "i8"):
        least, most = (int(x) for x in (np.iinfo(dtype).min, np.iinfo(dtype).max))
        for value in (least, most, least + 1, most - 1):
            view = distview.full(1, value, [0] * comm.size + [1], comm, dtype)
            assert same_on_all(comm, (view.min(), view.max(), view.sum())) == (value,) * 3
        both = distview.zeros(2, [0] * comm.size + [2], comm, dtype)
        if comm.rank == comm.size - 1:
            both.view[...] = [least, most]
        assert (both.min(), both.max()) == (least, most)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_not_a_number_on_one_rank(comm, dtype):
    for rank in range(comm.size):
        view = distview.ones(3 * comm.size, comm=comm, dtype=dtype)
        if comm.rank == rank:
            view.view[1] = math.nan
        for result in (view.min(), view.max(), view.sum(), view.norm(1), view.norm(math.inf)):
            assert math.isnan(same_on_all(comm, result))


def test_sums_do_not_depend_on_the_way_there(comm):
    """Sums have the same bits on every rank and in every call."""
    view, _ = random_array(comm, 3, "f8")
    sums = {same_on_all(comm, view.sum()) for _ in range(20)}
    assert len(sums) == 1


def test_reductions_that_fail_on_one_rank(comm):
    view = distview.ones((7, 6), comm=comm, padding=1)
    other = distview.zeros((7, 6), comm=comm)
    same, complex_too = distview.zeros_like(view, "f4"), distview.zeros_like(view, "c8")
    calls = [
        (lambda bad: view.sum("all" if bad else "interior"), distview.UsageError),
        (lambda bad: view.min(None if bad else "owned"), distview.UsageError),
        (lambda bad: view.norm(3 if bad else 2), distview.UsageError),
        (lambda bad: view.dot(None if bad else view), distview.UsageError),
        (lambda bad: view.dot(other if bad else view), distview.ShapeError),
        (lambda bad: view.dot(np.zeros(3) if bad else same), distview.UsageError),
    ]
    mixed = [
        lambda bad: view.sum("owned" if bad else "interior"),
        lambda bad: view.norm(1 if bad else 2),
        lambda bad: view.norm(1, "owned" if bad else "interior"),
        lambda bad: view.max("owned" if bad else "interior"),
        lambda bad: view.dot(complex_too if bad else same),
    ]
    for rank in range(comm.size):
        for call, error in calls:
            caught = raised_on_all(comm, lambda c=call, r=rank: c(comm.rank == r))
            assert type(caught) is error and str(caught).endswith(lowest(comm, rank))
        for call in mixed if comm.size > 1 else []:
            caught = raised_on_all(comm, lambda c=call, r=rank: c(comm.rank == r))
            assert re.search("expected the same arguments on all ranks.*: .* is .* on rank 0", str(caught))
        comm.Barrier()
        assert view.sum() == 42


# Filling


def test_functions_that_fail_on_one_rank(comm):
    """Values and types that one rank refuses are an error of all ranks; test_mpi_errors.py tests callbacks."""
    for rank in range(comm.size):
        bad = on_rank(comm, rank, "many", 3)
        caught = raised_on_all(comm, lambda b=bad: distview.full(12, b, comm=comm))
        assert str(caught).startswith("full: ValueError: could not convert string to float: 'many'")
        dtype = on_rank(comm, rank, "nonsense", "f8")
        like = distview.zeros(12, comm=comm)
        for name, make in (("zeros", lambda d: distview.zeros(12, comm=comm, dtype=d)),
                           ("zeros_like", lambda d: distview.zeros_like(like, d))):  # fmt: skip
            caught = raised_on_all(comm, lambda m=make, d=dtype: m(d))
            assert str(caught).startswith(f"{name}: TypeError: data type 'nonsense' not understood")
        assert distview.ones(12, comm=comm).sum() == 12
