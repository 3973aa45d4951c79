# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random conforming distributed arrays, written in both versions of the protocol."""

import math
import random
from dataclasses import dataclass, field

import numpy as np
from dap_cases import Index, block_row, cyclic_row, export, unstructured_row

MAX_PROCESSES = 12
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


@dataclass
class RandomAxis:
    """One axis of an array; row(version) has its dictionaries on all grid ranks."""

    kind: str
    n_ranks: int
    arguments: dict = field(default_factory=dict)

    def row(self, version):
        if self.kind == "b":
            return block_row(version, **self.arguments)
        return {"c": cyclic_row, "u": unstructured_row}[self.kind](**self.arguments)

    def needs_the_ends(self, version):
        """Whether the other version's numbers depend on padding that a single rank may not know.

        Without a padding key in 0.9, no rank has padding; 0.10 gives no such guarantee.
        """
        may_have_padding = version == "0.10.0" or self.arguments.get("padding")
        return bool(self.arguments.get("periodic") and may_have_padding and self.n_ranks > 1)


def _bounds(rng, n_ranks, size):
    way = rng.choice(["regular", "balanced", "irregular", "oversubscribed"])
    if way == "regular":
        width = math.ceil(size / n_ranks)
        return [min(r * width, size) for r in range(n_ranks + 1)]
    if way == "balanced":
        return [r * size // n_ranks for r in range(n_ranks + 1)]
    places = range(size + 1) if way == "irregular" else [0, size, rng.randint(0, size)]
    return [0, *sorted(rng.choice(places) for _ in range(n_ranks - 1)), size]


def _padding(rng, bounds):
    """Widths that 0.10 allows: at most as wide as the neighbour's owned part, edges within the end blocks."""
    owned = [b - a for a, b in zip(bounds, bounds[1:])]
    between = [rng.randint(0, min(pair + (3,))) for pair in zip(owned, owned[1:])]
    low = rng.randint(0, min(owned[0], 2))
    high = rng.randint(0, min(owned[-1] - (low if len(owned) == 1 else 0), 2))
    return list(zip([low, *between], [*between, high]))


def _labels(rng, n_ranks, size):
    pool = rng.sample(range(-20, 40), size)
    lists = [[] for _ in range(n_ranks)]
    for label in pool:
        rng.choice(lists).append(label)
    if rng.random() < 0.5:
        return {"lists": lists, "size": size, "one_to_one": rng.random() < 0.5}
    for labels in lists:  # labels that other ranks have, too
        labels.extend(x for x in rng.sample(pool, rng.randint(0, size)) if x not in labels)
        rng.shuffle(labels)
    return {"lists": lists, "size": rng.randint(size, sum(map(len, lists)))}


def random_axis(rng, n_ranks, largest):
    kind, size = rng.choice("bbcu"), rng.choice([0, 1, *range(largest + 1)])
    if kind == "c":
        block_size = rng.choice([1, 1, 2, 3, 5, 100])
        return RandomAxis(kind, n_ranks, dict(size=size, n_ranks=n_ranks, block_size=block_size))
    if kind == "u":
        return RandomAxis(kind, n_ranks, _labels(rng, n_ranks, size))
    bounds = _bounds(rng, n_ranks, size)
    padding = _padding(rng, bounds) if rng.random() < 0.6 else None
    if padding and not any(map(any, padding)):
        padding = None  # an axis without padding is exported without the key
    arguments = dict(bounds=bounds, padding=padding, periodic=rng.random() < 0.3)
    return RandomAxis(kind, n_ranks, arguments)


def random_axes(rng, ndim=None):
    ndim = rng.choice([0, 1, 1, 1, 2, 2, 3, 4, 5, 6, 7]) if ndim is None else ndim
    grid = [1] * ndim
    for _ in range(6):
        axis = rng.randrange(ndim) if ndim else 0
        n_ranks = rng.choice([1, 1, 2, 2, 3, 4])
        if ndim and math.prod(grid) // grid[axis] * n_ranks <= MAX_PROCESSES:
            grid[axis] = n_ranks
    return [random_axis(rng, n, {0: 0, 1: 20, 2: 9, 3: 6}.get(ndim, 3)) for n in grid]


def random_buffer(rng, extents):
    """Memory with these extents: in C or Fortran order, or with gaps, of any element type."""
    dtype, order = rng.choice(DTYPES), rng.choice("CF")
    if rng.random() < 0.7 or not extents:
        return np.zeros(extents, dtype, order)
    table = np.zeros([*extents[:-1], 2 * extents[-1] + 1], dtype, order)
    return table[..., 1::2] if rng.random() < 0.5 else table[..., -2::-2]


def sections_of(axes, version, rng=None):
    """The exports of all processes; the last axis of the grid is the fastest."""
    rows, grid = [axis.row(version) for axis in axes], [axis.n_ranks for axis in axes]
    sections = []
    for place in np.ndindex(*grid):
        parts = [row[rank] for row, rank in zip(rows, place)]
        extents = tuple(extent for _, extent in parts)
        buffer = random_buffer(rng, extents) if rng else np.zeros(extents, "i1")
        sections.append(export(version, tuple(dict(data) for data, _ in parts), buffer))
    return sections


def other_spelling(rng, data, version, clamp):
    """The dictionary as other libraries might write it; clamp: an empty rank starts at size."""

    def integer(value):
        return rng.choice([int, int, Index, np.int64, np.int32])(value)

    data = dict(data)
    undistributed = data["dist_type"] == "b" and data["proc_grid_size"] == 1
    if undistributed and not data.get("periodic") and "padding" not in data and rng.random() < 0.5:
        return {} if version == "0.10.0" else {"dist_type": "n", "size": data["size"]}
    if data["dist_type"] == "b" and rng.random() < 0.5:
        data.setdefault("periodic", False)
    if data["dist_type"] == "c":
        if rng.random() < 0.5:
            data.setdefault("block_size", 1)
        if clamp and data["size"] <= data["start"]:
            data["start"] = data["size"]
    if data["dist_type"] == "u":
        if rng.random() < 0.5:
            data.setdefault("one_to_one", False)
        data["indices"] = data["indices"].astype(rng.choice(["i1", "i2", "i4", "i8"]))
        if version == "0.9.0" and rng.random() < 0.5:
            data["indices"] = data["indices"].tolist()
    if "padding" in data:
        data["padding"] = rng.choice([list, tuple])(map(integer, data["padding"]))
    for key in ("size", "proc_grid_size", "proc_grid_rank", "start", "stop", "block_size"):
        if key in data:
            data[key] = integer(data[key])
    if rng.random() < 0.3:
        data["comment"] = object()
    return dict(rng.sample(list(data.items()), len(data)))


def generator(*seed):
    """A separate generator for each test, so that tests do not influence each other's numbers."""
    return random.Random("/".join(map(str, seed)))
