# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Redistributions with start and finish, and work in between."""

import gc

import distview
import numpy as np
import pytest
from mpi_cases import on_rank, raised_on_all
from redistributions import gathered, made, random_pair, same

ROWS, COLUMNS = 12, 5


def numbered(comm, dtype=float, add=0):
    return distview.from_function(lambda i, j: 10 * i + j + add, (ROWS, COLUMNS), ("b", "n"), comm, dtype)


def dealt(comm, dtype=float):
    return distview.full((ROWS, COLUMNS), -1, ("c", "n"), comm, dtype)


def assert_numbered(view, add=0):
    assert (gathered(view.comm, view) == np.add.outer(10 * np.arange(ROWS), np.arange(COLUMNS)) + add).all()


@pytest.mark.parametrize("seed", range(30))
def test_start_and_finish(comm, seed):
    """The same result as execute(); other collective calls are allowed in between."""
    rng = np.random.default_rng([seed, comm.size, 21])
    source, target, permutation, from_slice, to_slice = random_pair(rng, comm.size)
    plan = distview.RedistributionPlan(
        source, target, comm, permutation=permutation, from_slice=from_slice, to_slice=to_slice
    )
    a, whole_a = made(comm, source, "f8", seed)
    (b, whole_b), (c, _) = (made(comm, target, "f8", seed + 1000) for _ in range(2))
    for how in ({}, {"alpha": 3, "beta": 2}, {"combine": "sum"}, {"combine": "max"}):
        plan.execute(a, c, **how)
        with plan.start(a, b, **how):
            total = a.sum()
        assert total == a.sum()
        assert same(np.asarray(b.view).copy(), np.asarray(c.view).copy())
        if not how:
            whole_b[to_slice] = whole_a[from_slice].transpose(permutation)
            assert same(gathered(comm, b), whole_b)


def test_finish_once(comm):
    a, b = numbered(comm), dealt(comm)
    plan = distview.RedistributionPlan(a, b)
    moving = plan.start(a, b)
    moving.finish()
    with pytest.raises(distview.UsageError, match="^Redistribution.finish: called twice"):
        moving.finish()
    with plan.start(a, b) as moving:
        moving.finish()  # the end of the block does not finish it again
    assert_numbered(b)


def test_elements_of_another_type(comm):
    """Converted elements stay unchanged until finish(), whatever other calls are tried."""
    single, other, b = numbered(comm, "f4"), numbered(comm, "f4", 1000), dealt(comm)
    plan = distview.RedistributionPlan(single, b)
    for source, add in ((single, 0), (other, 1000), (single, 0)):
        moving = plan.start(source, b)
        for call in (plan.start, plan.execute):
            error = raised_on_all(comm, lambda c=call, s=other if source is single else single: c(s, b))
            assert str(error).startswith(f"RedistributionPlan.{call.__name__}: an execution is in flight")
        moving.finish()
        assert_numbered(b, add)


def test_every_holder_of_an_index_counts(comm):
    nodes = np.arange(3 * comm.rank, 3 * comm.rank + 4)  # the last one is also the first one of the next process
    parts = distview.ones(3 * comm.size + 1, nodes, comm)
    whole = distview.zeros(3 * comm.size + 1, "b", comm)
    plan = distview.RedistributionPlan(parts, whole)
    for times in (1, 2):
        plan.start(parts, whole, combine="sum").finish()
        assert whole.sum() == times * 4 * comm.size


def test_two_plans_in_flight(comm):
    a, b, c = numbered(comm), dealt(comm), distview.zeros((COLUMNS, ROWS), ("n", "b"), comm)
    there, turned = distview.RedistributionPlan(a, b), distview.RedistributionPlan(a, c, permutation=(1, 0))
    for _ in range(3):
        b.view[...], c.view[...] = -1, -1
        with there.start(a, b), turned.start(a, c):
            pass
        assert_numbered(b)
        assert (gathered(comm, c) == gathered(comm, a).T).all()


def test_the_plan_may_go(comm):
    a, b = numbered(comm), dealt(comm)
    for source in (a, numbered(comm, "f4")):
        b.view[...] = -1
        plan = distview.RedistributionPlan(source, b)
        moving = plan.start(source, b)
        del plan
        gc.collect()
        moving.finish()
        assert_numbered(b)


def test_one_that_all_drop(comm):
    """The plan is unusable afterwards; a new plan works."""
    a, b = numbered(comm), dealt(comm)
    for _ in range(3):
        plan = distview.RedistributionPlan(a, b)
        plan.execute(a, b)
        moving = plan.start(a, b)
        with pytest.raises(RuntimeError, match="planted"), moving:
            raise RuntimeError("planted")
        with pytest.raises(distview.UsageError, match="^Redistribution.finish: called after it was abandoned"):
            moving.finish()
        for call in (plan.execute, plan.start):
            error = raised_on_all(comm, lambda c=call: c(a, b))
            assert type(error) is distview.UsageError
            assert str(error).startswith(f"RedistributionPlan.{call.__name__}: an earlier execution was abandoned")
        comm.Barrier()
        distview.RedistributionPlan(a, b).execute(a, b)
        assert_numbered(b)


def test_one_that_a_rank_drops_is_told_to_all(comm):
    if comm.size == 1:
        return
    for rank in range(comm.size):
        part = comm.Dup()
        a, b = numbered(part), dealt(part)
        plan = distview.RedistributionPlan(a, b)
        moving = plan.start(a, b)
        if comm.rank == rank:
            del moving
            gc.collect()
        else:
            try:
                moving.finish()
            except distview.UsageError as error:  # only if it waits for that rank
                assert "abandoned" in str(error)  # noqa: PT017
        comm.Barrier()
        for _ in range(2):
            error = raised_on_all(comm, lambda p=plan, s=a, t=b: p.execute(s, t))
            assert str(error).startswith("RedistributionPlan.execute: an earlier execution was abandoned"), str(error)
        distview.RedistributionPlan(a, b).execute(a, b)
        assert_numbered(b)
        del a, b, plan
        part.Free()


def test_what_cannot_be_started_raises_everywhere(comm):
    a, b = numbered(comm), dealt(comm)
    plan = distview.RedistributionPlan(a, b)
    start = "RedistributionPlan.start: "
    cases = [
        ((a, None), {}, start + "expected the target to be a DistView, got NoneType"),
        ((a, a), {}, start + "expected a target of the plan's layout, got a 2-d array over"),
        ((a, b), {"combine": "product"}, start + "expected combine to be 'sum', 'min' or 'max', got 'product'"),
        ((a, b), {"gamma": 1}, start + "got an unexpected keyword argument 'gamma'"),
        ((dealt(comm), a), {}, start + "expected a source of the plan's layout, got a 2-d array over"),
    ]
    for arguments, keywords, text in cases:
        for rank in range(comm.size):
            given = on_rank(comm, rank, (arguments, keywords), ((a, b), {}))
            error = raised_on_all(comm, lambda g=given: plan.start(*g[0], **g[1]))
            assert str(error).startswith(text), str(error)
    plan.start(a, b).finish()
    assert_numbered(b)
