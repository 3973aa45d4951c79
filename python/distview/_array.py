# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DistView: one process's section of a distributed array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
import numpy.typing as npt

from . import _distview, _reductions
from ._comm import collective, communicator, of_array, of_comm
from ._errors import UsageError
from ._exchange import PaddingExchange
from ._gather import gather, scatter
from ._layout import padding_depths
from ._petsc import petsc_vec
from ._redistribution import transpose
from ._save import write
from ._section import Section
from ._slices import axis_slices

if TYPE_CHECKING:
    from ._file_arguments import Attributes, Path, SaveOptions
    from ._types import Comm, Scalar, Widths


class DistView(Section["Scalar"]):
    """One process's section of a distributed array: memory, and its place in the whole.

    Made by zeros(), wrap(), from_distarray() and their like. ``view`` is the whole section with
    padding, ``owned`` the part without communication padding, ``interior`` the part without any:
    NumPy arrays that share the memory; where only a device reads it CuPy arrays, or an error that names
    copy_to_host(). shape, size, len and global indices are those of the interior, from 0; boundary
    padding has negative indices and those from the size on. What writes them says mark_written() afterwards where
    require_padding() is used: NumPy does not.

    Exports itself without a copy as ``__distarray__``, buffer, ``__array_interface__``,
    ``__dlpack__`` and, on a device, ``__cuda_array_interface__``. What is called here has finished on
    return; where other libraries work on the array on streams of their own, set ``stream``. Properties are
    local, methods say whether they are; all ranks call the collective ones, in the same order. In annotations
    DistView[np.float64] says of what elements; DistView alone, of any.
    """

    def __getitem__(self, key: Any) -> DistView[Scalar]:
        """A slice: an array over the same memory, whose section is this process's part of it.

        key: slices, ... or both, as NumPy takes them; no integers, which would drop an axis and its
        processes. Slices count interior cells, as gather() does: array[key].gather() is
        array.gather()[key]. The result has no padding; its block axes are irregular, and processes may
        have nothing of it.

        Steps must be positive, a cyclic axis must stay one (or the slice lie within one round of
        its processes), and an unstructured axis is taken whole; redistribute(array, ..., from_slice=key)
        takes any. Local; all processes take the same slices, in the same order.
        """
        slices = axis_slices(key, self._attached_layout("slice").shape, "slice")
        result: DistView[Scalar] = DistView.__new__(DistView)
        _distview.Array.__init__(result, _distview.slice_array(self, slices))
        result._joint = self._joint
        result._slices_of = (*(self._slices_of or (self._number,)), slices)
        return result

    # Together with the other processes

    @collective("attach", of_comm(1))
    def attach(self, comm: Comm) -> None:
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
    def exchange_padding(self, *others: DistView, stencil: str = "box") -> None:
        """Fills the padding from the neighbours' elements, of others as well in the same messages.

        Periodic axes wrap around; boundary padding of other axes is not touched. stencil: "box" fills all of
        it; "faces" leaves out the corners, which are padding along more than one axis: fewer neighbours, for
        stencils whose points differ along one axis only. Collective over the arrays' communicator, in the same
        order on all ranks. Finished on return.
        """
        self._exchange_padding(list(others), stencil)

    @collective("start_exchange", of_array)
    def start_exchange(self, *others: DistView, stencil: str = "box") -> PaddingExchange:
        """Begins what exchange_padding() does, and returns what ends it, to compute in between:

            with u.start_exchange():
                compute_inner_cells(u)      # that need no padding
            compute_outer_cells(u)

        Until it is finished the arrays' padding must be neither read nor written, and cells near the
        sections' borders not written. Collective, in the same order on all ranks.
        """
        return PaddingExchange(self._start_exchange("start_exchange", list(others), stencil))

    @collective("require_padding", of_array)
    def require_padding(self, depth: int | tuple[int, int], *others: DistView, stencil: str = "box") -> bool:
        """Fills padding where it is not valid to that depth, and nothing else; returns whether there was any.

            u.require_padding(1)                # exchanges
            u.require_padding(1)                # does not: nothing was written since
            u.interior[...] *= 2
            u.mark_written()                    # of what NumPy writes the library knows nothing
            u.require_padding(1)                # exchanges

        depth: a width, or (low, high). What exchanges have filled since elements were written last is
        ``valid_padding``; what the library writes itself it knows of. others: whose padding is looked at as well.
        stencil: as exchange_padding().

        Collective over the arrays' communicator, in the same order on all ranks; decided without communication, but
        for the first time that these arrays are exchanged. If ranks do not find the same, as after mark_written() on
        some of them only, those that wait for others get an error. Raises UsageError if no exchange fills padding so deep.
        """
        return self._require_padding(depth, list(others), stencil)

    def mark_padding_valid(self, depth: Widths, corners: bool = True) -> None:
        """Says that the program has filled padding itself: it is valid to that depth.

        depth: a width, or one width or (low, high) per axis. corners: whether what is padding along several axes is
        valid, too. All ranks say the same, of sides at a wall too. Local, as mark_written().
        """
        self._mark_padding_valid(padding_depths(depth, self.ndim, "mark_padding_valid"), bool(corners))

    @collective("combine_padding", of_array)
    def combine_padding(
        self, *others: DistView, operation: str = "sum", stencil: str = "box"
    ) -> None:
        """Combines the padding with the elements that it copies: the adjoint of exchange_padding().

        Each element becomes element op copy op copy ..., op being "sum", "min" or "max", for all copies of
        it in the padding of this and other processes: what was collected there goes to its owners. The
        padding keeps its values; set it to zero before collecting again. NaN on either side gives NaN. Elements
        are int32, int64, uint32, uint64, float32, float64, and for sums complex64 or complex128. Of others as
        well, of the same element type, in the same messages. stencil: the padding that exchange_padding() would
        fill. Collective, in the same order on all ranks. Finished on return.
        """
        self._combine_padding(list(others), operation, stencil)

    @collective("petsc_vec", of_array)
    def petsc_vec(self) -> Any:
        """The array as a petsc4py.PETSc.Vec, without a copy: what PETSc writes stands in the array.

            ksp.solve(b.petsc_vec(), u.petsc_vec())

        Rows are the cells of rank 0 in C order, then those of rank 1, and so on. The Vec keeps the memory. The array
        has float64 elements in memory of the host and no padding: of one with padding, copy the interior. PETSc keeps
        norms of a Vec: of one that is kept while the array is written, call vec.stateIncrease() on all ranks before the
        next use; a new petsc_vec() needs none. Importing petsc4py starts PETSc. Collective. Raises UsageError if petsc4py
        is not installed.
        """
        return petsc_vec(self)

    @collective("transpose", of_array, "RedistributionPlan", "RedistributionPlan.execute", "redistribute")
    def transpose(self, *axes: Any) -> DistView[Scalar]:
        """A new array whose axis d is axis axes[d] of this one; in reverse order unless given.

        Its layout is that of the axes, over the process grid with its axes in the same order. Only
        interior cells are written: exchange_padding() fills the padding. np.transpose(array) is the
        same. Collective; for doing it again and again see RedistributionPlan.
        """
        return transpose(self, axes, DistView)

    @collective("gather", of_array)
    def gather(self, root: int = 0, cells: str = "interior") -> npt.NDArray[Scalar] | None:
        """All sections' cells as one NumPy array on rank root; None elsewhere.

        cells: "interior" has the cells at their global indices; "owned" has boundary padding too,
        before and after them.
        Unstructured axes are in ascending order of their indices. Collective.
        """
        return gather(self, root, cells)

    @collective("scatter", of_array)
    def scatter(self, values: npt.ArrayLike, root: int = 0, cells: str = "interior") -> None:
        """Writes a whole array on rank root to all sections' cells: the reverse of gather().

        values: on root what NumPy can make an array of, with the shape that gather() gives; its elements
        are converted as np.copyto(casting="same_kind") does. Not looked at elsewhere. An index of an
        unstructured axis that several processes hold goes to all of them. Collective.
        """
        scatter(self, values, root, cells)

    @collective("to_hdf5", of_array, "save_hdf5")
    def to_hdf5(
        self, path: Path, name: str, attributes: Attributes | None = None, **options: Unpack[SaveOptions]
    ) -> None:
        """Writes the array to a new file of HDF5, under a name: save(path, {name: array}, attributes, ...).

            u.to_hdf5("u.h5", "u", {"time": 1.5})       # h5py.File("u.h5")["u"][...]

        options: those of save(). Collective.
        """
        write("to_hdf5", path, self, attributes, dict(options), name=(name,))

    @overload
    def sum(
        self: DistView[np.complexfloating[Any, Any]], cells: str = ..., reproducible: bool = ...
    ) -> complex: ...
    @overload
    def sum(self: DistView[np.floating[Any]], cells: str = ..., reproducible: bool = ...) -> float: ...
    @overload
    def sum(self: DistView[np.integer[Any] | np.bool_], cells: str = ..., reproducible: bool = ...) -> int: ...
    @collective("sum", of_array)
    def sum(self, cells: str = "interior", reproducible: bool = False) -> Any:
        """The sum over all processes' cells. Collective.

        float: of floating-point elements, added up in 64 bits; complex: of complex ones. int: of
        others, modulo 2^64 as np.sum, booleans count as 0 and 1. Elements of an unstructured axis
        that are on several processes count on each.

        reproducible: the exact sum, rounded once to the nearest float64 (of complex elements by parts): the
        same bits for any number of processes and any layout.
        """
        return _reductions.total(self, "sum", cells, reproducible)

    @overload
    def min(self: DistView[np.floating[Any]], cells: str = ...) -> float: ...
    @overload
    def min(self: DistView[np.integer[Any] | np.bool_], cells: str = ...) -> int: ...
    @collective("min", of_array)
    def min(self, cells: str = "interior") -> Any:
        """The least of all processes' cells; NaN if one is. Collective."""
        return _reductions.extreme(self, "min", cells)

    @overload
    def max(self: DistView[np.floating[Any]], cells: str = ...) -> float: ...
    @overload
    def max(self: DistView[np.integer[Any] | np.bool_], cells: str = ...) -> int: ...
    @collective("max", of_array)
    def max(self, cells: str = "interior") -> Any:
        """The greatest of all processes' cells; NaN if one is. Collective."""
        return _reductions.extreme(self, "max", cells)

    @collective("norm", of_array)
    def norm(self, order: float = 2, cells: str = "interior", reproducible: bool = False) -> float:
        """The 1-, 2- or infinity-norm over all processes' cells, in 64 bits. Collective.

        reproducible: of absolute values, or of squares, the exact sum; it, or its square root, is rounded
        once. The absolute values of complex elements are rounded one by one.
        """
        return _reductions.norm(self, order, cells, reproducible)

    @overload
    def dot(
        self: DistView[np.complexfloating[Any, Any]], other: DistView[np.number[Any] | np.bool_], cells: str = ...,
        reproducible: bool = ...,
    ) -> complex: ...
    @overload
    def dot(
        self: DistView[np.number[Any] | np.bool_], other: DistView[np.complexfloating[Any, Any]], cells: str = ...,
        reproducible: bool = ...,
    ) -> complex: ...
    @overload
    def dot(
        self: DistView[np.floating[Any]], other: DistView[np.floating[Any] | np.integer[Any] | np.bool_],
        cells: str = ..., reproducible: bool = ...,
    ) -> float: ...
    @overload
    def dot(
        self: DistView[np.integer[Any] | np.bool_], other: DistView[np.floating[Any]], cells: str = ...,
        reproducible: bool = ...,
    ) -> float: ...
    @overload
    def dot(
        self: DistView[np.integer[Any] | np.bool_], other: DistView[np.integer[Any] | np.bool_], cells: str = ...,
        reproducible: bool = ...,
    ) -> int: ...
    @collective("dot", of_array)
    def dot(self, other: DistView, cells: str = "interior", reproducible: bool = False) -> Any:
        """The scalar product with an array of the same layout; this one is conjugated. Collective.

        Added up as sum() does, in the type that NumPy gives to the product of the two. reproducible: the
        exact sum of the exact products, rounded once.
        """
        return _reductions.dot(self, other, cells, reproducible)


@collective("dot", of_array)
def dot(
    first: DistView[Any], second: DistView[Any], cells: str = "interior", reproducible: bool = False
) -> Any:
    """The scalar product of two arrays of the same layout, as DistView.dot(): first is conjugated. Collective."""
    return _reductions.dot(first, second, cells, reproducible)
