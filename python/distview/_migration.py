# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves elements of lists to the ranks that the program names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _distview
from ._arguments import integer_array
from ._comm import agreed, collective, communicator, required
from ._errors import ShapeError, UsageError, short

if TYPE_CHECKING:
    from ._types import Comm

_MOST = 16


def _of_plan(self: MigrationPlan, *_args: Any, **_kwargs: Any) -> _distview.Communicator | None:
    return self._communicator


def _of_comm(_self: Any, *args: Any, **kwargs: Any) -> _distview.Communicator | None:
    given = kwargs.get("comm")
    return communicator(args[0] if given is None and args else given)


class MigrationPlan:
    """A plan that moves each element of a list to the rank named for it: particles, for example.

        plan = distview.MigrationPlan(comm, targets)    # element k goes to rank targets[k]
        x2, v2 = plan.moved(x, v)                       # NumPy arrays, of any types

    The first axis of an array counts elements: x of shape (n, 3) has three numbers per element. Records are allowed, too.
    Elements arrive by ascending source rank, in the order that they had there; a rank's own elements take its place in
    that order. All arrays of a call travel together.

    Building and executing are collective over comm, in the same order and with the same element types on all ranks.
    Raises UsageError on all ranks if a target is not a rank.
    """

    @collective("MigrationPlan", _of_comm)
    def __init__(self, comm: Comm, targets: Sequence[int] | npt.NDArray[np.integer[Any]]) -> None:
        found = required(comm, "MigrationPlan")
        self._communicator = found

        def read() -> npt.NDArray[np.intc]:
            ranks = _targets(targets, found)
            _distview.require_kokkos("MigrationPlan", found)
            return ranks

        self._plan = _distview.Migration(found, agreed(found, "MigrationPlan", read))

    @property
    def source_size(self) -> int:
        """Number of elements on this rank before the move."""
        return self._plan.source_size

    @property
    def size(self) -> int:
        """Number of elements on this rank after the move, including elements that stay."""
        return self._plan.size

    @property
    def kept(self) -> int:
        """Number of elements that stay on this rank."""
        return self._plan.kept

    def describe(self) -> str:
        """Numbers of elements and transports of this process, as text. Local."""
        return self._plan.describe()

    @collective("MigrationPlan.moved", _of_plan)
    def moved(self, *arrays: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
        """Moves the elements into new arrays, one for each of the arrays.

        Raises ShapeError if an array has another number of elements than targets, or Python objects. Collective.
        """

        def make() -> tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]:
            sources = self._sources(arrays, "MigrationPlan.moved")
            _distview.require_kokkos("MigrationPlan.moved", self._communicator)
            return sources, [np.empty((self.size, *array.shape[1:]), array.dtype) for array in sources]

        sources, targets = agreed(self._communicator, "MigrationPlan.moved", make, _types)
        self._move(sources, targets)
        return tuple(targets)

    @collective("MigrationPlan.execute", _of_plan)
    def execute(self, sources: Sequence[npt.NDArray[Any]], targets: Sequence[npt.NDArray[Any]]) -> None:
        """Moves the elements into existing arrays, which must be contiguous and have the sources' types.

        Raises the errors of moved(), and UsageError if a target shares memory with another target or a contiguous
        source. Sources that are not contiguous are copied first. Collective.
        """

        def check() -> tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]:
            given = self._sources(sources, "MigrationPlan.execute")
            if len(targets) != len(given):
                raise ShapeError(f"MigrationPlan.execute: expected {len(given)} targets, got {len(targets)}")
            for i, (source, target) in enumerate(zip(given, targets)):
                expected = (self.size, *source.shape[1:])
                if not isinstance(target, np.ndarray) or target.dtype != source.dtype or target.shape != expected:
                    raise ShapeError(
                        f"MigrationPlan.execute: expected target {i} to be an array of {source.dtype} of shape "
                        f"{expected}, got {_kind(target)}"
                    )
                if not (target.flags.c_contiguous and target.flags.writeable):
                    raise ShapeError(
                        f"MigrationPlan.execute: expected target {i} to be contiguous and writable, got one that is not"
                    )
                # Sources that are not contiguous are represented by their copies.
                others = [*given, *targets[:i]]
                if any(np.may_share_memory(target, other) for other in others):
                    raise UsageError(f"MigrationPlan.execute: target {i} shares memory with another array")
            _distview.require_kokkos("MigrationPlan.execute", self._communicator)
            return given, list(targets)

        self._move(*agreed(self._communicator, "MigrationPlan.execute", check, _types))

    def _sources(self, arrays: Sequence[Any], caller: str) -> list[npt.NDArray[Any]]:
        if not 1 <= len(arrays) <= _MOST:
            raise UsageError(f"{caller}: expected from 1 to {_MOST} arrays, got {len(arrays)}")
        for i, array in enumerate(arrays):
            if not isinstance(array, np.ndarray) or array.ndim == 0 or len(array) != self.source_size:
                raise ShapeError(
                    f"{caller}: expected array {i} to have {self.source_size} elements along its first axis, got "
                    f"{_kind(array)}"
                )
            if array.dtype.hasobject or array.dtype.itemsize * math.prod(array.shape[1:]) == 0:
                raise ShapeError(f"{caller}: array {i}: expected elements of at least 1 byte, got {array.dtype} of {array.shape}")
        return [np.ascontiguousarray(array) for array in arrays]

    def _move(self, sources: list[npt.NDArray[Any]], targets: list[npt.NDArray[Any]]) -> None:
        sizes = [array.dtype.itemsize * math.prod(array.shape[1:]) for array in sources]
        from_bytes = [array.reshape(-1).view(np.uint8) for array in sources]
        to_bytes = [array.reshape(-1).view(np.uint8) for array in targets]
        self._plan.execute(from_bytes, to_bytes, sizes)


def _targets(given: Any, comm: _distview.Communicator) -> npt.NDArray[np.intc]:
    array = integer_array(given)
    if array is None or array.ndim != 1:
        raise UsageError(f"MigrationPlan: expected targets to be ranks, one for each element, got {short(given)}")
    wrong = np.flatnonzero((array < 0) | (array >= comm.size))
    if wrong.size:
        raise UsageError(
            f"MigrationPlan: expected targets in [0, {comm.size}), got {array[wrong[0]]} for element {wrong[0]} of rank "
            f"{comm.rank}"
        )
    return np.ascontiguousarray(array, np.intc)


def _types(arrays: tuple[list[npt.NDArray[Any]], list[npt.NDArray[Any]]]) -> dict[str, Any]:
    return {f"array {i}": f"{array.dtype} of {array.shape[1:]}" for i, array in enumerate(arrays[0])}


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return type(value).__name__
