# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts of errors begin with the function that the program has called, and name no class of the compiled part."""

import re
import subprocess
import sys

import distview
import numpy as np
import pytest
from distview import _errors

FOREIGN = re.compile(
    r"\b(?:AnyDistView|ArrayLayout|ArraySet|ExchangeInFlight|ProcessGrid|PaddingExchange(?:Plan|Schedule)|RedistributionSchedule"
    r"|(?:make|wrap|import)_dist_view|permute_axes|RedistributionPlan #)|DistView<|std::|::"
)


def raised(call):
    with pytest.raises(distview.Error) as caught:
        call()
    return str(caught.value)


A = distview.zeros((4, 5), padding=((1, 1), (0, 0)), periodic=(True, False))
MIRRORED = distview.wrap(np.asarray(A)[::-1], (4, 5), "bb", padding=((1, 1), (0, 0)))
LAYOUT = distview.make_layout((4, 5), "bc", 4)
READ_ONLY = distview.wrap(bytes(5), 5)
PART = distview.from_distarray(
    {
        "__version__": "0.10.0",
        "buffer": np.zeros(3),
        "dim_data": ({"dist_type": "b", "size": 9, "proc_grid_size": 3, "proc_grid_rank": 0, "start": 0, "stop": 3},),
    },
    validate="local",
)


def finished_twice(in_flight):
    in_flight.finish()
    in_flight.finish()


CALLS = {
    "zeros: of a size": lambda: distview.zeros(-1),
    "zeros: of a layout": lambda: distview.zeros(4, "x"),
    "zeros: of a product": lambda: distview.zeros((2**40, 2**40)),
    "zeros: of a type": lambda: distview.zeros(4, dtype="S3"),
    "zeros: of memory": lambda: distview.zeros(2**50),
    "zeros: of a device": lambda: distview.zeros(4, device="tpu"),
    "zeros: of a communicator": lambda: distview.zeros(4, comm="world"),
    "zeros: of a keyword": lambda: distview.zeros(4, depth=1),
    "zeros: of no shape": lambda: distview.zeros(None, "bb"),
    "zeros: of processes": lambda: distview.zeros(None, LAYOUT),
    "empty: of a size": lambda: distview.empty(-1),
    "empty: of a keyword": lambda: distview.empty(4, depth=1),
    "ones: of a size": lambda: distview.ones(-1),
    "ones: of a type": lambda: distview.ones(4, dtype="S3"),
    "full: of a size": lambda: distview.full(-1, 3),
    "full: of a keyword": lambda: distview.full(4, 3, depth=1),
    "from_function: of a size": lambda: distview.from_function(lambda i: i, -1),
    "zeros_like: of a type": lambda: distview.zeros_like(A, "S3"),
    "zeros_like: of a device": lambda: distview.zeros_like(A, device="tpu"),
    "zeros_like: of a part": lambda: distview.zeros_like(PART),
    "wrap: of extents": lambda: distview.wrap(np.zeros(3), 4),
    "wrap: of axes": lambda: distview.wrap(np.zeros(4), (2, 2)),
    "wrap: of a size": lambda: distview.wrap(np.zeros(4), -1),
    "wrap: of what it is given": lambda: distview.wrap(object(), 4),
    "from_distarray: of a word": lambda: distview.from_distarray(A, validate="none"),
    "from_distarray: of a communicator": lambda: distview.from_distarray(A, "world"),
    "make_layout: of a size": lambda: distview.make_layout(-1),
    "make_layout: of a grid": lambda: distview.make_layout((4, 4), "bb", grid=(2**20, 2**20)),
    "make_layout: of bounds": lambda: distview.make_layout(None, [1, 2]),
    "Layout: of a grid": lambda: distview.Layout((2**20, 2**20), []),
    "Layout: of axes": lambda: distview.Layout((1,), []),
    "Layout: of an axis": lambda: LAYOUT.boundary(9),
    "Layout.permuted: of axes": lambda: LAYOUT.permuted([0, 0]),
    "Layout.owner: of an index": lambda: LAYOUT.owner((9, 9)),
    "exchange_padding: of a stencil": lambda: A.exchange_padding(stencil="cross"),
    "exchange_padding: of others": lambda: A.exchange_padding(3),
    "exchange_padding: of a keyword": lambda: A.exchange_padding(depth=3),
    "exchange_padding: of memory": lambda: READ_ONLY.exchange_padding(),
    "exchange_padding: of a part": lambda: PART.exchange_padding(),
    "start_exchange: of a stencil": lambda: A.start_exchange(stencil="cross"),
    "combine_padding: of an operation": lambda: A.combine_padding(operation="mean"),
    "require_padding: of a depth": lambda: A.require_padding(7),
    "require_padding: of others": lambda: A.require_padding(1, 3),
    "require_padding: of a part": lambda: PART.require_padding(1),
    "mark_padding_valid: of a depth": lambda: A.mark_padding_valid("deep"),
    "mark_written: of a part": lambda: PART.mark_written(),
    "save: of a suffix": lambda: distview.save("u.mat", A),
    "save: of an array": lambda: distview.save("u.npy", 3),
    "save: of a folder": lambda: distview.save("/nowhere/u.npy", A),
    "save: of a keyword": lambda: distview.save("u.npy", A, depth=1),
    "load: of a file": lambda: distview.load("/nowhere/u.npz"),
    "load: of an array": lambda: distview.load("/nowhere/u.npz", out=3),
    "inspect: of a file": lambda: distview.inspect("/nowhere/u.npy"),
    "Checkpoint: of a number": lambda: distview.Checkpoint("run.h5", keep=0),
    "Checkpoint: of a keyword": lambda: distview.Checkpoint("run.h5", depth=1),
    "Hdf5Series: of arrays": lambda: distview.Hdf5Series("film.h5", A),
    "to_hdf5: of a suffix": lambda: A.to_hdf5("u.npy", "u"),
    "redistribute: of a layout": lambda: distview.redistribute(A, "x"),
    "redistribute: of a size": lambda: distview.redistribute(A, distview.make_layout((5, 5), "bb", 1)),
    "redistribute: of a permutation": lambda: distview.redistribute(A, A, permutation=(0, 0)),
    "redistribute: of axes": lambda: distview.redistribute(A, out=distview.zeros(4)),
    "redistribute: of memory": lambda: distview.redistribute(A, out=MIRRORED),
    "redistribute: of a factor": lambda: distview.redistribute(A, A, alpha="two"),
    "redistribute: of a keyword": lambda: distview.redistribute(A, A, depth=1),
    "redistribute: of what is no array": lambda: distview.redistribute(np.zeros(3), "b"),
    "transpose: of axes": lambda: A.transpose(1),
    "RedistributionPlan: of sizes": lambda: distview.RedistributionPlan(A, distview.zeros((5, 5))),
    "RedistributionPlan: of processes": lambda: distview.RedistributionPlan(A, LAYOUT),
    "RedistributionPlan.execute: of arrays": lambda: distview.RedistributionPlan(A, A).execute(A, None),
    "RedistributionPlan.start: of arrays": lambda: distview.RedistributionPlan(A, A).start(A, None),
    "Redistribution.finish: twice": lambda: finished_twice(distview.RedistributionPlan(A, A).start(A, A)),
    "PaddingExchange.finish: twice": lambda: finished_twice(A.start_exchange()),
    "gather: of a root": lambda: A.gather(7),
    "scatter: of a shape": lambda: A.scatter(np.zeros(3)),
    "sum: of cells": lambda: A.sum("mine"),
    "dot: of another": lambda: A.dot(3),
    "norm: of an order": lambda: A.norm(3),
    "attach: of a communicator": lambda: PART.attach("world"),
    "global_indices: of an axis": lambda: A.global_indices(2),
    "protocol_indices: of an axis": lambda: A.protocol_indices(2),
    "owned_range: of an axis": lambda: A.owned_range(2),
    "slice: of an index": lambda: A[0],
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_text_begins_with_the_call(name):
    text = raised(CALLS[name])
    assert text.startswith(name.partition(": ")[0] + ": "), text
    assert not FOREIGN.search(text), text


def renamed(text, *inner):
    error = distview.UsageError(text)
    _errors.named_after(error, "call", inner)
    return str(error)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("AnyDistView: expected 3", "call: expected 3"),
        ("PaddingExchangePlan: rank 1 has left", "call: rank 1 has left"),
        ("sum: expected", "sum: expected"),
        ("nothing of ours: expected", "nothing of ours: expected"),
        (
            "expected the same call on all ranks, got PaddingExchangePlan #1 execute, set 0 on rank 0; "
            "PaddingExchangePlan #2 combine, new arrays on rank 1; PaddingExchangePlan on rank 2; sum on rank 3",
            "expected the same call on all ranks, got exchange_padding, set 0 on rank 0; "
            "combine_padding, new arrays on rank 1; exchange_padding on rank 2; sum on rank 3",
        ),
        (
            "PaddingExchangePlan: not all ranks have arrived in RedistributionPlan #3 execute, set 1; import_dist_view",
            "call: not all ranks have arrived in RedistributionPlan.execute, set 1; from_distarray",
        ),
        (
            "Communicator: used after close(), or after MPI_Finalize",
            "call: the communicator cannot be used after close(), or after MPI_Finalize",
        ),
    ],
)
def test_names_of_the_compiled_part(text, expected):
    assert renamed(text) == expected
    assert not FOREIGN.search(renamed(text))


def test_names_of_what_a_call_consists_of():
    assert renamed("RedistributionPlan: expected") == "RedistributionPlan: expected"
    assert renamed("RedistributionPlan: expected", "RedistributionPlan") == "call: expected"


def test_fields_of_errors_stay():
    error = distview.ProtocolError("layout: text", "stop_gt_size", 1, "stop", 2)
    _errors.named_after(error, "call")
    assert str(error) == "call: text"
    assert (error.code, error.axis, error.key, error.process) == ("stop_gt_size", 1, "stop", 2)


def test_errors_of_callbacks_are_theirs():
    """An exception of a program's own function keeps its text."""

    def function(i):
        raise distview.LayoutError("zeros: planted")

    with pytest.raises(distview.LayoutError, match="^zeros: planted$"):
        distview.from_function(function, 4)


def test_before_mpi_is_initialised():
    pytest.importorskip("mpi4py")
    program = """
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
import distview
for comm in (MPI.COMM_WORLD, 0):
    try:
        distview.zeros(4, comm=comm)
    except distview.UsageError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    expected = "zeros: MPI is not initialised; call mpi4py.MPI.Init() first"
    assert done.stdout.splitlines() == [expected] * 2, done.stderr
