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
    """One process's section of a distributed array: its memory and its place in the whole array.

    zeros(), wrap(), from_distarray() and similar functions make it. ``view`` is the whole section with
    padding, ``owned`` the section without communication padding, ``interior`` the section without any padding.
    All three are NumPy arrays that share the memory. If only a device can read the memory, they are CuPy arrays;
    without CuPy they raise an error that names copy_to_host(). shape, size, len() and global indices count the
    interior, from 0; boundary padding has negative indices and indices from the size on. A program that uses
    require_padding() calls mark_written() after it has written through NumPy: the library does not see such writes.

    The array exports its memory without a copy through ``__distarray__``, the buffer protocol,
    ``__array_interface__``, ``__dlpack__`` and, on a device, ``__cuda_array_interface__``. Methods have finished when
    they return, except start_exchange(). If another library works on the array on its own stream, set ``stream`` to it.
    Properties are local. Each method says whether it is local or collective; all ranks call the collective methods
    in the same order. In annotations DistView[np.float64] names the element type; DistView alone accepts any.
    """

    def __getitem__(self, key: Any) -> DistView[Scalar]:
        """A slice: an array over the same memory. Its section is this process's part of the slice.

        key: slices, ``...`` or both, as in NumPy. Integers are refused: they would drop an axis and its
        processes. Slices count interior cells, as gather() does: array[key].gather() is
        array.gather()[key]. The result has no padding. Its block axes are irregular, and some processes may
        hold no cell of it.

        Steps must be positive. A cyclic axis must stay cyclic, or the slice must lie within one round of its
        processes. An unstructured axis must be taken whole. redistribute(array, ..., from_slice=key) accepts
        any slice. Local; all processes take the same slices, in the same order.
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
        """Fills the padding with the neighbours' elements, also that of others, in the same messages.

        Periodic axes wrap around; boundary padding of other axes is not touched. stencil: "box" fills all
        padding; "faces" leaves out the corners (padding along more than one axis) and needs fewer neighbours:
        for stencils whose points differ along one axis only. Collective over the arrays' communicator, in the
        same order on all ranks. Finished on return.
        """
        self._exchange_padding(list(others), stencil)

    @collective("start_exchange", of_array)
    def start_exchange(self, *others: DistView, stencil: str = "box") -> PaddingExchange:
        """Begins exchange_padding() and returns a handle that finishes it. Compute in between:

            with u.start_exchange():
                compute_inner_cells(u)      # cells that need no padding
            compute_outer_cells(u)

        Until the exchange is finished, the program must neither read nor write the arrays' padding, nor write
        cells near the sections' borders. Collective, in the same order on all ranks.
        """
        return PaddingExchange(self._start_exchange("start_exchange", list(others), stencil))

    @collective("require_padding", of_array)
    def require_padding(self, depth: int | tuple[int, int], *others: DistView, stencil: str = "box") -> bool:
        """Exchanges only the padding that is not valid to that depth; returns whether it exchanged any.

            u.require_padding(1)                # exchanges
            u.require_padding(1)                # does not: nothing was written since
            u.interior[...] *= 2
            u.mark_written()                    # the library does not see what NumPy writes
            u.require_padding(1)                # exchanges

        depth: a width, or (low, high). ``valid_padding`` is the depth that exchanges have filled since the last
        write. The library sees its own writes. others: arrays whose padding is examined as well.
        stencil: as in exchange_padding().

        Collective over the arrays' communicator, in the same order on all ranks. The decision needs no communication,
        except the first time that these arrays are exchanged. If ranks decide differently, for example after
        mark_written() on some ranks only, the ranks that wait for others get an error. Raises UsageError if no
        exchange fills padding so deep.
        """
        return self._require_padding(depth, list(others), stencil)

    def mark_padding_valid(self, depth: Widths, corners: bool = True) -> None:
        """Declares padding valid to that depth, after the program has filled it itself.

        depth: a width, or one width or (low, high) per axis. corners: whether cells that are padding along several
        axes are valid, too. All ranks pass the same arguments, also for sides at a wall. Local, as mark_written().
        Raises UsageError if no process has padding so deep.
        """
        self._mark_padding_valid(padding_depths(depth, self.ndim, "mark_padding_valid"), bool(corners))

    @collective("combine_padding", of_array)
    def combine_padding(
        self, *others: DistView, operation: str = "sum", stencil: str = "box"
    ) -> None:
        """Combines each element with its copies in padding: the adjoint of exchange_padding().

        Each element becomes element op copy op copy ..., where op is "sum", "min" or "max" and the copies lie in
        the padding of this and other processes: contributions collected in padding reach their owners. The
        padding keeps its values; set it to zero before collecting again. If an operand is NaN, the result is NaN.
        Element types: int32, int64, uint32, uint64, float32, float64; for sums also complex64 and complex128.
        others are combined in the same messages and must have the same element type. stencil: selects the padding,
        as in exchange_padding(). Collective, in the same order on all ranks. Finished on return.
        """
        self._combine_padding(list(others), operation, stencil)

    @collective("petsc_vec", of_array)
    def petsc_vec(self) -> Any:
        """The array as a petsc4py.PETSc.Vec without a copy: PETSc writes into the array's memory.

            ksp.solve(b.petsc_vec(), u.petsc_vec())

        Rows are the cells of rank 0 in C order, then those of rank 1, and so on. The Vec keeps the memory alive. The
        array must have float64 elements in host memory and no padding; if it has padding, copy its interior. PETSc
        caches norms of a Vec: if the array is written while the program keeps the Vec, call vec.stateIncrease() on all
        ranks before using it again; a new petsc_vec() needs no such call. Importing petsc4py starts PETSc. Collective.
        Raises UsageError if petsc4py is not installed.
        """
        return petsc_vec(self)

    @collective("transpose", of_array, "RedistributionPlan", "RedistributionPlan.execute", "redistribute")
    def transpose(self, *axes: Any) -> DistView[Scalar]:
        """A new array whose axis d is axis axes[d] of this one; without axes, their order is reversed.

        Each axis keeps its layout, and the axes of the process grid are permuted in the same way. Only
        interior cells are written: exchange_padding() fills the padding. np.transpose(array) is the
        same. Collective. For repeated transposes use a RedistributionPlan.
        """
        return transpose(self, axes, DistView)

    @collective("gather", of_array)
    def gather(self, root: int = 0, cells: str = "interior") -> npt.NDArray[Scalar] | None:
        """All sections' cells as one NumPy array on rank root; None elsewhere.

        cells: "interior" puts the cells at their global indices; "owned" adds the boundary padding
        before and after them.
        Unstructured axes are in ascending order of their indices. Collective.
        """
        return gather(self, root, cells)

    @collective("scatter", of_array)
    def scatter(self, values: npt.ArrayLike, root: int = 0, cells: str = "interior") -> None:
        """Writes a whole array from rank root to all sections' cells: the reverse of gather().

        values: on root anything that NumPy converts to an array, with the shape that gather() returns; elements
        are converted as by np.copyto(casting="same_kind"). Ignored on other ranks. If several processes hold
        an index of an unstructured axis, all of them get the element. Collective.
        """
        scatter(self, values, root, cells)

    @collective("to_hdf5", of_array, "save_hdf5")
    def to_hdf5(
        self, path: Path, name: str, attributes: Attributes | None = None, **options: Unpack[SaveOptions]
    ) -> None:
        """Writes the array to a new HDF5 file under a name: save(path, {name: array}, attributes, ...).

            u.to_hdf5("u.h5", "u", {"time": 1.5})       # h5py.File("u.h5")["u"][...]

        options: as in save(). Collective.
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

        The result is a float for floating-point elements, added in 64 bits; a complex for complex elements;
        an int for all others, modulo 2^64 as in np.sum (booleans count as 0 and 1). If several processes hold
        an index of an unstructured axis, its element counts once for each of them.

        reproducible: computes the exact sum and rounds it once to the nearest float64 (complex elements: each
        part): the same bits for any number of processes and any layout.
        """
        return _reductions.total(self, "sum", cells, reproducible)

    @overload
    def min(self: DistView[np.floating[Any]], cells: str = ...) -> float: ...
    @overload
    def min(self: DistView[np.integer[Any] | np.bool_], cells: str = ...) -> int: ...
    @collective("min", of_array)
    def min(self, cells: str = "interior") -> Any:
        """The least value over all processes' cells; NaN if any cell is NaN. Collective."""
        return _reductions.extreme(self, "min", cells)

    @overload
    def max(self: DistView[np.floating[Any]], cells: str = ...) -> float: ...
    @overload
    def max(self: DistView[np.integer[Any] | np.bool_], cells: str = ...) -> int: ...
    @collective("max", of_array)
    def max(self, cells: str = "interior") -> Any:
        """The greatest value over all processes' cells; NaN if any cell is NaN. Collective."""
        return _reductions.extreme(self, "max", cells)

    @collective("norm", of_array)
    def norm(self, order: float = 2, cells: str = "interior", reproducible: bool = False) -> float:
        """The 1-, 2- or infinity-norm over all processes' cells, in 64 bits. Collective.

        reproducible: sums absolute values or squares exactly, and rounds the sum, or its square root, once.
        The absolute values of complex elements are rounded one by one.
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
        """The scalar product with an array of the same layout; this array is conjugated. Collective.

        Products are taken and added in the types of sum(): 64 bits for each number.
        reproducible: the exact sum of the exact products, rounded once.
        """
        return _reductions.dot(self, other, cells, reproducible)


@collective("dot", of_array)
def dot(
    first: DistView[Any], second: DistView[Any], cells: str = "interior", reproducible: bool = False
) -> Any:
    """The scalar product of two arrays of the same layout, as DistView.dot(); first is conjugated. Collective."""
    return _reductions.dot(first, second, cells, reproducible)
