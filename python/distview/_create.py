# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes distributed arrays: in new memory, over a section's memory, and from other libraries' arrays."""

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

# Overloads map a dtype to the array's type. bool stands before int, and int before float and complex: type checkers
# accept bool as int, and int as float or complex.


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

    shape: sizes of the interior, or an int for one axis. layout: one entry per axis,

        "b"                      blocks whose sizes differ by at most one (the default)
        "n"                      not distributed: one process has the whole axis
        ("b", "regular")         blocks of ceil(n / P)
        [0, 5, 12]               blocks between these bounds (also ("b", [0, 5, 12]))
        "c", ("c", 64)           cyclic: dealt out one by one, or in blocks of 64
        [[0, 2], [1, 3]]         the indices of every process (also ("u", [...]))
        an integer NumPy array   the indices of this process (also ("u", array)); collective
        ("u", lists, True)       the same, promising that no index is on two processes

    or a string of one letter per axis. For one axis layout may be the entry itself. Exception: the list of one
    process is ("u", [[0, 2]]), since [[0, 2]] is one entry per axis and [0, 2] are bounds. On axes with
    index lists or block bounds the size may be None. layout may also be a Layout, which has its own padding,
    periodicity and grid; shape is then the Layout's shape or None.

    comm: an mpi4py communicator (or the int that its py2f() returns), or None for one process.
    padding: width of the communication padding, one for all block axes, or one width or (low, high) per
    axis. boundary: the same for the padding at the array's two ends; by default as wide as padding.
    periodic: whether the two ends are connected, for all block axes or per axis. grid: number of processes per axis;
    where it is None or 0, the library chooses: as near to equal as possible, larger numbers for earlier axes.
    dtype: any boolean, integer, floating-point or complex type of NumPy in native byte order, except long
    doubles. Arrays of other elements can be wrapped and imported, not made.

    device: the memory to use. "cpu" (the default); "cuda", this process's CUDA device, or "cuda:N", which
    must be that device; "cuda_managed", "cuda_host": memory that the device and the host read; or another
    array's ``device``. Ranks may differ. All except "cpu" need a build with CUDA support.

    Collective over comm: all ranks pass the same arguments, except index arrays and device. Raises LayoutError or
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
    """A new distributed array of unspecified values (today zeros); arguments as in zeros(). Collective over comm."""
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
    """A new distributed array of ones, padding included; arguments as in zeros(). Collective over comm."""
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
    """A new distributed array filled with one value, padding included; other arguments as in zeros().

    Collective over comm; all ranks pass the same value.
    """
    return _filled("full", shape, value, layout, comm, dtype, keywords)


def _filled(
    caller: str, shape: Shape, value: Any, layout: Description, comm: Comm, dtype: AnyType, keywords: dict[str, Any]
) -> DistView:
    result = make(DistView, caller, shape, layout, comm, dtype, **_checked(caller, comm, keywords))
    agreed(result._communicator, caller, lambda: result.copy_from_host(value), lambda _: {"value": short(value)})
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

    The function is called once on every process. It gets one array of global indices per axis, each of the
    section's shape, and must not communicate. Indices count the interior from 0; boundary padding has
    negative indices and indices from the size on. Other arguments as in zeros(). An exception of the function
    propagates unchanged on its rank; the other ranks raise an Error with its class and text. Its values are converted
    as by NumPy's assignment, but complex numbers for real elements raise UsageError.

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
        given = np.asarray(values).dtype
        if given.kind == "O" or (given.kind == "c" and result.dtype.kind != "c"):
            raise UsageError(
                f"{caller}: expected the function to return numbers for elements of {result.dtype}, got {given}; "
                "dtype= selects the elements"
            )
        result.copy_from_host(values)

    try:
        agreed(result._communicator, caller, fill)
    except Error:
        if not raised:
            raise
    if raised:
        raise raised[0]
    return result


#: Keywords of zeros() that other functions accept and pass on.
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
    """A new array of zeros with the layout of another array. Collective over that array's communicator.

    dtype, device: by default those of the other array.
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
    """A distributed array over existing memory: this process's section, all padding included.

    section: any object with the buffer protocol, __cuda_array_interface__ or __dlpack__; the array keeps it
    alive and never copies it. Other arguments as in zeros(). Collective over comm. Raises ShapeError if the
    section's extents are not those that the layout gives this process.
    """
    return make(
        DistView, "wrap", shape, layout, comm, None,
        padding=padding, boundary=boundary, periodic=periodic, grid=grid, memory=(section,),
    )  # fmt: skip


@collective("from_distarray", of_comm(1))
def from_distarray(obj: Any, comm: Comm = None, validate: str = "full") -> DistView[Any]:
    """A DistView of any array that is exported by the Distributed Array Protocol, without a copy.

    obj: an object with ``__distarray__()``, or the dictionary that it returns. The DistView keeps it alive.
    Protocol versions 0.9.z and 0.10.z.

    validate="full": checks every rule. With comm (collective: every rank passes its own part of one array) it also
    checks the rules between processes, and a defect on one rank raises the same ProtocolError on all ranks.
    Without comm the array must have one process.

    validate="local", without comm: checks only this process's part and does not communicate. If the array has more
    processes, only local calls work on it until attach(comm).
    """
    # Compare strings only: comparing a NumPy array would raise on this rank alone.
    how = validate if isinstance(validate, str) else None
    if how == "local" and comm is None:
        return DistView(_distview.import_local(obj))
    taken = communicator(comm)
    if how != "full":
        # Ranks with a correct argument wait for this rank's verdict on its object.
        agreed(taken, "from_distarray", lambda: _refuse_validate(validate))
    if taken is None:
        return DistView(_distview.import_alone(obj))
    return DistView(_distview.import_together(obj, taken), comm)


def _refuse_validate(validate: str) -> None:
    if isinstance(validate, str) and validate == "local":
        raise UsageError(
            'from_distarray: expected no comm with validate="local", which does not communicate; call attach(comm) '
            "on the result"
        )
    raise UsageError(f'from_distarray: expected validate to be "full" or "local", got {short(validate)}')
