# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors that arise on one rank in Python: on the other ranks, and on that one."""

import distview
import pytest
from mpi_cases import lowest, raised_on_all


class Planned(Exception):
    """No class of the library's nor of Python's."""


@pytest.mark.parametrize("kind", [Planned, ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_a_callback_raises_on_one_rank(comm, kind):
    """The user's own exception stays what it is where it arose; the others get its class and text."""
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
