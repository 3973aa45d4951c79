# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Redistribution within one memory."""

import distview
import numpy as np
import pytest
from mpi_cases import raised_on_all
from redistributions import gathered, made, same

TRANSPOSED = {"permutation": (1, 0), "in_place": True}


@pytest.mark.parametrize("n", (1, 7, 40))
def test_a_square_is_transposed_within_itself(comm, n):
    a, whole = made(comm, distview.zeros((n, n), "cc", comm).layout)
    plan = distview.RedistributionPlan(a, a, **TRANSPOSED)
    plan.execute(a, a)
    assert same(gathered(comm, a), np.ascontiguousarray(whole.T))
    plan.execute(a, a)
    assert same(gathered(comm, a), whole)


def test_a_bound_that_is_too_small_is_refused_with_what_suffices(comm):
    # A cyclic permutation of three axes: not a move that undoes itself when repeated.
    n = 12 * comm.size
    a, whole = made(comm, distview.zeros((n,), "b", comm).layout)
    third = n // 3

    def turn(buffer_bytes):
        here = distview.RedistributionPlan(
            a, a, from_slice=slice(third, None), to_slice=slice(0, n - third),
            in_place=True, buffer_bytes=buffer_bytes,
        )  # fmt: skip
        here.execute(a, a)

    caught = raised_on_all(comm, lambda: turn(1))
    assert type(caught) is distview.UsageError
    assert "expected buffer_bytes of at least " in str(caught), str(caught)
    enough = int(str(caught).split("expected buffer_bytes of at least ")[1].split()[0])
    assert 1 < enough <= 2 * 8 * n
    assert same(gathered(comm, a), whole)
    turn(enough)
    whole[: n - third] = whole[third:].copy()
    assert same(gathered(comm, a), whole)


def test_what_is_overwritten_cannot_go_into_the_result(comm):
    a, whole = made(comm, distview.zeros((6, 6), "bb", comm).layout)
    plan = distview.RedistributionPlan(a, a, **TRANSPOSED)
    for factors in ({"beta": 1.0}, {"combine": "max"}):
        caught = raised_on_all(comm, lambda f=factors: plan.execute(a, a, **f))
        assert type(caught) is distview.UsageError
        assert "expected beta = 0 and no combination" in str(caught)
    assert same(gathered(comm, a), whole)
    plan.execute(a, a, alpha=-2.0)
    assert same(gathered(comm, a), np.ascontiguousarray(-2.0 * whole.T))


def test_arrays_that_share_nothing_are_moved_as_ever(comm):
    a, whole = made(comm, distview.zeros((5, 5), "bc", comm).layout)
    b = distview.zeros_like(a)
    distview.RedistributionPlan(a, b, **TRANSPOSED).execute(a, b)
    assert same(gathered(comm, a), whole)
    assert same(gathered(comm, b), np.ascontiguousarray(whole.T))
