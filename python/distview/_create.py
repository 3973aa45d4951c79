# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making distributed arrays: new ones, of a section's memory, and of other libraries' arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _device, _distview
from ._array import DistView
from ._comm import agreed, collective, communicator, of_array, of_comm
from ._device_import import memory_of
from ._distview import Communicator, Layout
from ._errors import Error, UsageError, short
from ._layout import build_layout, check_layout, finish_layout


@collective("DistView", of_comm(2))
def zeros(
    shape: Any,
    layout: Any = None,
    comm: Any = None,
    dtype: Any = "float64",
    *,
    padding: Any = 0,
    boundary: Any = None,
    periodic: Any = False,
    grid: Any = None,
    device: Any = None,
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

    comm: an mpi4py communicator, a Fortran handle, or None for one process. padding: width of the
    communication padding, of all block axes, or one width or (low, high) per axis. boundary: the
    same of the padding at the array's two ends; as wide as padding unless given. periodic: whether
    the ends meet, for all block axes or per axis. grid: numbers of processes per axis; None or 0
    where it may be chosen: as near to equal as possible, the greater for the earlier axes.
    dtype: any of NumPy's booleans, integers, floating-point and complex numbers in native byte
    order, but for those of long double; other elements can be wrapped and imported, not made.

    device: whose memory. "cpu" (the default); "cuda", this process's CUDA device, or "cuda:N", which
    must be that one; "cuda_managed", "cuda_host": memory that the device and the host read; or another
    array's ``device``. Ranks may differ. All but "cpu" need a build with support for CUDA.

    Collective over comm: all ranks pass the same, but for index arrays. Raises LayoutError or
    UsageError, the same on all ranks.
    """
    return _make(shape, layout, comm, dtype, padding, boundary, periodic, grid, (), device)


@collective("DistView", of_comm(2))
def empty(shape: Any, layout: Any = None, comm: Any = None, dtype: Any = "float64", **keywords: Any) -> DistView:
    """A new distributed array of any values (today zeros); arguments as zeros(). Collective over comm."""
    return zeros(shape, layout, comm, dtype, **keywords)


@collective("DistView", of_comm(2))
def ones(shape: Any, layout: Any = None, comm: Any = None, dtype: Any = "float64", **keywords: Any) -> DistView:
    """A new distributed array of ones, padding included; arguments as zeros(). Collective over comm."""
    return full(shape, 1, layout, comm, dtype, **keywords)


@collective("DistView", of_comm(3))
def full(
    shape: Any, value: Any, layout: Any = None, comm: Any = None, dtype: Any = "float64", **keywords: Any
) -> DistView:
    """A new distributed array of one value, padding included; other arguments as zeros().

    Collective over comm.
    """
    result = zeros(shape, layout, comm, dtype, **keywords)
    agreed(result._communicator, "full", lambda: _assign(result, value))
    return result


@collective("DistView", of_comm(3))
def from_function(
    function: Callable[..., Any],
    shape: Any,
    layout: Any = None,
    comm: Any = None,
    dtype: Any = "float64",
    **keywords: Any,
) -> DistView:
    """A new distributed array of function(i, j, ...) at each global index, padding included.

    The function gets one array of global indices per axis, of the section's shape, and is called
    once on every process; it must not communicate. Indices are the interior's, from 0: boundary
    padding has negative ones and those from the size on. Other arguments as zeros(). What it raises
    on a rank is raised there as it is, and on the other ranks as an Error with its class and text.

    Collective over comm.
    """
    result = zeros(shape, layout, comm, dtype, **keywords)
    raised: list[BaseException] = []

    def fill() -> None:
        indices = [result.global_indices(d, "all") for d in range(result.ndim)]
        grids = np.meshgrid(*indices, indexing="ij")
        try:
            values = function(*grids)
        except BaseException as error:
            raised.append(error)
            raise
        _assign(result, values)

    try:
        agreed(result._communicator, "from_function", fill)
    except Error:
        if not raised:
            raise
    if raised:
        raise raised[0]
    return result


def _assign(array: DistView, values: Any) -> None:
    array.copy_from_host(values)


@collective("DistView", of_array)
def zeros_like(view: DistView, dtype: Any = None, device: Any = None) -> DistView:
    """A new array of zeros with the layout of another one. Collective over its communicator.

    dtype, device: those of the other one unless given.
    """
    layout = view._attached_layout("zeros_like")

    def build() -> tuple[Layout, str, Any, tuple[int, int]]:
        typestr = np.dtype(view.dtype if dtype is None else dtype).str
        kind = _device.kind_like(view) if device is None else _device.memory_kind(device)
        return layout, typestr, None, kind

    return DistView(_distview.make_array(build, view._communicator), view.comm)


@collective("DistView", of_comm(3))
def wrap(
    section: Any,
    shape: Any,
    layout: Any = None,
    comm: Any = None,
    *,
    padding: Any = 0,
    boundary: Any = None,
    periodic: Any = False,
    grid: Any = None,
) -> DistView:
    """A distributed array of memory that exists: this process's section, all padding included.

    section: anything with the buffer protocol, __cuda_array_interface__ or __dlpack__; it is kept
    alive and never copied. Other arguments as zeros(). Collective over comm. Raises ShapeError if the
    section has not the extents that the layout gives this process.
    """
    return _make(shape, layout, comm, None, padding, boundary, periodic, grid, (section,), None)


@collective("from_distarray", of_comm(1))
def from_distarray(obj: Any, comm: Any = None, validate: str = "full") -> DistView:
    """A DistView of any array that exports itself as the Distributed Array Protocol says. No copy.

    obj: has ``__distarray__()``, or is what that returns. It is kept alive. Versions 0.9.z, 0.10.z.

    validate="full": every rule is checked. With comm (collective: every rank passes its own part of
    one array) also those between processes, and a defect on one rank raises the same ProtocolError
    on all. Without comm the array must be of one process.

    validate="local": nothing is communicated and only this process's part is checked. If the array
    has more processes, the view can do only local things until attach(comm).
    """
    if validate == "local":
        return DistView(_distview.import_local(obj))
    taken = communicator(comm)
    if validate != "full":
        # Ranks that were told nothing wrong wait for this one's verdict on its object.
        agreed(taken, "from_distarray", lambda: _refuse_validate(validate))
    if taken is None:
        return DistView(_distview.import_alone(obj))
    return DistView(_distview.import_together(obj, taken), comm)


def _refuse_validate(validate: Any) -> None:
    raise UsageError(f'from_distarray: expected validate to be "full" or "local", got {short(validate)}')


def _make(
    shape: Any, layout: Any, comm: Any, dtype: Any, padding: Any, boundary: Any, periodic: Any,
    grid: Any, given: tuple[Any, ...], device: Any,
) -> DistView:  # fmt: skip
    taken = communicator(comm)

    def plan() -> Any:
        if isinstance(layout, Layout):
            check_layout(layout, shape, padding, boundary, periodic, grid)
            return layout
        return build_layout(shape, layout, taken, padding, boundary, periodic, grid)

    # The lists of index arrays are exchanged: nobody may have failed before.
    planned = agreed(taken, "DistView", plan)
    gathered: list[list[np.ndarray]] = []
    if taken is not None:
        wanted = 0 if isinstance(planned, Layout) else sum(a.own_list is not None for a in planned[0])
        # Of [n, -n] the minima are the least n and minus the greatest.
        least, greatest = taken.all_reduce_int("min", [wanted, -wanted])
        if least != -greatest:
            raise UsageError("DistView: expected index arrays on all ranks, or on none")
        if wanted:
            gathered = [
                _gather_lists(taken, a.own_list) for a in planned[0] if a.own_list is not None
            ]

    def build() -> tuple[Layout, str, Any, tuple[int, int]]:
        memory = memory_of(given[0]) if given else None
        kind = _device.memory_kind(device)
        typestr = memory.typestr if memory is not None else np.dtype(dtype).str
        if isinstance(planned, Layout):
            return planned, typestr, memory, kind
        remaining = iter(gathered)
        gather = (lambda own: next(remaining)) if gathered else None
        return finish_layout(planned[0], planned[1], grid, gather), typestr, memory, kind

    return DistView(_distview.make_array(build, taken), comm)


def _gather_lists(comm: Communicator, own: np.ndarray) -> list[np.ndarray]:
    return [np.frombuffer(part, np.int64) for part in comm.all_gather_bytes(own.tobytes())]
