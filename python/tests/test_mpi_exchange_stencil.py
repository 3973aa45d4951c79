# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges of faces only: padding along one axis is filled or combined, corners are unchanged."""

import distview
import numpy as np
import pytest
from global_arrays import assert_exchanged, mirrored, part, random_layout, random_whole, scattered
from mpi_cases import on_rank, raised_on_all

UNTOUCHED = -777.0


def padding_axes(view):
    """For each cell of a section, the number of axes along which it is padding that an exchange fills."""
    count = np.zeros(view.local_shape, int)
    for axis in range(view.ndim):
        periodic = view.periodic[axis]
        begin, end = view.interior_range(axis) if periodic else view.owned_range(axis)
        outside = np.ones(view.local_shape[axis], bool)
        outside[begin:end] = False
        count += outside.reshape([-1 if d == axis else 1 for d in range(view.ndim)])
    return count


def assert_faces(view, whole):
    """Every cell except corners holds the element of its index."""
    count = padding_axes(view)
    expected = part(view.layout, mirrored(view.layout, whole), view.process)
    np.testing.assert_array_equal(view.view[count < 2], expected[count < 2])
    assert (view.view[count > 1] == UNTOUCHED).all()


def marked(view, whole):
    """Fills a view as a program would; marks padding that an exchange may fill."""
    view.view[...] = part(view.layout, whole, view.process)
    view.view[padding_axes(view) > 0] = UNTOUCHED
    return view


@pytest.mark.parametrize("seed", range(15))
def test_corners_are_left_alone(comm, seed):
    rng = np.random.default_rng([seed, comm.size])
    layout = random_layout(rng, comm.size, 3)
    whole = random_whole(rng, layout, "f8")
    view = distview.zeros(None, layout, comm)
    for _ in range(2):  # the second time the plan is known
        marked(view, whole).exchange_padding(stencil="faces")
        assert_faces(view, whole)
        marked(view, whole)
        with view.start_exchange(stencil="faces"):
            pass
        assert_faces(view, whole)
        # In between, fill all padding.
        scattered(view, whole).exchange_padding()
        assert_exchanged(view, whole)
        scattered(view, whole).exchange_padding(stencil="box")
        assert_exchanged(view, whole)


def test_several_arrays(comm):
    rng = np.random.default_rng(3)
    layout = distview.make_layout((6 * comm.size, 7), "bb", comm.size, padding=2, periodic=True, grid=(comm.size, 1))
    views = [distview.zeros(None, layout, comm, dtype) for dtype in ("f8", "f4")]
    wholes = [random_whole(rng, layout, view.dtype) for view in views]
    for view, whole in zip(views, wholes, strict=True):
        marked(view, whole)
    views[0].exchange_padding(views[1], stencil="faces")
    for view, whole in zip(views, wholes, strict=True):
        assert_faces(view, whole)


@pytest.mark.parametrize("alone", [False, True])
def test_combined(comm, alone):
    """With ones everywhere, each copy adds one to its cell: corners have more copies than faces."""
    given = None if alone else comm
    shape = (4 * (1 if alone else comm.size), 4)
    grid = None if alone else (comm.size, 1)
    view = distview.zeros(shape, "bb", given, padding=1, periodic=True, grid=grid)
    for stencil, at_a_corner in (("faces", 3), ("box", 4)):
        view.view[...] = 1
        view.combine_padding(stencil=stencil)
        first = view.interior[0, 0]
        assert first == at_a_corner and view.interior[1, 1] == 1 and view.interior[0, 1] == 2
        assert (view.view[0] == 1).all()


def test_an_array_of_one_process():
    view = distview.zeros((3, 4), padding=1, periodic=True)
    view.view[...] = UNTOUCHED
    view.interior[...] = np.arange(12).reshape(3, 4)
    view.exchange_padding(stencil="faces")
    assert view.view[0, 1:-1].tolist() == [8, 9, 10, 11] and view.view[1:-1, -1].tolist() == [0, 4, 8]
    assert {view.view[0, 0], view.view[0, -1], view.view[-1, 0], view.view[-1, -1]} == {UNTOUCHED}


def test_plans_are_kept_by_stencil(comm):
    """The agreement distinguishes plans by stencil; neither plan replaces the other."""
    view = distview.zeros((4 * comm.size, 4), "bn", comm, padding=(1, 0), periodic=(True, False))
    for stencil in ("box", "faces") * 6:
        view.interior[...] = comm.rank
        view.exchange_padding(stencil=stencil)
        assert (view.view[0] == (comm.rank - 1) % comm.size).all()


@pytest.mark.parametrize("call", ["exchange_padding", "start_exchange", "combine_padding"])
def test_ranks_that_differ(comm, call):
    view = distview.zeros((4 * comm.size, 4), "bb", comm, padding=1, periodic=True)
    # Once with new plans, once with known ones.
    for _ in range(2):
        for rank in range(comm.size if comm.size > 1 else 0):
            stencil = on_rank(comm, rank, "faces", "box")
            caught = raised_on_all(comm, lambda s=stencil: getattr(view, call)(stencil=s))
            first = rank or 1
            here, there = ("faces", "box") if rank else ("box", "faces")
            assert type(caught) is distview.UsageError and str(caught) == (
                f"{call}: expected the same arguments on all ranks, those of rank {first} differ from those of rank 0: "
                f"stencil is {here} on rank {first}, {there} on rank 0"
            )
        view.exchange_padding()
        view.exchange_padding(stencil="faces")
        view.combine_padding(stencil="faces")
        view.combine_padding()


@pytest.mark.parametrize("wrong", ["corners", "Faces", "", None, 1, b"box", ["box"]])
@pytest.mark.parametrize("call", ["exchange_padding", "start_exchange", "combine_padding"])
def test_what_is_no_stencil(comm, call, wrong):
    view = distview.zeros((4 * comm.size, 4), "bb", comm, padding=1, periodic=True)
    for rank in range(comm.size):
        stencil = on_rank(comm, rank, wrong, "box")
        caught = raised_on_all(comm, lambda s=stencil: getattr(view, call)(stencil=s))
        text = f"{call}: expected stencil to be 'box' or 'faces', got {wrong!r}"
        assert type(caught) is distview.UsageError and str(caught).startswith(text)
    view.exchange_padding()
