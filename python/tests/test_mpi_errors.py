# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors raised in Python on one rank: their effect on that rank and on the others."""

import distview
import numpy as np
import pytest
from mpi_cases import lowest, on_rank, raised_on_all


class Planned(Exception):
    """An exception class that belongs neither to the library nor to Python."""


@pytest.mark.parametrize("kind", [Planned, ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_a_callback_raises_on_one_rank(comm, kind):
    """The user's own exception is unchanged on its rank; the others get its class and text."""
    odd = comm.size - 1

    def function(i):
        if comm.rank == odd:
            raise kind("in the callback")
        return i

    with pytest.raises(kind if comm.rank == odd else distview.Error) as caught:
        distview.from_function(function, 10, comm=comm)
    if comm.rank == odd:
        assert type(caught.value) is kind and caught.value.args == ("in the callback",)
        assert any(entry.name == "function" for entry in caught.traceback)
    else:
        assert kind.__name__ in str(caught.value)
        assert str(caught.value).endswith("in the callback" + lowest(comm, odd))
    assert distview.ones(10, comm=comm).sum() == 10


def test_a_callback_raises_on_all_ranks(comm):
    def function(i):
        raise Planned(comm.rank)

    with pytest.raises(Planned) as caught:
        distview.from_function(function, 10, comm=comm)
    assert caught.value.args == (comm.rank,)


def test_what_a_callback_returns_is_an_error_of_all(comm):
    raised = raised_on_all(
        comm, lambda: distview.from_function(lambda i: "x" if comm.rank == 0 else i, 10, comm=comm)
    )
    assert isinstance(raised, ValueError)


def test_elements_that_are_no_numbers_are_the_same_on_all(comm):
    """Records and numbers in another byte order are identified by their formats only."""
    if comm.size == 1:
        return
    for one, others in ((">f8", ">i8"), ([("x", "f4"), ("k", "i4")], [("k", "i4"), ("x", "f4")])):
        section = np.zeros(3, on_rank(comm, comm.size - 1, one, others))
        caught = raised_on_all(comm, lambda s=section: distview.wrap(s, 3 * comm.size, "b", comm))
        assert type(caught) is distview.UsageError and "element type" in str(caught)


def test_formats_of_one_type(comm):
    """NumPy spells the format of one type in two ways: 64-bit integers are 'l' or 'q'."""
    whole = on_rank(comm, 0, np.int64, np.longlong)
    record = np.dtype([("n", whole), ("x", "f4"), ("k", "i2")], align=True)
    bounds = [0, *range(1, 3 * comm.size - 1, 3)]
    section = np.zeros(bounds[comm.rank + 1] - bounds[comm.rank], record)
    view = distview.wrap(section, bounds[-1], bounds, comm)
    assert comm.size == 1 or len(set(comm.allgather(view.format))) > 1
