# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole arrays in NumPy, with which sections are compared. A Layout gives the owners; this module computes the
results of exchanges and reductions."""

import math

import numpy as np
from whole_layouts import layout_of

NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
OTHERS = [">f8", ">i4", "g", "S5", np.dtype([("x", "f4"), ("n", "i1")]),
          np.dtype([("z", "c16"), ("pair", "i2", (2,))], align=True)]  # fmt: skip


class Producer:
    """An array of another library, which supports only the protocol."""

    def __init__(self, layout, process, memory, version="0.10.0"):
        self.memory = memory
        self.export = {
            "__version__": version,
            "buffer": memory,
            "dim_data": layout.dim_data(process, version),
        }

    def __distarray__(self):
        return self.export


def labels_of(layout, axis):
    """The indices of an axis of the whole array, boundary padding included, in the order of the NumPy
    array."""
    if layout.types[axis] != "u":
        low, high = layout.boundary(axis)
        return np.arange(-low, layout.shape[axis] + high)
    return np.unique(
        np.concatenate([layout.global_indices(axis, p) for p in range(layout.process_count)])
    )


def random_values(rng, shape, dtype):
    """Random values, nearly all of them distinct."""
    dtype = np.dtype(dtype)
    values = np.empty(shape, dtype)
    if dtype.names:
        for name in dtype.names:
            values[name] = random_values(rng, values[name].shape, values[name].dtype)
    elif dtype.kind == "b":
        values[...] = rng.integers(0, 2, shape)
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values[...] = rng.integers(limits.min, limits.max, shape, dtype.newbyteorder("="), True)
    elif dtype.kind == "S":
        values[...] = rng.integers(0, 10**dtype.itemsize, shape).astype(dtype)
    else:
        values[...] = rng.standard_normal(shape)
        if dtype.kind == "c":
            values += 1j * rng.standard_normal(shape)
    return values


def part(layout, whole, process, cells="all"):
    """The part of a whole array that a process's section holds."""
    places = []
    for axis in range(layout.rank):
        indices = layout.global_indices(axis, process)
        if cells != "all":
            begin, end = getattr(layout, cells + "_range")(axis, process)
            indices = indices[begin:end]
        places.append(np.searchsorted(labels_of(layout, axis), indices))
    return whole[np.ix_(*places)]


def interior(layout, whole):
    """A whole array without its boundary padding."""
    slices = []
    for axis in range(layout.rank):
        low, high = layout.boundary(axis)
        slices.append(slice(low, whole.shape[axis] - high))
    return whole[tuple(slices)]


def mirrored(layout, whole):
    """A whole array whose boundary padding on periodic axes mirrors the other end of the interior."""
    for axis in range(layout.rank):
        inner = layout.shape[axis]
        if layout.periodic[axis] and inner:
            low = layout.boundary(axis)[0]
            sources = low + (np.arange(whole.shape[axis]) - low) % inner
            whole = np.take(whole, sources, axis)
    return whole


def scattered(view, whole):
    """Fills a view as a program would: the owned cells, and arbitrary values beyond."""
    layout, process = view.layout, view.process
    rng = np.random.default_rng(process)
    view.view[...] = random_values(rng, view.local_shape, view.dtype)
    view.owned[...] = part(layout, whole, process, "owned")
    return view


def assert_exchanged(view, whole):
    """Every cell of the section, corners included, holds the element of its index."""
    expected = part(view.layout, mirrored(view.layout, whole), view.process)
    assert view.local_shape == expected.shape
    assert expected.size == 0 or (view.view == expected).all()


def random_memory(rng, shape, dtype):
    """Memory with these extents: in C or Fortran order, with gaps, or reversed."""
    way = rng.integers(5)
    if way < 2 or not shape:
        return np.zeros(shape, dtype, order="CF"[way % 2])
    table = np.zeros([2 * n + 1 for n in shape], dtype, order="CF"[rng.integers(2)])
    with_gaps = table[tuple(slice(1, 2 * n, 2) for n in shape)]
    if way == 2:
        return with_gaps
    if way == 3:
        return np.flip(with_gaps)
    return np.zeros(shape[::-1], dtype).T


def random_grid(rng, processes, axes):
    grid = [1] * axes
    for prime in (2, 2, 3, 5):
        if axes and processes % (math.prod(grid) * prime) == 0:
            grid[rng.integers(axes)] *= prime
    return grid if math.prod(grid) == processes else None


def _axis(rng, n_ranks, largest):
    """(size, layout, padding, boundary, periodic) of an axis with exchangeable padding."""
    kind = rng.choice(["b", "b", "b", "bounds", "regular", "c", "u"])
    size = int(rng.integers(0, largest + 1))
    if kind == "c":
        return size, ("c", int(rng.integers(1, 4))), 0, 0, False
    if kind == "u":
        labels = rng.permutation(np.arange(-20, 20))[:size]
        lists = [labels[p::n_ranks].tolist() for p in range(n_ranks)]
        for part_of in lists:  # some indices are on several processes
            part_of += [int(i) for i in labels[:2] if rng.random() < 0.2 and i not in part_of]
        return None, ("u", lists), 0, 0, False
    bounds = np.sort([0, size, *rng.integers(0, size + 1, n_ranks - 1)]).tolist()
    entry = {"b": "b", "regular": ("b", "regular"), "bounds": bounds}[kind]
    if kind != "bounds":
        whole = layout_of(size, entry, n_ranks)
        blocks = [whole.local_shape(p)[0] for p in range(n_ranks)]
    else:
        blocks = np.diff(bounds)
    # Padding is no wider than the neighbour's elements; the ends of periodic axes are neighbours.
    widest = min(3, min(blocks))
    padding = tuple(int(w) for w in rng.integers(0, widest + 1, 2))
    periodic = bool(rng.random() < 0.5)
    edges = rng.integers(0, (widest if periodic else 3) + 1, 2)
    return size, entry, padding, tuple(int(w) for w in edges), periodic


def random_layout(rng, processes, most_axes=4):
    """A layout of small sections, some of them empty, with exchangeable padding."""
    while True:
        axes = int(rng.integers(1, most_axes + 1))
        grid = random_grid(rng, processes, axes)
        if grid is not None:
            break
    largest = {1: 40, 2: 16, 3: 9}.get(axes, 6)
    entries = [_axis(rng, n, largest) for n in grid]
    shape, layout, padding, boundary, periodic = (list(column) for column in zip(*entries))
    return layout_of(shape, layout, processes, grid=grid, padding=padding, boundary=boundary,
                     periodic=periodic)  # fmt: skip


def random_whole(rng, layout, dtype):
    return random_values(rng, [len(labels_of(layout, d)) for d in range(layout.rank)], dtype)
