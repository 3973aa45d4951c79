# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ghosts: copies of elements that other processes own, next to own elements."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _distview
from ._arguments import integer_array
from ._comm import agreed, collective, of_array, of_comm, required
from ._distview import GhostedLayout
from ._elements import alike
from ._errors import LayoutError, UsageError, short
from ._exchange import GhostExchange
from ._section import Section

if TYPE_CHECKING:
    from ._types import Comm


@collective("make_ghosted_layout", of_comm(0))
def make_ghosted_layout(
    comm: Comm,
    owned: Sequence[int] | npt.NDArray[np.integer[Any]],
    needed: Sequence[int] | npt.NDArray[np.integer[Any]],
    more_axes: int | Sequence[int] = (),
) -> GhostedLayout:
    """A layout in which this rank has the indices that it owns, and as ghosts the needed indices that it does not own.

        # row r of this rank has the columns columns[begin[r]:begin[r + 1]]: global indices
        x = distview.make_ghosted_layout(comm, my_rows, columns)
        u = distview.zeros(None, x.layout, comm)
        distview.GhostExchangePlan(comm, x).execute(u)
        products = values * u.view[x.positions]         # positions[k]: where needed[k] is

    Ghosts are in ascending order, each once. ``u.view`` includes them; ``u.owned``, sums, gathers and redistributions do
    not. Indices are any integers. more_axes: sizes of further axes, such as the components of a value.
    Raises LayoutError on all ranks if an index occurs twice in owned. Collective.
    """
    found = required(comm, "make_ghosted_layout")

    def read() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[int]]:
        return _list(owned, "owned"), _list(needed, "needed"), _extents(more_axes)

    return _distview.ghosted_layout(
        found, *agreed(found, "make_ghosted_layout", read, lambda made: {"more_axes": made[2]})
    )


class GhostExchangePlan:
    """A plan that fills the ghosts of arrays from their owners, or combines ghosts with the owners' elements.

        plan = distview.GhostExchangePlan(comm, ghosted)
        plan.execute(u)                 # ghosts = their owners' elements
        plan.combine(u)                 # owners' elements += all their ghosts

    ghosted: made by make_ghosted_layout(). Arrays have its layout and communicator, in memory that the host can access.
    Owned elements on the same node are read in place, others arrive in one message from each rank. Building and executing
    are collective over comm, in the same order on all ranks. Raises UsageError on all ranks if a ghost has no owner, or
    an index has several.
    """

    @collective("GhostExchangePlan", of_comm(1))
    def __init__(self, comm: Comm, ghosted: GhostedLayout) -> None:
        found = required(comm, "GhostExchangePlan")

        def check() -> None:
            if not isinstance(ghosted, GhostedLayout):
                raise UsageError(f"GhostExchangePlan: expected a GhostedLayout, got {type(ghosted).__name__}")
            _distview.require_kokkos("GhostExchangePlan", found)

        agreed(found, "GhostExchangePlan", check)
        self._communicator = found
        self._plan = _distview.Ghosts(found, ghosted)

    def describe(self) -> str:
        """Numbers of elements by rank, and their transport, as text. Local."""
        return self._plan.describe()

    @collective("GhostExchangePlan.execute", of_array)
    def execute(self, array: Section[Any]) -> None:
        """Fills the array's ghosts with their owners' elements. Collective.

        Raises ShapeError on all ranks if the array has another layout, is read-only or has Python objects.
        """
        self._agree(array, "GhostExchangePlan.execute")
        self._plan.execute(array)

    @collective("GhostExchangePlan.start", of_array)
    def start(self, array: Section[Any]) -> GhostExchange:
        """Begins execute() and returns a GhostExchange whose finish() ends it. Compute in between:

            with plan.start(u):
                compute(...)            # neither writes u's owned elements, nor accesses its ghosts

        A plan has one exchange in flight at a time. Collective, in the same order on all ranks.
        """
        self._agree(array, "GhostExchangePlan.start")
        return GhostExchange(self._plan.start(array))

    @collective("GhostExchangePlan.combine", of_array)
    def combine(self, array: Section[Any], operation: str = "sum") -> None:
        """Combines each owner's element with all its ghosts, by ascending rank; ghosts keep their values.

        operation: "sum", "min" or "max". Set ghosts to 0 before values are collected in them again. Needs 32- or 64-bit
        integers, float32, float64 or complex numbers. Collective.
        """

        def read() -> _distview.Combination:
            self._check(array, "GhostExchangePlan.combine")
            return _distview.Combination(array, operation, "GhostExchangePlan.combine")

        combination = agreed(
            self._communicator, "GhostExchangePlan.combine", read, lambda _: alike(array, operation=operation)
        )
        self._plan.combine(combination, array)

    def _agree(self, array: Any, caller: str) -> None:
        agreed(self._communicator, caller, lambda: self._check(array, caller), lambda _: alike(array))

    def _check(self, array: Any, caller: str) -> None:
        if not isinstance(array, Section):
            raise UsageError(f"{caller}: expected a DistView, got {type(array).__name__}")
        self._plan.check(array, caller)
        _distview.require_kokkos(caller, self._communicator)


def _list(given: Any, name: str) -> npt.NDArray[np.int64]:
    array = integer_array(given)
    if array is None or array.ndim != 1:
        raise UsageError(f"make_ghosted_layout: expected {name} to be a list of indices, got {short(given)}")
    return array


def _extents(given: Any) -> list[int]:
    try:
        extents = [operator.index(n) for n in (given if np.iterable(given) else [given])]
    except TypeError:
        extents = [-1]
    if any(not 0 <= n < 2**63 for n in extents) or len(extents) > 7:
        raise LayoutError(f"make_ghosted_layout: expected more_axes to be at most 7 sizes, got {short(given)}")
    return extents
