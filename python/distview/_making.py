# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the sections of an array on all ranks, in new or existing memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _device, _distview
from ._comm import agreed, communicator
from ._device_import import memory_of
from ._distview import Communicator, Layout
from ._errors import UsageError
from ._layout import build_axes, check_layout, finish_layout
from ._layout_axes import Axis
from ._section import Section

if TYPE_CHECKING:
    from ._types import AnyType, Comm, Description, Flags, Grid, Shape, Widths
    from ._types import Device as DeviceName

Made = TypeVar("Made", bound=Section)


def make(
    kind: type[Made],
    caller: str,
    shape: Shape,
    layout: Description,
    comm: Comm,
    dtype: AnyType | None,
    *,
    padding: Widths = 0,
    boundary: Widths | None = None,
    periodic: Flags = False,
    grid: Grid = None,
    device: DeviceName = None,
    memory: tuple[Any, ...] = (),
) -> Made:
    """See zeros() and wrap(). memory: holds the object to wrap, or is empty for new memory. Collective over comm."""
    taken = communicator(comm)

    def plan() -> Layout | list[Axis]:
        if isinstance(layout, Layout):
            check_layout(layout, shape, padding, boundary, periodic, grid)
            return layout
        return build_axes(shape, layout, padding, boundary, periodic)

    # Index arrays are exchanged next: that needs all ranks, so no rank may have failed before.
    planned = agreed(taken, caller, plan)
    gathered: list[list[np.ndarray]] = []
    if taken is not None:
        own_lists = [] if isinstance(planned, Layout) else [a.own_list for a in planned if a.own_list is not None]
        # The minima of [n, -n] over all ranks are the least n and minus the greatest n.
        least, greatest = taken.all_reduce_int("min", [len(own_lists), -len(own_lists)])
        if least != -greatest:
            raise UsageError(f"{caller}: expected index arrays on all ranks, or on none")
        gathered = [_gather_lists(taken, own) for own in own_lists]

    def build() -> tuple[Layout, str, Any, tuple[int, int]]:
        given = memory_of(memory[0]) if memory else None
        place = _device.memory_kind(device)
        typestr = given.typestr if given is not None else np.dtype(dtype).str
        if isinstance(planned, Layout):
            return planned, typestr, given, place
        remaining = iter(gathered)
        gather = (lambda own: next(remaining)) if gathered else None
        count = taken.size if taken is not None else 1
        return finish_layout(planned, count, grid, gather), typestr, given, place

    return kind(_distview.make_array(caller, build, taken), comm)


def make_like(
    kind: type[Made], caller: str, view: Section, dtype: AnyType | None, device: DeviceName
) -> Made:
    """See zeros_like(). Collective over the communicator of ``view``."""
    if not isinstance(view, Section):
        raise UsageError(f"{caller}: expected a DistView, got {type(view).__name__}")
    layout = view._attached_layout(caller)

    def build() -> tuple[Layout, str, Any, tuple[int, int]]:
        typestr = np.dtype(view.dtype if dtype is None else dtype).str
        place = _device.kind_like(view) if device is None else _device.memory_kind(device)
        return layout, typestr, None, place

    return kind(_distview.make_array(caller, build, view._communicator), view.comm)


def _gather_lists(comm: Communicator, own: np.ndarray) -> list[np.ndarray]:
    return [np.frombuffer(part, np.int64) for part in comm.all_gather_bytes(own.tobytes())]
