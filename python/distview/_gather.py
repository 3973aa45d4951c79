# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers a whole array to one rank, and scatters it from there."""

from __future__ import annotations

import itertools
import math
import operator
import types
from typing import Any

import numpy as np

from . import _device, _distview
from ._comm import agreed
from ._distview import Layout
from ._errors import ShapeError, UsageError, short
from ._section import Gathers, Section


def gather(view: Section, root: Any, cells: str) -> np.ndarray | None:
    """See DistView.gather()."""
    layout = view._attached_layout("gather")
    comm = view._communicator
    # Programs make too many slices to keep tables for each.
    kept = Gathers() if view._slices_of else view._joint.gathers

    def prepare() -> tuple[int, np.ndarray, _Places, np.ndarray | None]:
        part = view._host_part("gather", cells)
        if part.dtype.hasobject:
            raise ShapeError("gather: the elements are Python objects, which mean nothing to other processes")
        where = _checked_root("gather", root, view.process_count)
        places = kept.places.get(cells) or _Places(layout, cells)
        # Allocated before other ranks wait, since it may fail.
        result = np.empty(places.extents, part.dtype) if view.process == where else None
        return where, part, places, result

    try:
        at, part, places, result = agreed(
            comm, "gather", prepare, lambda made: view._alike(root=made[0], cells=cells)
        )
        if comm is None:
            places.put(result, 0, part)
        elif (access := _access(view, comm, kept)) is not None and access.reaches_all(at):

            def copy() -> None:
                if result is not None:
                    for selection, block in _blocks(kept, access, places, cells, part.dtype):
                        result[selection] = block

            # Other ranks leave their sections unchanged until root has read them, or has failed to.
            agreed(comm, "gather", copy)
        else:
            _gather_messages(comm, at, part, places, result)
    except BaseException:
        kept.forget()  # other ranks may have got further
        raise
    if places.are_few:
        kept.places[cells] = places
    return result


def _access(view: Section, comm: _distview.Communicator, kept: Gathers) -> _distview.SectionAccess | None:
    """Access by which ranks read each other's sections. The second gather makes it, since many arrays are gathered once.

    Dropped permanently if no rank can read all sections, for example on several nodes.
    """
    if view._slices_of:
        return None
    times = int(comm.all_reduce_int("min", [kept.times])[0])
    if times < 2:
        kept.forget()
    if times == 1:
        access = _distview.SectionAccess(view)
        kept.access = access if any(map(access.reaches_all, range(comm.size))) else None
    if view.device[0] in _device.HOST_TYPES:
        kept.times = min(times + 1, 2)
    return kept.access


def _blocks(
    kept: Gathers, access: _distview.SectionAccess, places: _Places, cells: str, dtype: np.dtype
) -> list[tuple[Any, np.ndarray]]:
    """Pairs of a place in the whole array and the cells of a section that belong there."""
    if cells in kept.blocks:
        return kept.blocks[cells]
    blocks = [
        (_selection(places.of(p)), _section(access, p, dtype)[places.cells_of(p)])
        for p in places.processes if places.counts[p]
    ]  # fmt: skip
    if places.are_few:
        kept.blocks[cells] = blocks
    return blocks


def _section(access: _distview.SectionAccess, process: int, dtype: np.dtype) -> np.ndarray:
    """Another process's section, read-only."""
    address, extents, strides = access.section(process)
    if 0 in extents:
        return np.empty(extents, dtype)
    interface = {
        "version": 3, "data": (address, True), "shape": tuple(extents), "strides": tuple(strides),
        "typestr": f"|V{dtype.itemsize}",
    }  # fmt: skip
    return np.asarray(types.SimpleNamespace(__array_interface__=interface)).view(dtype)


def _gather_messages(
    comm: _distview.Communicator, root: int, part: np.ndarray, places: _Places, result: np.ndarray | None
) -> None:
    counts = [count * part.itemsize for count in places.counts]
    in_order = places.lie_in_order

    def prepare() -> tuple[np.ndarray, np.ndarray]:
        # A rank may lack the memory for these, root above all.
        if result is None:
            return _bytes(part), np.empty(0, np.uint8)
        return _bytes(part), _bytes(result) if in_order else np.empty(sum(counts), np.uint8)

    mine, pieces = agreed(comm, "gather", prepare)
    comm.gather_bytes(mine, counts, root, pieces)
    if result is None or in_order or result.size == 0:
        return
    ends = list(itertools.accumulate(counts))
    for p in places.processes:
        data = pieces[ends[p] - counts[p] : ends[p]]
        places.put(result, p, np.ndarray(places.block_of(p), result.dtype, data))


def scatter(view: Section, values: Any, root: Any, cells: str) -> None:
    """See DistView.scatter()."""
    layout = view._attached_layout("scatter")
    comm = view._communicator

    def prepare() -> tuple[int, np.ndarray, list[int], np.ndarray]:
        part = view._host_part("scatter", cells)
        if part.dtype.hasobject:
            raise ShapeError("scatter: the elements are Python objects, which mean nothing to other processes")
        if view.readonly:
            raise ShapeError("scatter: the array is read-only")
        where = _checked_root("scatter", root, view.process_count)
        places = _Places(layout, cells)
        counts = [count * part.itemsize for count in places.counts]
        pieces = np.empty(0, np.uint8)
        if view.process == where:
            pieces = _taken_apart(places, values, part.dtype)
        mine = np.empty(part.shape, part.dtype)
        return where, mine, counts, pieces

    at, mine, counts, pieces = agreed(comm, "scatter", prepare, lambda made: view._alike(root=made[0], cells=cells))
    if comm is not None:
        comm.scatter_bytes(pieces, counts, at, mine.reshape(-1).view(np.uint8))
    else:
        mine.reshape(-1).view(np.uint8)[:] = pieces
    view.copy_from_host(mine, cells)


def _taken_apart(places: _Places, values: Any, dtype: np.dtype) -> np.ndarray:
    """The cells of all processes as bytes, one process after the other."""
    given = np.asarray(values)
    if given.shape != places.extents:
        raise ShapeError(f"scatter: expected values of shape {places.extents}, got {given.shape}")
    if not np.can_cast(given.dtype, dtype, "same_kind"):
        raise ShapeError(f"scatter: values of {given.dtype} cannot become elements of {dtype}")
    if places.lie_in_order:
        return _bytes(given.astype(dtype, copy=False))
    blocks = [
        _bytes(given[_selection(places.of(p))].astype(dtype, copy=False)) for p in range(len(places.counts))
    ]
    return np.concatenate(blocks) if blocks else np.empty(0, np.uint8)


class _Places:
    """Where the cells of each process belong in a gathered array."""

    def __init__(self, layout: Layout, cells: str) -> None:
        self._layout, self._cells = layout, cells
        self._axes = [_GlobalAxis(layout, d, cells) for d in range(layout.rank)]
        self.extents: tuple[int, ...] = tuple(axis.count for axis in self._axes)
        #: Numbers of cells, by process.
        self.counts: list[int] = [math.prod(self.block_of(p)) for p in range(layout.process_count)]
        #: Descending: if several processes hold an index, the owner (the lowest) is written last.
        self.processes: range = range(layout.process_count - 1, -1, -1)
        types = layout.types
        #: Whether each process's cells, in C order, follow the cells of the previous process in the whole array.
        self.lie_in_order: bool = types[:1] == "b" and "u" not in types and all(extent == 1 for extent in layout.grid[1:])
        #: Whether the places need only a few numbers, so that arrays may keep them.
        self.are_few: bool = layout.process_count <= 64 and "u" not in types and "c" not in types

    def of(self, process: int) -> list[slice | np.ndarray]:
        """Places of a process's cells in the whole array, by axis."""
        return [axis.places(process) for axis in self._axes]

    def cells_of(self, process: int) -> tuple[slice, ...]:
        """Positions of these cells in the process's section."""
        return tuple(slice(*self._range(d, process)) for d in range(self._layout.rank))

    def block_of(self, process: int) -> list[int]:
        """Numbers of cells, by axis."""
        ranges = (self._range(d, process) for d in range(self._layout.rank))
        return [end - begin for begin, end in ranges]

    def put(self, result: np.ndarray | None, process: int, block: np.ndarray) -> None:
        """Writes a process's cells to the whole array."""
        if result is not None and block.size:
            result[_selection(self.of(process))] = block

    def _range(self, axis: int, process: int) -> tuple[int, int]:
        return _cell_range(self._layout, axis, process, self._cells)


def _bytes(part: np.ndarray) -> np.ndarray:
    """The elements in C order as a row of bytes; copies only if they are stored otherwise."""
    if part.size == 0:
        return np.empty(0, np.uint8)
    return np.ascontiguousarray(part).reshape(-1).view(np.uint8)


def _selection(places: list[slice | np.ndarray]) -> Any:
    """The places as a NumPy index expression."""
    if all(isinstance(place, slice) for place in places):
        return tuple(places)
    return np.ix_(*[np.r_[place] if isinstance(place, slice) else place for place in places])


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
        """Where a process's cells go: a slice if they are equally spaced."""
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


def _checked_root(caller: str, root: Any, size: int) -> int:
    try:
        index = operator.index(root)
    except TypeError:
        raise UsageError(f"{caller}: expected root to be an integer, got {short(root)}") from None
    if not 0 <= index < size:
        raise UsageError(f"{caller}: expected a root in [0, {size}), got {index}")
    return index
