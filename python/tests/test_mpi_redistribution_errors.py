# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of redistribution: the same on all ranks, and everything works afterwards."""

import distview
import numpy as np
import pytest
from mpi_cases import lowest, on_rank, raised_on_all
from redistributions import gathered, made, same

USAGE, SHAPE, LAYOUT = distview.UsageError, distview.ShapeError, distview.LayoutError


def assert_works(comm):
    a, whole = made(comm, distview.zeros((9, 8), comm=comm).layout)
    assert same(gathered(comm, distview.redistribute(a, "cc")), whole)


def wrong_arrays(comm, a, b):
    start = "RedistributionPlan.execute: "
    read_only = np.zeros(b.local_shape)
    read_only.flags.writeable = False
    objects = distview.wrap(np.full(a.local_shape, None), None, a.layout, comm)
    yield a, None, USAGE, start + "expected the target to be a DistView, got NoneType"
    yield a.view, b, USAGE, start + "expected the source to be a DistView, got numpy.ndarray"
    yield b, b, SHAPE, start + "expected a source of the plan's layout, got a 2-d array over"
    yield a, a, SHAPE, start + "expected a target of the plan's layout, got a 2-d array over"
    yield objects, b, SHAPE, start + "the elements of the source are Python objects"
    yield distview.zeros((9, 8)), b, USAGE, start + "expected the source to be an array of the plan's communicator"
    twofold, differ = distview.zeros_like(a, "c8"), start + "source and target differ in element type: "
    yield twofold, b, SHAPE, differ + "complex64 ('Zf') and float64 ('d')"
    wrapped = distview.wrap(read_only, None, b.layout, comm)
    yield a, wrapped, SHAPE, start + "the target is read-only"
    five = [distview.wrap(np.zeros(x.local_shape, "S5"), None, x.layout, comm) for x in (a, b)]
    yield *five, SHAPE, start + "expected elements of 1, 2, 4, 8 or 16 bytes, got 5"
    yield a, distview.zeros_like(b), USAGE, start + "expected the same arguments on all ranks"


def test_wrong_arrays_on_one_rank(comm):
    a, whole = made(comm, distview.zeros((9, 8), "bb", comm).layout)
    b = distview.zeros((9, 8), "cc", comm)
    plan = distview.RedistributionPlan(a, b)
    plan.execute(a, b)
    for source, target, error, text in list(wrong_arrays(comm, a, b)):
        for rank in range(comm.size):
            if comm.size == 1 and text.endswith("on all ranks"):
                continue
            given = on_rank(comm, rank, (source, target), (a, b))
            caught = raised_on_all(comm, lambda g=given: plan.execute(*g))
            assert type(caught) is error and str(caught).startswith(text), str(caught)
            if not text.endswith("on all ranks"):
                assert str(caught).endswith(lowest(comm, rank))
            b.view[...] = 0
            plan.execute(a, b)
            assert same(gathered(comm, b), whole)
    assert_works(comm)


def test_no_communicator_on_one_rank(comm):
    a = distview.zeros((9, 8), "bb", comm)
    b = distview.zeros((9, 8), "cc", comm)
    for rank in range(comm.size):
        given = on_rank(comm, rank, "nonsense", comm)
        caught = raised_on_all(comm, lambda g=given: distview.RedistributionPlan(a, b, comm=g))
        assert type(caught) is USAGE and "got str" in str(caught)
    assert_works(comm)


def test_memory_that_is_shared(comm):
    a, whole = made(comm, distview.zeros((6, 6), comm=comm).layout)
    text = "redistribute: source and target share memory"
    for target in (a, a[...]):
        turned = {"out": target, "permutation": (1, 0)}
        caught = raised_on_all(comm, lambda t=turned: distview.redistribute(a, **t))
        assert type(caught) is USAGE and str(caught).startswith(text)
    # If nothing moves, shared memory is no conflict.
    assert distview.redistribute(a, out=a) is a
    assert same(gathered(comm, a), whole)
    assert_works(comm)


def wrong_arguments(comm, a):
    start = "RedistributionPlan: "
    yield (a, None), {}, USAGE, start + "expected target to be a Layout or a DistView, got NoneType"
    yield (a.view, a), {}, USAGE, start + "expected source to be a Layout or a DistView, got nd"
    for bad, shown in (((0,), "(0,)"), ((0, 2), "(0, 2)"), (1, "1")):
        text = start + "expected a permutation of 2 axes, got " + shown
        yield (a, a), {"permutation": bad}, LAYOUT, text
    text = start + "expected in_place to be a bool, got 'yes'"
    yield (a, a), {"in_place": "yes"}, USAGE, text
    for bad, shown in ((-1, "-1"), (1.5, "1.5"), (2**63, str(2**63))):
        text = start + "expected buffer_bytes to be an int of at least 0, got " + shown
        yield (a, a), {"in_place": True, "buffer_bytes": bad}, USAGE, text
    yield (a, a), {"from_slice": 3}, USAGE, start + "from_slice: axis 0: expected a slice, got 3"
    yield (a, a), {"to_slice": (...,) * 2}, USAGE, start + "to_slice: expected at most one ..."
    yield (a, a), {"from_slice": slice(1, None)}, LAYOUT, "RedistributionPlan: axis 0 of the target"
    schedule = "RedistributionPlan: "
    alone = distview.zeros((9, 9, 9)).layout
    if comm.size > 1:
        yield (a, alone), {}, USAGE, start + f"expected grids of {comm.size} processes, got one of 1"
    else:
        yield (a, alone), {}, LAYOUT, schedule
    other = distview.zeros((8, 9), comm=comm)
    yield (a, other), {}, LAYOUT, schedule + "axis 0 of the target: expected 8 cells, got 9"


def test_a_wrong_keyword_on_one_rank(comm):
    a, _ = made(comm, distview.zeros((9, 8), comm=comm).layout)
    for rank in range(comm.size):
        given = on_rank(comm, rank, {"permutaton": (1, 0)}, {})
        caught = raised_on_all(comm, lambda g=given: distview.redistribute(a, "cb", **g))
        assert type(caught) is USAGE, repr(caught)
        assert str(caught).startswith("redistribute: unexpected argument 'permutaton'; for a new")
    assert_works(comm)


def test_wrong_arguments_on_one_rank(comm):
    a, _ = made(comm, distview.zeros((9, 8), comm=comm).layout)
    for arguments, keywords, error, text in list(wrong_arguments(comm, a)):
        for rank in range(comm.size):
            given = on_rank(comm, rank, (arguments, keywords), ((a, a), {}))
            caught = raised_on_all(
                comm, lambda g=given: distview.RedistributionPlan(*g[0], comm, **g[1])
            )
            assert type(caught) is error and str(caught).startswith(text), str(caught)
            assert str(caught).endswith(lowest(comm, rank))
    assert_works(comm)


def test_other_arguments_on_one_rank(comm):
    """Arguments that are correct on each rank, but differ."""
    a, _ = made(comm, distview.zeros((8, 8), comm=comm).layout)
    if comm.size > 1:
        backwards = slice(None, None, -1)
        for keywords in ({"permutation": (1, 0)}, {"fill_padding": True}, {"from_slice": backwards}):
            for rank in range(comm.size):
                given = on_rank(comm, rank, keywords, {})
                caught = raised_on_all(comm, lambda g=given: distview.RedistributionPlan(a, a, **g))
                assert type(caught) is USAGE, str(caught)
        caught = raised_on_all(comm, lambda: a.transpose((1, 0) if comm.rank else (0, 1)))
        assert "expected the same arguments on all ranks" in str(caught)
    assert_works(comm)


def wrong_redistributions(a):
    start = "redistribute: "
    yield {}, USAGE, start + "expected a layout, or out"
    yield {"layout": "bb", "out": a}, USAGE, start + "expected a layout or out, got both"
    yield {"out": a, "padding": 1}, USAGE, start + "expected a layout or out, got both"
    yield {"out": a, "permutaton": (1, 0)}, USAGE, start + "unexpected argument 'permutaton'; for a new"
    yield {"layout": "bb", "to_slice": slice(3)}, USAGE, start + "with to_slice, expected a Layout"
    yield {"layout": "bb", "comm": None}, USAGE, start + "expected no comm, because the new array has the comm of the source"
    yield {"out": 5}, USAGE, start + "expected out to be a DistView, got int"
    yield {"out": a.layout}, USAGE, start + "expected out to be a DistView, got Layout"
    yield {"out": a, "dtype": "f4"}, USAGE, start + "expected a layout or out, got both"
    yield {"layout": "bx"}, LAYOUT, "redistribute: "
    yield {"layout": "bbb"}, LAYOUT, "redistribute: expected a layout with one entry for each of the 2 axes"


def test_what_is_no_array_is_refused_by_the_function_that_was_called():
    for keywords in ({"layout": "bb"}, {"out": distview.zeros(4)}):
        with pytest.raises(USAGE, match="^redistribute: expected array to be a DistView, got ndarray"):
            distview.redistribute(np.zeros(4), **keywords)


def test_wrong_redistributions_on_all_ranks(comm):
    a, _ = made(comm, distview.zeros((9, 8), comm=comm).layout)
    for keywords, error, text in wrong_redistributions(a):
        caught = raised_on_all(comm, lambda k=keywords: distview.redistribute(a, **k))
        assert type(caught) is error and str(caught).startswith(text), str(caught)
    for axes in ((0,), (0, 0), (0, 1, 2), ((1, 2),)):
        caught = raised_on_all(comm, lambda x=axes: a.transpose(*x))
        assert type(caught) is LAYOUT
        assert str(caught).startswith("transpose: expected a permutation of 2 axes, got (")
    assert_works(comm)
