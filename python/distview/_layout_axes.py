# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts a user's description of one axis (see distview.zeros) to an Axis."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import LayoutError, short


@dataclass
class Axis:
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
    fixed: int | None = None  # number of processes, if the description determines it


def integer(value: Any, what: str) -> int:
    """An integer that fits C++; LayoutError, naming ``what``, for anything else."""
    if isinstance(value, (bool, np.bool_)):
        raise LayoutError(f"layout: expected {what} to be an integer, got {short(value)}")
    try:
        number = operator.index(value)
    except TypeError:
        raise LayoutError(f"layout: expected {what} to be an integer, got {short(value)}") from None
    if not -(2**63) <= number < 2**63:
        raise LayoutError(f"layout: expected {what} to fit 64 bits, got {short(value)}")
    return number


def real(value: Any) -> float:
    """float(value) of a real number; TypeError for strings and NumPy's complex numbers. float() would accept both, and
    drop the imaginary part."""
    if isinstance(value, (str, bytes, bytearray)) or np.iscomplexobj(value):
        raise TypeError(f"expected a real number, got {short(value)}")
    return float(value)


def _is_integers(entry: Any) -> bool:
    return isinstance(entry, (list, tuple, range)) and all(
        isinstance(i, (int, np.integer)) and not isinstance(i, bool) for i in entry
    )


def is_lists(entry: Any) -> bool:
    """Whether this is a list of index lists, one per process of an axis."""
    return isinstance(entry, (list, tuple)) and len(entry) > 0 and all(
        isinstance(part, (list, tuple, range, np.ndarray)) for part in entry
    )


def is_entry(entry: Any) -> bool:
    """Whether this describes one axis."""
    if isinstance(entry, str):
        return len(entry) == 1
    if isinstance(entry, (tuple, list)) and len(entry) > 0 and isinstance(entry[0], str):
        return len(entry) > 1 and not (isinstance(entry[1], str) and len(entry[1]) == 1)
    return isinstance(entry, np.ndarray) or _is_integers(entry)


def axis_of(entry: Any, d: int) -> Axis:
    """Axis d as an entry of a layout describes it."""
    if isinstance(entry, str):
        return _axis_of_letter(entry, (), d)
    if isinstance(entry, np.ndarray):
        return Axis("u", own_list=_index_list(entry, d))
    if isinstance(entry, (tuple, list)) and len(entry) > 0 and isinstance(entry[0], str):
        return _axis_of_letter(entry[0], tuple(entry[1:]), d)
    if _is_integers(entry):
        return _axis_of_letter("b", (entry,), d)
    if is_lists(entry):
        return _axis_of_letter("u", (entry,), d)
    raise LayoutError(
        f"layout: axis {d}: expected 'b', 'n', 'c', ('c', block size), block bounds or index "
        f"arrays, got {short(entry)}"
    )


def _axis_of_letter(letter: str, rest: tuple, d: int) -> Axis:
    if letter == "b":
        if len(rest) == 0:
            return Axis("b")
        if len(rest) == 1 and isinstance(rest[0], str) and rest[0] in ("balanced", "regular"):
            return Axis("b", regular=rest[0] == "regular")
        if len(rest) == 1 and isinstance(rest[0], (list, tuple, range, np.ndarray)):
            bounds = [integer(b, "a block bound") for b in _as_list(rest[0])]
            if len(bounds) < 2:
                raise LayoutError(f"layout: axis {d}: expected at least 2 block bounds, got {bounds}")
            return Axis("b", bounds=bounds, fixed=len(bounds) - 1)
    elif letter == "n" and rest == ():
        return Axis("n", fixed=1)
    elif letter == "c" and len(rest) <= 1:
        return Axis("c", block_size=integer(rest[0], "the block size") if rest else 1)
    elif letter == "u" and 1 <= len(rest) <= 2:
        one_to_one = rest[1] if len(rest) == 2 else False
        if not isinstance(one_to_one, (bool, np.bool_)):
            raise LayoutError(f"layout: axis {d}: expected one_to_one to be True or False, got "
                              f"{short(one_to_one)}")  # fmt: skip
        one_to_one = bool(one_to_one)
        if isinstance(rest[0], np.ndarray):
            return Axis("u", own_list=_index_list(rest[0], d), one_to_one=one_to_one)
        if is_lists(rest[0]):
            lists = [_index_list(part, d) for part in rest[0]]
            return Axis("u", lists=lists, fixed=len(lists), one_to_one=one_to_one)
    raise LayoutError(f"layout: axis {d}: {short((letter, *rest) if rest else letter)} is not a layout of an axis, expected "
                      "'b', 'n', 'c', ('c', block size), block bounds or index arrays")  # fmt: skip


def _as_list(value: Any) -> list[Any]:
    return list(np.atleast_1d(value)) if isinstance(value, np.ndarray) else list(value)


def _index_list(given: Any, d: int) -> np.ndarray:
    try:
        array = np.asarray(given)
    except ValueError:  # lists of lists of different lengths
        array = np.asarray(given, object)
    if array.size == 0 and not isinstance(given, np.ndarray):
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise LayoutError(
            f"layout: axis {d}: expected one-dimensional arrays of integer indices that fit 64 "
            f"bits, got {array.ndim} dimensions of {array.dtype}"
        )
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise LayoutError(f"layout: axis {d}: expected indices below 2^63, got {array.max()}")
    return array.astype(np.int64)
