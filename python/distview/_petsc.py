# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as PETSc vectors, through petsc4py if it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._comm import agreed
from ._errors import ShapeError, UsageError


def petsc_vec(array: Any) -> Any:
    """A petsc4py.PETSc.Vec over the section's memory; see DistView.petsc_vec()."""

    def checked() -> tuple[Any, np.ndarray]:
        try:
            from petsc4py import PETSc
        except ImportError as error:
            raise UsageError(
                "petsc_vec: expected petsc4py to be installed (Debian: python3-petsc4py-real; "
                f"scripts/python --interop adds it to the private root), got {error}"
            ) from error
        if any(map(any, array.padding)):
            raise ShapeError(
                f"petsc_vec: expected an array without padding, got padding {array.padding} "
                "(zeros(shape, dist, comm) makes one; other.interior[...] = u.interior copies)"
            )
        memory = array.view
        if not isinstance(memory, np.ndarray):
            raise UsageError("petsc_vec: expected host memory, got device memory")
        if memory.dtype != PETSc.ScalarType:
            raise UsageError(
                f"petsc_vec: expected elements of PETSc's scalar type {np.dtype(PETSc.ScalarType)}, got {memory.dtype}"
            )
        if not memory.flags.c_contiguous:
            raise ShapeError("petsc_vec: expected elements in C order without gaps, got another order or gaps")
        if not memory.flags.writeable:
            raise UsageError("petsc_vec: expected an array that can be written, got a read-only one")
        return PETSc, memory

    PETSc, memory = agreed(array._communicator, "petsc_vec", checked)
    comm = PETSc.COMM_SELF if array.comm is None else array.comm
    if isinstance(comm, int):  # a handle of py2f(), which petsc4py does not accept
        from mpi4py import MPI

        comm = MPI.Comm.f2py(comm)
    return PETSc.Vec().createWithArray(memory, size=(memory.size, None), comm=comm)
