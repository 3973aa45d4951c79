# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads, writes and combines single elements of arrays, named by global indices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _distview
from ._arguments import integer_array
from ._comm import agreed, collective, communicator, of_array, of_comm
from ._distview import Layout
from ._errors import ShapeError, UsageError, short
from ._exchange import Gather
from ._section import Section
from ._slices import axis_slices

if TYPE_CHECKING:
    from ._types import Comm, Scalar


def _of_comm_or_array(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    """For collective(): the communicator of ``comm``, else that of the array."""
    return of_comm(3)(*args, **kwargs) or of_array(*args, **kwargs)


class GatherPlan:
    """A plan that brings elements of arrays to this rank, or combines this rank's values with them, wherever they are.

        plan = distview.GatherPlan(u, [7, 3, 3])        # each rank has its own list
        values = plan.gathered(u)                       # the elements 7, 3 and 3: a NumPy array
        plan.combine(values, u)                         # adds values[k] to element k of the list, at its owner

    array: a DistView, or a Layout with ``comm``; executions accept any array of that layout and communicator, in memory
    that the host can access. indices: global indices, as an array of integers of shape (n,) if the array has one axis,
    else (n, axes); or a box, as a slice or a tuple of slices (``np.s_[2:5, ::2]``), whose values have the shape of
    the box. A list may be empty and may name an element several times. Indices count the interior, from 0; boundary
    padding has indices below 0 and from shape[axis] on; on unstructured axes they are the listed indices, and
    boxes are refused. If several processes have an element, the lowest process's is used.

    Elements of other nodes' ranks arrive in one message from each rank; combine() and put() send the reverse. On the same
    node ranks read them from shared memory.
    The first execution with an array prepares it; later ones are faster. Building and executing are collective over
    the communicator, in the same order on all ranks. Raises UsageError on all ranks if an element has no owner.
    """

    @collective("GatherPlan", _of_comm_or_array)
    def __init__(self, array: Section | Layout, indices: Any, comm: Comm = None) -> None:
        found = of_array(array) if comm is None else communicator(comm)
        if found is None:
            raise UsageError(
                "GatherPlan: expected an array with a communicator, or comm to be an mpi4py communicator, got None"
            )

        def read() -> tuple[Layout, npt.NDArray[np.int64], list[tuple[int, int, int]]]:
            layout = array._attached_layout("GatherPlan") if isinstance(array, Section) else array
            if not isinstance(layout, Layout):
                raise UsageError(f"GatherPlan: expected a DistView or a Layout, got {type(layout).__name__}")
            if layout.process_count != found.size or layout.rank == 0:
                raise UsageError(
                    f"GatherPlan: expected a layout of at least one axis over {found.size} processes, got {layout!r}"
                )
            taken, box = _indices(indices, layout)
            _distview.require_kokkos("GatherPlan", found)
            return layout, taken, box

        layout, taken, box = agreed(found, "GatherPlan", read, lambda made: {"layout": made[0]})
        self._communicator = found
        self._layout = layout
        self._shape = tuple(count for _, count, _ in box) or (len(taken),)
        self._plan = _distview.Gather(found, layout, taken, box)

    @property
    def size(self) -> int:
        """Number of elements of this rank's list."""
        return self._plan.size

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of this rank's values: that of the box, or (size,)."""
        return self._shape

    @property
    def layout(self) -> Layout:
        """The layout of the arrays."""
        return self._layout

    def describe(self) -> str:
        """Numbers of elements by rank, and their transport, as text. Local."""
        return self._plan.describe()

    def __repr__(self) -> str:
        return f"<GatherPlan of {self.size} elements of {self._layout!r}>"

    @collective("GatherPlan.gathered", of_array, "GatherPlan")
    def gathered(self, array: Section[Scalar]) -> npt.NDArray[Scalar]:
        """The elements of this rank's list, in its order, in a new NumPy array.

        Raises ShapeError if the array has another layout, or Python objects. Collective.
        """

        def make() -> npt.NDArray[Scalar]:
            self._check(array, "GatherPlan.gathered")
            return np.empty(self._shape, array.dtype)

        values = agreed(self._communicator, "GatherPlan.gathered", make, lambda _: alike(array))
        self._plan.execute(array, _bytes(values))
        return values

    @collective("GatherPlan.execute", of_array, "GatherPlan")
    def execute(self, array: Section[Scalar], values: npt.NDArray[Scalar]) -> None:
        """gathered() into an existing NumPy array: contiguous, with the plan's shape and the array's element type.

        Raises the errors of gathered(), and UsageError if values share memory with the array. Collective.
        """
        self._agree_on_target(array, values, "GatherPlan.execute")
        self._plan.execute(array, _bytes(values))

    @collective("GatherPlan.start", of_array, "GatherPlan")
    def start(self, array: Section[Scalar], values: npt.NDArray[Scalar]) -> Gather:
        """Begins execute() and returns a Gather whose finish() ends it. Compute in between:

            with plan.start(u, values):
                compute(v)                      # neither writes u, nor reads or writes values

        A plan has one execution in flight at a time. Collective, in the same order on all ranks.
        """
        self._agree_on_target(array, values, "GatherPlan.start")
        return Gather(self._plan.start(array, _bytes(values)))

    @collective("GatherPlan.combine", of_array, "GatherPlan")
    def combine(self, values: npt.ArrayLike, array: Section[Any], operation: str = "sum") -> None:
        """Combines element k of this rank's list with values[k], for all values of all ranks.

        operation: "sum", "min" or "max". Every value counts, by ascending rank and in the order of each list, so
        that results have the same bits wherever the elements are. values: as NumPy broadcasts them to the plan's shape
        and the array's type. Needs 32- or 64-bit integers, float32, float64 or complex numbers.
        Raises ShapeError or UsageError on all ranks. Collective.
        """

        def read() -> tuple[npt.NDArray[Any], _distview.Combination]:
            sent = self._values(array, values, "GatherPlan.combine")
            return sent, _distview.Combination(array, operation, "GatherPlan.combine")

        sent, combination = agreed(
            self._communicator, "GatherPlan.combine", read, lambda _: alike(array, operation=operation)
        )
        self._plan.combine(combination, _bytes(sent), array)

    @collective("GatherPlan.put", of_array, "GatherPlan")
    def put(self, values: npt.ArrayLike, array: Section[Any]) -> None:
        """Writes values[k] to element k of this rank's list, for elements of any type.

        If an element gets several values, the one of the highest rank stays, the last one in its list. values: as
        in combine(). Collective.
        """
        sent = agreed(
            self._communicator,
            "GatherPlan.put",
            lambda: self._values(array, values, "GatherPlan.put"),
            lambda _: alike(array),
        )
        self._plan.put(_bytes(sent), array)

    def _check(self, array: Any, caller: str) -> None:
        if not isinstance(array, Section):
            raise UsageError(f"{caller}: expected a DistView, got {type(array).__name__}")
        self._plan.check(array, caller)
        _distview.require_kokkos(caller, self._communicator)

    def _agree_on_target(self, array: Any, values: Any, caller: str) -> None:
        def check() -> None:
            self._check(array, caller)
            expected = f"a NumPy array of {array.dtype} of shape {self._shape}"
            if not isinstance(values, np.ndarray):
                raise ShapeError(f"{caller}: expected values to be {expected}, got {type(values).__name__}")
            if values.dtype != array.dtype or values.shape != self._shape:
                raise ShapeError(
                    f"{caller}: expected values to be {expected}, got one of {values.dtype} of shape {values.shape}"
                )
            if not (values.flags.c_contiguous and values.flags.writeable):
                raise ShapeError(f"{caller}: expected contiguous and writable values")
            if np.may_share_memory(values, array.view):
                raise UsageError(f"{caller}: expected values in memory of their own, got some that share the array's")

        agreed(self._communicator, caller, check, lambda _: alike(array))

    def _values(self, array: Any, values: Any, caller: str) -> npt.NDArray[Any]:
        """The values to send, in the array's type and the plan's shape; they share no memory with the array."""
        self._check(array, caller)
        try:
            given = np.asarray(values)
        except (TypeError, ValueError) as error:
            raise ShapeError(f"{caller}: expected values of {array.dtype}, got {short(values)}: {error}") from None
        if given.dtype.kind in "iu" and array.dtype.kind in "iu":
            converted = given.astype(array.dtype)  # wraps
            fits = np.array_equal(given, converted) and not np.any((given < 0) != (converted < 0))
        elif array.dtype.kind == "V":
            fits = given.dtype == array.dtype
        else:
            fits = np.can_cast(given.dtype, array.dtype, "same_kind")
        if not fits:
            beyond = " out of its range" if given.dtype.kind in "iu" and array.dtype.kind in "iu" else ""
            raise ShapeError(f"{caller}: expected values of {array.dtype}, got {given.dtype}{beyond}")
        sent = given.astype(array.dtype, copy=False)
        try:
            sent = np.ascontiguousarray(np.broadcast_to(sent, self._shape))
        except ValueError:
            raise ShapeError(f"{caller}: expected values of shape {self._shape}, got {given.shape}") from None
        return sent.copy() if np.may_share_memory(sent, array.view) else sent


@collective("get_elements", of_array, "GatherPlan", "GatherPlan.gathered")
def get_elements(array: Section[Scalar], indices: Any) -> npt.NDArray[Scalar]:
    """The elements of an array with the given global indices, on any ranks, as a NumPy array.

        values = distview.get_elements(u, [7, 3, 3])            # each rank has its own list
        block = distview.get_elements(u, np.s_[0:4, 10:20:2])   # or its own box

    Makes a GatherPlan and uses it once; see there for the indices and the errors. Collective.
    """
    return GatherPlan(array, indices).gathered(array)


@collective("put_elements", of_array, "GatherPlan", "GatherPlan.put")
def put_elements(array: Section[Any], indices: Any, values: npt.ArrayLike) -> None:
    """Writes values to the elements with the given global indices, on any ranks; see GatherPlan.put(). Collective."""
    GatherPlan(array, indices).put(values, array)


@collective("accumulate_elements", of_array, "GatherPlan", "GatherPlan.combine")
def accumulate_elements(
    array: Section[Any], indices: Any, values: npt.ArrayLike, operation: str = "sum"
) -> None:
    """Combines the elements with the given global indices, on any ranks, with values; see GatherPlan.combine().

        distview.accumulate_elements(histogram, bins, 1)        # counts every entry of bins, of all ranks

    Collective.
    """
    GatherPlan(array, indices).combine(values, array, operation)


def _indices(given: Any, layout: Layout) -> tuple[npt.NDArray[np.int64], list[tuple[int, int, int]]]:
    """The indices, one row for each element; or none, and (begin, count, step) of a box."""
    none = np.empty((0, layout.rank), np.int64)
    entries = given if isinstance(given, tuple) else (given,)
    if any(entry is Ellipsis or isinstance(entry, slice) for entry in entries):
        if "u" in layout.types:
            raise UsageError("GatherPlan: expected indices, not slices, of an array with an unstructured axis")
        return none, axis_slices(given, layout.shape, "GatherPlan")
    array = integer_array(given)
    if array is not None and array.size == 0:
        return none, []
    if array is not None and array.ndim == 1 and layout.rank == 1:
        array = array[:, np.newaxis]
    if array is None or array.ndim != 2 or array.shape[1] != layout.rank:
        shape = "(n,)" if layout.rank == 1 else f"(n, {layout.rank})"
        raise UsageError(f"GatherPlan: expected indices to be integers of shape {shape}, got {short(given)}")
    return array, []


def alike(array: Section[Any], **arguments: Any) -> dict[str, Any]:
    """For agreed(): as Section._alike(), but another slice of the same cells is another array, as it is for plans."""
    return {**array._alike(**arguments), "creation number of the array": array._number}


def _bytes(values: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The memory of contiguous values, of any type."""
    if math.prod(values.shape) * values.itemsize == 0:
        return np.empty(0, np.uint8)
    return values.reshape(-1).view(np.uint8)
