# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One rank makes a different random call, or passes different arguments: no rank waits for ever, no rank gets
a wrong value, and the communicator stays usable. DISTVIEW_CASES is the number of cases."""

import os
import random

import distview
import numpy as np
from mpi4py import MPI

ROWS, COLUMNS = 12, 5


class Bench:
    """Arrays on a communicator, and the collective calls on them."""

    def __init__(self, comm):
        self.comm = comm
        self.a, self.b, self.c = (self.make() for _ in range(3))
        self.whole = np.arange(ROWS * COLUMNS, dtype=float).reshape(ROWS, COLUMNS)
        for array in (self.a, self.b):
            rows = array.global_indices(0, "interior")
            array.interior[...] = self.whole[rows]

    def make(self, dtype=float):
        return distview.zeros((ROWS, COLUMNS), ("b", "n"), self.comm, dtype, padding=(1, 0), periodic=(True, False))

    def exchange(self, *arrays, **options):
        for array in arrays:
            array.view[0], array.view[-1] = -1, -1
        arrays[0].exchange_padding(*arrays[1:], **options)
        rows = self.a.global_indices(0, "interior")
        for array in arrays:
            assert (array.view[0] == self.whole[(rows[0] - 1) % ROWS]).all()
            assert (array.view[-1] == self.whole[(rows[-1] + 1) % ROWS]).all()

    def start_and_finish(self, array):
        array.view[0], array.view[-1] = -1, -1
        with array.start_exchange():
            pass
        rows = array.global_indices(0, "interior")
        assert (array.view[0] == self.whole[(rows[0] - 1) % ROWS]).all()

    def combine(self, operation):
        self.c.view[...] = 1
        self.c.combine_padding(operation=operation)
        expected = np.ones_like(self.c.interior)
        if operation == "sum":  # the neighbours' padding, one row each
            expected[0] += 1
            expected[-1] += 1
        assert (self.c.interior == expected).all()

    def scatter(self, root):
        self.c.scatter(self.whole if self.comm.rank == root else None, root)
        assert (self.c.interior == self.whole[self.c.global_indices(0, "interior")]).all()

    def gather(self, root, cells="interior"):
        got = self.a.gather(root, cells)
        assert (got is not None) == (self.comm.rank == root)
        assert got is None or (got == self.whole).all()

    def redistribute(self, array, layout):
        moved = distview.redistribute(array, layout)
        rows, columns = (moved.global_indices(axis, "interior") for axis in range(2))
        assert (moved.interior == self.whole[np.ix_(rows, columns)]).all()

    def equal(self, value, expected):
        assert value == expected

    def calls(self):
        a, b, whole = self.a, self.b, self.whole
        return {
            "exchange a": lambda: self.exchange(a),
            "exchange b": lambda: self.exchange(b),
            "exchange a along faces": lambda: self.exchange(a, stencil="faces"),
            "exchange both": lambda: self.exchange(a, b),
            "exchange both the other way": lambda: self.exchange(b, a),
            "start and finish": lambda: self.start_and_finish(a),
            "combine": lambda: self.combine("sum"),
            "combine the maximum": lambda: self.combine("max"),
            "scatter": lambda: self.scatter(0),
            "scatter from another": lambda: self.scatter(self.comm.size - 1),
            "sum": lambda: self.equal(a.sum(), whole.sum()),
            "sum of owned": lambda: a.sum("owned"),  # with any values in boundary padding
            "min": lambda: self.equal(a.min(), whole.min()),
            "max": lambda: self.equal(a.max(), whole.max()),
            "norm 1": lambda: self.equal(a.norm(1), whole.sum()),
            "norm 2": lambda: self.equal(round(a.norm(2) ** 2), (whole**2).sum()),
            "norm inf": lambda: self.equal(a.norm(np.inf), whole.max()),
            "dot": lambda: self.equal(a.dot(b), (whole**2).sum()),
            "gather": lambda: self.gather(0),
            "gather to another": lambda: self.gather(self.comm.size - 1),
            "redistribute": lambda: self.redistribute(a, ("n", "b")),
            "redistribute b": lambda: self.redistribute(b, ("n", "b")),
            "redistribute to another": lambda: self.redistribute(a, ("c", "n")),
            "zeros": lambda: self.make(),
            "zeros of float32": lambda: self.make("float32"),
            "zeros of another shape": lambda: distview.zeros((ROWS, COLUMNS + 1), comm=self.comm),
            "ones": lambda: distview.ones((ROWS, COLUMNS), comm=self.comm),
            "from_function": lambda: distview.from_function(lambda i, j: i + j, (ROWS, COLUMNS), comm=self.comm),
            "from_distarray": lambda: distview.from_distarray(a, self.comm),
        }


def outcome(call):
    """"" if the call succeeded, else its exception, which must be an expected one."""
    try:
        call()
        return ""
    except distview.UsageError as error:
        return str(error)


def test_calls_that_differ(comm):
    if comm.size == 1:
        return
    draw = random.Random(17)
    watch = comm.Dup()
    bench = Bench(comm)
    spare = distview.ones(10, comm=comm)
    names = sorted(bench.calls())
    for case in range(int(os.environ.get("DISTVIEW_CASES", "60"))):
        usual, other = draw.sample(names, 2)
        odd = draw.randrange(comm.size)
        told = outcome(bench.calls()[other if comm.rank == odd else usual])
        # Not on the communicator on which the ranks have just disagreed.
        errors = watch.allgather(told)
        where = f"case {case}: {usual}; rank {odd}: {other}: {errors}"
        assert any(errors), where
        assert spare.sum() == 10, where
        # Plans are unusable after an error in an execution.
        if any(errors):
            bench = Bench(comm)
    watch.Free()


def test_calls_that_agree(comm):
    draw = random.Random(18)
    bench = Bench(comm)
    half = comm.Split(comm.rank % 2)
    part = distview.ones(8, comm=half)
    names = sorted(bench.calls())
    for _ in range(int(os.environ.get("DISTVIEW_CASES", "60"))):
        # Local calls of a rank do not disturb the order of collective calls.
        for _ in range(random.randrange(3)):
            local = distview.zeros((3, 3), comm=MPI.COMM_SELF)
            local.interior[1:]
        if draw.random() < 0.3 and comm.rank % 2 == 0:
            assert part.sum() == 8
        bench.calls()[draw.choice(names)]()
    half.Free()
