# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making distributed arrays: new ones, of a section's memory, and of other libraries' arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from . import _distview
from ._array import DistView
from ._comm import agreed, collective, communicator, of_array, of_comm
from ._errors import Error, UsageError, short
from ._making import make, make_like

if TYPE_CHECKING:
    from ._types import (
        AnyType, Boolean, Comm, Complex, Description, Device, Flags, Float64, Grid, Integer, LayoutOptions, Options,
        Shape, Widths,
    )  # fmt: skip

S = TypeVar("S", bound=np.generic)

# What a dtype makes of an array's type: of builtins bool stands before int, and int before float and complex, which it
# passes for.


@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Float64 = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[S] | np.dtype[S] = ...,
    **keywords: Unpack[Options],
) -> DistView[S]: ...  # fmt: skip
@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Boolean = ...,
    **keywords: Unpack[Options],
) -> DistView[np.bool_]: ...  # fmt: skip
@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Integer = ...,
    **keywords: Unpack[Options],
) -> DistView[np.integer[Any]]: ...  # fmt: skip
@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[float] = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Complex = ...,
    **keywords: Unpack[Options],
) -> DistView[np.complexfloating[Any, Any]]: ...  # fmt: skip
@overload
def zeros(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: AnyType = ...,
    **keywords: Unpack[Options],
) -> DistView[Any]: ...  # fmt: skip
@collective("zeros", of_comm(2))
def zeros(
    shape: Shape,
    layout: Description = None,
    comm: Comm = None,
    dtype: AnyType = "float64",
    *,
    padding: Widths = 0,
    boundary: Widths | None = None,
    periodic: Flags = False,
    grid: Grid = None,
    device: Device = None,
) -> DistView:
    """A new distributed array of zeros.

    shape: the interior sizes, an int for one axis. layout: one entry per axis,

        "b"                      blocks whose sizes differ by at most one (the default)
        "n"                      not distributed: one process has the whole axis
        ("b", "regular")         blocks of ceil(n / P)
        [0, 5, 12]               blocks between these bounds (also ("b", [0, 5, 12]))
        "c", ("c", 64)           dealt out one by one, or in blocks of 64
        [[0, 2], [1, 3]]         the indices of every process (also ("u", [...]))
        an integer NumPy array   the indices of this process (also ("u", array)); collective
        ("u", lists, True)       the same, promising that no index is on two processes

    or a string of one letter per axis; for one axis the entry itself (but ("u", [[0, 2]]) for the
    list of one process: [[0, 2]] is an entry for each axis, and [0, 2] are bounds). On axes with
    index lists or block bounds the size may be None. Or a Layout, whose shape is the shape
    (or None), and which has padding, periodicity and grid of its own.

    comm: an mpi4py communicator (or the int that its py2f() returns), or None for one process.
    padding: width of the communication padding, of all block axes, or one width or (low, high) per
    axis. boundary: the same of the padding at the array's two ends; as wide as padding unless given.
    periodic: whether the ends meet, for all block axes or per axis. grid: numbers of processes per axis; None or 0
    where it may be chosen: as near to equal as possible, the greater for the earlier axes.
    dtype: any of NumPy's booleans, integers, floating-point and complex numbers in native byte
    order, but for those of long double; other elements can be wrapped and imported, not made.

    device: whose memory. "cpu" (the default); "cuda", this process's CUDA device, or "cuda:N", which
    must be that one; "cuda_managed", "cuda_host": memory that the device and the host read; or another
    array's ``device``. Ranks may differ. All but "cpu" need a build with support for CUDA.

    Collective over comm: all ranks pass the same, but for index arrays. Raises LayoutError or
    UsageError, the same on all ranks.
    """
    return make(
        DistView, "zeros", shape, layout, comm, dtype,
        padding=padding, boundary=boundary, periodic=periodic, grid=grid, device=device,
    )  # fmt: skip


@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Float64 = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[S] | np.dtype[S] = ...,
    **keywords: Unpack[Options],
) -> DistView[S]: ...  # fmt: skip
@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Boolean = ...,
    **keywords: Unpack[Options],
) -> DistView[np.bool_]: ...  # fmt: skip
@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Integer = ...,
    **keywords: Unpack[Options],
) -> DistView[np.integer[Any]]: ...  # fmt: skip
@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[float] = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Complex = ...,
    **keywords: Unpack[Options],
) -> DistView[np.complexfloating[Any, Any]]: ...  # fmt: skip
@overload
def empty(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: AnyType = ...,
    **keywords: Unpack[Options],
) -> DistView[Any]: ...  # fmt: skip
@collective("empty", of_comm(2))
def empty(
    shape: Shape, layout: Description = None, comm: Comm = None, dtype: AnyType = "float64", **keywords: Any
) -> DistView:
    """A new distributed array of any values (today zeros); arguments as zeros(). Collective over comm."""
    return make(DistView, "empty", shape, layout, comm, dtype, **_checked("empty", comm, keywords))


@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Float64 = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[S] | np.dtype[S] = ...,
    **keywords: Unpack[Options],
) -> DistView[S]: ...  # fmt: skip
@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Boolean = ...,
    **keywords: Unpack[Options],
) -> DistView[np.bool_]: ...  # fmt: skip
@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Integer = ...,
    **keywords: Unpack[Options],
) -> DistView[np.integer[Any]]: ...  # fmt: skip
@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[float] = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Complex = ...,
    **keywords: Unpack[Options],
) -> DistView[np.complexfloating[Any, Any]]: ...  # fmt: skip
@overload
def ones(
    shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: AnyType = ...,
    **keywords: Unpack[Options],
) -> DistView[Any]: ...  # fmt: skip
@collective("ones", of_comm(2))
def ones(
    shape: Shape, layout: Description = None, comm: Comm = None, dtype: AnyType = "float64", **keywords: Any
) -> DistView:
    """A new distributed array of ones, padding included; arguments as zeros(). Collective over comm."""
    return _filled("ones", shape, 1, layout, comm, dtype, keywords)


@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: Float64 = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: type[S] | np.dtype[S] = ...,
    **keywords: Unpack[Options],
) -> DistView[S]: ...  # fmt: skip
@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: Boolean = ...,
    **keywords: Unpack[Options],
) -> DistView[np.bool_]: ...  # fmt: skip
@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: Integer = ...,
    **keywords: Unpack[Options],
) -> DistView[np.integer[Any]]: ...  # fmt: skip
@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: type[float] = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: Complex = ...,
    **keywords: Unpack[Options],
) -> DistView[np.complexfloating[Any, Any]]: ...  # fmt: skip
@overload
def full(
    shape: Shape, value: Any, layout: Description = ..., comm: Comm = ..., dtype: AnyType = ...,
    **keywords: Unpack[Options],
) -> DistView[Any]: ...  # fmt: skip
@collective("full", of_comm(3))
def full(
    shape: Shape, value: Any, layout: Description = None, comm: Comm = None, dtype: AnyType = "float64",
    **keywords: Any,
) -> DistView:  # fmt: skip
    """A new distributed array of one value, padding included; other arguments as zeros().

    Collective over comm.
    """
    return _filled("full", shape, value, layout, comm, dtype, keywords)


def _filled(
    caller: str, shape: Shape, value: Any, layout: Description, comm: Comm, dtype: AnyType, keywords: dict[str, Any]
) -> DistView:
    result = make(DistView, caller, shape, layout, comm, dtype, **_checked(caller, comm, keywords))
    agreed(result._communicator, caller, lambda: result.copy_from_host(value))
    return result


@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Float64 = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[S] | np.dtype[S] = ...,
    **keywords: Unpack[Options],
) -> DistView[S]: ...  # fmt: skip
@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Boolean = ...,
    **keywords: Unpack[Options],
) -> DistView[np.bool_]: ...  # fmt: skip
@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Integer = ...,
    **keywords: Unpack[Options],
) -> DistView[np.integer[Any]]: ...  # fmt: skip
@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: type[float] = ...,
    **keywords: Unpack[Options],
) -> DistView[np.float64]: ...  # fmt: skip
@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: Complex = ...,
    **keywords: Unpack[Options],
) -> DistView[np.complexfloating[Any, Any]]: ...  # fmt: skip
@overload
def from_function(
    function: Callable[..., npt.ArrayLike], shape: Shape, layout: Description = ..., comm: Comm = ..., dtype: AnyType = ...,
    **keywords: Unpack[Options],
) -> DistView[Any]: ...  # fmt: skip
@collective("from_function", of_comm(3))
def from_function(
    function: Callable[..., npt.ArrayLike],
    shape: Shape,
    layout: Description = None,
    comm: Comm = None,
    dtype: AnyType = "float64",
    **keywords: Any,
) -> DistView:
    """A new distributed array of function(i, j, ...) at each global index, padding included.

    The function gets one array of global indices per axis, of the section's shape, and is called
    once on every process; it must not communicate. Indices are the interior's, from 0: boundary
    padding has negative ones and those from the size on. Other arguments as zeros(). What it raises
    on a rank is raised there as it is, and on the other ranks as an Error with its class and text.

    Collective over comm.
    """
    caller = "from_function"
    result = make(DistView, caller, shape, layout, comm, dtype, **_checked(caller, comm, keywords))
    raised: list[BaseException] = []

    def fill() -> None:
        if not callable(function):
            raise UsageError(f"{caller}: expected a function of global indices, got {short(function)}")
        indices = [result.global_indices(d, "all") for d in range(result.ndim)]
        grids = np.meshgrid(*indices, indexing="ij")
        try:
            values = function(*grids)
        except BaseException as error:
            raised.append(error)
            raise
        result.copy_from_host(values)

    try:
        agreed(result._communicator, caller, fill)
    except Error:
        if not raised:
            raise
    if raised:
        raise raised[0]
    return result


#: Keywords of zeros(), for functions that pass them on.
_KEYWORDS = ("padding", "boundary", "periodic", "grid", "device")


def _checked(caller: str, comm: Comm, keywords: dict[str, Any]) -> dict[str, Any]:
    unknown = [name for name in keywords if name not in _KEYWORDS]
    if unknown:

        def refuse() -> None:
            raise UsageError(f"{caller}: got an unexpected keyword argument {short(unknown[0])}")

        agreed(communicator(comm), caller, refuse)
    return keywords


@overload
def zeros_like(view: DistView[S], dtype: None = None, device: Device = None) -> DistView[S]: ...
@overload
def zeros_like(view: DistView, dtype: Float64, device: Device = None) -> DistView[np.float64]: ...
@overload
def zeros_like(view: DistView, dtype: type[S] | np.dtype[S], device: Device = None) -> DistView[S]: ...
@overload
def zeros_like(  # type: ignore[overload-overlap]  # bool is an int, too
    view: DistView, dtype: Boolean, device: Device = None
) -> DistView[np.bool_]: ...
@overload
def zeros_like(view: DistView, dtype: Integer, device: Device = None) -> DistView[np.integer[Any]]: ...
@overload
def zeros_like(view: DistView, dtype: type[float], device: Device = None) -> DistView[np.float64]: ...
@overload
def zeros_like(
    view: DistView, dtype: Complex, device: Device = None
) -> DistView[np.complexfloating[Any, Any]]: ...
@overload
def zeros_like(view: DistView, dtype: AnyType, device: Device = None) -> DistView: ...
@collective("zeros_like", of_array)
def zeros_like(view: DistView, dtype: AnyType | None = None, device: Device = None) -> DistView:
    """A new array of zeros with the layout of another one. Collective over its communicator.

    dtype, device: those of the other one unless given.
    """
    return make_like(DistView, "zeros_like", view, dtype, device)


@overload
def wrap(
    section: npt.NDArray[S] | DistView[S], shape: Shape, layout: Description = ..., comm: Comm = ...,
    **keywords: Unpack[LayoutOptions],
) -> DistView[S]: ...  # fmt: skip
@overload
def wrap(
    section: Any, shape: Shape, layout: Description = ..., comm: Comm = ..., **keywords: Unpack[LayoutOptions]
) -> DistView[Any]: ...
@collective("wrap", of_comm(3))
def wrap(
    section: Any,
    shape: Shape,
    layout: Description = None,
    comm: Comm = None,
    *,
    padding: Widths = 0,
    boundary: Widths | None = None,
    periodic: Flags = False,
    grid: Grid = None,
) -> DistView:
    """A distributed array of memory that exists: this process's section, all padding included.

    section: anything with the buffer protocol, __cuda_array_interface__ or __dlpack__; it is kept
    alive and never copied. Other arguments as zeros(). Collective over comm. Raises ShapeError if the
    section has not the extents that the layout gives this process.
    """
    return make(
        DistView, "wrap", shape, layout, comm, None,
        padding=padding, boundary=boundary, periodic=periodic, grid=grid, memory=(section,),
    )  # fmt: skip


@collective("from_distarray", of_comm(1))
def from_distarray(obj: Any, comm: Comm = None, validate: str = "full") -> DistView[Any]:
    """A DistView of any array that exports itself as the Distributed Array Protocol says. No copy.

    obj: has ``__distarray__()``, or is what that returns. It is kept alive. Versions 0.9.z, 0.10.z.

    validate="full": every rule is checked. With comm (collective: every rank passes its own part of
    one array) also those between processes, and a defect on one rank raises the same ProtocolError
    on all. Without comm the array must be of one process.

    validate="local": nothing is communicated and only this process's part is checked. If the array
    has more processes, the view can do only local things until attach(comm).
    """
    # What is no text may not compare: NumPy's arrays would raise on this rank alone.
    how = validate if isinstance(validate, str) else None
    if how == "local":
        return DistView(_distview.import_local(obj))
    taken = communicator(comm)
    if how != "full":
        # Ranks that were told nothing wrong wait for this one's verdict on its object.
        agreed(taken, "from_distarray", lambda: _refuse_validate(validate))
    if taken is None:
        return DistView(_distview.import_alone(obj))
    return DistView(_distview.import_together(obj, taken), comm)


def _refuse_validate(validate: str) -> None:
    raise UsageError(f'from_distarray: expected validate to be "full" or "local", got {short(validate)}')
