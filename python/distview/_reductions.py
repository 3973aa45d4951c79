# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, extremes, norms and scalar products over the cells of all processes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _exact
from ._comm import agreed, of_array
from ._errors import ShapeError, UsageError, short
from ._section import Section


def total(view: Section, caller: str, cells: str, reproducible: bool) -> Any:
    """See DistView.sum()."""

    def mine() -> Any:
        part = _numbers(view, caller, cells)
        if reproducible and part.dtype.kind in "fc":
            return _exact.sums(part)
        return part.sum(dtype=_accumulator(part.dtype))

    def alike(_: Any) -> dict[str, Any]:
        return view._alike(cells=cells, reproducible=bool(reproducible))

    return _added_up(view, agreed(view._communicator, caller, mine, alike))


def dot(view: Section, other: Section, cells: str, reproducible: bool) -> Any:
    """See DistView.dot()."""

    def mine() -> Any:
        for array in (view, other):
            if not isinstance(array, Section):
                raise UsageError(f"dot: expected a DistView, got {type(array).__name__}")
        first = _numbers(view, "dot", cells)
        if other._attached_layout("dot") != view.layout:
            raise ShapeError("dot: expected two arrays of the same layout")
        if other.process != view.process:
            raise UsageError(
                "dot: expected two arrays whose communicators order the ranks alike, got an array on which this rank is "
                f"process {view.process} and one on which it is process {other.process}"
            )
        second = _numbers(other, "dot", cells)
        wide = _accumulator(np.result_type(first.dtype, second.dtype))
        if reproducible and wide.kind in "fc":
            return _exact.products(first, second)
        return (np.conj(first).astype(wide) * second.astype(wide)).sum(dtype=wide)

    def both(_: Any) -> dict[str, Any]:
        second = {f"{name} of the second array": value for name, value in other._alike().items()}
        return {**view._alike(cells=cells, reproducible=bool(reproducible)), **second}

    value = agreed(of_array(view, other), "dot", mine, both)
    return _added_up(view, value)


def norm(view: Section, order: Any, cells: str, reproducible: bool) -> float:
    """See DistView.norm()."""

    def mine() -> Any:
        if order not in (1, 2, math.inf):
            raise UsageError(f"norm: expected order 1, 2 or inf, got {short(order)}")
        part = _numbers(view, "norm", cells)
        if reproducible and order != math.inf:
            return _exact.squares(part) if order == 2 else _exact.sums(_magnitudes(part))
        # Contiguous, so that nothing is allocated after the agreement: a failure there would be one rank's error alone.
        return _magnitudes(part).ravel("K")

    def alike(_: Any) -> dict[str, Any]:
        return view._alike(order=float(order), cells=cells, reproducible=bool(reproducible))

    sizes = agreed(view._communicator, "norm", mine, alike)
    if isinstance(sizes, list):
        (found,) = _exact.of_all_ranks(view._communicator, sizes)
        return found.rounded_root() if order == 2 else found.rounded()
    if order == 1:
        # A sum may overflow on one rank only. Whatever np.seterr() says, it must not raise: other ranks would wait.
        with np.errstate(over="ignore"):
            return _combined(view, "sum", [float(sizes.sum())])[0]
    if order == math.inf:
        return _extreme_of_all(view, "max", float(sizes.max(initial=0.0)))
    return _euclidean(view, sizes)


def _euclidean(view: Section, sizes: np.ndarray) -> float:
    """The 2-norm, correct wherever it is representable. Overwrites ``sizes``. All branches depend on values that are
    the same on all ranks."""

    def sum_of_squares() -> float:
        with np.errstate(over="ignore", under="ignore"):
            return _combined(view, "sum", [float(sizes @ sizes)])[0]

    squares = sum_of_squares()
    limits = np.finfo(np.float64)
    # Below the lower limit, squares may have been rounded to the spacing of subnormal numbers.
    if float(limits.tiny / limits.eps) <= squares <= float(limits.max):
        return math.sqrt(squares)
    largest = _extreme_of_all(view, "max", float(sizes.max(initial=0.0)))
    if not largest > 0 or math.isinf(largest):
        return largest
    # A power of two rounds nothing. The limit of 1022 keeps it finite for subnormal numbers.
    factor = math.ldexp(1.0, min(1 - math.frexp(largest)[1], 1022))
    with np.errstate(under="ignore"):
        sizes *= factor
    return math.sqrt(sum_of_squares()) / factor


def extreme(view: Section, operation: str, cells: str) -> Any:
    """See DistView.min() and DistView.max()."""

    def mine() -> Any:
        part = _numbers(view, operation, cells)
        if part.dtype.kind == "c":
            raise ShapeError(f"{operation}: complex numbers have no order")
        if 0 in (view.shape if cells == "interior" else view.protocol_shape):
            raise UsageError(f"{operation}: the array has no {cells} cells")
        found = getattr(part, operation)() if part.size else None
        if part.dtype.kind == "f":
            worst = math.inf if operation == "min" else -math.inf
            return part.dtype, worst if found is None else float(found)
        worst_integer = 2**63 - 1 if operation == "min" else -(2**63)
        return part.dtype, worst_integer if found is None else int(found) - _shift(part.dtype)

    dtype, value = agreed(view._communicator, operation, mine, lambda _: view._alike(cells=cells))
    if dtype.kind == "f":
        return _extreme_of_all(view, operation, value)
    result = _combined(view, operation, [value])[0] + _shift(dtype)
    return bool(result) if dtype.kind == "b" else result


def _numbers(view: Section, caller: str, cells: str) -> np.ndarray:
    part = view._host_part(caller, cells)
    if part.dtype.kind not in "biufc":
        raise ShapeError(f"{caller}: elements of type {part.dtype} are not numbers")
    return part


def _accumulator(dtype: np.dtype) -> np.dtype:
    """The type in which elements are added: 64 bits also for half and long double."""
    wide = {"c": np.complex128, "f": np.float64, "u": np.uint64}
    return np.dtype(wide.get(dtype.kind, np.int64))


def _magnitudes(part: np.ndarray) -> np.ndarray:
    """Absolute values in float64: in its own type the least integer has none."""
    return np.abs(part.astype(np.complex128 if part.dtype.kind == "c" else np.float64))


def _shift(dtype: np.dtype) -> int:
    """The number to subtract so that integers fit signed 64 bits in the same order."""
    return 2**63 if dtype.kind == "u" and dtype.itemsize == 8 else 0


def _combined(view: Section, operation: str, values: list[Any]) -> list[Any]:
    comm = view._communicator
    if comm is None:
        return values
    if isinstance(values[0], int):
        return comm.all_reduce_int(operation, values)
    return comm.all_reduce_float(operation, values)


def _added_up(view: Section, value: Any) -> Any:
    """The sum over all ranks of a NumPy number, or of exact sums, whose type is the same on all ranks."""
    if isinstance(value, list):
        parts = [found.rounded() for found in _exact.of_all_ranks(view._communicator, value)]
        return complex(*parts) if len(parts) == 2 else parts[0]
    if value.dtype.kind == "c":
        return complex(*_combined(view, "sum", [float(value.real), float(value.imag)]))
    if value.dtype.kind == "f":
        return _combined(view, "sum", [float(value)])[0]
    # Modulo 2^64, as in np.sum().
    whole = _combined(view, "sum", [(int(value) + 2**63) % 2**64 - 2**63])[0]
    return whole % 2**64 if value.dtype.kind == "u" else whole


def _extreme_of_all(view: Section, operation: str, value: float) -> float:
    """The least or greatest number over all ranks, NaN if any is NaN. MPI does not define its reductions for NaN, so
    a second number carries it."""
    is_worst = math.isnan(value)
    sign = -1.0 if operation == "min" else 1.0
    numbers = [-sign * math.inf if is_worst else value, sign * is_worst]
    found, one_is = _combined(view, operation, numbers)
    return math.nan if one_is else found
