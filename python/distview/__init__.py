# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Distributed arrays over MPI, shared with other packages through the Distributed Array Protocol.

    from mpi4py import MPI
    import distview

    u = distview.zeros((180, 360), "bb", MPI.COMM_WORLD, padding=1, periodic=(False, True))
    u.owned[...] = u.process
    u.exchange_padding()
    whole = u.gather()                      # on rank 0

Importing the package initialises neither MPI (mpi4py does) nor Kokkos (the first exchange does).
"""

from __future__ import annotations

import atexit as _atexit

from . import _distview
from ._array import DistView, dot
from ._checkpoint import Checkpoint, LoadedCheckpoint
from ._create import (
    empty,
    from_distarray,
    from_function,
    full,
    ones,
    wrap,
    zeros,
    zeros_like,
)
from ._distview import (
    GhostedLayout,
    Layout,
    __version__,
    build_info,
    check,
    check_all,
    check_padding,
    finalize,
    has_hdf5,
    initialize,
    is_initialized,
)
from ._elements import GatherPlan, accumulate_elements, get_elements, put_elements
from ._errors import (
    AxisError,
    DeadlineError,
    Error,
    FileError,
    LayoutError,
    MpiError,
    ProtocolError,
    ShapeError,
    UsageError,
)
from ._exchange import Gather, GhostExchange, PaddingExchange, Redistribution
from ._ghosts import GhostExchangePlan, make_ghosted_layout
from ._layout import make_layout
from ._load import FileContents, StoredField, inspect, load
from ._migration import MigrationPlan
from ._random import fill_random
from ._ranks import GridPlacement, nodes_of_ranks, order_ranks, place_on_nodes, set_deadline, set_report
from ._redistribute import redistribute
from ._redistribution import RedistributionPlan
from ._save import save
from ._series import Hdf5Series
from .plot import plot_array_distribution, plot_layout

# atexit runs this before mpi4py finalises MPI: mpi4py does so later in the interpreter's shutdown.
_atexit.register(finalize)
_atexit.register(_distview.ignore_signals)


def describe(layout_or_view: Layout | DistView) -> str:
    """The layout as text; for small arrays also a text picture of the owners. Local."""
    if not isinstance(layout_or_view, (Layout, DistView)):
        raise UsageError(
            f"describe: expected a Layout or a DistView, got {type(layout_or_view).__name__}"
        )
    return layout_or_view.describe()


__all__ = [
    "AxisError",
    "Checkpoint",
    "DeadlineError",
    "DistView",
    "Error",
    "FileContents",
    "FileError",
    "Gather",
    "GatherPlan",
    "GhostExchange",
    "GhostExchangePlan",
    "GhostedLayout",
    "GridPlacement",
    "Hdf5Series",
    "Layout",
    "LayoutError",
    "LoadedCheckpoint",
    "MigrationPlan",
    "MpiError",
    "PaddingExchange",
    "ProtocolError",
    "Redistribution",
    "RedistributionPlan",
    "ShapeError",
    "StoredField",
    "UsageError",
    "__version__",
    "accumulate_elements",
    "build_info",
    "check",
    "check_all",
    "check_padding",
    "describe",
    "dot",
    "empty",
    "fill_random",
    "finalize",
    "from_distarray",
    "from_function",
    "full",
    "get_elements",
    "has_hdf5",
    "initialize",
    "inspect",
    "is_initialized",
    "load",
    "make_ghosted_layout",
    "make_layout",
    "nodes_of_ranks",
    "ones",
    "order_ranks",
    "place_on_nodes",
    "plot_array_distribution",
    "plot_layout",
    "put_elements",
    "redistribute",
    "save",
    "set_deadline",
    "set_report",
    "wrap",
    "zeros",
    "zeros_like",
]
