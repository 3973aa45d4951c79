# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DistView: one process's section of a distributed array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _device, _distview, _reductions
from ._arithmetic import without_arithmetic
from ._comm import collective, communicator, of_array
from ._distview import Layout
from ._errors import UsageError, short
from ._exchange import PaddingExchange
from ._gather import gather, scatter
from ._slices import axis_slices, slice_of

_CELLS = ("interior", "owned")


class _Joint:
    """What joins a section to the others: shared by all names for it."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self.communicator = communicator(comm) if comm is not None else None
        #: The plans that redistribute() has made for this array last, by what defines them.
        self.plans: dict[Any, Any] = {}


@without_arithmetic
class DistView(_distview.Array):
    """One process's section of a distributed array: memory, and its place in the whole.

    Made by zeros(), wrap(), from_distarray() and their like. ``view`` is the whole section with
    padding, ``owned`` the part without communication padding, ``interior`` the part without any:
    NumPy arrays that share the memory; where only a device reads it CuPy arrays, or an error that names
    copy_to_host(). shape, size, len and global indices are those of the interior, from 0; boundary
    padding has negative indices and those from the size on.

    Exports itself without a copy as ``__distarray__``, buffer, ``__array_interface__``,
    ``__dlpack__`` and, on a device, ``__cuda_array_interface__``. What is called here has finished on
    return; where other libraries work on the array on streams of their own, set ``stream``. Properties are
    local, methods say whether they are; all ranks call the collective ones, in the same order.
    """

    def __init__(self, array: _distview.Array, comm: Any = None) -> None:
        super().__init__(array)
        self._slices_of: tuple[Any, ...] = array._slices_of if isinstance(array, DistView) else ()
        # Other names for the same section see it attached, too.
        self._joint: _Joint = array._joint if isinstance(array, DistView) else _Joint(comm)

    def __copy__(self) -> DistView:
        """Another name for the same section, as slices of NumPy arrays are."""
        result = type(self).__new__(type(self))
        DistView.__init__(result, self)
        result.__dict__.update(self.__dict__)
        return result

    def __deepcopy__(self, memo: Any) -> DistView:
        raise TypeError(
            "a DistView is one process's section of an array: new ones are made by all processes "
            "together. Use zeros_like(view), then copy the elements"
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a DistView cannot be pickled: it is one process's section of an array, and has a "
            "communicator. Pickle its elements, or what gather() returns"
        )

    # What it is

    @property
    def comm(self) -> Any:
        """The communicator that was given, or None."""
        return self._joint.comm

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of an element."""
        return self.view.dtype if self.device[0] in _device.HOST_TYPES else np.dtype(self.typestr)

    @property
    def size(self) -> int:
        """Number of elements of the whole array, without boundary padding."""
        return math.prod(self.shape)

    def global_indices(self, axis: int, cells: str = "owned") -> np.ndarray:
        """Global indices of this section's cells along an axis; cells: owned, interior or all.

        The interior's count from 0; boundary padding has negative ones and those from shape[axis] on. Local.
        """
        begin, end = self._range(axis, cells)
        return np.asarray(self.section_indices(axis))[begin:end]

    def protocol_indices(self, axis: int, cells: str = "owned") -> np.ndarray:
        """The same as the protocol counts, boundary padding first; also of sections not attached. Local."""
        begin, end = self._range(axis, cells, "protocol_indices")
        return np.asarray(self.section_protocol_indices(axis))[begin:end]

    def describe(self) -> str:
        """The layout in words, and for small arrays as a picture in text. Local."""
        if self.layout is not None:
            return self.layout.describe()
        return f"{self!r}\n(one process's section; attach(comm) tells about the others)"

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
        return self.shape[0]

    # A sequence has integer indices; these arrays have slices only.
    __iter__ = None

    def __getitem__(self, key: Any) -> DistView:
        """A slice: an array over the same memory, whose section is this process's part of it.

        key: slices, ... or both, as NumPy takes them; no integers, which would drop an axis and its
        processes. Slices count interior cells, as gather() does: array[key].gather() is
        array.gather()[key]. The result has no padding; its block axes are irregular, and processes may
        have nothing of it.

        Steps must be positive, a cyclic axis must stay one (or the slice lie within one round of
        its processes), and an unstructured axis is taken whole; redistribute(array, ..., from_slice=key)
        takes any. Local; all processes take the same slices, in the same order.
        """
        result = DistView.__new__(DistView)
        _distview.Array.__init__(result, slice_of(self, key))
        result._joint = self._joint
        slices = axis_slices(key, self._attached_layout("slice").shape, "slice")
        result._slices_of = (*(self._slices_of or (self._number,)), slices)
        return result

    # Its memory

    @property
    def view(self) -> Any:
        """The whole section with padding, as an array that shares the memory."""
        if self.device[0] in _device.HOST_TYPES:
            try:
                array = np.asarray(memoryview(self))
            except RuntimeError:
                # NumPy describes packed records wrongly where there are none, and then cannot read
                # its own description.
                if 0 not in self.local_shape:
                    raise
                return np.empty(self.local_shape, f"V{self.itemsize}")
            if array.dtype.names == ():  # how NumPy reads bytes without a meaning, its own too
                return array.view(f"V{array.itemsize}")
            return array
        return _device.as_cupy(self)

    @view.setter
    def view(self, value: Any) -> None:
        self._check_same("view", self.view, value)

    @property
    def owned(self) -> Any:
        """The elements that this process owns, boundary padding included; shares the memory."""
        return self._part("owned")

    @owned.setter
    def owned(self, value: Any) -> None:
        self._check_same("owned", self.owned, value)

    @property
    def interior(self) -> Any:
        """The elements without any padding, which a program computes; shares the memory."""
        return self._part("interior")

    @interior.setter
    def interior(self, value: Any) -> None:
        self._check_same("interior", self.interior, value)

    def copy_to_host(self, cells: str = "all") -> np.ndarray:
        """A copy as a NumPy array of this section's cells: all, owned or interior.

        From any memory, CUDA devices' included, once what is pending on ``stream`` has finished. Local.
        """
        part = self._slices("copy_to_host", cells)
        return np.ascontiguousarray(_device.copy_to_host(self, "copy_to_host")[part]).reshape(
            tuple(along.stop - along.start for along in part)
        )

    def copy_from_host(self, values: Any, cells: str = "all") -> None:
        """Writes values, as NumPy broadcasts them, to this section's cells: all, owned or interior.

        To any memory, CUDA devices' included, once what is pending on ``stream`` has finished;
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
        self._joint.comm, self._joint.communicator = comm, taken

    @collective("exchange_padding", of_array)
    def exchange_padding(self, *others: DistView) -> None:
        """Fills the padding from the neighbours' elements, of others as well in the same messages.

        Collective over the arrays' communicator, in the same order on all ranks. Periodic axes wrap
        around; boundary padding of other axes is not touched. Finished on return.
        """
        self._exchange_padding(list(others))

    @collective("start_exchange", of_array)
    def start_exchange(self, *others: DistView) -> PaddingExchange:
        """Begins what exchange_padding() does, and returns what ends it, to compute in between:

            with u.start_exchange():
                compute_inner_cells(u)      # that need no padding
            compute_outer_cells(u)

        Until it is finished the arrays' padding must be neither read nor written, and cells near the
        sections' borders not written. Collective, in the same order on all ranks.
        """
        return PaddingExchange(self._start_exchange("start_exchange", list(others)))

    @collective("combine_padding", of_array)
    def combine_padding(self, *others: DistView, operation: str = "sum") -> None:
        """Combines the padding with the elements that it copies: the adjoint of exchange_padding().

        Each element becomes element op copy op copy ..., op being "sum", "min" or "max", for all copies of
        it in the padding of this and other processes: what was collected there goes to its owners. The
        padding keeps its values; set it to zero before collecting again. NaN on either side gives NaN. Elements
        are int32, int64, uint32, uint64, float32, float64, and for sums complex64 or complex128. Of others as
        well, of the same element type, in the same messages. Collective, in the same order on all ranks.
        Finished on return.
        """
        self._combine_padding(list(others), operation)

    @collective("transpose", of_array)
    def transpose(self, *axes: Any) -> DistView:
        """A new array whose axis d is axis axes[d] of this one; in reverse order unless given.

        Its layout is that of the axes, over the process grid with its axes in the same order. Only
        interior cells are written: exchange_padding() fills the padding. np.transpose(array) is the
        same. Collective; for doing it again and again see RedistributionPlan.
        """
        from ._redistribution import transpose

        return transpose(self, axes)

    @collective("gather", of_array)
    def gather(self, root: int = 0, cells: str = "interior") -> np.ndarray | None:
        """All sections' cells as one NumPy array on rank root; None elsewhere.

        cells: "interior" has the cells at their global indices; "owned" has boundary padding too,
        before and after them.
        Unstructured axes are in ascending order of their indices. Collective.
        """
        return gather(self, root, cells)

    @collective("scatter", of_array)
    def scatter(self, values: Any, root: int = 0, cells: str = "interior") -> None:
        """Writes a whole array on rank root to all sections' cells: the reverse of gather().

        values: on root what NumPy can make an array of, with the shape that gather() gives; its elements
        are converted as np.copyto(casting="same_kind") does. Not looked at elsewhere. An index of an
        unstructured axis that several processes hold goes to all of them. Collective.
        """
        scatter(self, values, root, cells)

    @collective("sum", of_array)
    def sum(self, cells: str = "interior") -> Any:
        """The sum over all processes' cells. Collective.

        float: of floating-point elements, added up in 64 bits; complex: of complex ones. int: of
        others, modulo 2^64 as np.sum, booleans count as 0 and 1. Elements of an unstructured axis
        that are on several processes count on each.
        """
        return _reductions.total(self, "sum", cells)

    @collective("min", of_array)
    def min(self, cells: str = "interior") -> Any:
        """The least of all processes' cells; NaN if one is. Collective."""
        return _reductions.extreme(self, "min", cells)

    @collective("max", of_array)
    def max(self, cells: str = "interior") -> Any:
        """The greatest of all processes' cells; NaN if one is. Collective."""
        return _reductions.extreme(self, "max", cells)

    @collective("norm", of_array)
    def norm(self, order: float = 2, cells: str = "interior") -> float:
        """The 1-, 2- or infinity-norm over all processes' cells, in 64 bits. Collective."""
        return _reductions.norm(self, order, cells)

    @collective("dot", of_array)
    def dot(self, other: DistView, cells: str = "interior") -> Any:
        """The scalar product with an array of the same layout; this one is conjugated. Collective.

        Added up as sum() does, in the type that NumPy gives to the product of the two.
        """
        return _reductions.dot(self, other, cells)

    # Inside

    @property
    def _communicator(self) -> _distview.Communicator | None:
        return self._joint.communicator

    def _alike(self, **arguments: Any) -> dict[str, Any]:
        """What is the same on all ranks that pass this array, or the same slices of it, and these
        arguments; slices that a rank makes by itself do not change it."""
        return {
            "layout": self.layout,
            "element type": self.typestr,
            **arguments,
            "array, counted as they were made,": self._slices_of or self._number,
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

    @staticmethod
    def _check_same(name: str, part: Any, value: Any) -> None:
        """After ``array.interior += 1`` Python assigns the part to itself; nothing else can be assigned."""
        fields = ("shape", "strides", "dtype")
        same = type(value) is type(part) and all(getattr(value, f) == getattr(part, f) for f in fields)
        if not (same and (part.size == 0 or _device.address_of(value) == _device.address_of(part))):
            raise AttributeError(
                f"{name}: a DistView keeps its memory; to change its elements write array.{name}[...] = value"
            )

    def _part(self, cells: str) -> Any:
        if self.ndim == 0:
            return self.view
        return self.view[self._slices("view", cells)]

    def _host_part(self, caller: str, cells: str) -> np.ndarray:
        """The cells of this section, copied if they must be; raises what a call on them has to refuse."""
        self._attached_layout(caller)
        if cells not in _CELLS:
            raise UsageError(f'{caller}: expected cells to be "interior" or "owned", got {short(cells)}')
        if self.device[0] not in _device.HOST_TYPES:
            return _device.copy_to_host(self, caller)[self._slices(caller, cells)]
        _device.settle(self, caller)
        return self._part(cells)
