# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communicators of every kind: supported and unsupported ones."""

import gc
import os
import subprocess
import sys

import distview
import numpy as np
import pytest
from global_arrays import Producer, assert_exchanged, random_values, scattered
from mpi_cases import on_rank, raised_on_all


def exercise(comm):
    """All communicating calls, on a communicator passed in any form."""
    view = distview.zeros((9, 8), "bb", comm, padding=1, periodic=(True, False))
    whole = random_values(np.random.default_rng(5), view.protocol_shape, "f8")
    scattered(view, whole).exchange_padding()
    assert_exchanged(view, whole)
    gathered = view.gather()
    assert (gathered is None) == (view.process != 0)
    if gathered is not None:
        np.testing.assert_array_equal(gathered, whole[1:-1, 1:-1])
    assert view.sum() == pytest.approx(whole[1:-1, 1:-1].sum())
    again = distview.from_distarray(view, comm)
    assert again.layout == view.layout and again.data_pointer == view.data_pointer
    local = distview.from_distarray(view, validate="local")
    if not local.attached:
        local.attach(comm)
    assert local.layout == view.layout
    assert view.comm is comm
    return view


def test_the_world_and_this_process(mpi):
    for comm in (mpi.COMM_WORLD, mpi.COMM_SELF, None):
        size = comm.size if comm else 1
        assert exercise(comm).process_count == size


def test_duplicates(comm):
    one, other = comm.Dup(), comm.Clone()
    first, second = exercise(one), exercise(other)
    for view in (first, second, second, first):
        view.exchange_padding()
    caught = raised_on_all(comm, lambda: first.exchange_padding(second))
    assert str(caught).startswith("exchange_padding: expected arrays of one communicator")
    exercise(comm)
    for made in (one, other):
        made.Free()
    exercise(comm)


def test_parts_of_a_communicator(comm):
    """Each half works independently of the other, with its own numbers."""
    half = comm.Split(comm.rank % 2, key=-comm.rank)
    for _ in range(comm.rank % 2 + 1):
        view = exercise(half)
    assert (view.process, view.process_count) == (half.rank, half.size)
    joint = distview.zeros(4 * comm.size, comm=comm, padding=1, periodic=True)
    joint.exchange_padding()
    view.exchange_padding()
    caught = raised_on_all(comm, lambda: joint.exchange_padding(view))
    assert "arrays of one communicator" in str(caught)
    half.Free()
    exercise(comm)


def test_other_orders_and_topologies(mpi, comm):
    backwards = comm.Split(0, key=-comm.rank)
    assert exercise(backwards).process == comm.size - 1 - comm.rank
    dims = mpi.Compute_dims(comm.size, 2)
    cart = comm.Create_cart(dims, periods=[True, False], reorder=False)
    view = exercise(cart)
    assert view.process == cart.rank
    like = distview.zeros((9, 8), "bb", cart, grid=dims)
    assert like.grid == tuple(dims) and like.coordinates == tuple(cart.coords)
    group = comm.Get_group()
    exercise(comm.Create(group))
    for made in (backwards, cart):
        made.Free()


def test_a_communicator_of_some_ranks(mpi, comm):
    """The other ranks get COMM_NULL, which is refused."""
    few = comm.Split(0 if comm.rank == 0 else mpi.UNDEFINED)
    if comm.rank == 0:
        assert exercise(few).process_count == 1
    else:
        assert few == mpi.COMM_NULL
        for name, use in (("zeros", lambda: distview.zeros(4, comm=few)),
                          ("from_distarray", lambda: distview.from_distarray(distview.zeros(4), few)),
                          ("attach", lambda: distview.zeros(4).attach(few))):  # fmt: skip
            with pytest.raises(distview.UsageError) as caught:
                use()
            assert str(caught.value) == f"{name}: {EXPECTED} MPI.COMM_NULL"
    exercise(comm)


EXPECTED = "expected comm to be an mpi4py communicator (or the int of its py2f()) or None, got"


def test_fortran_handles(mpi, comm):
    for made in (comm, mpi.COMM_SELF, comm.Dup()):
        handle = made.py2f()
        assert type(handle) is int
        view = exercise(handle)
        assert (view.comm, view.process_count) == (handle, made.size)
        # The same communicator, passed in two ways.
        other = distview.zeros((9, 8), "bb", made, padding=1, periodic=(True, False))
        view.exchange_padding(other)
    null = mpi.COMM_NULL.py2f()
    for handle, text in (
        (null, "MPI.COMM_NULL"),
        *(
            (number, f"{number}, which py2f() does not return for any communicator")
            for number in (10**6, -7, 2**31, -(2**70))
        ),
    ):
        with pytest.raises(distview.UsageError) as caught:
            distview.zeros(4, comm=handle)
        assert str(caught.value) == f"zeros: {EXPECTED} {text}"
    exercise(comm)


def test_numbers_are_no_communicators_without_mpi4py():
    """An int that a program meant as a number of processes is not passed to MPI."""
    program = (
        "import distview\n"
        "for number in (0, 1, 4):\n"
        "    try:\n"
        "        distview.zeros(8, 'b', number)\n"
        "    except distview.UsageError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.splitlines() == [f"zeros: {EXPECTED} {number}" for number in (0, 1, 4)], done.stderr


def test_intercommunicators(comm):
    if comm.size == 1:
        pytest.skip("needs two groups")
    mine = comm.Split(comm.rank == 0)
    inter = mine.Create_intercomm(0, comm, 1 if comm.rank == 0 else 0)
    caught = raised_on_all(comm, lambda: distview.zeros(4, comm=inter))
    assert str(caught) == "zeros: expected an intracommunicator"
    merged = inter.Merge(comm.rank != 0)
    exercise(merged)
    for made in (merged, inter, mine):
        made.Free()
    exercise(comm)


@pytest.mark.parametrize(
    "nonsense", ["world", 1.0, True, [0], object(), np.int64(0), b"", type, {}, ()]
)
def test_what_is_no_communicator(mpi, comm, nonsense):
    for name, use in (
        ("zeros", lambda: distview.zeros(4, comm=nonsense)),
        ("wrap", lambda: distview.wrap(np.zeros(4), 4, comm=nonsense)),
        ("from_distarray", lambda: distview.from_distarray(distview.zeros(4), nonsense)),
        ("attach", lambda: distview.zeros(4).attach(nonsense)),
    ):
        with pytest.raises(distview.UsageError) as caught:
            use()
        assert str(caught.value) == f"{name}: {EXPECTED} {type(nonsense).__name__}"
    for other in (mpi.COMM_WORLD.Get_group(), mpi.Comm, mpi.INFO_NULL):
        with pytest.raises(distview.UsageError, match="expected comm to be an mpi4py communicator"):
            distview.zeros(4, comm=other)
    exercise(comm)


def test_a_communicator_that_was_freed(comm):
    """Arrays stay readable, communicating calls raise an error with the reason, and the program's end does not hang."""
    freed = comm.Dup()
    view = exercise(freed)
    other = distview.ones((9, 8), "bb", freed, padding=1, periodic=(True, False))
    freed.Free()
    gc.collect()
    for name, use in (
        ("exchange_padding", view.exchange_padding),
        ("exchange_padding", lambda: view.exchange_padding(other)),
        ("sum", view.sum),
        ("gather", view.gather),
        ("norm", view.norm),
        ("dot", lambda: view.dot(other)),
        ("zeros_like", lambda: distview.zeros_like(view)),
    ):
        caught = raised_on_all(comm, use)
        assert type(caught) is distview.UsageError
        assert str(caught).startswith(
            f"{name}: the communicator cannot be used after close(), after MPI_Comm_free of the communicator"
        )
    text = str(raised_on_all(comm, lambda: distview.zeros(4, comm=freed)))
    assert text == f"zeros: {EXPECTED} MPI.COMM_NULL"
    view.view[...] = 3
    assert (view.owned == 3).all() and view.describe() and repr(view)
    # The memory can be used with another communicator.
    moved = distview.from_distarray(view, comm)
    assert moved.sum() == 3 * 72 and moved.data_pointer == view.data_pointer
    del view, other
    gc.collect()
    exercise(comm)


def test_communicators_that_come_and_go(comm):
    """MPI reuses their numbers, tags and handles."""
    for i in range(30):
        passing = comm.Dup()
        views = [distview.zeros(4 * comm.size, comm=passing, padding=1) for _ in range(i % 3 + 1)]
        views[0].exchange_padding(*views[1:])
        assert sum(view.sum() for view in views) == 0
        passing.Free()
    exercise(comm)


def test_an_array_on_another_communicator(comm):
    """from_distarray() with a communicator whose processes are not the array's."""
    layout = distview.zeros(4 * comm.size, comm=comm).layout
    part = Producer(layout, comm.rank, np.zeros(layout.local_shape(comm.rank)))
    if comm.size > 1:
        half = comm.Split(comm.rank % 2)
        with pytest.raises(distview.ProtocolError) as caught:
            distview.from_distarray(part, half)
        assert caught.value.code == "grid_product"
        backwards = comm.Split(0, key=-comm.rank)
        caught = raised_on_all(comm, lambda: distview.from_distarray(part, backwards))
        assert (type(caught), caught.code) == (distview.ProtocolError, "grid_order")
        with pytest.raises(distview.ProtocolError) as caught:
            distview.from_distarray(part)  # as if it had one process
        assert caught.value.code == "grid_product"
        alone = raised_on_all(comm, lambda: distview.from_distarray(distview.zeros(4), comm))
        assert alone.code == "grid_product"
    assert distview.from_distarray(part, comm).sum() == 0


def test_different_arguments_on_one_rank(comm):
    """Sizes, layouts, padding, types, grids: a UsageError or LayoutError, the same on all ranks."""
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    good = dict(shape=(4 * comm.size, 6), layout="bb", dtype="f8", padding=1, periodic=False)
    layout = distview.zeros(comm=comm, **good).layout
    bad = [dict(shape=(4 * comm.size, 7)), dict(layout="bc"), dict(dtype="f4"), dict(dtype="i8"),
           dict(padding=2), dict(periodic=True), dict(boundary=0), dict(layout=([0] * comm.size + [4 * comm.size], "b")),
           dict(shape=None, layout=layout, padding=0, dtype="i4"), dict(grid=(1, None)),
           dict(grid=(comm.size + 1, None)), dict(shape=(-1, 6)), dict(layout="q"), dict(dtype=">f8")]  # fmt: skip
    for change in bad:
        for rank in range(comm.size):
            arguments = {**good, **on_rank(comm, rank, change, {})}
            if "grid" in change and layout.grid[0] == 1:
                continue
            caught = raised_on_all(comm, lambda a=arguments: distview.zeros(comm=comm, **a))
            assert type(caught) in (distview.UsageError, distview.LayoutError), change
        exercise(comm)


def test_use_after_the_end_of_mpi():
    """In a separate process, which ends normally."""
    program = """
from mpi4py import MPI
import distview, numpy as np
view = distview.zeros(4, comm=MPI.COMM_WORLD, padding=1, periodic=True)
dup = MPI.COMM_WORLD.Dup()
view.exchange_padding()
MPI.Finalize()
view.view[...] = 2
for use in (view.exchange_padding, view.sum, view.gather, lambda: distview.zeros_like(view),
            lambda: distview.zeros(4, comm=MPI.COMM_WORLD), lambda: distview.zeros(4, comm=dup),
            lambda: distview.zeros(4, comm=0),
            lambda: distview.from_distarray(view, MPI.COMM_WORLD),
            lambda: distview.from_distarray(view, validate="local").attach(MPI.COMM_WORLD)):
    try:
        use()
        print("accepted")
    except distview.UsageError as error:
        print(error)
alone = distview.from_distarray(view)
alone.exchange_padding()
print(alone.sum(), view.view.tolist(), repr(view)[:10])
"""
    # Not a child of this launcher: it starts its own MPI.
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("OMPI_COMM", "PMIX_", "PRTE_LAUNCHED", "PMI_"))}  # fmt: skip
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=50, env=environment)  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    names = ["exchange_padding", "sum", "gather", "zeros_like", "zeros", "zeros", "zeros", "from_distarray", "attach"]
    for name, line in zip(names, lines[:-1], strict=True):
        was_used = "the communicator cannot be used after close(), after MPI_Comm_free"
        assert line.startswith(f"{name}: {was_used if name in names[:4] else 'MPI is already finalised'}")
    assert lines[-1] == "8.0 [2.0, 2.0, 2.0, 2.0, 2.0, 2.0] <DistView "
