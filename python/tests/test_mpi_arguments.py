# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that Python itself refuses, on one rank only, are an error of all; a forgotten communicator."""

import warnings

import distview
import numpy as np
import pytest
from distview import _comm
from mpi_cases import on_rank, raised_on_all

SHAPE = 12
CREATION = {
    "zeros": lambda c, *a, **k: distview.zeros(SHAPE, "b", c, *a, **k),
    "empty": lambda c, *a, **k: distview.empty(SHAPE, "b", c, *a, **k),
    "ones": lambda c, *a, **k: distview.ones(SHAPE, "b", c, *a, **k),
    "full": lambda c, *a, **k: distview.full(SHAPE, 2, "b", c, *a, **k),
    "from_function": lambda c, *a, **k: distview.from_function(lambda i: i, SHAPE, "b", c, *a, **k),
    "wrap": lambda c, *a, **k: distview.wrap(np.zeros(SHAPE // c.size), SHAPE, "b", c, *a, **k),
    "keyword comm": lambda c, *a, **k: distview.zeros(SHAPE, *a[:0], comm=c, **(k or {"x": a})),
}
METHODS = {
    "gather": lambda u, *a, **k: u.gather(*a, **k),
    "sum": lambda u, *a, **k: u.sum(*a, **k),
    "min": lambda u, *a, **k: u.min(*a, **k),
    "max": lambda u, *a, **k: u.max(*a, **k),
    "norm": lambda u, *a, **k: u.norm(*a, **k),
    "dot": lambda u, *a, **k: u.dot(u, *a, **k),
    "zeros_like": lambda u, *a, **k: distview.zeros_like(u, *a, **k),
    "redistribute": lambda u, *a, **k: distview.redistribute(u, "c", *a, **k),
    "RedistributionPlan": lambda u, *a, **k: distview.RedistributionPlan(u, u, u.comm, *a, **k),
    "RedistributionPlan of layouts": lambda u, *a, **k: distview.RedistributionPlan(u.layout, u.layout, u.comm, *a, **k),
    "execute": lambda u, *a, **k: distview.RedistributionPlan(u, u).execute(u, u, *a, **k),
    "from_distarray": lambda u, *a, **k: distview.from_distarray(u, u.comm, *a, **k),
}


def refused_on_all(comm, call, needs_division=False):
    """Of arguments that one rank has too many of; afterwards the communicator is in step."""
    if SHAPE % comm.size and needs_division:
        return
    for rank in range(comm.size):
        here = comm.rank == rank
        caught = raised_on_all(comm, lambda h=here: call(**({"unknown": 1} if h else {})))
        assert type(caught) is distview.UsageError and isinstance(caught, TypeError)
        assert "unknown" in str(caught)
        caught = raised_on_all(comm, lambda h=here: call(*(["x"] * 12 if h else [])))
        assert type(caught) is distview.UsageError
    assert distview.ones(SHAPE, comm=comm).sum() == SHAPE


@pytest.mark.parametrize("name", CREATION)
def test_arguments_of_creation(comm, name):
    refused_on_all(comm, lambda *a, **k: CREATION[name](comm, *a, **k) if a or k else
                   distview.zeros(SHAPE, "b", comm) if name == "keyword comm" else
                   CREATION[name](comm), name == "wrap")  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
def test_arguments_of_methods(comm, name):
    u = distview.ones(SHAPE, comm=comm)
    refused_on_all(comm, lambda *a, **k: METHODS[name](u, *a, **k))


#: NumPy's arrays of several elements are neither true nor false.
FLAGS = {
    "sum": lambda u, flag: u.sum(reproducible=flag),
    "norm": lambda u, flag: u.norm(reproducible=flag),
    "dot": lambda u, flag: u.dot(u, reproducible=flag),
    "fill_padding": lambda u, flag: distview.RedistributionPlan(u, u, fill_padding=flag),
    "conjugate": lambda u, flag: distview.RedistributionPlan(u, u, conjugate=flag),
    "allow_missing_indices": lambda u, flag: distview.RedistributionPlan(u, u, allow_missing_indices=flag),
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags_that_are_none(comm, name):
    u = distview.ones(SHAPE, comm=comm)
    for rank in range(comm.size):
        flag = on_rank(comm, rank, np.array([0, 1]), False)
        caught = raised_on_all(comm, lambda f=flag: FLAGS[name](u, f))
        assert type(caught) is distview.UsageError and "ambiguous" in str(caught)
    assert u.sum() == SHAPE


def test_arguments_that_are_missing(comm):
    u = distview.ones(SHAPE, comm=comm)
    for rank in range(comm.size):
        caught = raised_on_all(comm, lambda r=rank: u.dot(*([] if comm.rank == r else [u])))
        assert "other" in str(caught) and isinstance(caught, TypeError)


def test_type_errors_of_callbacks_are_theirs(comm):
    """A TypeError from inside is no error of the call's arguments."""

    def function(i):
        raise TypeError("planted")

    with pytest.raises(TypeError, match="^planted$"):
        distview.from_function(function, SHAPE, comm=comm)


def test_a_forgotten_communicator_warns_once(comm, monkeypatch):
    monkeypatch.setattr(_comm, "_has_warned", False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        distview.ones(3, comm=comm)
        assert not caught
        for _ in range(2):
            distview.ones(3)
            distview.from_function(lambda i: i, 3)
    assert len(caught) == (1 if comm.size > 1 else 0)
    for warning in caught:
        assert warning.category is RuntimeWarning and warning.filename == __file__
        assert f"each of the {comm.size} ranks" in str(warning.message)
