# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes and indices count the interior from 0, for any padding; names of the protocol's counts say protocol."""

import distview
import numpy as np
import pytest

# (low, high) of boundary padding, walled and periodic.
ENDS = [((1, 1), (1, 1)), ((3, 0), (0, 2)), ((0, 1), (2, 1)), ((0, 0), (0, 0))]
every_end = pytest.mark.parametrize("ends", ENDS)
every_layout = pytest.mark.parametrize("layout", ["bb", "nb", "bc", "cb", "cc"])


def made(comm, layout, ends, function=None):
    keywords = dict(
        padding=[(1, 1) if kind != "c" else 0 for kind in layout],
        boundary=[end if kind != "c" else 0 for kind, end in zip(layout, ends)],
        periodic=[False, layout[1] != "c"],
    )
    shape = (4 * comm.size + 1, 3 * comm.size + 3)
    if function is None:
        return distview.zeros(shape, layout, comm, **keywords), shape
    return distview.from_function(function, shape, layout, comm, **keywords), shape


def test_the_plain_case(comm):
    a = distview.zeros((10, 10), "bb", comm, padding=1)
    assert a.shape == (10, 10) == a.layout.shape
    assert (len(a), a.size) == (10, 100)
    assert a.protocol_shape == a.layout.protocol_shape == (12, 12)
    assert [d["size"] for d in a.dim_data] == [12, 12]
    assert a[2:5, ::3].shape == (3, 4) and len(a[2:5]) == 3 and a[2:5, ::3].size == 12
    whole = a.gather()
    assert (whole is None) == (comm.rank != 0)
    if whole is not None:
        assert whole.shape == (10, 10)
    owned = a.gather(cells="owned")
    if owned is not None:
        assert owned.shape == (12, 12)
    assert not hasattr(a, "interior_shape") and not hasattr(a.layout, "interior_shape")
    assert a.view.shape == a.local_shape


@every_layout
@every_end
def test_shapes(comm, layout, ends):
    a, shape = made(comm, layout, ends)
    assert a.shape == a.layout.shape == shape
    assert (len(a), a.size) == (shape[0], shape[0] * shape[1])
    for axis, (n, end, kind) in enumerate(zip(shape, ends, layout)):
        low, high = end if kind != "c" else (0, 0)
        assert a.layout.boundary(axis) == (low, high)
        assert a.protocol_shape[axis] == a.dim_data[axis]["size"] == n + low + high
    assert distview.zeros(a.shape, a.layout, comm).layout == a.layout


@every_layout
@every_end
def test_indices_on_every_process(comm, layout, ends):
    a, shape = made(comm, layout, ends)
    for axis, (n, end, kind) in enumerate(zip(shape, ends, layout)):
        low, high = end if kind != "c" else (0, 0)
        interior = a.global_indices(axis, "interior")
        assert ((interior >= 0) & (interior < n)).all()
        every = comm.allgather((a.coordinates[axis], interior.tolist()))
        assert sorted(i for part in dict(every).values() for i in part) == list(range(n))
        owned = comm.allgather((a.coordinates[axis], a.global_indices(axis).tolist()))
        assert sorted(i for part in dict(owned).values() for i in part) == list(range(-low, n + high))
        for cells in ("interior", "owned", "all"):
            protocol = a.protocol_indices(axis, cells)
            assert (protocol == a.global_indices(axis, cells) + low).all()
        if kind != "c" and len(a.view):
            assert a.protocol_indices(axis, "all")[0] == a.dim_data[axis]["start"]
        for p in range(comm.size):
            here = a.layout.global_indices(axis, p)
            assert p != comm.rank or (here == a.global_indices(axis, "all")).all()


@every_layout
@every_end
def test_what_is_at_an_index_is_there_in_gather(comm, layout, ends):
    """Also in boundary padding, at negative indices and at indices from the shape on."""
    a, shape = made(comm, layout, ends, lambda i, j: 1000.0 * i + j)
    whole, owned = a.gather(), a.gather(cells="owned")
    # Slices of cyclic axes begin at the first element.
    key = tuple(slice(None, -1) if kind == "c" else slice(1, -1) for kind in layout)
    part = a[key].gather()
    if comm.rank != 0:
        return
    i, j = np.meshgrid(*map(np.arange, shape), indexing="ij")
    assert (whole == 1000.0 * i + j).all()
    assert (part == whole[key]).all()
    (low, high), (left, right) = (a.layout.boundary(axis) for axis in range(2))
    i, j = np.meshgrid(
        np.arange(-low, shape[0] + high), np.arange(-left, shape[1] + right), indexing="ij"
    )
    assert (owned == 1000.0 * i + j).all()


@every_end
def test_owner_takes_the_same_indices(comm, ends):
    a, shape = made(comm, "bb", ends)
    mine = [a.global_indices(axis).tolist() for axis in range(2)]
    for i in mine[0]:
        for j in mine[1]:
            assert a.layout.owner((i, j)) == comm.rank
    (low, high), _ = ends
    for beyond in (-low - 1, shape[0] + high):
        expected = rf"an index in \[{-low}, {shape[0] + high}\) along axis 0, got {beyond}"
        with pytest.raises(distview.UsageError, match=expected):
            a.layout.owner((beyond, 0))


def test_unstructured_indices_are_labels(comm):
    labels = [[10 * p - 3, 10 * p + 4] for p in range(comm.size)]
    a = distview.from_function(lambda i: i, None, ("u", labels), comm, int)
    assert a.shape == a.protocol_shape == (2 * comm.size,)
    assert a.global_indices(0).tolist() == a.protocol_indices(0).tolist() == labels[comm.rank]
    assert a.view.tolist() == labels[comm.rank]
