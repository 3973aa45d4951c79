# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges, gathers and reductions of arrays on one process, without MPI."""

import math
import subprocess
import sys

import distview
import numpy as np
import pytest
from global_arrays import (
    NUMBERS,
    OTHERS,
    Producer,
    assert_exchanged,
    interior,
    mirrored,
    random_layout,
    random_memory,
    random_values,
    random_whole,
    scattered,
)

every_number = pytest.mark.parametrize("dtype", NUMBERS)


def made(dtype, *args, **kwargs):
    """A view and the whole array from which it was filled."""
    rng = np.random.default_rng(1)
    view = distview.zeros(*args, dtype=dtype, **kwargs)
    whole = random_values(rng, view.protocol_shape, dtype)
    return scattered(view, whole), whole


# Padding


@every_number
def test_periodic_axes_wrap_around(dtype):
    view, whole = made(dtype, (4, 5), padding=((1, 2), (2, 0)), periodic=(True, True))
    view.exchange_padding()
    assert_exchanged(view, whole)
    view, whole = made(dtype, (4, 5), padding=2, periodic=(True, False))
    view.exchange_padding()
    assert_exchanged(view, whole)
    assert (view.view[2:-2] == whole[2:-2]).all()  # with its boundary padding


def test_one_axis_in_plain_sight():
    view = distview.zeros(4, padding=(2, 1), periodic=True, dtype=int)
    view.interior[...] = [10, 11, 12, 13]
    view.exchange_padding()
    assert view.view.tolist() == [12, 13, 10, 11, 12, 13, 10]
    still = distview.zeros(4, padding=(2, 1), dtype=int)
    still.view[...] = range(7)
    still.exchange_padding()
    assert still.view.tolist() == list(range(7))


def test_wider_padding_than_there_are_elements():
    view = distview.zeros(2, padding=3, periodic=True, dtype=int)
    view.interior[...] = [10, 11]
    view.exchange_padding()
    assert view.view.tolist() == [11, 10, 11, 10, 11, 10, 11, 10]
    view.view[...] = 1
    view.combine_padding()
    assert view.interior.tolist() == [4, 4]


@pytest.mark.parametrize("seed", range(200))
def test_random_layouts_and_buffers(seed):
    rng = np.random.default_rng([seed, 1])
    layout = random_layout(rng, 1)
    dtype = np.dtype((NUMBERS + OTHERS)[seed % len(NUMBERS + OTHERS)])
    whole = random_whole(rng, layout, dtype)
    memory = random_memory(rng, layout.local_shape(0), dtype)
    version = ["0.9.0", "0.10.0"][seed % 2]
    producer = Producer(layout, 0, memory, version)
    view = distview.from_distarray(producer, validate=["full", "local"][seed // 2 % 2])
    assert view.data_pointer == memory.ctypes.data or memory.size == 0
    assert view.layout.shape == layout.shape
    assert view.dtype == dtype or (memory.size == 0 and view.dtype.kind == dtype.kind == "V")
    scattered(view, whole)
    view.exchange_padding()
    assert_exchanged(view, whole)
    assert view.layout.protocol_shape == layout.protocol_shape
    for cells, expected in (("interior", interior(layout, whole)), ("owned", mirrored(layout, whole))):
        gathered = view.gather(0, cells)
        assert gathered.shape == expected.shape
        assert expected.size == 0 or (gathered == expected).all()


def test_several_fields_at_once():
    fields = [
        made("f8", (4, 5), padding=1, periodic=True),
        made("c16", (4, 5), padding=1, periodic=True),
        made("?", 7, padding=(0, 3), periodic=True),
        made("i2", (2, 3, 2), "cbb", padding=(0, 2, 1), periodic=(False, True, True)),
    ]
    first, *others = (view for view, _ in fields)
    for _ in range(2):
        first.exchange_padding(*others)
        for view, whole in fields:
            assert_exchanged(view, whole)
            scattered(view, whole)
    first.exchange_padding(first, *others, first)
    for view, whole in fields:
        assert_exchanged(view, whole)


def test_what_cannot_be_exchanged():
    view = distview.zeros(4, padding=1, periodic=True)
    read_only = distview.wrap(bytes(6), 4, padding=1, periodic=True)
    with pytest.raises(distview.ShapeError, match="the array is read-only"):
        read_only.exchange_padding()
    with pytest.raises(distview.ShapeError, match="the array is read-only"):
        view.exchange_padding(read_only)
    for memory in (np.array([None] * 6), np.zeros(6, [("n", "i4"), ("what", "O")])):
        objects = distview.wrap(memory, 4, padding=1, periodic=True)
        with pytest.raises(distview.ShapeError, match="Python objects"):
            objects.exchange_padding()
    for nonsense in (None, 5, "view", np.zeros(6), [view]):
        with pytest.raises(distview.UsageError, match="expected DistViews, got "):
            view.exchange_padding(nonsense)
        with pytest.raises(distview.UsageError, match="expected DistViews, got "):
            view.exchange_padding(view, nonsense)
    fields = distview.wrap(np.zeros(6, [("O", "i4"), ("P", "f4")]), 4, padding=1, periodic=True)
    fields.exchange_padding()  # field names that look like addresses


# Gather


@pytest.mark.parametrize("dtype", NUMBERS + OTHERS)
def test_gather(dtype):
    rng = np.random.default_rng(2)
    memory = random_values(rng, (5, 9), dtype)
    view = distview.wrap(memory, (4, 6), padding=((1, 0), (2, 1)))
    whole = view.gather()
    assert whole.dtype == memory.dtype and not np.shares_memory(whole, memory)
    assert (whole == memory[1:, 2:-1]).all()
    assert (view.gather(0, "owned") == memory).all()
    assert whole.flags.c_contiguous and whole.flags.writeable


def test_gather_sorts_unstructured_axes():
    view = distview.from_function(lambda i, j: 10 * i + j, (None, 2), [("u", [[7, -3, 9]]), "c"])
    assert view.gather().tolist() == [[-30, -29], [70, 71], [90, 91]]


@pytest.mark.parametrize(
    "arguments, text",
    [
        ((1,), "gather: expected a root in [0, 1), got 1"),
        ((-1,), "gather: expected a root in [0, 1), got -1"),
        (("0",), "gather: expected root to be an integer, got '0'"),
        ((0.0,), "gather: expected root to be an integer, got 0.0"),
        ((None,), "gather: expected root to be an integer, got None"),
        ((0, "all"), 'gather: expected cells to be "interior" or "owned", got \'all\''),
        ((0, None), 'gather: expected cells to be "interior" or "owned", got None'),
    ],
)
def test_gather_arguments(arguments, text):
    with pytest.raises(distview.UsageError) as caught:
        distview.zeros(3).gather(*arguments)
    assert str(caught.value) == text
    with pytest.raises(distview.ShapeError, match="Python objects"):
        distview.wrap(np.array([None]), 1).gather()


# Parts and indices


def test_parts_of_a_section():
    view = distview.from_function(lambda i, j: 10 * i + j, (2, 2), "bc", padding=(1, 0), dtype=int)
    assert view.view.tolist() == view.owned.tolist() == [[-10, -9], [0, 1], [10, 11], [20, 21]]
    assert view.interior.tolist() == [[0, 1], [10, 11]]
    for cells in ("view", "owned", "interior"):
        assert np.shares_memory(getattr(view, cells), view.view)
    assert view.global_indices(0).tolist() == view.global_indices(0, "all").tolist() == [-1, 0, 1, 2]
    assert view.global_indices(0, "interior").tolist() == [0, 1]
    assert view.protocol_indices(0).tolist() == [0, 1, 2, 3]
    assert view.protocol_indices(0, "interior").tolist() == [1, 2]
    for axis in (-1, 2):
        with pytest.raises(distview.UsageError, match="an axis in"):
            view.global_indices(axis)
        with pytest.raises(distview.UsageError, match="an axis in"):
            view.protocol_indices(axis)
    with pytest.raises(distview.UsageError, match='"owned", "interior" or "all", got \'mine\''):
        view.global_indices(0, "mine")


# Kokkos


def test_exchange_needs_no_kokkos_on_one_process_and_mpi_is_left_alone():
    """In a separate process: importing starts nothing, and nothing remains at the end."""
    program = """
import sys, distview
assert not distview.is_initialized() and "mpi4py" not in sys.modules
u = distview.zeros(4, padding=1, periodic=True)
u.exchange_padding()
assert u.gather().sum() == u.sum() == 0
assert not distview.is_initialized() and "mpi4py" not in sys.modules
for wrong in ("1", 1.0):
    try:
        distview.initialize(wrong)
    except TypeError:
        assert not distview.is_initialized()
distview.initialize(threads=1)
assert distview.is_initialized()
distview.finalize()
distview.finalize()
assert not distview.is_initialized()
u.exchange_padding()
try:
    distview.initialize()
except distview.UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "initialize: Kokkos was finalised; it cannot be started a second time\n"
    )


def test_norms_of_large_numbers_are_right():
    view = distview.full(4, 1e200)
    assert view.norm() == 2e200  # NumPy's norm is infinite, since the squares overflow
    assert np.linalg.norm(view.view) == math.inf
