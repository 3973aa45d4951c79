# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding exchanges between processes, against whole arrays in NumPy."""

import distview
import numpy as np
import pytest
from global_arrays import (
    NUMBERS,
    OTHERS,
    Producer,
    assert_exchanged,
    random_layout,
    random_memory,
    random_values,
    random_whole,
    scattered,
)
from mpi_cases import lowest, on_rank, raised_on_all


def made(comm, dtype, *args, **kwargs):
    """A view, and the whole array from which it was filled."""
    rng = np.random.default_rng(3)
    view = distview.zeros(*args, comm=comm, dtype=dtype, **kwargs)
    whole = random_values(rng, view.protocol_shape, dtype)
    return scattered(view, whole), whole


def assert_works(comm):
    """Checks after an error that the communicator still works."""
    comm.Barrier()
    view, whole = made(comm, "f8", (9, 8), padding=1, periodic=(True, False))
    view.exchange_padding()
    assert_exchanged(view, whole)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_every_type_with_corners(comm, dtype):
    view, whole = made(comm, dtype, (13, 14), padding=((1, 2), (2, 1)), periodic=(True, False))
    view.exchange_padding()
    assert_exchanged(view, whole)
    scattered(view, whole)
    view.exchange_padding()
    assert_exchanged(view, whole)


def test_one_axis_in_plain_sight(comm):
    """Two interior elements on each rank, whose values are their indices."""
    n, r = 2 * comm.size, comm.rank
    view = distview.zeros(n, comm=comm, padding=(2, 1), periodic=True, dtype=int)
    view.interior[...] = [2 * r, 2 * r + 1]
    view.exchange_padding()
    assert view.view.tolist() == [(2 * r + i) % n for i in range(-2, 3)]
    wall = distview.full(n, -1, comm=comm, padding=1, dtype=int)
    wall.interior[...] = [2 * r, 2 * r + 1]
    wall.exchange_padding()
    low, high = 2 * r - 1, 2 * r + 2  # -1 is padding at the wall
    assert wall.view.tolist() == [low, 2 * r, 2 * r + 1, high if high < n else -1]


@pytest.mark.parametrize("seed", range(60))
def test_random_layouts(comm, seed):
    """Irregular, empty and unpadded sections; one field, then together with two of other types."""
    rng = np.random.default_rng([seed, comm.size])
    layout = random_layout(rng, comm.size)
    fields = []
    for i in range(3):
        dtype = NUMBERS[(seed + 5 * i) % len(NUMBERS)]
        whole = random_whole(rng, layout, dtype)
        fields.append((distview.zeros(None, layout, comm, dtype), whole))
    first, *others = (view for view, _ in fields)
    for count in (1, 3, 1, 3):
        for view, whole in fields:
            scattered(view, whole)
        first.exchange_padding(*others[: count - 1])
        for view, whole in fields[:count]:
            assert_exchanged(view, whole)


@pytest.mark.parametrize("seed", range(60))
def test_random_buffers_of_others(comm, seed):
    """Imported memory: strided, in Fortran order, reversed, records and numbers of 5 to 48 bytes."""
    rng = np.random.default_rng([seed, comm.size, 7])
    layout = random_layout(rng, comm.size)
    dtype = np.dtype((NUMBERS + OTHERS)[seed % len(NUMBERS + OTHERS)])
    whole = random_whole(rng, layout, dtype)
    mine = np.random.default_rng([seed, comm.rank])
    memory = random_memory(mine, layout.local_shape(comm.rank), dtype)
    try:
        producer = Producer(layout, comm.rank, memory, ["0.9.0", "0.10.0"][seed % 2])
    except distview.ProtocolError as error:  # 0.10 does not allow padding that differs across a seam
        assert error.code in ("padding_mismatch", "padding_too_wide")
        producer = Producer(layout, comm.rank, memory, "0.9.0")
    view = distview.from_distarray(producer, comm)
    assert view.data_pointer == memory.ctypes.data or memory.size == 0
    scattered(view, whole)
    view.exchange_padding()
    assert_exchanged(view, whole)


def test_fields_of_several_layouts(comm):
    fields = [
        made(comm, "f8", (13, 12), padding=1, periodic=True),
        made(comm, "c16", (13, 12), padding=((0, 2), 1), periodic=(False, True)),
        made(comm, "?", 40, padding=(0, 3), periodic=True),
        made(comm, "i2", (14, 12, 2), "bcb", padding=(1, 0, 0), periodic=(True, False, False)),
        made(comm, "f4", 30, "c"),
    ]
    for order in (fields, fields[::-1], fields[2:], fields[:1], fields):
        for view, whole in order:
            scattered(view, whole)
        order[0][0].exchange_padding(*(view for view, _ in order[1:]))
        for view, whole in order:
            assert_exchanged(view, whole)


def test_many_plans_and_arrays(comm):
    """More sets of arrays than a plan remembers."""
    views = [made(comm, "f8", (12, 12), padding=1, periodic=bool(i % 2)) for i in range(8)]
    for i in range(60):
        chosen = [views[(i * k + k) % 8] for k in range(1, i % 4 + 2)]
        for view, whole in chosen:
            scattered(view, whole)
        chosen[0][0].exchange_padding(*(view for view, _ in chosen[1:]))
        for view, whole in chosen:
            assert_exchanged(view, whole)


def test_arrays_that_come_and_go(comm):
    lasting, whole = made(comm, "f8", (12, 12), padding=1, periodic=True)
    for _ in range(40):
        passing = distview.zeros_like(lasting)
        scattered(passing, whole)
        scattered(lasting, whole)
        lasting.exchange_padding(passing)
        assert_exchanged(passing, whole)
        assert_exchanged(lasting, whole)


# Errors of one rank


def wrong_arguments(comm, view):
    other = distview.zeros_like(view)
    wider = distview.zeros(view.shape, comm=comm, padding=2)
    alone = distview.zeros((3, 3), padding=1)
    objects = distview.wrap(np.full(view.local_shape, None), None, view.layout, comm)
    read_only = np.zeros(view.local_shape)
    read_only.flags.writeable = False
    read_only = distview.wrap(read_only, None, view.layout, comm)
    usage, shape = distview.UsageError, distview.ShapeError
    expected = "exchange_padding: expected "
    yield "no view", (None,), usage, expected + "DistViews, got NoneType"
    yield "memory", (other, view.view), usage, expected + "DistViews, got numpy.ndarray"
    yield "one less", (), usage, expected + "the same arguments on all ranks"
    yield "one more", (other, other), usage, expected + "the same arguments on all ranks"
    yield "another", (wider,), usage, expected + "the same arguments on all ranks"
    yield "itself", (view,), usage, expected + "the same arguments on all ranks"
    yield "of one process", (alone,), usage, expected + "arrays of one communicator"
    yield "objects", (objects,), shape, "exchange_padding: the elements are Python objects"
    yield "read-only", (read_only,), shape, "exchange_padding: the array is read-only"


def test_wrong_arguments_on_one_rank(comm):
    """Every rank raises the same error; no rank begins the known plan."""
    view, whole = made(comm, "f8", (12, 12), padding=1, periodic=True)
    good = distview.zeros_like(view)
    view.exchange_padding(good)
    cases = list(wrong_arguments(comm, view))
    for name, others, error, text in cases:
        for rank in range(comm.size):
            arguments = on_rank(comm, rank, others, (good,))
            if comm.size == 1 and text.endswith("on all ranks"):
                continue
            caught = raised_on_all(comm, lambda a=arguments: view.exchange_padding(*a))
            assert type(caught) is error and str(caught).startswith(text), name
            if not text.endswith("on all ranks"):
                assert str(caught).endswith(lowest(comm, rank)), name
            comm.Barrier()
            scattered(view, whole)
            view.exchange_padding(good)
            assert_exchanged(view, whole)
    assert_works(comm)


def test_arrays_in_another_order_on_one_rank(comm):
    """As in a loop over a Python set: same layouts, same types, all arrays known to the plan."""
    first, whole = made(comm, "f8", (12, 12), padding=1, periodic=True)
    a, b, c = (distview.zeros_like(first) for _ in range(3))
    for others in ((a, b), (b, a), (a, c)):
        first.exchange_padding(*others)
    if comm.size > 1:
        for bad in ((b, a), (a, c)):
            for rank in range(comm.size):
                arguments = on_rank(comm, rank, bad, (a, b))
                caught = raised_on_all(comm, lambda x=arguments: first.exchange_padding(*x))
                assert type(caught) is distview.UsageError
                assert "expected the same arguments on all ranks" in str(caught)
                assert " is " in str(caught) and " on rank 0" in str(caught)
        for rank in range(comm.size):
            wrong = on_rank(comm, rank, a, b)
            raised_on_all(comm, wrong.exchange_padding)
    assert_works(comm)


def test_a_read_only_section_on_one_rank(comm):
    layout = distview.zeros((12, 12), comm=comm, padding=1, periodic=True).layout
    for rank in range(comm.size):
        memory = np.zeros(layout.local_shape(comm.rank))
        memory.flags.writeable = comm.rank != rank
        view = distview.from_distarray(Producer(layout, comm.rank, memory), comm)
        assert view.readonly == (comm.rank == rank)
        for _ in range(2):
            caught = raised_on_all(comm, view.exchange_padding)
            assert type(caught) is distview.ShapeError
            assert str(caught) == (
                "exchange_padding: the array is read-only: an exchange writes its padding"
                + lowest(comm, rank)
            )
        assert view.sum() == 0
    assert_works(comm)


def test_padding_around_a_ring_again_and_again(comm):
    """Two elements per rank and padding of seven: padding from several ranks, including this one."""
    n, r = 2 * comm.size, comm.rank
    view = distview.zeros(n, comm=comm, padding=7, periodic=True, dtype=int)
    view.interior[...] = [2 * r, 2 * r + 1]
    assert view.require_padding(7)
    filled = [(2 * r + i) % n for i in range(-7, 9)]
    assert view.view.tolist() == filled
    assert not view.require_padding(7)
    view.view[:7] = view.view[-7:] = -1
    with view.start_exchange():
        pass
    assert view.view.tolist() == filled
    view.view[...] = 1
    view.combine_padding()
    assert view.interior.tolist() == [8, 8]


@pytest.mark.parametrize("memory", ["own", "imported"])
def test_padding_across_empty_sections_to_the_walls(comm, memory):
    """Three elements on the first ranks; padding of 4 holds all of them, and padding at the walls."""
    layout = distview.make_layout(3, "b", comm.size, padding=4, boundary=1)
    if memory == "own":
        view = distview.zeros(None, layout, comm, int)
    else:  # which 0.10 cannot describe with several ranks
        buffer = np.zeros(layout.local_shape(comm.rank), int)
        view = distview.from_distarray(Producer(layout, comm.rank, buffer, "0.9.0"), comm)
    view.view[...] = 99
    view.owned[...] = view.global_indices(0, "owned")
    view.exchange_padding()
    positions = view.global_indices(0, "all")
    assert view.view.tolist() == [int(g) if -1 <= g < 4 else 99 for g in positions]
