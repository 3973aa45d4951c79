# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random distributed arrays of every kind, with the global index of every local position.

The indices are counted one by one, without the formulas of the library under test. All
arrays can be described in version 0.10.0 of the protocol: communication padding has one width per axis
and is no wider than what any process owns.
"""

import itertools
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Axis:
    """One axis. `held[p]` are the global indices of the section of grid rank p, in order."""

    kind: str  # "b", "n", "c", "u"
    processes: int
    size: int  # as the protocol counts: interior and boundary padding
    interior: int | None  # argument of the creation functions
    layout: object  # likewise
    held: tuple
    owned: tuple  # by grid rank: (begin, end), local positions
    boundary: tuple = (0, 0)
    padding: int = 0
    periodic: bool = False
    block_size: int = 1
    one_to_one: bool = False
    keys: tuple = field(default=())  # of the dimension dictionaries, by grid rank

    def dim_dict(self, rank):
        common = dict(
            dist_type="b" if self.kind == "n" else self.kind,
            size=self.size,
            proc_grid_size=self.processes,
            proc_grid_rank=rank,
        )
        return common | self.keys[rank]

    @property
    def last_block_is_partial(self):
        """Whether the protocol's helper and distarray count a rank's elements incorrectly (A7)."""
        whole, rest = divmod(self.size, self.block_size)
        return self.kind == "c" and rest != 0 and whole % self.processes != 0


def _cut(rng, n, parts):
    """Random bounds of `parts` blocks; empty blocks are more frequent than by chance."""
    inner = sorted(rng.integers(0, n + 1, parts - 1).tolist())
    if parts > 2 and rng.random() < 0.3:
        inner[1] = inner[0]
    return [0, *inner, n]


def _balanced(n, parts):
    larger = n % parts
    bounds = [0]
    for part in range(parts):
        bounds.append(bounds[-1] + n // parts + (1 if part < larger else 0))
    return bounds


def block_axis(rng, processes, kind="b"):
    interior = int(rng.integers(0, 13))
    irregular = processes > 1 and rng.random() < 0.5
    bounds = _cut(rng, interior, processes) if irregular else _balanced(interior, processes)
    boundary = tuple(rng.integers(0, min(3, interior + 1), 2).tolist())
    starts = [bound + boundary[0] for bound in bounds]
    size = sum(boundary) + interior
    starts[0], starts[-1] = 0, size
    owned = list(itertools.pairwise(starts))
    widest = min(stop - start for start, stop in owned)
    padding = int(rng.integers(0, min(3, widest) + 1)) if processes > 1 else 0
    periodic = bool(rng.integers(0, 2))
    padded = padding > 0 or any(boundary)

    held, ranges, keys = [], [], []
    for rank, (start, stop) in enumerate(owned):
        low = padding if rank > 0 else 0
        high = padding if rank < processes - 1 else 0
        held.append(list(range(start - low, stop + high)))
        ranges.append((low, low + stop - start))
        key = dict(start=start - low, stop=stop + high)
        if padded:
            first, last = rank == 0, rank == processes - 1
            key["padding"] = (boundary[0] if first else low, boundary[1] if last else high)
        if periodic:
            key["periodic"] = True
        keys.append(key)
    layout = kind if kind == "n" or not irregular else ("b", bounds)
    return Axis(
        kind, processes, size, interior, layout, tuple(held), tuple(ranges),
        boundary, padding, periodic, keys=tuple(keys),
    )  # fmt: skip


def cyclic_axis(rng, processes):
    size = int(rng.integers(0, 17))
    block_size = int(rng.choice([1, 1, 2, 3, 5, 20]))
    held = [[] for _ in range(processes)]
    for index in range(size):
        held[index // block_size % processes].append(index)
    more = dict(block_size=block_size) if block_size > 1 else {}
    keys = tuple(dict(start=rank * block_size) | more for rank in range(processes))
    layout = "c" if block_size == 1 else ("c", block_size)
    ranges = tuple((0, len(indices)) for indices in held)
    return Axis(
        "c", processes, size, size, layout, tuple(held), ranges, block_size=block_size, keys=keys
    )


def unstructured_axis(rng, processes):
    one_to_one = bool(rng.integers(0, 2))
    labels = rng.choice(np.arange(-20, 60), int(rng.integers(0, 13)), replace=False)
    bounds = _cut(rng, len(labels), processes)
    held = [labels[begin:end].tolist() for begin, end in itertools.pairwise(bounds)]
    if not one_to_one and processes > 1 and held[0]:  # a label on two processes
        shared = held[0][0]
        if shared not in held[-1]:
            held[-1].append(shared)
    more = dict(one_to_one=True) if one_to_one else {}
    keys = tuple(dict(indices=np.array(indices, dtype=np.int64)) | more for indices in held)
    ranges = tuple((0, len(indices)) for indices in held)
    return Axis(
        "u", processes, len(labels), None, ("u", [list(h) for h in held], one_to_one),
        tuple(held), ranges, one_to_one=one_to_one, keys=keys,
    )  # fmt: skip


MAKERS = {"b": block_axis, "c": cyclic_axis, "u": unstructured_axis}


@dataclass(frozen=True)
class Array:
    axes: tuple

    @property
    def processes(self):
        return int(np.prod(self.grid, dtype=int))

    @property
    def grid(self):
        return tuple(axis.processes for axis in self.axes)

    @property
    def size(self):
        return tuple(axis.size for axis in self.axes)

    def coordinates(self, process):
        return tuple(int(c) for c in np.unravel_index(process, self.grid)) if self.axes else ()

    def _of(self, process):
        return zip(self.axes, self.coordinates(process), strict=True)

    def dim_data(self, process):
        return tuple(axis.dim_dict(rank) for axis, rank in self._of(process))

    def held(self, process):
        """Global indices of the section, one list an axis."""
        return [list(axis.held[rank]) for axis, rank in self._of(process)]

    def owned(self, process):
        return [axis.owned[rank] for axis, rank in self._of(process)]

    def local_shape(self, process):
        return tuple(len(indices) for indices in self.held(process))

    def export(self, process):
        """The export of a producer that supports only the protocol."""
        buffer = np.zeros(self.local_shape(process))
        return {"__version__": "0.10.0", "buffer": buffer, "dim_data": self.dim_data(process)}

    def creation(self):
        """Shape, layout and keywords of distview's creation functions."""
        return dict(
            shape=tuple(axis.interior for axis in self.axes),
            layout=[axis.layout for axis in self.axes],
            padding=[(axis.padding, axis.padding) for axis in self.axes],
            boundary=[axis.boundary for axis in self.axes],
            periodic=[axis.periodic for axis in self.axes],
            grid=self.grid,
        )


def _factors(rng, n, parts):
    """A random ordered factorisation of n into `parts` factors."""
    factors = [1] * parts
    divisor = 2
    while n > 1:
        if n % divisor:
            divisor += 1
            continue
        factors[rng.integers(0, parts)] *= divisor
        n //= divisor
    return factors


def random_array(rng, processes, max_axes=3):
    axes = int(rng.integers(0 if processes == 1 else 1, max_axes + 1))
    made = []
    for factor in _factors(rng, processes, axes) if axes else []:
        kind = str(rng.choice(list("bbcu")))
        if factor == 1 and rng.random() < 0.3:
            made.append(block_axis(rng, 1, "n"))
        else:
            made.append(MAKERS[kind](rng, factor))
    return Array(tuple(made))


def random_arrays(seed, count, processes, max_axes=3):
    rng = np.random.default_rng([seed, processes])
    return [random_array(rng, processes, max_axes) for _ in range(count)]


def distview_layout(array):
    """The array's distview.Layout, which needs no processes."""
    from distview import _distview as native

    def spec(axis):
        widths = dict(
            padding=(axis.padding, axis.padding), boundary=axis.boundary, periodic=axis.periodic
        )
        if axis.kind == "c":
            return native.block_cyclic(axis.size, axis.block_size)
        if axis.kind == "u":
            return native.unstructured([list(indices) for indices in axis.held], axis.one_to_one)
        if isinstance(axis.layout, tuple):
            return native.block_bounds(axis.layout[1], **widths)
        return native.block(axis.interior, regular=False, **widths)

    return native.Layout(list(array.grid), [spec(axis) for axis in array.axes])


def same_dim_data(one, other):
    """Whether two tuples of dimension dictionaries are equal, key by key."""

    def plain(dim_data):
        return [
            {key: list(v) if key == "indices" else v for key, v in dim_dict.items()}
            for dim_dict in dim_data
        ]

    return plain(one) == plain(other)
