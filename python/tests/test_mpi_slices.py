# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices of distributed arrays, against slices of the whole arrays in NumPy."""

import distview
import numpy as np
import pytest
from global_arrays import random_layout, random_values, scattered
from mpi_cases import raised_on_all
from redistributions import gathered, made

USAGE, LAYOUT = distview.UsageError, distview.LayoutError


def random_key(rng, layout):
    """Random slices that are allowed for the array's axes, in random notation."""
    key = []
    for d, n in enumerate(layout.shape):
        begin, end = np.sort(rng.integers(-n, n + 1, 2)).tolist() if n else (0, 0)
        step = int(rng.integers(1, 4))
        if layout.types[d] == "b":
            key.append(slice(begin, end, step))
        else:
            dealt = layout.types[d] == "c"
            key.append(slice(None, int(rng.integers(0, n + 1)) if dealt else None))
    cut = int(rng.integers(0, len(key) + 1))
    if all(entry == slice(None) for entry in key[cut:]):
        key[cut:] = [...] if rng.random() < 0.5 else []
    return tuple(key)


@pytest.mark.parametrize("seed", range(60))
def test_random_slices(comm, seed):
    """array[key].gather() equals array.gather()[key], and the slice shares the array's memory."""
    rng = np.random.default_rng([seed, comm.size])
    layout = random_layout(rng, comm.size)
    view, whole = made(comm, layout, ["f8", "i2", "c16", "?", "f4"][seed % 5])
    key = random_key(rng, layout)
    part = view[key]
    assert part.shape == part.protocol_shape == whole[key].shape
    assert part.grid == view.grid and part.process == view.process and part.comm is view.comm
    assert not any(map(any, part.padding)) and not any(part.periodic)
    assert (gathered(comm, part) == whole[key]).all()
    assert part.sum() == distview.from_distarray(part, comm).sum()

    again = random_values(rng, whole.shape, whole.dtype)
    expected = whole.copy()
    expected[key] = again[key]
    part.view[...] = scattered(distview.zeros_like(part), again[key]).view
    assert (gathered(comm, view) == expected).all()


@pytest.mark.parametrize("version", ["0.9.0", "0.10.0"])
def test_exports_conform(comm, version):
    """The checker accepts the dictionaries of all processes together, and they can be imported again."""
    for layout, key in [
        (distview.zeros((13, 9), "bb", comm, padding=2, periodic=True).layout, np.s_[3:11:3, 1:]),
        (distview.zeros((13, 40), ("b", ("c", 2)), comm).layout, np.s_[12:, : 11 : 2]),
        (distview.zeros(5, ("b", "regular"), comm).layout, np.s_[4:]),
    ]:  # fmt: skip
        view, whole = made(comm, layout)
        part = view[key]
        exports = comm.allgather(part.dap(version)["dim_data"])
        distview.check_all([
            {"__version__": version, "buffer": np.zeros(shape), "dim_data": data}
            for data, shape in zip(exports, comm.allgather(part.local_shape))
        ])  # fmt: skip
        back = distview.from_distarray({**part.dap(version)}, comm)
        assert back.layout == part.layout
        assert np.shares_memory(back.view, view.view) or part.view.size == 0
        assert (gathered(comm, back) == whole[key]).all()


def test_in_plain_sight(comm):
    n = comm.size
    view = distview.from_function(lambda i: i, 4 * n, comm=comm, dtype=int, padding=1)
    part = view[2 : 4 * n : 3]
    assert part.shape == (len(range(2, 4 * n, 3)),)
    own = [g for g in range(2, 4 * n, 3) if g // 4 == comm.rank]
    assert part.view.tolist() == own
    assert part.view.base is not None and np.shares_memory(part.view, view.view)
    assert gathered(comm, view[:0]).shape == (0,)
    assert view[...].shape == (4 * n,)
    assert view[1:][::2].layout == view[1::2].layout
    assert view[1:][::2].data_pointer == view[1::2].data_pointer


def test_slices_outlive_the_array(comm):
    view, whole = made(comm, distview.zeros((8, 8), comm=comm).layout)
    part = view[1:7:2, 2:]
    del view
    assert (gathered(comm, part) == whole[1:7:2, 2:]).all()


def test_of_no_axes(comm):
    scalar = distview.full((), 3.0)
    assert scalar[...].view == 3.0 and scalar[()].view == 3.0


def wrong_keys():
    whole = "expected a slice, got "
    hint = ": an array keeps its axes and processes; slice(1, 2) is one cell"
    yield 1, USAGE, f"slice: axis 0: {whole}1{hint}"
    yield (slice(None), np.int64(2)), USAGE, "slice: axis 1: " + whole
    yield None, USAGE, f"slice: axis 0: {whole}None"
    yield True, USAGE, f"slice: axis 0: {whole}True"
    yield [1, 2], USAGE, f"slice: axis 0: {whole}[1, 2]"
    yield (slice(None),) * 3, USAGE, "slice: expected slices of at most 2 axes, got 3"
    yield (..., ...), USAGE, "slice: expected at most one ..., got 2"
    yield slice(0, 2, 0), USAGE, "slice: axis 0: slice(0, 2, 0): slice step cannot be zero"
    yield slice(0.5), USAGE, "slice: axis 0: slice(None, 0.5, None): slice indices must be integers"
    yield slice(None, None, -1), LAYOUT, "slice: axis 0: expected a step > 0, got -1"


def test_wrong_keys(comm):
    view, whole = made(comm, distview.zeros((12, 3), "bb", comm).layout)
    for key, error, text in wrong_keys():
        with pytest.raises(distview.Error) as caught:
            view[key]
        assert type(caught.value) is error and str(caught.value).startswith(text), key
    with pytest.raises(TypeError):
        iter(view)
    with pytest.raises(TypeError):
        view[1:3] = 5
    dealt = distview.zeros((12 * comm.size,), ("c", 2), comm)
    if comm.size > 1:
        caught = raised_on_all(comm, lambda: dealt[1:])
        assert type(caught) is LAYOUT
        assert str(caught).startswith("slice: axis 0: expected cells that form a cyclic axis or lie in one round of blocks, got 1 to ")
        assert str(caught).endswith("; use from_slice or to_slice of a RedistributionPlan")
    lists = distview.zeros(None, ("u", [[2 * p, 2 * p + 1] for p in range(comm.size)]), comm)
    assert type(raised_on_all(comm, lambda: lists[1:])) is LAYOUT
    if comm.size > 1:  # a single process knows everything
        local = distview.from_distarray(view, validate="local")
        with pytest.raises(USAGE, match="^slice: this array was imported with validate"):
            local[1:]


def test_a_rank_that_looks_by_itself(comm):
    """If one rank makes slices alone, later arrays of all ranks stay usable."""
    view, whole = made(comm, distview.zeros((12, 12), comm=comm, padding=1, periodic=True).layout)
    if comm.rank == comm.size - 1:
        for _ in range(3):
            assert view[1:4].view is not None
    made(comm, view.layout)[0].exchange_padding(distview.zeros_like(view))
    part, new = view[2:9], distview.zeros((7, 12), "cb", comm)
    distview.redistribute(part, out=new)
    assert (gathered(comm, new) == whole[2:9]).all()


def test_the_same_slice_not_as_often_on_all_ranks(comm):
    """All ranks get an error, and none waits for ever."""
    view, whole = made(comm, distview.zeros(24, comm=comm).layout)
    out = distview.zeros(12, "c", comm)
    distview.redistribute(view[::2], out=out)
    if comm.size > 1:
        if comm.rank == 0:
            assert view[::2].view is not None
        caught = raised_on_all(comm, lambda: distview.redistribute(view[::2], out=out))
        assert "expected the same arguments on all ranks" in str(caught)
        assert " is " in str(caught) and " on rank 0" in str(caught)
    distview.redistribute(view[:12], out=out)
    assert (gathered(comm, out) == whole[:12]).all()
