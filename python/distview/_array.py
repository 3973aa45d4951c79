# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DistView: one process's section of a distributed array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _device, _distview
from ._comm import communicator
from ._distview import Layout
from ._errors import ShapeError, UsageError

_CELLS = ("interior", "owned")


class DistView(_distview.Array):
    """One process's section of a distributed array: memory, and its place in the whole.

    Made by zeros(), wrap(), from_distarray() and their like. ``view`` is the whole section with
    padding, ``owned`` the part without communication padding, ``interior`` the part without any:
    NumPy arrays (CuPy arrays on a device) that share the memory. Indices are 0-based; global
    indices are the protocol's, which count boundary padding.

    Exports itself without a copy as ``__distarray__``, buffer, ``__array_interface__``,
    ``__dlpack__`` and, on a device, ``__cuda_array_interface__``.
    """

    def __init__(self, array: _distview.Array, comm: Any = None) -> None:
        super().__init__(array)
        self._comm = comm
        self._communicator = communicator(comm)

    # What it is

    @property
    def comm(self) -> Any:
        """The communicator that was given, or None."""
        return self._comm

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of an element."""
        return self.view.dtype if self.device[0] in _device.HOST_TYPES else np.dtype(self.typestr)

    @property
    def size(self) -> int:
        """Number of elements of the whole array, boundary padding included."""
        return math.prod(self.shape)

    @property
    def interior_shape(self) -> tuple[int, ...]:
        """Number of elements of the whole array along each axis without boundary padding."""
        return self._attached_layout("interior_shape").interior_shape

    def global_indices(self, axis: int, cells: str = "owned") -> np.ndarray:
        """Global indices of this section's cells along an axis; cells: owned, interior or all."""
        begin, end = self._range(axis, cells)
        return self.section_indices(axis)[begin:end]

    def describe(self) -> str:
        """The layout in words, and for small arrays as a picture in text. Local."""
        if self.layout is not None:
            return self.layout.describe()
        return f"{self!r}\n(one process's section; attach(comm) tells about the others)"

    def __repr__(self) -> str:
        kinds = {"b": "block", "c": "cyclic", "u": "unstructured"}
        axes = "x".join(kinds[t] for t in self.types) or "no axes"
        place = (
            f"process {self.process} of {self.process_count}, section {self.local_shape}"
            if self.process_count > 1
            else "one process"
        )
        marks = "".join(
            [
                f", padding {self.padding}" if any(map(any, self.padding)) else "",
                ", periodic " + str(tuple(self.periodic)) if any(self.periodic) else "",
                ", read-only" if self.readonly else "",
                f", device {self.device}" if self.device != (1, 0) else "",
                "" if self.attached else ", not attached",
            ]
        )
        return f"<DistView {axes} {self.shape} {self.dtype}, {place}{marks}>"

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a DistView without axes")
        return self.shape[0]

    # Its memory

    @property
    def view(self) -> Any:
        """The whole section with padding, as an array that shares the memory."""
        if self.device[0] in _device.HOST_TYPES:
            return np.asarray(memoryview(self))
        return _device.as_cupy(self)

    @property
    def owned(self) -> Any:
        """The elements that this process owns, boundary padding included; shares the memory."""
        return self._part("owned")

    @property
    def interior(self) -> Any:
        """The elements without any padding, which a program computes; shares the memory."""
        return self._part("interior")

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self.device[0] not in _device.HOST_TYPES:
            raise AttributeError("__array_interface__: this view is in device memory")
        return {
            "version": 3,
            "shape": self.local_shape,
            "typestr": self.typestr,
            "data": (self.data_pointer, self.readonly),
            "strides": None if self.is_contiguous else self.strides,
        }

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return _device.cuda_array_interface(self)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A DLPack capsule of the whole section, padding included; see the array API standard."""
        return _device.dlpack(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """(type, id) of the memory's device in DLPack's numbers."""
        return self.device

    def __dap_capsule__(self, version: str = "0.10.0") -> Any:
        """A capsule "distview_dap_section" with the C struct of distview/dap.h. No copy."""
        return _distview.dap_capsule(self, version)

    # Together with the other processes

    def attach(self, comm: Any) -> None:
        """Makes a section imported with validate="local" part of a whole array.

        Collective over comm: all processes call it, each with its own section of the same array.
        Raises ProtocolError, the same on all ranks, if the sections do not fit each other.
        """
        taken = communicator(comm)
        if taken is None:
            raise UsageError("attach: expected a communicator, got None")
        self._attach(taken)
        self._comm, self._communicator = comm, taken

    def exchange_padding(self, *others: DistView) -> None:
        """Fills the padding from the neighbours' elements, of others as well in the same messages.

        Collective over the arrays' communicator, in the same order on all ranks. Periodic axes wrap
        around; boundary padding of other axes is not touched. Finished on return.
        """
        self._exchange_padding([self, *others])

    def gather(self, root: int = 0, cells: str = "interior") -> np.ndarray | None:
        """All sections' cells as one NumPy array on rank root; None elsewhere.

        cells: "interior" counts from the first interior element, "owned" has boundary padding too.
        Unstructured axes are in ascending order of their indices. Collective.
        """
        layout = self._attached_layout("gather")
        _check_cells("gather", cells)
        mine = np.ascontiguousarray(self._part(cells))
        if self._communicator is None:
            pieces = [mine.tobytes()]
            _check_root("gather", root, 1)
        else:
            _check_root("gather", root, self.process_count)
            counts = [_count(layout, p, cells) * mine.itemsize for p in range(self.process_count)]
            pieces = self._communicator.gather_bytes(mine.tobytes(), counts, root)
            if self.process != root:
                return None
        axes = [_GlobalAxis(layout, d, cells) for d in range(self.ndim)]
        result = np.zeros([axis.count for axis in axes], mine.dtype)
        # Of an index on several processes the owner, the lowest, is written last.
        for p in reversed(range(self.process_count)):
            places = [axis.places(p) for axis in axes]
            block = np.frombuffer(pieces[p], mine.dtype)
            result[np.ix_(*places)] = block.reshape([len(place) for place in places])
        return result

    def sum(self, cells: str = "interior") -> Any:
        """The sum over all processes' cells; float32 is added up in float64. Collective."""
        return self._reduced("sum", cells, lambda a: a.sum(dtype=_accumulator(a.dtype)), 0)

    def min(self, cells: str = "interior") -> Any:
        """The least of all processes' cells. Collective."""
        return self._extreme("min", cells)

    def max(self, cells: str = "interior") -> Any:
        """The greatest of all processes' cells. Collective."""
        return self._extreme("max", cells)

    def norm(self, order: float = 2, cells: str = "interior") -> float:
        """The 1-, 2- or infinity-norm over all processes' cells. Collective."""
        if order == 2:
            squares = self._reduced("norm", cells, lambda a: float(_squares(a)), 0.0)
            return math.sqrt(squares)
        if order == 1:
            return self._reduced("norm", cells, lambda a: float(np.abs(a).sum(dtype=np.float64)), 0.0)
        if order == math.inf:
            return self._combined("max", [float(np.abs(self._cells("norm", cells)).max(initial=0.0))])[0]
        raise UsageError(f"norm: expected order 1, 2 or inf, got {order!r}")

    def dot(self, other: DistView, cells: str = "interior") -> Any:
        """The scalar product with an array of the same layout; this one is conjugated. Collective."""
        if other.layout != self._attached_layout("dot"):
            raise ShapeError("dot: expected two arrays of the same layout")
        second = other._cells("dot", cells)
        wide = _accumulator(np.result_type(self.dtype, second.dtype))

        def product(first: np.ndarray) -> Any:
            return (np.conj(first).astype(wide) * second.astype(wide)).sum(dtype=wide)

        return self._reduced("dot", cells, product, 0)

    # Inside

    def _attached_layout(self, caller: str) -> Layout:
        layout = self.layout
        if layout is None:
            raise UsageError(
                f"{caller}: this array was imported with validate=\"local\" and knows nothing of "
                "the other processes; call attach(comm) on all of them first"
            )
        return layout

    def _range(self, axis: int, cells: str) -> tuple[int, int]:
        if cells == "all":
            return 0, self.local_shape[axis]
        _check_cells("global_indices", cells)
        return self.owned_range(axis) if cells == "owned" else self.interior_range(axis)

    def _part(self, cells: str) -> Any:
        if self.ndim == 0:
            return self.view
        return self.view[tuple(slice(*self._range(d, cells)) for d in range(self.ndim))]

    def _cells(self, caller: str, cells: str) -> np.ndarray:
        self._attached_layout(caller)
        _check_cells(caller, cells)
        if self.device[0] not in _device.HOST_TYPES:
            raise UsageError(f"{caller}: this view is in device memory")
        part = self._part(cells)
        if part.dtype.kind not in "biufc":
            raise ShapeError(f"{caller}: elements of type {part.dtype} are no numbers")
        return part

    def _combined(self, operation: str, values: list[Any]) -> list[Any]:
        if self._communicator is None:
            return values
        if all(isinstance(v, int) for v in values):
            return self._communicator.all_reduce_int(operation, values)
        return self._communicator.all_reduce_float(operation, values)

    def _reduced(self, caller: str, cells: str, function: Any, empty: Any) -> Any:
        part = self._cells(caller, cells)
        value = function(part) if part.size else _accumulator(part.dtype).type(empty)
        if isinstance(value, (complex, np.complexfloating)):
            return complex(*self._combined("sum", [float(value.real), float(value.imag)]))
        if isinstance(value, (int, np.integer)):
            # Modulo 2^64, as the elements are.
            wrapped = (int(value) + 2**63) % 2**64 - 2**63
            total = self._combined("sum", [wrapped])[0]
            return total % 2**64 if part.dtype.kind == "u" else total
        return self._combined("sum", [float(value)])[0]

    def _extreme(self, operation: str, cells: str) -> Any:
        part = self._cells(operation, cells)
        if part.dtype.kind == "c":
            raise ShapeError(f"{operation}: complex numbers have no order")
        if any(n == 0 for n in self._cell_shape(cells)):
            raise UsageError(f"{operation}: the array has no {cells} cells")
        if part.dtype.kind == "f":
            worst = math.inf if operation == "min" else -math.inf
            mine = float(getattr(part, operation)()) if part.size else worst
            return self._combined(operation, [mine])[0]
        # uint64 does not fit into the integers that are combined: shifted, it keeps its order.
        shift = 2**63 if part.dtype == np.uint64 else 0
        worst = 2**63 - 1 if operation == "min" else -(2**63)
        mine = int(getattr(part, operation)()) - shift if part.size else worst
        result = self._combined(operation, [mine])[0] + shift
        return bool(result) if part.dtype.kind == "b" else result

    def _cell_shape(self, cells: str) -> Sequence[int]:
        return self.interior_shape if cells == "interior" else self.shape


class _GlobalAxis:
    """Where the cells of each process go along one axis of a gathered array."""

    def __init__(self, layout: Layout, axis: int, cells: str) -> None:
        self._layout, self._axis, self._cells = layout, axis, cells
        self._labels = None
        if layout.types[axis] == "u":
            lists = [layout.global_indices(axis, p) for p in range(layout.process_count)]
            self._labels = np.unique(np.concatenate(lists))
        whole = layout.shape if cells == "owned" else layout.interior_shape
        self.count = len(self._labels) if self._labels is not None else whole[axis]

    def places(self, process: int) -> np.ndarray:
        indices = self._layout.global_indices(self._axis, process)
        if self._labels is not None:
            return np.searchsorted(self._labels, indices)
        begin, end = _cell_range(self._layout, self._axis, process, self._cells)
        first = self._layout.boundary(self._axis)[0] if self._cells == "interior" else 0
        return indices[begin:end] - first


def _cell_range(layout: Layout, axis: int, process: int, cells: str) -> tuple[int, int]:
    if cells == "owned":
        return layout.owned_range(axis, process)
    return layout.interior_range(axis, process)


def _count(layout: Layout, process: int, cells: str) -> int:
    ranges = (_cell_range(layout, d, process, cells) for d in range(layout.rank))
    return math.prod(end - begin for begin, end in ranges)


def _check_cells(caller: str, cells: str) -> None:
    if cells not in _CELLS:
        raise UsageError(f"{caller}: expected cells to be \"interior\" or \"owned\", got {cells!r}")


def _check_root(caller: str, root: int, size: int) -> None:
    if not 0 <= root < size:
        raise UsageError(f"{caller}: expected a root in [0, {size}), got {root}")


def _accumulator(dtype: np.dtype) -> np.dtype:
    """What elements are added up in."""
    if dtype.kind == "c":
        return np.dtype(np.complex128)
    if dtype.kind == "f":
        return np.dtype(np.float64)
    return np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def _squares(array: np.ndarray) -> float:
    wide = np.abs(array).astype(np.float64, copy=False)
    return np.vdot(wide, wide)
