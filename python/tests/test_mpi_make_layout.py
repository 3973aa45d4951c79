# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts for all ranks: made locally, sent between ranks, used by them."""

import distview
import numpy as np
import pytest
from global_arrays import random_layout
from mpi_cases import same_on_all


@pytest.mark.parametrize("seed", range(12))
def test_sent_as_objects(comm, seed):
    """One rank makes a random layout; the others receive an equal one, usable for arrays."""
    drawn = random_layout(np.random.default_rng([seed, comm.size]), comm.size)
    root = seed % comm.size
    layout = comm.bcast(drawn if comm.rank == root else None, root)
    assert layout == drawn and str(layout) == str(drawn)
    everybodys = comm.allgather(layout.permuted(range(layout.rank)[::-1]))
    assert len({*everybodys}) == 1
    view = distview.zeros(None, layout, comm)
    assert view.layout == layout and view.local_shape == layout.local_shape(comm.rank)
    view.exchange_padding()
    same_on_all(comm, layout.fingerprint)


def test_is_what_zeros_makes(comm):
    for shape, layout, more in (
        ((12, 13), "bb", dict(padding=1, periodic=True)),
        ((12, 13), ("c", ("b", "regular")), dict(padding=(0, 1))),
        ((12, 13, 4), "bnb", dict(grid=(comm.size, 1, 1))),
    ):
        made = distview.make_layout(shape, layout, comm.size, **more)
        assert made == distview.zeros(shape, layout, comm, **more).layout
        assert made == distview.make_layout(shape, layout, **{**more, "grid": made.grid})


def test_a_plan_before_there_are_arrays(comm):
    blocks = distview.make_layout((12, 5), "bn", comm.size)
    dealt = distview.make_layout((12, 5), "cn", comm.size)
    plan = distview.RedistributionPlan(blocks, dealt, comm)
    a = distview.from_function(lambda i, j: 10 * i + j, None, blocks, comm)
    b = distview.zeros(None, dealt, comm)
    plan.execute(a, b)
    rows, columns = (b.global_indices(d, "interior") for d in range(2))
    assert (b.interior == 10 * rows[:, None] + columns).all()
