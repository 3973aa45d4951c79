# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole array on one rank, brought there and handed out."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Any

import numpy as np

from ._comm import agreed
from ._distview import Layout
from ._errors import ShapeError, UsageError, short
from ._section import Section


def gather(view: Section, root: Any, cells: str) -> np.ndarray | None:
    """See DistView.gather()."""
    layout = view._attached_layout("gather")
    comm = view._communicator

    def prepare() -> tuple[int, np.ndarray, list[int], _Whole | None]:
        part = view._host_part("gather", cells)
        if part.dtype.hasobject:
            raise ShapeError("gather: the elements are Python objects, which mean nothing elsewhere")
        where = _checked_root("gather", root, view.process_count)
        counts = [_count(layout, p, cells) * part.itemsize for p in range(view.process_count)]
        whole = _Whole(layout, cells, part.dtype, counts) if view.process == where else None
        return where, _bytes(part), counts, whole

    at, mine, counts, whole = agreed(comm, "gather", prepare, lambda made: view._alike(root=made[0], cells=cells))
    pieces = whole.pieces if whole is not None else np.empty(0, np.uint8)
    if comm is not None:
        comm.gather_bytes(mine, counts, at, pieces)
    else:
        pieces[:] = mine
    return whole.put_together(counts) if whole is not None else None


def scatter(view: Section, values: Any, root: Any, cells: str) -> None:
    """See DistView.scatter()."""
    layout = view._attached_layout("scatter")
    comm = view._communicator

    def prepare() -> tuple[int, np.ndarray, list[int], np.ndarray]:
        part = view._host_part("scatter", cells)
        if part.dtype.hasobject:
            raise ShapeError("scatter: the elements are Python objects, which mean nothing elsewhere")
        if view.readonly:
            raise ShapeError("scatter: the array is read-only")
        where = _checked_root("scatter", root, view.process_count)
        counts = [_count(layout, p, cells) * part.itemsize for p in range(view.process_count)]
        pieces = np.empty(0, np.uint8)
        if view.process == where:
            pieces = _taken_apart(layout, cells, values, part.dtype)
        mine = np.empty(part.shape, part.dtype)
        return where, mine, counts, pieces

    at, mine, counts, pieces = agreed(comm, "scatter", prepare, lambda made: view._alike(root=made[0], cells=cells))
    if comm is not None:
        comm.scatter_bytes(pieces, counts, at, mine.reshape(-1).view(np.uint8))
    else:
        mine.reshape(-1).view(np.uint8)[:] = pieces
    view.copy_from_host(mine, cells)


def _taken_apart(layout: Layout, cells: str, values: Any, dtype: np.dtype) -> np.ndarray:
    """The cells of all processes, one process behind the other, as bytes."""
    axes = [_GlobalAxis(layout, d, cells) for d in range(layout.rank)]
    given = np.asarray(values)
    expected = tuple(axis.count for axis in axes)
    if given.shape != expected:
        raise ShapeError(f"scatter: expected values of shape {expected}, got {given.shape}")
    if not np.can_cast(given.dtype, dtype, "same_kind"):
        raise ShapeError(f"scatter: values of {given.dtype} cannot become elements of {dtype}")
    if _lie_in_order(layout):
        return _bytes(given.astype(dtype, copy=False))
    blocks = []
    for p in range(layout.process_count):
        places = [axis.places(p) for axis in axes]
        blocks.append(_bytes(_take(given, places).astype(dtype, copy=False)))
    return np.concatenate(blocks) if blocks else np.empty(0, np.uint8)


class _Whole:
    """The whole array on root. Its memory is made before others wait, as that may fail."""

    def __init__(self, layout: Layout, cells: str, dtype: np.dtype, counts: list[int]) -> None:
        self._axes = [_GlobalAxis(layout, d, cells) for d in range(layout.rank)]
        self._result: np.ndarray = np.empty([axis.count for axis in self._axes], dtype)
        self._lies_in_order = _lie_in_order(layout)
        #: The cells of all processes, one behind the other.
        self.pieces: np.ndarray = (
            _bytes(self._result) if self._lies_in_order else np.empty(sum(counts), np.uint8)
        )

    def put_together(self, counts: list[int]) -> np.ndarray:
        """The array; counts are the bytes that each process has in pieces."""
        if self._lies_in_order or self._result.size == 0:
            return self._result
        ends = list(itertools.accumulate(counts))
        # Of an index on several processes the owner, the lowest, is written last.
        for p in reversed(range(len(counts))):
            places = [axis.places(p) for axis in self._axes]
            extents = [_length(place) for place in places]
            data = self.pieces[ends[p] - counts[p] : ends[p]]
            block: np.ndarray = np.ndarray(extents, self._result.dtype, data)
            _put(self._result, places, block)
        return self._result


def _bytes(part: np.ndarray) -> np.ndarray:
    """The elements in C order as a row of bytes; a copy only if they do not lie so."""
    if part.size == 0:
        return np.empty(0, np.uint8)
    return np.ascontiguousarray(part).reshape(-1).view(np.uint8)


def _lie_in_order(layout: Layout) -> bool:
    """Whether each process's cells, in C order, follow those of the one before in the whole array."""
    types = layout.types
    return types[:1] == "b" and "u" not in types and all(extent == 1 for extent in layout.grid[1:])


def _length(place: slice | np.ndarray) -> int:
    if isinstance(place, slice):
        return len(range(place.start, place.stop, place.step))
    return len(place)


def _put(result: np.ndarray, places: list[slice | np.ndarray], block: np.ndarray) -> None:
    if all(isinstance(place, slice) for place in places):
        result[tuple(places)] = block
        return
    indices = [np.r_[place] if isinstance(place, slice) else place for place in places]
    result[np.ix_(*indices)] = block


def _take(whole: np.ndarray, places: list[slice | np.ndarray]) -> np.ndarray:
    if all(isinstance(place, slice) for place in places):
        return whole[tuple(places)]
    indices = [np.r_[place] if isinstance(place, slice) else place for place in places]
    return whole[np.ix_(*indices)]


class _GlobalAxis:
    """Where the cells of each process go along one axis of a gathered array."""

    def __init__(self, layout: Layout, axis: int, cells: str) -> None:
        self._layout, self._axis, self._cells = layout, axis, cells
        self._labels = None
        if layout.types[axis] == "u":
            lists = [np.asarray(layout.global_indices(axis, p)) for p in range(layout.process_count)]
            self._labels = np.unique(np.concatenate(lists))
        whole = layout.protocol_shape if cells == "owned" else layout.shape
        self.count = len(self._labels) if self._labels is not None else whole[axis]

    def places(self, process: int) -> slice | np.ndarray:
        """Where a process's cells go: a slice if they are equally far apart."""
        indices = np.asarray(self._layout.global_indices(self._axis, process))
        if self._labels is not None:
            return np.searchsorted(self._labels, indices)
        begin, end = _cell_range(self._layout, self._axis, process, self._cells)
        before = self._layout.boundary(self._axis)[0] if self._cells == "owned" else 0
        cells = indices[begin:end] + before
        if len(cells) == 0:
            return slice(0, 0, 1)
        step = int(cells[1] - cells[0]) if len(cells) > 1 else 1
        if step > 0 and (np.diff(cells) == step).all():
            return slice(int(cells[0]), int(cells[-1]) + 1, step)
        return cells


def _cell_range(layout: Layout, axis: int, process: int, cells: str) -> tuple[int, int]:
    if cells == "owned":
        return layout.owned_range(axis, process)
    return layout.interior_range(axis, process)


def _count(layout: Layout, process: int, cells: str) -> int:
    ranges = (_cell_range(layout, d, process, cells) for d in range(layout.rank))
    return math.prod(end - begin for begin, end in ranges)


def _checked_root(caller: str, root: Any, size: int) -> int:
    try:
        index = operator.index(root)
    except TypeError:
        raise UsageError(f"{caller}: expected root to be an integer, got {short(root)}") from None
    if not 0 <= index < size:
        raise UsageError(f"{caller}: expected a root in [0, {size}), got {index}")
    return index
