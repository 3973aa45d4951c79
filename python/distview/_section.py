# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections: the base of DistView, without the methods that need further modules of the package."""

from __future__ import annotations

import math
import types
from typing import TYPE_CHECKING, Any, Generic, Self

import numpy as np
import numpy.typing as npt

from . import _device, _distview
from ._arithmetic import without_arithmetic
from ._comm import communicator
from ._distview import Layout
from ._errors import UsageError, short

if TYPE_CHECKING:
    from ._types import Comm, Indices, Scalar

    class _Memory(_distview.Array, Generic[Scalar]): ...

else:

    class _Memory(_distview.Array):
        """The compiled part's class. It accepts no second base such as Generic, so annotations need __class_getitem__."""

        __class_getitem__ = classmethod(types.GenericAlias)


_CELLS = ("interior", "owned")


class Gathers:
    """Data that gather() keeps for an array."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Drops all data, so that the next gather() starts anew."""
        #: Number of calls so far, at most 2.
        self.times = 0
        #: Access to all ranks' sections.
        self.access: _distview.SectionAccess | None = None
        #: By kind of cells: their places in the whole array, and the blocks to copy there.
        self.places: dict[str, Any] = {}
        self.blocks: dict[str, list[tuple[Any, np.ndarray]]] = {}


class _Joint:
    """Links a section to the other ranks' sections; shared by all names for it."""

    def __init__(self, comm: Comm) -> None:
        self.comm = comm
        self.communicator = communicator(comm) if comm is not None else None
        #: The last plans that redistribute() has made for this array, by their arguments.
        self.plans: dict[Any, Any] = {}
        self.gathers = Gathers()


@without_arithmetic
class Section(_Memory["Scalar"]):
    """A section of an array: its memory and its place in the whole array; see DistView."""

    def __init__(self, array: _distview.Array, comm: Comm = None) -> None:
        super().__init__(array)
        self._slices_of: tuple[Any, ...] = array._slices_of if isinstance(array, Section) else ()
        # Shared, so that attach() takes effect for all names for the section.
        self._joint: _Joint = array._joint if isinstance(array, Section) else _Joint(comm)

    def __copy__(self) -> Self:
        """Another name for the same section: no copy, like a slice of a NumPy array."""
        result = type(self).__new__(type(self))
        Section.__init__(result, self)
        result.__dict__.update(self.__dict__)
        return result

    def __deepcopy__(self, memo: Any) -> Self:
        raise TypeError(
            "a DistView is one process's section of an array: only all processes together can make "
            "a new one. Use zeros_like(view), then copy the elements"
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a DistView cannot be pickled: it is one process's section of an array, and has a "
            "communicator. Pickle its layout, its elements, or what gather() returns"
        )

    # Description

    @property
    def comm(self) -> Any:
        """The communicator that was passed, or None."""
        return self._joint.comm

    @property
    def dtype(self) -> np.dtype[Scalar]:
        """NumPy's type of an element."""
        return self.view.dtype if self.device[0] in _device.HOST_TYPES else np.dtype(self.typestr)

    @property
    def size(self) -> int:
        """Number of elements of the whole array, without boundary padding."""
        return math.prod(self.shape)

    def global_indices(self, axis: int, cells: str = "owned") -> Indices:
        """Global indices of this section's cells along an axis; cells: owned, interior or all.

        Interior cells count from 0; boundary padding has negative indices and indices from shape[axis] on. Local.
        """
        indices = np.asarray(self.section_indices(axis))
        begin, end = self._range(axis, cells)
        return indices[begin:end]

    def protocol_indices(self, axis: int, cells: str = "owned") -> Indices:
        """Global indices as the protocol counts, from the first boundary padding on. Works without attach(), too. Local."""
        indices = np.asarray(self.section_protocol_indices(axis))
        begin, end = self._range(axis, cells, "protocol_indices")
        return indices[begin:end]

    def describe(self) -> str:
        """The layout as text; for small arrays also a text picture of the owners. Local."""
        if self.layout is not None:
            return self.layout.describe()
        return f"{self!r}\n(one process's section; attach(comm) adds the others)"

    def __repr__(self) -> str:
        kinds = {"b": "block", "c": "cyclic", "u": "unstructured"}
        axes = " x ".join(kinds[t] for t in self.types) or "no axes"
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
        shape = self.shape if self.attached else f"protocol shape {self.protocol_shape}"
        return f"<DistView {axes} {shape} {self.dtype}, {place}{marks}>"

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a DistView without axes")
        return int(self.shape[0])

    # Sequences have integer indices; these arrays accept slices only.
    __iter__ = None

    # Its memory

    @property
    def view(self) -> npt.NDArray[Scalar]:
        """The whole section with padding, as an array that shares the memory."""
        if self.device[0] in _device.HOST_TYPES:
            array = np.asarray(memoryview(self))
            if array.dtype.names == ():  # NumPy reads opaque bytes as this type, also its own
                return array.view(f"V{array.itemsize}")
            return array
        return _device.as_cupy(self)

    @view.setter
    def view(self, value: Any) -> None:
        self._check_same("view", self.view, value)
        self._note_written()

    @property
    def owned(self) -> npt.NDArray[Scalar]:
        """The elements that this process owns, boundary padding included; shares the memory."""
        return self._part("owned")

    @owned.setter
    def owned(self, value: Any) -> None:
        self._check_same("owned", self.owned, value)
        self._note_written()

    @property
    def interior(self) -> npt.NDArray[Scalar]:
        """The elements without any padding, which the program computes; shares the memory."""
        return self._part("interior")

    @interior.setter
    def interior(self, value: Any) -> None:
        self._check_same("interior", self.interior, value)
        self._note_written()

    def copy_to_host(self, cells: str = "all") -> npt.NDArray[Scalar]:
        """A copy as a NumPy array of this section's cells: all, owned or interior.

        Copies from any memory, including CUDA devices, once the work pending on ``stream`` has finished. Local.
        """
        part = self._slices("copy_to_host", cells)
        return np.ascontiguousarray(_device.copy_to_host(self, "copy_to_host")[part]).reshape(
            tuple(along.stop - along.start for along in part)
        )

    def copy_from_host(self, values: npt.ArrayLike, cells: str = "all") -> None:
        """Writes values, as NumPy broadcasts them, to this section's cells: all, owned or interior.

        Writes to any memory, including CUDA devices, once the work pending on ``stream`` has finished;
        finished on return. Local.
        """
        _device.copy_from_host(self, values, self._slices("copy_from_host", cells), "copy_from_host")

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self.device[0] not in _device.HOST_TYPES:
            raise AttributeError("__array_interface__: this view is in device memory")
        return self.view.__array_interface__

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
        """(type, id) of the memory's device, as DLPack numbers them."""
        return self.device

    def __dap_capsule__(self, version: str = "0.10.0") -> Any:
        """A capsule "distview_dap_section" with the C struct of distview/dap.h. No copy."""
        return _distview.dap_capsule(self, version)

    # For the modules that compute with sections

    @property
    def _communicator(self) -> _distview.Communicator | None:
        return self._joint.communicator

    def _alike(self, **arguments: Any) -> dict[str, Any]:
        """Values for agreed(): equal on all ranks that pass this array, or the same slices of it, and these arguments.
        Slices that a single rank makes elsewhere do not change them."""
        return {
            "layout": self.layout,
            "element type": self.typestr,
            **arguments,
            "creation number of the array": self._slices_of or self._number,
        }

    def _attached_layout(self, caller: str) -> Layout:
        layout = self.layout
        if layout is None:
            raise UsageError(
                f"{caller}: this array was imported with validate=\"local\" and knows nothing of "
                "the other processes; call attach(comm) on all of them first"
            )
        return layout

    def _range(self, axis: int, cells: str, caller: str = "global_indices") -> tuple[int, int]:
        if cells == "all":
            return 0, self.local_shape[axis]
        if cells not in _CELLS:
            raise UsageError(
                f'{caller}: expected cells to be "owned", "interior" or "all", got {short(cells)}'
            )
        return self.owned_range(axis) if cells == "owned" else self.interior_range(axis)

    def _slices(self, caller: str, cells: str) -> tuple[slice, ...]:
        return tuple(slice(*self._range(d, cells, caller)) for d in range(self.ndim))

    def _note_written(self) -> None:
        """Marks all padding as not valid. A section that is not attached has no valid padding."""
        if self.attached:
            self.mark_written()

    @staticmethod
    def _check_same(name: str, part: Any, value: Any) -> None:
        """Accepts only assignment of the part to itself: Python does that after ``array.interior += 1``."""
        fields = ("shape", "strides", "dtype")
        same = type(value) is type(part) and all(getattr(value, f) == getattr(part, f) for f in fields)
        if not (same and (part.size == 0 or _device.address_of(value) == _device.address_of(part))):
            raise AttributeError(
                f"{name}: a DistView keeps its memory; to change its elements write array.{name}[...] = value"
            )

    def _part(self, cells: str) -> npt.NDArray[Scalar]:
        if self.ndim == 0:
            return self.view
        return self.view[self._slices("view", cells)]

    def _host_part(self, caller: str, cells: str) -> npt.NDArray[Scalar]:
        """The cells of this section in host memory, copied if needed. Raises if the arguments are wrong."""
        self._attached_layout(caller)
        if cells not in _CELLS:
            raise UsageError(f'{caller}: expected cells to be "interior" or "owned", got {short(cells)}')
        if self.device[0] not in _device.HOST_TYPES:
            return _device.copy_to_host(self, caller)[self._slices(caller, cells)]
        _device.settle(self, caller)
        return self._part(cells)
