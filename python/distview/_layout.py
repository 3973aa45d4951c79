# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From what users say of a layout (see distview.zeros) to a Layout."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _distview
from ._distview import Communicator, Layout
from ._errors import LayoutError

Gather = Callable[[np.ndarray], list[np.ndarray]]


@dataclass
class _Axis:
    """One axis, before the grid is known."""

    kind: str  # "b", "n", "c" or "u"
    block_size: int = 1
    regular: bool = False
    bounds: list[int] | None = None
    lists: list[np.ndarray] | None = None
    own_list: np.ndarray | None = None
    one_to_one: bool = False
    padding: tuple[int, int] = (0, 0)
    boundary: tuple[int, int] = (0, 0)
    periodic: bool = False
    size: int | None = None
    fixed: int | None = field(default=None)  # number of processes, where that follows


def build_layout(
    shape: Any,
    layout: Any,
    comm: Communicator | None,
    padding: Any,
    boundary: Any,
    periodic: Any,
    grid: Any,
) -> tuple[list[_Axis], int]:
    """The axes as asked for, and the number of processes; local."""
    sizes = _sizes(shape)
    entries = _entries(layout, len(sizes))
    axes = [_axis(entry, d) for d, entry in enumerate(entries)]
    paddings = _widths(padding, len(axes), "padding")
    boundaries = paddings if boundary is None else _widths(boundary, len(axes), "boundary")
    periodics = _flags(periodic, len(axes))
    for d, axis in enumerate(axes):
        axis.size = sizes[d]
        if axis.kind in "bn":
            axis.padding, axis.boundary, axis.periodic = paddings[d], boundaries[d], periodics[d]
        elif _said_for_axis(padding, len(axes)) and any(paddings[d]):
            raise LayoutError(f"layout: axis {d} is {_name(axis)} and cannot have padding")
        elif _said_for_axis(periodic, len(axes)) and periodics[d]:
            raise LayoutError(f"layout: axis {d} is {_name(axis)} and cannot be periodic")
        _check_size(axis, d)
    return axes, comm.size if comm else 1


def finish_layout(axes: list[_Axis], processes: int, grid: Any, gather: Gather | None) -> Layout:
    """The Layout of the axes; collective if one of them lists the indices of this process alone."""
    extents = _grid(axes, processes, grid)
    specs = []
    for d, axis in enumerate(axes):
        if axis.own_list is not None:
            axis.lists = _lists_of_axis(axis.own_list, d, extents, gather)
        specs.append(_spec(axis, d))
    return Layout(extents, specs)


def _integer(value: Any, what: str) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise LayoutError(f"layout: expected {what} to be an integer, got {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise LayoutError(f"layout: expected {what} to be an integer, got {value!r}") from None


def _sizes(shape: Any) -> list[int | None]:
    if shape is None or not isinstance(shape, (tuple, list, np.ndarray)):
        shape = (shape,)
    if len(shape) > 8:
        raise LayoutError(f"layout: expected at most 8 axes, got {len(shape)}")
    return [None if n is None else _integer(n, "a size") for n in shape]


def _is_integers(entry: Any) -> bool:
    return isinstance(entry, (list, tuple, range)) and all(
        isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in entry
    )


def _is_lists(entry: Any) -> bool:
    return isinstance(entry, (list, tuple)) and len(entry) > 0 and all(
        isinstance(part, (list, tuple, range, np.ndarray)) for part in entry
    )


def _is_entry(entry: Any) -> bool:
    """Whether this says what one axis is like."""
    if isinstance(entry, str):
        return len(entry) == 1
    if isinstance(entry, (tuple, list)) and len(entry) > 0 and isinstance(entry[0], str):
        return len(entry) > 1 and (
            not isinstance(entry[1], str) or entry[1] in ("regular", "balanced")
        )
    return isinstance(entry, np.ndarray) or _is_integers(entry)


def _entries(layout: Any, rank: int) -> list[Any]:
    if layout is None:
        return ["b"] * rank
    if rank == 1 and (_is_entry(layout) or (_is_lists(layout) and len(layout) > 1)):
        return [layout]
    if isinstance(layout, str) or isinstance(layout, (tuple, list)):
        if len(layout) == rank:
            return list(layout)
        raise LayoutError(
            f"layout: expected one entry for each of the {rank} axes, got {len(layout)}: {layout!r}"
        )
    raise LayoutError(f"layout: expected one entry for each of the {rank} axes, got {layout!r}")


def _axis(entry: Any, d: int) -> _Axis:
    if isinstance(entry, str):
        return _axis_of_letter(entry, (), d)
    if isinstance(entry, np.ndarray):
        return _Axis("u", own_list=_index_list(entry, d))
    if isinstance(entry, (tuple, list)) and len(entry) > 0 and isinstance(entry[0], str):
        return _axis_of_letter(entry[0], tuple(entry[1:]), d)
    if _is_integers(entry):
        return _axis_of_letter("b", (entry,), d)
    if _is_lists(entry):
        return _axis_of_letter("u", (entry,), d)
    raise LayoutError(
        f"layout: axis {d}: expected 'b', 'n', 'c', ('c', block size), block bounds or index "
        f"arrays, got {entry!r}"
    )


def _axis_of_letter(letter: str, rest: tuple, d: int) -> _Axis:
    if letter == "b":
        if rest == () or rest == ("balanced",):
            return _Axis("b")
        if rest == ("regular",):
            return _Axis("b", regular=True)
        if len(rest) == 1 and (_is_integers(rest[0]) or isinstance(rest[0], np.ndarray)):
            bounds = [_integer(b, "a block bound") for b in rest[0]]
            return _Axis("b", bounds=bounds, fixed=len(bounds) - 1)
    elif letter == "n" and rest == ():
        return _Axis("n", fixed=1)
    elif letter == "c" and len(rest) <= 1:
        return _Axis("c", block_size=_integer(rest[0], "the block size") if rest else 1)
    elif letter == "u" and 1 <= len(rest) <= 2:
        one_to_one = bool(rest[1]) if len(rest) == 2 else False
        if isinstance(rest[0], np.ndarray):
            return _Axis("u", own_list=_index_list(rest[0], d), one_to_one=one_to_one)
        if _is_lists(rest[0]):
            lists = [_index_list(part, d) for part in rest[0]]
            return _Axis("u", lists=lists, fixed=len(lists), one_to_one=one_to_one)
    raise LayoutError(f"layout: axis {d}: {(letter, *rest)!r} is no layout of an axis")


def _index_list(given: Any, d: int) -> np.ndarray:
    array = np.asarray(given)
    if array.size == 0 and not isinstance(given, np.ndarray):
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise LayoutError(
            f"layout: axis {d}: expected one-dimensional arrays of integer indices, got "
            f"{array.ndim} dimensions of {array.dtype}"
        )
    return array.astype(np.int64)


def _pair(value: Any, what: str) -> tuple[int, int]:
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise LayoutError(f"layout: expected {what} to be (low, high), got {value!r}")
        return _integer(value[0], what), _integer(value[1], what)
    width = _integer(value, what)
    return width, width


def _widths(value: Any, rank: int, what: str) -> list[tuple[int, int]]:
    if not isinstance(value, (tuple, list)):
        return [_pair(value, what)] * rank
    if rank == 1 and len(value) == 2:
        return [_pair(value, what)]
    if len(value) != rank:
        raise LayoutError(
            f"layout: expected {what} of {rank} axes (a width or (low, high) each), got {value!r}"
        )
    return [_pair(v, what) for v in value]


def _flags(value: Any, rank: int) -> list[bool]:
    flags = [value] * rank if not isinstance(value, (tuple, list)) else list(value)
    if len(flags) != rank or not all(isinstance(f, (bool, np.bool_)) for f in flags):
        raise LayoutError(f"layout: expected periodic to be True or False for each of {rank} axes, "
                          f"got {value!r}")  # fmt: skip
    return [bool(f) for f in flags]


def _said_for_axis(value: Any, rank: int) -> bool:
    """Whether a value is given axis by axis, rather than for all that can have it."""
    return isinstance(value, (tuple, list)) or rank == 1


def _name(axis: _Axis) -> str:
    return {"b": "block", "n": "block", "c": "cyclic", "u": "unstructured"}[axis.kind]


def _check_size(axis: _Axis, d: int) -> None:
    if axis.bounds is not None and axis.bounds:
        if axis.size is None:
            axis.size = axis.bounds[-1]
        if axis.size != axis.bounds[-1]:
            raise LayoutError(f"layout: axis {d}: the shape says {axis.size} elements, the block "
                              f"bounds end at {axis.bounds[-1]}")  # fmt: skip
    if axis.size is None and axis.kind != "u":
        raise LayoutError(f"layout: axis {d}: expected a size, got None")


def _grid(axes: list[_Axis], processes: int, grid: Any) -> list[int]:
    """Processes along each axis: as given, else as near to a square as what is fixed allows."""
    given: list[int | None] = [axis.fixed for axis in axes]
    if grid is not None:
        if not isinstance(grid, Sequence) or len(grid) != len(axes):
            raise LayoutError(f"layout: expected a grid of {len(axes)} process counts, got {grid!r}")
        for d, count in enumerate(grid):
            if count is None or count == 0:
                continue
            count = _integer(count, "a process count")
            if given[d] is not None and given[d] != count:
                raise LayoutError(f"layout: axis {d} is laid out over {given[d]} processes, the "
                                  f"grid says {count}")  # fmt: skip
            given[d] = count
    taken = math.prod(count for count in given if count is not None)
    free = [d for d, count in enumerate(given) if count is None]
    if taken < 1 or processes % taken or (not free and taken != processes):
        raise LayoutError(
            f"layout: expected a grid of {processes} process{'es' if processes > 1 else ''}, got "
            f"{tuple('any' if count is None else count for count in given)}"
        )
    result = [1 if count is None else count for count in given]
    rest = processes // taken
    for prime in reversed(_prime_factors(rest)):
        smallest = min(free, key=lambda d: (result[d], d))
        result[smallest] *= prime
    # As MPI_Dims_create: more processes along the slower axes.
    counts = sorted((result[d] for d in free), reverse=True)
    for d, count in zip(free, counts):
        result[d] = count
    return result


def _prime_factors(number: int) -> list[int]:
    factors, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors + [number] if number > 1 else factors


def _lists_of_axis(own: np.ndarray, d: int, extents: list[int], gather: Gather | None) -> list[np.ndarray]:
    """The lists along axis d: those of the processes whose other coordinates are 0."""
    lists = gather(own) if gather else [own]
    stride = math.prod(extents[d + 1 :])
    for process, given in enumerate(lists):
        expected = lists[process // stride % extents[d] * stride]
        if not np.array_equal(given, expected):
            raise LayoutError(f"layout: axis {d}: the indices of process {process} differ from "
                              "those of another process of the same grid coordinate")  # fmt: skip
    return [lists[r * stride] for r in range(extents[d])]


def _spec(axis: _Axis, d: int) -> _distview.AxisSpec:
    if axis.kind == "u":
        assert axis.lists is not None
        lists = [part.tolist() for part in axis.lists]
        distinct = len({i for part in lists for i in part})
        if axis.size is not None and axis.size != distinct:
            raise LayoutError(f"layout: axis {d}: the shape says {axis.size} elements, the lists "
                              f"have {distinct} distinct indices")  # fmt: skip
        return _distview.unstructured(lists, axis.one_to_one)
    assert axis.size is not None
    if axis.kind == "c":
        return _distview.block_cyclic(axis.size, axis.block_size)
    if axis.bounds is not None:
        return _distview.block_bounds(axis.bounds, axis.padding, axis.boundary, axis.periodic)
    return _distview.block(axis.size, axis.regular, axis.padding, axis.boundary, axis.periodic)
