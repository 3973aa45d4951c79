# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Redistribution and transposition between processes, against whole arrays in NumPy."""

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS, Producer, part, random_layout, random_memory, random_values
from mpi_cases import same_on_all
from redistributions import gathered, made, random_pair, same


@pytest.mark.parametrize("seed", range(80))
def test_random_layouts_and_slices(comm, seed):
    """One plan with arrays of several types: cells of the slice arrive, all other cells are unchanged."""
    rng = np.random.default_rng([seed, comm.size])
    source, target, permutation, from_slice, to_slice = random_pair(rng, comm.size)
    plan = distview.RedistributionPlan(
        source, target, comm, permutation=permutation, from_slice=from_slice, to_slice=to_slice
    )
    assert plan.source_layout == source and plan.target_layout == target
    for dtype in (NUMBERS[seed % len(NUMBERS)], NUMBERS[(seed + 5) % len(NUMBERS)]):
        a, whole_a = made(comm, source, dtype, seed)
        b, whole_b = made(comm, target, dtype, seed + 1000)
        for _ in range(2):
            plan.execute(a, b)
            expected = whole_b.copy()
            expected[to_slice] = whole_a[from_slice].transpose(permutation)
            assert same(gathered(comm, b), expected)
            assert same(gathered(comm, a), whole_a)
            a.interior[...] = part_of(source, comm.rank, whole_a := whole_a[::-1].copy())
    assert plan.elements == whole_a[from_slice].size


def part_of(layout, process, whole):
    """The interior of a process's section of a whole interior."""
    places = []
    for axis in range(layout.rank):
        begin, end = layout.interior_range(axis, process)
        indices = np.asarray(layout.global_indices(axis, process))[begin:end]
        if layout.types[axis] == "u":
            lists = [layout.global_indices(axis, p) for p in range(layout.process_count)]
            places.append(np.searchsorted(np.unique(np.concatenate(lists)), indices))
        else:
            places.append(indices)
    return whole[np.ix_(*places)]


@pytest.mark.parametrize("seed", range(30))
def test_padding_is_filled_on_request(comm, seed):
    """The result is as after an exchange of the target."""
    rng = np.random.default_rng([seed, comm.size, 1])
    target = random_layout(rng, comm.size)
    a, whole = made(comm, distview.zeros(target.shape, comm=comm).layout)
    b = distview.zeros_like(distview.zeros(None, target, comm))
    taken = (slice(0, None),) * target.rank  # cells of unstructured axes are paired by order
    c = distview.redistribute(a, out=distview.zeros_like(b), from_slice=taken)
    distview.redistribute(a, out=b, fill_padding=True, from_slice=taken)
    c.exchange_padding()
    assert (b.view == c.view).all() and same(gathered(comm, b), whole)


@pytest.mark.parametrize("seed", range(40))
def test_transpose(comm, seed):
    rng = np.random.default_rng([seed, comm.size, 2])
    layout = random_layout(rng, comm.size)
    a, whole = made(comm, layout, NUMBERS[seed % len(NUMBERS)])
    axes = rng.permutation(layout.rank).tolist()
    back = np.argsort(axes).tolist()
    b = a.transpose(axes)
    assert b.layout == layout.permuted(axes) and b.dtype == a.dtype and b.comm is a.comm
    assert b.grid == tuple(layout.grid[axis] for axis in axes)
    assert same(gathered(comm, b), whole.transpose(axes))
    assert same(gathered(comm, b.transpose(*back)), whole)
    reverse = a.transpose()
    assert reverse.layout == layout.permuted(range(layout.rank)[::-1])
    assert same(gathered(comm, reverse), whole.transpose())
    assert same(gathered(comm, np.transpose(a)), whole.transpose())
    assert same(gathered(comm, np.transpose(a, axes)), whole.transpose(axes))
    assert same(gathered(comm, a.transpose([axis - layout.rank for axis in axes])), whole.transpose(axes))


def test_slabs_stay_where_they_are(comm):
    """If one axis is distributed, the transpose on the transposed grid is local."""
    a, whole = made(comm, distview.zeros((8, 6), "bn", comm).layout)
    plan = distview.RedistributionPlan(a, a.layout.permuted([1, 0]), permutation=[1, 0])
    assert plan.elements == 48 and plan.wire_elements == 0
    b = a.transpose()
    assert b.grid == (1, comm.size)
    assert (b.view == a.view.T).all() and not np.shares_memory(a.view, b.view)


def test_redistribute_makes_what_is_asked_for(comm):
    a, whole = made(comm, distview.zeros((13, 8), "bb", comm, padding=1, periodic=True).layout, "f4")
    n = comm.size
    dealt = distview.redistribute(a, ("n", ("c", 3)))
    assert dealt.types == "bc" and dealt.grid == (1, n) and dealt.dtype == np.float32
    padded = distview.redistribute(dealt, "bb", padding=2, periodic=(False, True), grid=(n, 1), boundary=1)
    assert padded.grid == (n, 1) and padded.padding != dealt.padding
    like = distview.redistribute(padded, a)
    assert like.layout == a.layout and like is not a
    lists = distview.redistribute(like, ("b", [list(range(p, 8, n)) for p in range(n)]), grid=(1, n))
    assert lists.types == "bu"
    turned = distview.redistribute(lists, "cb", permutation=(1, 0), from_slice=np.s_[3:, ::-2])
    for found in (dealt, padded, like, lists):
        assert same(gathered(comm, found), whole)
    assert same(gathered(comm, turned), np.ascontiguousarray(whole[3:, ::-2].T))
    small = distview.zeros((4, 5), "bc", comm, "f4")
    assert distview.redistribute(a, out=small, from_slice=np.s_[-4:, :5]) is small
    assert same(gathered(comm, small), whole[-4:, :5].copy())
    distview.redistribute(small, out=a, to_slice=np.s_[:4, 3:])
    whole[:4, 3:] = whole[-4:, :5]
    assert same(gathered(comm, a), whole)
    fresh = distview.redistribute(small, a, to_slice=np.s_[9:, 3:])
    expected = np.zeros_like(whole)
    expected[9:, 3:] = gathered(comm, small)
    assert same(gathered(comm, fresh), expected)


@pytest.mark.parametrize("seed", range(30))
def test_memory_of_others_and_slices(comm, seed):
    """Imported memory with any strides, and slices, which have strides as well."""
    rng = np.random.default_rng([seed, comm.size, 4])
    layout = distview.zeros((12, 10), [("b", "regular"), "b"], comm).layout
    dtype = np.dtype(["f8", "c8", "i2", [("x", "f4"), ("n", "i4")], ">i4", "S2"][seed % 6])
    whole = random_values(rng, layout.shape, dtype)
    memory = random_memory(np.random.default_rng([seed, comm.rank]), layout.local_shape(comm.rank), dtype)
    memory[...] = part(layout, whole, comm.rank)
    a = distview.from_distarray(Producer(layout, comm.rank, memory), comm)
    target = distview.zeros((4, 5), "cb", comm).layout
    b = distview.wrap(np.zeros(target.local_shape(comm.rank), dtype), None, target, comm)
    distview.redistribute(a[2:10:2, 1:6], out=b)
    assert same(gathered(comm, b), whole[2:10:2, 1:6].copy())
    distview.redistribute(b, out=a[:4, 5:])
    whole[:4, 5:] = whole[2:10:2, 1:6].copy()
    assert same(gathered(comm, a), whole)


def test_describes_itself(comm):
    a, _ = made(comm, distview.zeros((8, 6), "bb", comm).layout)
    plan = distview.RedistributionPlan(a, distview.zeros((6, 8), "cb", comm), permutation=(1, 0))
    text = same_on_all(comm, repr(plan))
    assert text.startswith("<RedistributionPlan (8, 6) over ") and ": 48 elements, " in text
    assert "48 elements" in plan.describe()
    assert (plan.wire_elements == 0) == (comm.size == 1)


def listed(comm, lists):
    """An array of one axis whose index i holds i."""
    line = distview.zeros(None, ("u", lists), comm)
    line.view[...] = lists[comm.rank]
    return line


def dealt_out(comm, indices):
    return [list(indices[rank :: comm.size]) for rank in range(comm.size)]


def test_unstructured_axes_are_paired_by_index(comm):
    n = 6 * comm.size
    source = listed(comm, dealt_out(comm, [100 * i + 1 for i in range(n)]))
    some = dealt_out(comm, [100 * i + 1 for i in range(n)][::-2])
    target = distview.zeros(None, ("u", some), comm)
    plan = distview.RedistributionPlan(source, target)
    plan.execute(source, target)
    assert target.view.tolist() == some[comm.rank] and plan.elements == n // 2
    # Cells of structured axes have indices from 0 on; they are paired by order only with a slice.
    cells = distview.redistribute(listed(comm, dealt_out(comm, list(range(n))[::-1])), "b")
    assert same(gathered(comm, cells), np.arange(n, dtype="f8"))
    with pytest.raises(distview.LayoutError, match=rf"got {n - 1} others, the lowest is 0; "):
        distview.redistribute(source, "b")
    for taken in (slice(0, None), (slice(0, n),)):
        by_order = distview.redistribute(source, "b", from_slice=taken)
        assert same(gathered(comm, by_order), 100.0 * np.arange(n) + 1)
    with pytest.raises(distview.LayoutError, match="the lowest is 0"):
        distview.redistribute(source, "b", from_slice=slice(None))
    kept = distview.redistribute(source, "b", allow_missing_indices=True)
    assert same(gathered(comm, kept), np.where(np.arange(n) == 1, 1.0, 0.0))


def test_all_copies_are_combined(comm):
    """Every process lists index 3: the lowest process's element moves, and all elements are combined."""
    lists = [[3, 10 + rank] for rank in range(comm.size)]
    source = distview.zeros(None, ("u", lists), comm)
    source.view[...] = [2.0**comm.rank, 5.0]
    apart = [[10 + rank] + [3] * (rank == 0) for rank in range(comm.size)]
    target = distview.zeros(None, ("u", apart), comm)
    plan = distview.RedistributionPlan(source, target)
    plan.execute(source, target, alpha=2, beta=0)
    assert target.view[0] == 10 and (comm.rank > 0 or target.view[1] == 2)
    plan.execute(source, target, combine="sum")
    assert target.view[0] == 15 and (comm.rank > 0 or target.view[1] == 2 + 2**comm.size - 1)
    plan.execute(source, target, combine="max")
    assert comm.rank > 0 or target.view[1] == max(2 + 2**comm.size - 1, 2 ** (comm.size - 1))
