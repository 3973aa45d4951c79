# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings for all arrays of a communicator, and the assignment of ranks to the processes of a grid."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _comm, _distview
from ._comm import agreed, collective, of_comm, required
from ._errors import LayoutError, UsageError, named, short
from ._file_arguments import is_c_text
from ._layout import axis_specs, build_axes
from ._layout_axes import integer, real

if TYPE_CHECKING:
    from mpi4py import MPI

    from ._types import Comm, Description, Flags, Shape, Widths


@named("set_deadline")
def set_deadline(comm: Comm, seconds: float) -> None:
    """Sets how long a rank waits for others in a collective call; after that time the wait raises a DeadlineError.

        distview.set_deadline(MPI.COMM_WORLD, 30)

    The error names the missing ranks, their last known call and its line in the program; the communicator is unusable
    afterwards. 0, the default, means no limit. DISTVIEW_DEADLINE sets the limit for all communicators.
    docs/deadlines.md lists waits that the deadline does not cover.

    Raises UsageError if seconds is negative or not finite. Local, except for the first use of comm; all ranks set the
    same value.
    """
    found = required(comm, "set_deadline")
    try:
        limit = real(seconds)
    except (TypeError, ValueError):
        limit = math.nan
    if not (math.isfinite(limit) and limit >= 0):
        raise UsageError(f"set_deadline: expected a number of seconds >= 0, got {short(seconds)}")
    found.set_deadline(limit)
    _comm.tells_sites |= limit > 0


@named("set_report")
def set_report(comm: Comm, file: str | os.PathLike[str] | None) -> None:
    """Requests a report of all exchanges and redistributions from now on, written when MPI ends.

        distview.set_report(MPI.COMM_WORLD, "run.txt")      # before the first array is exchanged

    Rank 0 writes it: JSON lines if the name ends in ".json", else text. None or "": no report. DISTVIEW_REPORT sets the
    file for all communicators. docs/report.md shows a report.

    Local, except for the first use of comm; all ranks set the same file.
    """
    found = required(comm, "set_report")
    name: Any = ""
    if file is not None:
        try:
            name = os.fspath(file)
        except TypeError:
            name = file
    if not is_c_text(name):
        raise UsageError(f"set_report: expected the name of a file or None, got {short(file)}")
    found.set_report(name)


@collective("nodes_of_ranks", of_comm(0))
def nodes_of_ranks(comm: Comm) -> tuple[int, ...]:
    """The node of every rank: the lowest rank with which it shares memory. Collective over comm."""
    return tuple(required(comm, "nodes_of_ranks").nodes_of_ranks())


@dataclass(frozen=True)
class GridPlacement:
    """A process grid and the rank for each of its processes; see place_on_nodes(). Local."""

    grid: tuple[int, ...]
    #: The rank of each process, for order_ranks().
    ranks: tuple[int, ...]
    #: Elements of one exchange that move between nodes.
    between_nodes: int
    #: The same for the grid that zeros() chooses, with process p on rank p; None if that grid does not suit the axes.
    between_nodes_of_balanced: int | None
    #: The placement as text.
    text: str

    def __str__(self) -> str:
        return self.text


@named("place_on_nodes")
def place_on_nodes(
    shape: Shape,
    layout: Description = None,
    nodes: Sequence[int] = (0,),
    *,
    padding: Widths = 0,
    boundary: Widths | None = None,
    periodic: Flags = False,
    stencil: str = "box",
) -> GridPlacement:
    """Finds the process grid and the order of ranks with which padding exchanges move the fewest elements between nodes.

        placed = distview.place_on_nodes((ny, nx), "bb", distview.nodes_of_ranks(comm), padding=1)
        ordered = distview.order_ranks(comm, placed.ranks)
        u = distview.zeros((ny, nx), "bb", ordered, padding=1, grid=placed.grid)

    nodes: a number for each rank, the same for all ranks of a node. Other arguments as in zeros() and
    exchange_padding(). If nothing is gained, for example on a single node, process p is rank p.

    Raises LayoutError if no grid suits the axes, or if an axis lists indices. Local: equal arguments give equal results.
    """
    if isinstance(layout, _distview.Layout):
        raise LayoutError("place_on_nodes: expected a layout of axes without a grid, got a Layout")
    if stencil not in ("box", "faces"):
        raise UsageError(f"place_on_nodes: expected stencil to be 'box' or 'faces', got {short(stencil)}")
    axes = build_axes(shape, layout, padding, boundary, periodic)
    for d, axis in enumerate(axes):
        if axis.kind == "u":
            raise LayoutError(f"place_on_nodes: axis {d}: expected 'b', 'n' or 'c', got index lists, which fix the grid")
    # The number of processes is fixed along axes that are not distributed (1), and along blocks with bounds.
    for axis in axes:
        if axis.kind == "n" and axis.size is not None:
            axis.bounds = [0, axis.size]
    # Renumbered in order of appearance: the compiled part accepts only small numbers.
    numbers: dict[int, int] = {}
    counted = [numbers.setdefault(integer(node, "a node"), len(numbers)) for node in nodes]
    grid, ranks, between, balanced, text = _distview.place_on_nodes(counted, axis_specs(axes), stencil == "faces")
    return GridPlacement(tuple(grid), tuple(ranks), between, None if balanced < 0 else balanced, text)


@collective("order_ranks", of_comm(0))
def order_ranks(comm: Comm, ranks: Sequence[int]) -> MPI.Intracomm:
    """An mpi4py communicator of the same ranks in another order: its rank p is comm's rank ranks[p].

    The caller owns it, and may free it when the arrays made with it are gone. Raises UsageError unless ranks names
    each rank once. Collective over comm; all ranks pass the same order.
    """
    found = required(comm, "order_ranks")

    def numbers() -> list[int]:
        given: Any = ranks
        named: list[int] = []
        try:
            given = list(ranks)
            named = [operator.index(rank) for rank in given if not isinstance(rank, bool)]
        except TypeError:
            pass
        if sorted(named) != list(range(found.size)) or len(given) != len(named):
            raise UsageError(f"order_ranks: expected each of the {found.size} ranks once, got {short(given)}")
        return named

    order = agreed(found, "order_ranks", numbers, lambda given: {"ranks": given})
    from mpi4py import MPI

    return MPI.Intracomm(MPI.Comm.f2py(found.order_ranks(order)))
