# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""redistribute() keeps the plans of its last calls, the same ones on all ranks."""

import distview
import numpy as np
import pytest
from distview import _redistribution
from mpi_cases import on_rank, raised_on_all


@pytest.fixture
def plans(monkeypatch):
    """The plans made during a test."""
    made = []

    class Counted(distview.RedistributionPlan):
        def __init__(self, *args, **keywords):
            made.append(keywords)
            super().__init__(*args, **keywords)

    monkeypatch.setattr(_redistribution, "RedistributionPlan", Counted)
    return made


def numbered(comm, layout="b"):
    return distview.from_function(lambda i: 10.0 * i, 12, layout, comm)


def test_a_call_that_comes_again_makes_no_plan(comm, plans):
    a, b = numbered(comm), distview.zeros(12, "c", comm)
    for step in range(3):
        a.interior[...] += 1
        assert distview.redistribute(a, out=b) is b
        c = distview.redistribute(a, "c")
        for got in (b, c):
            whole = got.gather()
            if comm.rank == 0:
                np.testing.assert_array_equal(whole, 10.0 * np.arange(12) + step + 1)
    assert len(plans) == 1  # b and the new arrays have the same layout


def test_other_calls_are_other_plans(comm, plans):
    a, b = numbered(comm), distview.zeros(12, "c", comm)
    reverse = slice(None, None, -1)
    for expected in (3, 3):
        distview.redistribute(a, out=b)
        distview.redistribute(a, out=b, from_slice=reverse)
        distview.redistribute(a, out=b, to_slice=slice(0, 6), from_slice=slice(6, 12), beta=1.0)
        assert len(plans) == expected
    whole = distview.redistribute(a, out=b, from_slice=reverse).gather()
    if comm.rank == 0:
        np.testing.assert_array_equal(whole, 10.0 * np.arange(12)[::-1])
    assert len(plans) == 3


def test_few_plans_are_kept(comm, plans):
    a, b = numbered(comm), distview.zeros(12, "c", comm)
    for begin in range(8):
        distview.redistribute(a, out=b, from_slice=slice(begin, begin + 4), to_slice=slice(0, 4))
    assert len(plans) == 8 and len(a._joint.plans) == 4


def test_ranks_of_another_history(comm, plans):
    """If one rank lacks a plan that the others keep, all ranks get an error; then all start anew."""
    a, b = numbered(comm), distview.zeros(12, "c", comm)
    for rank in range(comm.size if comm.size > 1 else 0):
        distview.redistribute(a, out=b)
        if comm.rank == rank:
            a._joint.plans.clear()
        caught = raised_on_all(comm, lambda: distview.redistribute(a, out=b))
        assert "same arguments on all ranks" in str(caught) and a._joint.plans == {}
        before = len(plans)
        distview.redistribute(a, out=b)
        assert len(plans) == before + 1


def test_other_arguments_on_one_rank(comm, plans):
    a, b = numbered(comm), distview.zeros(12, "c", comm)
    for rank in range(comm.size if comm.size > 1 else 0):
        for _ in range(2):
            distview.redistribute(a, out=b)
        key = on_rank(comm, rank, slice(None, None, -1), slice(None))
        raised_on_all(comm, lambda k=key: distview.redistribute(a, out=b, from_slice=k))
        other = on_rank(comm, rank, numbered(comm), a)
        raised_on_all(comm, lambda o=other: distview.redistribute(o, out=b))
        distview.redistribute(a, out=b)
    whole = b.gather()
    if comm.rank == 0 and comm.size > 1:
        np.testing.assert_array_equal(whole, 10.0 * np.arange(12))
