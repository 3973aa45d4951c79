# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a user's description of a layout (see distview.zeros) to a Layout."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._distview import Layout
from ._errors import LayoutError, UsageError, named, short
from ._layout_axes import Axis, axis_of, integer, is_entry, is_lists

if TYPE_CHECKING:
    from ._types import Description, Flags, Grid, Shape, Widths

Gather = Callable[[np.ndarray], list[np.ndarray]]


@named("make_layout")
def make_layout(
    shape: Shape,
    layout: Description = None,
    processes: int | None = None,
    *,
    padding: Widths = 0,
    boundary: Widths | None = None,
    periodic: Flags = False,
    grid: Grid = None,
) -> Layout:
    """A Layout without an array, for plans, for pictures and for arrays made later.

        whole = distview.make_layout((180, 360), "bb", 6, padding=1)
        distview.plot_layout(whole)

    processes: the number of processes. None: grid and layout determine it, with one process along all other axes.
    Other arguments as in zeros(), but an index array, which lists the indices of this process only, is refused if
    the layout has several processes. Raises LayoutError. Local (not collective).
    """
    if isinstance(layout, Layout):
        check_layout(layout, shape, padding, boundary, periodic, grid)
        if processes is not None and integer(processes, "processes") != layout.process_count:
            raise LayoutError(
                f"layout: the Layout has {layout.process_count} processes, got processes={short(processes)} as well"
            )
        return layout
    axes = build_axes(shape, layout, padding, boundary, periodic)
    count = None if processes is None else integer(processes, "processes")
    for d, axis in enumerate(axes):
        if axis.own_list is not None and math.prod(_grid(axes, count, grid)) > 1:
            raise LayoutError(
                f"layout: axis {d}: expected ('u', lists) with the indices of all processes, got an array "
                "of the indices of one"
            )
    return finish_layout(axes, count, grid, None)


def build_axes(
    shape: Any, layout: Any, padding: Any, boundary: Any, periodic: Any
) -> list[Axis]:
    """The axes that a description asks for. Local."""
    sizes = _sizes(shape)
    try:
        entries = _entries(layout, len(sizes))
    except LayoutError:
        if shape is None:
            raise _no_shape() from None
        raise
    axes = [axis_of(entry, d) for d, entry in enumerate(entries)]
    if shape is None and axes[0].kind != "u" and axes[0].bounds is None:
        raise _no_shape()
    paddings = _widths(padding, len(axes), "padding")
    boundaries = paddings if boundary is None else _widths(boundary, len(axes), "boundary")
    periodics = _flags(periodic, len(axes))
    # A single value applies to the block axes: at least one axis must be a block axis then.
    blocks = any(axis.kind in "bn" for axis in axes)
    for d, axis in enumerate(axes):
        axis.size = sizes[d]
        if axis.kind in "bn":
            axis.padding, axis.boundary, axis.periodic = paddings[d], boundaries[d], periodics[d]
        elif any(paddings[d]) and (isinstance(padding, (tuple, list)) or not blocks):
            raise LayoutError(f"layout: axis {d} is {_name(axis)} and cannot have padding")
        elif any(boundaries[d]) and (isinstance(boundary, (tuple, list)) or not blocks):
            raise LayoutError(f"layout: axis {d} is {_name(axis)} and cannot have boundary padding")
        elif periodics[d] and (isinstance(periodic, (tuple, list)) or not blocks):
            raise LayoutError(f"layout: axis {d} is {_name(axis)} and cannot be periodic")
        _check_size(axis, d)
    return axes


def _no_shape() -> LayoutError:
    return LayoutError(
        "layout: expected shape to be the sizes of the axes, got None, which needs a Layout or one axis with "
        "block bounds or index lists"
    )


def check_layout(
    layout: Layout, shape: Any, padding: Any, boundary: Any, periodic: Any, grid: Any
) -> None:
    """Refuses arguments that contradict a Layout passed in place of a description. Local."""
    given = (("padding", padding, 0), ("boundary", boundary, None), ("periodic", periodic, False),
             ("grid", grid, None))  # fmt: skip
    for name, value, default in given:
        if type(value) is not type(default) or value != default:
            raise LayoutError(f"layout: a Layout has its own {name}, got {name}={short(value)} as well")
    if shape is not None and tuple(_sizes(shape)) != layout.shape:
        raise LayoutError(f"layout: the shape is {short(shape)}, but the Layout has {layout.shape}")


def finish_layout(
    axes: list[Axis], processes: int | None, grid: Any, gather: Gather | None
) -> Layout:
    """The Layout of the axes. gather: collects the index lists of all processes for an axis given by an index array."""
    extents = _grid(axes, processes, grid)
    specs = []
    for d, axis in enumerate(axes):
        if axis.own_list is not None:
            axis.lists = _lists_of_axis(axis.own_list, d, extents, gather)
        specs.append(_spec(axis, d))
    return Layout(extents, specs)


def axis_specs(axes: list[Axis]) -> list[dict[str, Any]]:
    """The axes as arguments of the compiled part, before the grid is known."""
    return [_spec(axis, d) for d, axis in enumerate(axes)]


def _sizes(shape: Any) -> list[int | None]:
    if isinstance(shape, np.ndarray) and shape.ndim > 0:
        shape = list(shape)
    if not isinstance(shape, (tuple, list, range)):
        shape = (shape,)
    if len(shape) > 8:
        raise LayoutError(f"layout: expected at most 8 axes, got {len(shape)}")
    return [None if n is None else integer(n, "a size") for n in shape]


def _entries(layout: Any, rank: int) -> list[Any]:
    if layout is None:
        return ["b"] * rank
    if rank == 1 and (is_entry(layout) or (is_lists(layout) and len(layout) > 1)):
        return [layout]
    if isinstance(layout, (str, tuple, list)) and len(layout) == rank:
        return list(layout)
    raise LayoutError(f"layout: expected a layout with one entry for {_axes(rank)}, got {short(layout)}")


def _pair(value: Any, what: str) -> tuple[int, int]:
    if isinstance(value, (tuple, list)):
        if len(value) != 2:
            raise LayoutError(f"layout: expected {what} to be (low, high), got {short(value)}")
        return integer(value[0], what), integer(value[1], what)
    width = integer(value, what)
    return width, width


def _widths(value: Any, rank: int, what: str) -> list[tuple[int, int]]:
    if not isinstance(value, (tuple, list)):
        return [_pair(value, what)] * rank
    if rank == 1 and len(value) == 2:
        return [_pair(value, what)]
    if len(value) != rank:
        raise LayoutError(
            f"layout: expected {what} of {_axes(rank)} (a width or (low, high) each), got {short(value)}"
        )
    return [_pair(v, what) for v in value]


def padding_depths(value: Any, rank: int, caller: str) -> list[tuple[int, int]]:
    """Reads depths in the format in which zeros() accepts widths of padding."""
    try:
        depths = _widths(value, rank, "depth")
    except LayoutError:
        depths = [(-1, -1)]
    if any(depth < 0 for pair in depths for depth in pair):
        raise UsageError(
            f"{caller}: expected depth to be a width, or one or (low, high) for {_axes(rank)}, none of them negative, "
            f"got {short(value)}"
        )
    return depths


def _flags(value: Any, rank: int) -> list[bool]:
    flags = [value] * rank if not isinstance(value, (tuple, list)) else list(value)
    if len(flags) != rank or not all(isinstance(f, (bool, np.bool_)) for f in flags):
        raise LayoutError(f"layout: expected periodic to be True or False for {_axes(rank)}, got "
                          f"{short(value)}")  # fmt: skip
    return [bool(f) for f in flags]


def _axes(rank: int) -> str:
    return "the one axis" if rank == 1 else f"each of the {rank} axes"


def _name(axis: Axis) -> str:
    return {"b": "block", "n": "block", "c": "cyclic", "u": "unstructured"}[axis.kind]


def _check_size(axis: Axis, d: int) -> None:
    if axis.bounds is not None:
        if axis.size is None:
            axis.size = axis.bounds[-1]
        if axis.size != axis.bounds[-1]:
            raise LayoutError(f"layout: axis {d}: the shape has {axis.size} elements, but the block "
                              f"bounds end at {axis.bounds[-1]}")  # fmt: skip
    if axis.size is None and axis.kind != "u":
        raise LayoutError(f"layout: axis {d}: expected a size, got None")


def _grid(axes: list[Axis], processes: int | None, grid: Any) -> list[int]:
    """Processes along each axis: as given, else as equal as the fixed numbers allow."""
    if processes is not None and not 1 <= processes < 2**31:
        raise LayoutError(f"layout: expected processes in [1, 2^31), got {processes}")
    given: list[int | None] = [axis.fixed for axis in axes]
    if grid is not None:
        if isinstance(grid, str) or not isinstance(grid, Sequence) or len(grid) != len(axes):
            raise LayoutError("layout: expected grid to have a process count for "
                              f"{_axes(len(axes))}, got {short(grid)}")  # fmt: skip
        for d, wanted in enumerate(grid):
            count = 0 if wanted is None else integer(wanted, "a process count")
            if count == 0:
                continue
            if count < 0:
                raise LayoutError(f"layout: expected process counts >= 0, got {short(grid)}")
            if given[d] is not None and given[d] != count:
                raise LayoutError(f"layout: axis {d} is laid out over {given[d]} processes, but the "
                                  f"grid has {count}")  # fmt: skip
            given[d] = count
    taken = math.prod(count for count in given if count is not None)
    if processes is None:
        return [1 if count is None else count for count in given]
    free = [d for d, count in enumerate(given) if count is None]
    if taken < 1 or processes % taken or (not free and taken != processes):
        whole = [d for d, axis in enumerate(axes) if axis.kind == "n"]
        undistributed = ""
        if whole and not free:
            undistributed = (
                f": axis {whole[0]} is" if len(whole) == 1 else f": axes {', '.join(map(str, whole))} are"
            ) + " not distributed ('n'); make one 'b', or use fewer processes (MPI.COMM_SELF: one)"
        raise LayoutError(
            f"layout: expected a grid of {processes} process{'es' if processes > 1 else ''}, got "
            f"{tuple('any' if count is None else count for count in given)}{undistributed}"
        )
    chosen = _near_equal(processes // taken, len(free), processes) or []
    for d, factor in zip(free, chosen):
        given[d] = factor
    return [count for count in given if count is not None]


def _near_equal(number: int, count: int, most: int) -> list[int] | None:
    """``number`` as ``count`` factors in descending order, none above ``most``; None if impossible.

    Minimises the largest factor, then the second largest, and so on.
    """
    if count <= 1:
        return [number][:count] if number <= (most if count else 1) else None
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    for first in sorted({*small, *(number // d for d in small)}):
        if first <= most and first**count >= number:
            rest = _near_equal(number // first, count - 1, first)
            if rest is not None:
                return [first, *rest]
    return None


def _lists_of_axis(own: np.ndarray, d: int, extents: list[int], gather: Gather | None) -> list[np.ndarray]:
    """The lists along axis d, from the processes whose other coordinates are 0."""
    lists = gather(own) if gather else [own]
    stride = math.prod(extents[d + 1 :])
    for process, given in enumerate(lists):
        expected = lists[process // stride % extents[d] * stride]
        if not np.array_equal(given, expected):
            raise LayoutError(f"layout: axis {d}: the indices of process {process} differ from "
                              "those of another process of the same grid coordinate")  # fmt: skip
    return [lists[r * stride] for r in range(extents[d])]


def _spec(axis: Axis, d: int) -> dict[str, Any]:
    """The axis as a dictionary, which the compiled part reads and pickles of layouts contain."""
    if axis.kind == "u":
        assert axis.lists is not None
        distinct = len(np.unique(np.concatenate(axis.lists)))
        if axis.size is not None and axis.size != distinct:
            raise LayoutError(f"layout: axis {d}: the shape has {axis.size} elements, but the lists "
                              f"have {distinct} distinct indices")  # fmt: skip
        return {
            "dist_type": "u", "lists": axis.lists, "one_to_one": axis.one_to_one, "periodic": False,
        }  # fmt: skip
    assert axis.size is not None
    if axis.kind == "c":
        return {
            "dist_type": "c", "size": axis.size, "block_size": axis.block_size, "periodic": False,
        }  # fmt: skip
    split: Any = "regular" if axis.regular else "balanced"
    return {
        "dist_type": "b",
        "size": axis.size,
        "bounds": split if axis.bounds is None else axis.bounds,
        "padding": axis.padding,
        "boundary": axis.boundary,
        "periodic": axis.periodic,
    }
