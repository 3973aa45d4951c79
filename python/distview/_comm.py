# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communicators: what users pass as ``comm`` and what the compiled part takes."""

from __future__ import annotations

import functools
import sys
import zlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

from . import _distview
from ._errors import UsageError

Result = TypeVar("Result")


@functools.cache
def _check_same_mpi() -> None:
    """mpi4py and this module must be built with one MPI library: handles of another are garbage."""
    from mpi4py import MPI

    if MPI._sizeof(MPI.Comm) != _distview.mpi_comm_bytes or (
        MPI.Get_library_version().rstrip("\0 \n") != _distview.mpi_library_version().rstrip("\0 \n")
    ):
        raise UsageError(
            "distview: mpi4py is built with another MPI library "
            f"({MPI.Get_library_version().splitlines()[0]}) than this module "
            f"({_distview.mpi_library_version().splitlines()[0]}): rebuild one of them"
        )


def communicator(comm: Any) -> _distview.Communicator | None:
    """The library's communicator of an mpi4py communicator, a Fortran handle or None.

    Collective over comm the first time that it comes.
    """
    if comm is None or isinstance(comm, _distview.Communicator):
        return comm
    if isinstance(comm, int) and not isinstance(comm, bool):
        if not -(2**31) <= comm < 2**31:
            raise UsageError(f"distview: {comm} is no Fortran handle of a communicator")
        return _distview.communicator_from_fortran(comm)
    module = sys.modules.get("mpi4py.MPI")
    if module is not None and isinstance(comm, module.Comm):
        _check_same_mpi()
        return _distview.communicator_at(module._addressof(comm))
    raise UsageError(
        "distview: expected comm to be an mpi4py communicator, a Fortran handle (int) or None, "
        f"got {type(comm).__name__}"
    )


def agreed(
    comm: _distview.Communicator | None,
    caller: str,
    action: Callable[[], Result],
    alike: Callable[[Result], Any] = lambda result: None,
) -> Result:
    """What action() returns, once it has returned on all ranks; what it raises on one, all raise.

    ``alike`` of the results must be the same on all ranks, as text. Ranks that failed find their
    own exception as the ``__cause__``. The action must not communicate. Collective over comm.
    """
    if comm is None:
        return action()

    def step() -> tuple[Result, int]:
        result = action()
        return result, zlib.crc32(str(alike(result)).encode())

    return cast(Result, comm.agree_on(caller, step))
