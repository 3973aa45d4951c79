# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts slices that users write between brackets to slices of arrays."""

from __future__ import annotations

import operator
from typing import Any

from ._errors import UsageError, short

Slices = list[tuple[int, int, int]]


def axis_slices(key: Any, shape: tuple[int, ...], caller: str) -> Slices:
    """(begin, count, step) along each axis of an array of this shape.

    key: a slice, an Ellipsis, or a tuple of them; omitted axes are taken whole.
    """
    return [
        _axis_slice(entry, n, d, caller)
        for d, (entry, n) in enumerate(zip(_entries(key, len(shape), caller), shape))
    ]


def slices_or_none(key: Any, shape: tuple[int, ...], caller: str) -> Slices:
    """axis_slices(), but (0, -1, 1) along omitted axes and axes with a plain ``:``."""
    given = axis_slices(key, shape, caller)
    entries = _entries(key, len(shape), caller)
    return [
        (0, -1, 1) if entry.start is entry.stop is entry.step is None else cells
        for entry, cells in zip(entries, given)
    ]


def _entries(key: Any, rank: int, caller: str) -> list[Any]:
    """The slice for each axis."""
    entries = list(key) if isinstance(key, tuple) else [key]
    dots = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    given = len(entries) - len(dots)
    if len(dots) > 1:
        raise UsageError(f"{caller}: expected at most one ..., got {len(dots)}")
    if given > rank:
        raise UsageError(f"{caller}: expected slices of at most {rank} axes, got {given}")
    rest = [slice(None)] * (rank - given)
    at = dots[0] if dots else len(entries)
    entries[at : at + len(dots)] = rest
    return entries


def _axis_slice(entry: Any, size: int, axis: int, caller: str) -> tuple[int, int, int]:
    if not isinstance(entry, slice):
        hint = ""
        if _is_integer(entry):
            cell = operator.index(entry)
            hint = f": an array keeps its axes and processes; slice({cell}, {cell + 1}) is one cell"
        raise UsageError(f"{caller}: axis {axis}: expected a slice, got {short(entry)}{hint}")
    try:
        cells = range(*entry.indices(size))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{caller}: axis {axis}: {short(entry)}: {error}") from None
    # Python's steps have any size. A step longer than the axis picks one cell: then only its direction counts.
    return (cells.start, len(cells), max(-size, min(cells.step, size))) if cells else (0, 0, 1)


def _is_integer(entry: Any) -> bool:
    try:
        operator.index(entry)
    except TypeError:
        return False
    return not isinstance(entry, bool)
