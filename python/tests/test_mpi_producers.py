# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Producers that fail on one rank with any exception: all ranks raise the same error. Also arrays
of producers that support only the protocol."""

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS, Producer, assert_exchanged, random_layout, random_whole, scattered
from mpi_cases import lowest, on_rank, raised_on_all


class Custom(Exception):
    """An exception of another library."""


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no text either")


class Wordless(Exception):
    def __str__(self):
        return None


class Raises:
    def __init__(self, error):
        self.error = error

    def __distarray__(self):
        raise self.error


class RaisesOnSight:
    @property
    def __distarray__(self):
        raise Custom("on sight")


class NoMethod:
    __distarray__ = 5


class Odd(dict):
    """A dictionary that raises when it is read."""

    def __contains__(self, key):
        raise Custom("do not ask")

    def __getitem__(self, key):
        raise Custom("do not take")


def protocol_error(**fields):
    error = distview.ProtocolError("what they found")
    for name, value in fields.items():
        setattr(error, name, value)
    return error


def good_section(comm):
    layout = distview.zeros(4 * comm.size, comm=comm, padding=1).layout
    return Producer(layout, comm.rank, np.ones(layout.local_shape(comm.rank)))


@pytest.mark.parametrize(
    "error, text",
    [
        (ValueError("out of range"), "ValueError: out of range"),
        (Custom("a custom matter"), "Custom: a custom matter"),
        (RuntimeError(), "RuntimeError: "),
        (MemoryError("too much"), "MemoryError: too much"),
        (StopIteration(3), "StopIteration: 3"),
        (KeyError("buffer"), "KeyError: 'buffer'"),
        (OSError(2, "No such file"), "FileNotFoundError: [Errno 2] No such file"),
        (SystemExit(3), "SystemExit: 3"),
        (ExceptionGroup("many", [ValueError(1), TypeError(2)]), "ExceptionGroup: many"),
        (ValueError("a surrogate \ud800 and a letter \xe4"), "ValueError: a surrogate \\ud800 and a letter \xe4"),
        (ValueError("x" * 100_000), "ValueError: " + "x" * 100_000),
        (Unspeakable(), "Unspeakable: <no text>"),
        (Wordless(), "Wordless: <no text>"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)  # fmt: skip
def test_exceptions_of_producers(comm, error, text):
    """Exceptions become distview.Error, or UsageError for TypeError and ValueError; texts begin with call and class."""
    for rank in range(comm.size):
        section = good_section(comm)
        obj = on_rank(comm, rank, Raises(error), section)
        caught = raised_on_all(comm, lambda o=obj: distview.from_distarray(o, comm))
        expected = (distview.Error, distview.UsageError)[isinstance(error, (TypeError, ValueError))]
        assert type(caught) is expected
        assert str(caught).startswith("from_distarray: ")
        assert str(caught).removeprefix("from_distarray: ").removeprefix(f"{__name__}.").startswith(text)
        assert str(caught).endswith(lowest(comm, rank))
        assert (caught.__cause__ is error) == (comm.rank == rank)
        comm.Barrier()
        assert distview.from_distarray(section, comm).sum() == 4 * comm.size


@pytest.mark.parametrize(
    "error",
    [distview.LayoutError("theirs"), distview.ShapeError("theirs"), distview.UsageError("theirs"),
     distview.MpiError("theirs"), distview.Error("theirs")],
)  # fmt: skip
def test_errors_of_this_library_keep_their_class(comm, error):
    """A producer may itself use distview."""
    section = good_section(comm)
    for rank in range(comm.size):
        obj = on_rank(comm, rank, Raises(error), section)
        caught = raised_on_all(comm, lambda o=obj: distview.from_distarray(o, comm))
        assert type(caught) is type(error)
        assert str(caught) == "theirs" + lowest(comm, rank)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        dict(code="edge_start", axis=3, key="start", process=7),
        dict(code=None, axis="x", key=5, process=2**70),
        dict(code="\ud800", axis=1.5, key=b"x", process=None),
    ],
)
def test_protocol_errors_of_producers(comm, fields):
    """Fields of the right types are kept."""
    section = good_section(comm)
    for rank in range(comm.size):
        obj = on_rank(comm, rank, Raises(protocol_error(**fields)), section)
        caught = raised_on_all(comm, lambda o=obj: distview.from_distarray(o, comm))
        assert type(caught) is distview.ProtocolError
        assert str(caught) == "what they found" + lowest(comm, rank)
        proper = fields.get("code") == "edge_start"
        expected = ("edge_start", 3, "start", 7) if proper else ("", None, None, None)
        assert (caught.code, caught.axis, caught.key, caught.process) == expected
    comm.Barrier()
    assert distview.from_distarray(section, comm).sum() == 4 * comm.size


@pytest.mark.parametrize(
    "make", [object, lambda: None, lambda: 5, lambda: "text", NoMethod, lambda: Producer,
             RaisesOnSight, lambda: Raises, lambda: Odd(__version__=1)],
)  # fmt: skip
def test_objects_that_are_no_producers(comm, make):
    section = good_section(comm)
    for rank in range(comm.size):
        obj = on_rank(comm, rank, make(), section)
        caught = raised_on_all(comm, lambda o=obj: distview.from_distarray(o, comm))
        assert isinstance(caught, distview.Error)
        assert str(caught).endswith(lowest(comm, rank))
        comm.Barrier()
        assert distview.from_distarray(section, comm).sum() == 4 * comm.size


@pytest.mark.parametrize("seed", range(30))
def test_arrays_of_producers(comm, seed):
    """Parts exported in either version are imported, exchanged, and exported again."""
    rng = np.random.default_rng([seed, comm.size, 11])
    layout = random_layout(rng, comm.size)
    dtype = NUMBERS[seed % len(NUMBERS)]
    whole = random_whole(rng, layout, dtype)
    memory = np.zeros(layout.local_shape(comm.rank), dtype)
    view = distview.from_distarray(Producer(layout, comm.rank, memory, "0.9.0"), comm)
    assert view.attached and view.comm is comm
    assert (view.process, view.process_count) == (comm.rank, comm.size)
    scattered(view, whole)
    view.exchange_padding()
    assert_exchanged(view, whole)
    again = view
    for version in ("0.9.0", "0.10.0", "0.9.0"):
        try:
            export = again.dap(version)
        except distview.ProtocolError as error:  # 0.10 cannot describe everything
            assert version == "0.10.0" and error.code in ("padding_mismatch", "padding_too_wide")
            raised_on_all(comm, lambda a=again: a.__distarray__())
            continue
        again = distview.from_distarray(export, comm)
        assert again.layout == view.layout and again.layout is not view.layout
        assert again.data_pointer == view.data_pointer or memory.size == 0
        assert_exchanged(again, whole)
