# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deadlines, reports, grids for nodes, and migration: calls on a whole communicator."""

import inspect
import json

import distview
import numpy as np
import pytest
from mpi4py import MPI
from mpi_cases import on_rank, raised_on_all, same_on_all
from shared_folder import shared_folder


def last_rank_is_missed(comm, lost, u, line):
    """The last rank does not call u.sum(): the others' error names its last known line in this file."""
    comm.Barrier()  # slow ranks must not count as missing
    distview.set_deadline(lost, 1)
    if comm.size == 1:
        return
    last = comm.size - 1
    if comm.rank == last:
        comm.Barrier()
    expected = "cannot be used any more"
    if comm.rank != last:
        here = "made at test_mpi_ranks.py:"
        expected = rf"{here}\d+; rank {last} is missing: .* leaving .*, {here}{line}\."
    with pytest.raises(distview.DeadlineError, match=expected) as caught:
        u.sum()
    if comm.rank != last:
        assert last in caught.value.ranks  # slow ranks may be listed, too
        comm.Barrier()


def test_a_rank_that_does_not_come(comm):
    lost = comm.Dup()
    for wrong in (-1, float("nan"), "soon", "30", np.complex128(30 + 1j)):
        error = raised_on_all(comm, lambda wrong=wrong: distview.set_deadline(lost, wrong))
        assert type(error) is distview.UsageError and "expected a number of seconds" in str(error)
    with pytest.raises(distview.UsageError, match="got None"):
        distview.set_deadline(None, 1)
    distview.set_deadline(lost, 60)
    u = distview.zeros(4 * comm.size, "b", lost, padding=1, periodic=True)
    u.exchange_padding()
    last_rank_is_missed(comm, lost, u, inspect.currentframe().f_lineno - 1)


def test_a_rank_that_does_not_come_after_other_calls(comm):
    """attach() reports its own line, finish() the line of the call that it ends."""
    lost = comm.Dup()
    distview.set_deadline(lost, 60)
    layout = distview.make_layout(4 * comm.size, "b", comm.size)
    export = {"__version__": "0.10.0", "buffer": np.zeros(4), "dim_data": layout.dim_data(comm.rank)}
    u = distview.from_distarray(export, validate="local")
    if comm.size > 1:
        u.attach(lost)
        last_rank_is_missed(comm, lost, u, inspect.currentframe().f_lineno - 1)
    lost = comm.Dup()
    distview.set_deadline(lost, 60)
    u = distview.zeros(4 * comm.size, "b", lost, padding=1, periodic=True)
    started = u.start_exchange()
    line = inspect.currentframe().f_lineno - 1
    started.finish()
    last_rank_is_missed(comm, lost, u, line)


def test_report(comm):
    with shared_folder(comm) as folder:
        file = folder / "run.json"
        own = comm.Dup()
        distview.set_report(own, file)
        u = distview.zeros(4 * comm.size, "b", own, padding=1, periodic=True)
        for _ in range(7):
            u.exchange_padding()
        del u
        own.Free()
        comm.Barrier()
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert [line["executions"] for line in lines if "executions" in line] == [7]
    for wrong in (7, "a\0b", "\udcff.txt"):
        with pytest.raises(distview.UsageError, match="expected the name of a file or None"):
            distview.set_report(comm, wrong)
    distview.set_report(comm, None)


def test_grids_for_nodes(comm):
    dealt = [r % 2 for r in range(16)]
    placed = same_on_all(comm, distview.place_on_nodes((64, 64), "bb", dealt, padding=1))
    assert np.prod(placed.grid) == 16 and sorted(placed.ranks) == list(range(16))
    assert 0 < placed.between_nodes < placed.between_nodes_of_balanced
    assert str(placed).startswith(f"{placed.grid[0]} x {placed.grid[1]} processes: ")
    assert distview.place_on_nodes((64, 64), "nb", dealt, padding=1).grid == (1, 16)
    assert distview.place_on_nodes((64, 64), "bb", [2**40, 7] * 8, padding=1) == placed
    nodes = same_on_all(comm, distview.nodes_of_ranks(comm))
    assert nodes == (0,) * comm.size
    here = distview.place_on_nodes((64, 64), "bb", nodes, padding=1, stencil="faces")
    assert here.ranks == tuple(range(comm.size)) and here.between_nodes == 0
    for layout, text in (([0, "b"], "place_on_nodes: axis 0: expected 'b'"), (["b", ("u", [[0], [1]])], "index lists")):
        with pytest.raises(distview.LayoutError, match=text):
            distview.place_on_nodes((2, 2), layout, nodes)
    with pytest.raises(distview.UsageError, match="'box' or 'faces'"):
        distview.place_on_nodes(4, "b", nodes, stencil="star")


def test_ranks_in_another_order(comm):
    order = list(range(comm.size))[::-1]
    ordered = distview.order_ranks(comm, order)
    assert ordered.rank == comm.size - 1 - comm.rank
    u = distview.zeros(3 * comm.size, "b", ordered)
    assert u.process == ordered.rank and u.global_indices(0, "owned")[0] == 3 * ordered.rank
    ordered.Free()
    error = raised_on_all(
        comm, lambda: distview.order_ranks(comm, on_rank(comm, 0, [comm.size], order))
    )
    assert type(error) is distview.UsageError and "each of the" in str(error)


def counts(rank):
    return 0 if rank == 1 else 3 * rank + 4


def arrived(comm):
    """(rank, number) of the elements that this rank receives, in their order."""
    return [(r, k) for r in range(comm.size) for k in range(counts(r)) if (r + k) % comm.size == comm.rank]


def test_migration(comm):
    n = counts(comm.rank)
    number = 1000 * comm.rank + np.arange(n)
    plan = distview.MigrationPlan(comm, (comm.rank + np.arange(n)) % comm.size)
    expected = arrived(comm)
    assert (plan.source_size, plan.size) == (n, len(expected))
    assert plan.kept == sum(r == comm.rank for r, _ in expected) and plan.describe()
    place = np.stack([number, -number, 0.5 * number], axis=1)
    record = np.array([(k, 0.25 * k) for k in range(n)], dtype=[("k", "i2"), ("x", "f4")])
    wide = np.zeros((n, 6))
    wide[:, ::2] = place
    there = np.array([1000 * r + k for r, k in expected], dtype=number.dtype)
    for _ in range(3):
        place2, number2, record2, strided2 = plan.moved(place, number, record, wide[:, ::2])
        assert number2.dtype == number.dtype and (number2 == there).all()
        assert place2.shape == (len(there), 3) and (place2[:, 1] == -there).all()
        assert (strided2 == place2).all()
        assert record2.tolist() == [(k, 0.25 * k) for _, k in expected]
    into = np.full(len(there), -1, number.dtype)
    plan.execute([number], [into])
    assert (into == there).all()


def test_migration_between_elements_of_its_source(comm):
    """The source is copied first if it is not contiguous."""
    plan = distview.MigrationPlan(comm, [comm.rank] * 2)
    table = np.zeros((2, 4))
    table[:, 0] = [comm.rank + 1, comm.rank + 2]
    plan.execute([table[:, 0]], [table[0, 1:3]])
    assert table.tolist() == [[comm.rank + 1, comm.rank + 1, comm.rank + 2, 0], [comm.rank + 2, 0, 0, 0]]
    row = table[0]
    for sources, targets in (([row[:2]], [row[1:3]]), ([row[:2]] * 2, [row[2:], row[1:3]])):
        error = raised_on_all(comm, lambda s=sources, t=targets: plan.execute(s, t))
        assert type(error) is distview.UsageError and "shares memory" in str(error)


def test_wrong_migration(comm):
    plan = distview.MigrationPlan(comm, [0, comm.size - 1])
    x = np.zeros(2)

    def raised(action, kind, text):
        error = raised_on_all(comm, action)
        assert type(error) is kind and text in str(error), error

    last = comm.size - 1
    raised(lambda: distview.MigrationPlan(comm, on_rank(comm, last, [comm.size], [0])), distview.UsageError,
           f"got {comm.size} for element 0 of rank {last}")  # fmt: skip
    raised(lambda: distview.MigrationPlan(comm, on_rank(comm, 0, [0.5], [0])), distview.UsageError, "to be ranks")
    raised(lambda: plan.moved(on_rank(comm, last, np.zeros(3), x)), distview.ShapeError, "2 elements along its first axis")
    raised(lambda: plan.moved(np.array([None, None])), distview.ShapeError, "expected elements of at least 1 byte")
    raised(lambda: plan.moved(), distview.UsageError, "from 1 to 16 arrays, got 0")
    raised(lambda: plan.execute([x], [x] if plan.size == 2 else [np.zeros(plan.size + 1)]),
           *((distview.UsageError, "shares memory") if comm.size == 1 else (distview.ShapeError, "target 0")),
           ) if comm.size == 1 else None  # fmt: skip
    raised(lambda: plan.execute([x], [np.zeros(plan.size + 1)]), distview.ShapeError, "expected target 0 to be an array")
    if comm.size > 1:
        raised(lambda: plan.moved(on_rank(comm, last, x.astype("f4"), x)), distview.UsageError, "array 0")
    (x2,) = plan.moved(x)
    assert len(x2) == plan.size
    assert MPI.Is_initialized()
