# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random pairs of layouts, moves between them, and arrays with their whole arrays."""

import distview
import numpy as np
from global_arrays import interior, random_layout, random_whole, scattered


def made(comm, layout, dtype="f8", seed=3):
    """A view, and the whole interior from which it was filled."""
    whole = random_whole(np.random.default_rng(seed), layout, dtype)
    view = scattered(distview.zeros(None, layout, comm, dtype), whole)
    return view, interior(layout, whole)


def gathered(comm, view):
    """The whole interior, on all ranks."""
    return comm.bcast(view.gather())


def random_slices(rng, sizes, counts):
    """Slices with the given numbers of cells and any steps."""
    result = []
    for size, count in zip(sizes, counts):
        step = int(rng.integers(1, max((size - 1) // max(count - 1, 1), 1) + 1)) if count > 1 else 1
        begin = int(rng.integers(0, size - (count - 1) * step if count else size + 1))
        cells = [begin + i * step for i in range(count)]
        if rng.random() < 0.4:
            cells.reverse()
            step = -step
        end = cells[-1] + step if cells else begin
        result.append(slice(cells[0] if cells else begin, None if end < 0 else end, step))
    return tuple(result)


def random_pair(rng, processes):
    """Two layouts with the same number of axes, a permutation, and slices of both."""
    source = random_layout(rng, processes)
    while True:
        target = random_layout(rng, processes)
        if target.rank == source.rank:
            break
    permutation = rng.permutation(source.rank).tolist()
    sizes = [source.shape[a] for a in permutation]
    counts = [int(rng.integers(0, min(a, b) + 1)) for a, b in zip(sizes, target.shape)]
    if rng.random() < 0.5:
        counts = [min(a, b) for a, b in zip(sizes, target.shape)]
    by_source = [counts[permutation.index(a)] for a in range(source.rank)]
    return (source, target, permutation, random_slices(rng, source.shape, by_source),
            random_slices(rng, target.shape, counts))  # fmt: skip


def same(a, b):
    """Whether two arrays hold the same elements, bit by bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
