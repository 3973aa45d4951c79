# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that Python itself refuses on one rank are an error of all ranks; a forgotten communicator."""

import warnings

import distview
import numpy as np
import pytest
from distview import _comm, _gather
from mpi_cases import on_rank, raised_on_all
from shared_folder import shared_folder

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
    """A call with too many arguments on one rank; afterwards the communicator is in step."""
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


#: Values whose truth raises: NumPy arrays of several elements.
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


def test_values_that_differ(comm):
    if comm.size == 1:
        return
    caught = raised_on_all(comm, lambda: distview.full(SHAPE, 1 + comm.rank, comm=comm))
    assert type(caught) is distview.UsageError and "value is" in str(caught)


def test_arguments_that_are_missing(comm):
    u = distview.ones(SHAPE, comm=comm)
    for rank in range(comm.size):
        caught = raised_on_all(comm, lambda r=rank: u.dot(*([] if comm.rank == r else [u])))
        assert "other" in str(caught) and isinstance(caught, TypeError)


@pytest.fixture
def folder(comm):
    with shared_folder(comm) as path:
        yield path


#: A correct call, a wrong call, and the begin of its error text.
REFUSED = {
    "a comm that stands where another argument is missing": (
        lambda u, _: distview.MigrationPlan(u.comm, [0]),
        lambda u, _: distview.MigrationPlan([0], comm=u.comm),
        "MigrationPlan: got multiple values for argument 'comm'",
    ),
    "an argument that stands where comm is": (
        lambda u, _: distview.zeros(SHAPE, "b", u.comm),
        lambda u, _: distview.zeros(SHAPE, "b", "f8", comm=u.comm),
        "zeros: got multiple values for argument 'comm'",
    ),
    "comm by position and None by keyword": (
        lambda u, _: distview.zeros(SHAPE, "b", u.comm),
        lambda u, _: distview.zeros(SHAPE, "b", u.comm, comm=None),
        "zeros: got multiple values for argument 'comm'",
    ),
    "an array as validate": (
        lambda u, _: distview.from_distarray(u, u.comm),
        lambda u, _: distview.from_distarray(u, u.comm, np.array(["full", "local"])),
        'from_distarray: expected validate to be "full" or "local", got array',
    ),
    "comm with validate=local": (
        lambda u, _: distview.from_distarray(u, u.comm),
        lambda u, _: distview.from_distarray(u, u.comm, validate="local"),
        'from_distarray: expected no comm with validate="local"',
    ),
    "no function": (
        lambda u, _: distview.from_function(lambda i: i, SHAPE, comm=u.comm),
        lambda u, _: distview.from_function("sin", SHAPE, comm=u.comm),
        "from_function: expected a function of global indices, got 'sin'",
    ),
    "ranks that are none": (
        lambda u, _: distview.order_ranks(u.comm, range(u.comm.size)).Free(),
        lambda u, _: distview.order_ranks(u.comm, None),
        "order_ranks: expected each of the ",
    ),
    "a layout of a section that is not attached": (
        lambda u, _: distview.redistribute(u, u),
        lambda u, _: distview.redistribute(u, distview.from_distarray(u, validate="local")),
        'redistribute: this array was imported with validate="local"',
    ),
    "a name that cannot be a key": (
        lambda u, path: u.to_hdf5(path, "u"),
        lambda u, path: u.to_hdf5(path, ["u"]),
        "to_hdf5: expected a name of an array, got ['u']",
    ),
    **{
        f"{name}= of to_hdf5": (
            lambda u, path: u.to_hdf5(path, "u"),
            lambda u, path, name=name: u.to_hdf5(path, "u", **{name: 1}),
            f"to_hdf5: got an unexpected keyword argument '{name}'",
        )
        for name in ("caller", "arrays", "kind", "keep")
    },
    "kind= of Hdf5Series": (
        lambda u, path: distview.Hdf5Series(path, {"u": u}),
        lambda u, path: distview.Hdf5Series(path, {"u": u}, kind="npy"),
        "Hdf5Series: got an unexpected keyword argument 'kind'",
    ),
    "kind= of Checkpoint": (
        lambda u, path: distview.Checkpoint(path, u.comm),
        lambda u, path: distview.Checkpoint(path, u.comm, kind="npy"),
        "Checkpoint: got an unexpected keyword argument 'kind'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_on_one_rank_is_refused_on_all(comm, name, folder):
    """The agreement comes before any other check of arguments."""
    right, wrong, text = REFUSED[name]
    if text.startswith(("to_hdf5", "Hdf5Series", "Checkpoint")) and not distview.has_hdf5():
        pytest.skip("needs HDF5")
    if "attached" in name and comm.size == 1:
        pytest.skip("needs two ranks: the section of one process is attached")
    u = distview.ones(SHAPE, comm=comm)
    path = folder / "refused.h5"
    for rank in range(comm.size):
        caught = raised_on_all(comm, lambda r=rank: (wrong if comm.rank == r else right)(u, path))
        assert isinstance(caught, distview.UsageError) and str(caught).startswith(text)
    assert u.sum() == SHAPE


def test_a_step_of_any_size(comm):
    """A slice of one cell may have a step that does not fit 64 bits."""
    u = distview.from_function(lambda i: i + 1.0, SHAPE, comm=comm)
    for step in (2**62, 2**70):
        assert u[3::step].sum() == 4
        part = distview.redistribute(u, "b", from_slice=slice(3, None, step))
        assert part.shape == (1,) and part.sum() == 4
        part = distview.redistribute(u, "b", from_slice=slice(3, None, -step))
        assert part.sum() == 4


def test_memory_that_one_rank_lacks_in_gather(comm, monkeypatch):
    def fail(part):
        raise MemoryError("planted")

    u = distview.ones((2 * comm.size, 3), ("n", "b"), comm)
    for rank in range(comm.size if comm.size > 1 else 0):
        with monkeypatch.context() as patched:
            if comm.rank == rank:
                patched.setattr(_gather, "_bytes", fail)
            caught = raised_on_all(comm, u.gather)
        assert type(caught) is distview.Error
        assert str(caught) == f"gather: MemoryError: planted [rank {rank} of {comm.size}]"
    # From the second time on, root reads the other ranks' sections in place.
    for _ in range(2):
        u.gather()
    if comm.size > 1 and all(comm.allgather(u._joint.gathers.access is not None)):
        with monkeypatch.context() as patched:
            if comm.rank == 0:
                patched.setattr(_gather, "_blocks", lambda *arguments: fail(None))
            caught = raised_on_all(comm, u.gather)
        assert str(caught) == f"gather: MemoryError: planted [rank 0 of {comm.size}]"
    whole = u.gather()
    assert whole is None or (whole == 1).all()


def test_texts_say_what_differs(comm):
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    u, v = distview.ones(SHAPE, comm=comm), distview.ones(SHAPE, comm=comm)
    here = comm.rank == 1
    caught = raised_on_all(comm, lambda: distview.redistribute(u, out=v) if here else distview.redistribute(u, "b"))
    assert str(caught).endswith("whether out is given is True on rank 1, False on rank 0")
    plan = distview.RedistributionPlan(u, v)
    for name in ("alpha", "beta"):
        caught = raised_on_all(comm, lambda n=name: plan.execute(u, v, **{n: 2.5 if here else 3}))
        assert str(caught).endswith(f"{name} is 2.5 on rank 1, 3 on rank 0")
    caught = raised_on_all(comm, lambda: plan.execute(u, v, combine="sum" if here else "max"))
    assert str(caught).endswith("combine is sum on rank 1, max on rank 0")


@pytest.mark.parametrize("nonsense", ["x", None, 3, np.zeros(3)])
def test_zeros_like_what_is_no_array(nonsense):
    with pytest.raises(distview.UsageError, match="^zeros_like: expected a DistView, got "):
        distview.zeros_like(nonsense)


def test_type_errors_of_callbacks_are_theirs(comm):
    """A TypeError raised inside a callback is not an error of the call's arguments."""

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
