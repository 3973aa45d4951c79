# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Redistribution, transposition and slices of one process without MPI, against NumPy."""

import subprocess
import sys

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS
from redistributions import made, random_pair, same
from whole_layouts import layout_of

USAGE, SHAPE, LAYOUT = distview.UsageError, distview.ShapeError, distview.LayoutError


@pytest.mark.parametrize("seed", range(120))
def test_random_layouts_and_slices(seed):
    rng = np.random.default_rng(seed)
    source, target, permutation, from_slice, to_slice = random_pair(rng, 1)
    dtype = NUMBERS[seed % len(NUMBERS)]
    a, whole_a = made(None, source, dtype, seed)
    b, whole_b = made(None, target, dtype, seed + 1000)
    plan = distview.RedistributionPlan(
        source, target, permutation=permutation, from_slice=from_slice, to_slice=to_slice
    )
    plan.execute(a, b)
    whole_b[to_slice] = whole_a[from_slice].transpose(permutation)
    assert same(b.gather(), whole_b)
    assert plan.wire_elements == 0 and plan.elements == whole_a[from_slice].size
    assert "elements" in plan.describe()
    assert same(a.transpose().gather(), np.ascontiguousarray(whole_a.T))
    assert same(np.transpose(a, permutation).gather(), whole_a.transpose(permutation).copy())


def test_padding_is_filled_on_request():
    a = distview.from_function(lambda i, j: 10 * i + j, (4, 5))
    b = distview.zeros((4, 5), padding=(1, 2), periodic=(True, False))
    c = distview.redistribute(a, out=distview.zeros_like(b))
    distview.redistribute(a, out=b, fill_padding=True)
    c.exchange_padding()
    assert (b.view == c.view).all() and b.view[0, 2] == 30


def test_slices_share_the_memory():
    a = distview.zeros((6, 7), padding=1)
    part = a[1::2, -3:]
    part.view[...] = 1
    expected = np.zeros((6, 7))
    expected[1::2, -3:] = 1
    assert (a.gather() == expected).all() and part.sum() == 9
    assert distview.redistribute(part, "cc").sum() == 9
    assert repr(part).startswith("<DistView block x block (3, 3) float64, one process")


def test_no_axes():
    a, b = distview.full((), 3.0), distview.full((), 1.0)
    assert distview.redistribute(a, out=b).view == 3.0
    assert a.transpose().view == 3.0


def refusals():
    a, b = distview.zeros((4, 5)), distview.zeros((4, 5), "cc")
    plan = distview.RedistributionPlan(a, b)
    start = "RedistributionPlan.execute: "
    read_only = np.zeros((4, 5))
    read_only.flags.writeable = False
    yield lambda: plan.execute(a, None), USAGE, start + "expected the target to be a DistView"
    yield lambda: plan.execute(b, b), SHAPE, start + "expected a source of the plan's layout, got a 2-d array over"
    frozen = distview.wrap(read_only, (4, 5), "cc")
    yield lambda: plan.execute(a, frozen), SHAPE, start + "the target is read-only"
    shared = start + "source and target share memory"
    yield lambda: plan.execute(distview.wrap(b, (4, 5)), b), USAGE, shared
    two = distview.zeros((4, 5), "bb").layout
    memory = np.zeros((5, 4))
    forth, back = distview.wrap(memory, (5, 4)), distview.wrap(memory[::-1], (5, 4))
    yield lambda: distview.redistribute(forth, out=back), USAGE, "redistribute: source and target share memory"
    yield lambda: distview.redistribute(a, two, comm=None), USAGE, "redistribute: expected no comm, because the new array has"
    many = layout_of((4, 5), "bb", 4)
    text = "RedistributionPlan: expected grids of 1 process (comm is None), got one of 4"
    yield lambda: distview.RedistributionPlan(a, many), USAGE, text
    yield lambda: distview.RedistributionPlan(a, distview.zeros(4)), LAYOUT, "RedistributionPlan: "
    axes = "expected a permutation of 2 axes, got "
    yield lambda: a.transpose(1), LAYOUT, "transpose: " + axes + "(1,)"
    yield lambda: two.permuted([0, 0]), LAYOUT, "Layout.permuted: " + axes + "(0, 0)"


def test_slices_between_each_other():
    """Even and odd elements have no byte in common: in_place is not needed."""
    a = distview.from_function(lambda i, j: 10 * i + j, (4, 6))
    for even, odd in ((a[::2], a[1::2]), (a[:, ::2], a[:, 1::2])):
        whole = a.gather()
        plan = distview.RedistributionPlan(even, odd)
        plan.execute(even, odd)
        assert odd.gather().tolist() == even.gather().tolist()
        assert even.gather().tolist() == (whole[::2] if even.shape[0] == 2 else whole[:, ::2]).tolist()
        for beta in (1, 2):
            plan.execute(even, odd, beta=beta)
        assert (odd.gather() == 5 * even.gather()).all()
        distview.redistribute(even, out=odd)
    near = a[:, 1:4]
    plan = distview.RedistributionPlan(near, near)
    with pytest.raises(distview.UsageError, match="source and target share memory"):
        plan.execute(near, a[:, 2:5])


def test_refusals():
    for action, error, text in refusals():
        with pytest.raises(distview.Error) as caught:
            action()
        assert type(caught.value) is error and str(caught.value).startswith(text), str(caught.value)


def test_needs_no_mpi():
    program = """
import sys, distview
a = distview.from_function(lambda i, j: 3 * i + j, (2, 3))
assert a.transpose().gather().tolist() == [[0, 3], [1, 4], [2, 5]]
assert "mpi4py" not in sys.modules and not distview.is_initialized()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i8", "i4", "u8", "u4"])
def test_updates_of_one_process(dtype):
    """The arithmetic without MPI is the same."""
    a = distview.full((4, 5), 3, dtype=dtype)
    b = distview.full((5, 4), 5, dtype=dtype)
    plan = distview.RedistributionPlan(a, b, permutation=(1, 0), conjugate=dtype[0] == "c")
    if dtype[0] == "c":
        a.view[...] = 3 + 1j
    plan.execute(a, b, alpha=2, beta=4)
    assert (b.view == 20 + 2 * np.conj(a.view[0, 0])).all()
    plan.execute(a, b, combine="sum")
    assert (b.view == 20 + 3 * np.conj(a.view[0, 0])).all()
    if dtype[0] != "c":
        plan.execute(a, b, combine="min")
        assert (b.view == 3).all()
        plan.execute(distview.full((4, 5), 7, dtype="i1"), b, combine="max")
        assert (b.view == 7).all()
    half = distview.redistribute(b, "bb", dtype="c16" if dtype[0] == "c" else "f4")
    assert (half.view == b.view).all() and half.dtype != b.dtype or dtype in ("c16", "f4")


def test_started_by_one_process():
    """start() does everything; finish() must be called once, and before the next start()."""
    a, b = distview.full((4, 5), 3, dtype="f4"), distview.zeros((5, 4))
    plan = distview.RedistributionPlan(a, b, permutation=(1, 0))
    moving = plan.start(a, b, alpha=2)
    assert (b.view == 6).all()
    for call in (plan.start, plan.execute):
        with pytest.raises(USAGE, match=f"^RedistributionPlan.{call.__name__}: an execution is in flight"):
            call(a, b)
    moving.finish()
    with pytest.raises(USAGE, match="^Redistribution.finish: called twice"):
        moving.finish()
    with pytest.raises(RuntimeError, match="planted"), plan.start(a, b):
        raise RuntimeError("planted")
    with plan.start(a, b, combine="sum"):
        pass
    assert (b.view == 6).all()
