# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A folder for all ranks."""

import contextlib
import shutil
import tempfile
from pathlib import Path


@contextlib.contextmanager
def shared_folder(comm):
    """Rank 0 makes the folder, and removes it when all ranks have left. Collective."""
    name = tempfile.mkdtemp(prefix="distview-files-") if comm.rank == 0 else None
    name = comm.bcast(name)
    try:
        yield Path(name)
    finally:
        comm.Barrier()
        if comm.rank == 0:
            shutil.rmtree(name, ignore_errors=True)


def on_root(comm, action):
    """Runs action() on rank 0 and returns its result there, None elsewhere. An exception of it fails all ranks."""
    result = error = None
    if comm.rank == 0:
        try:
            result = action()
        except Exception as caught:  # noqa: BLE001  told to the others
            error = caught
    told = comm.bcast(None if error is None else f"{type(error).__name__}: {error}")
    if error is not None:
        raise error
    assert told is None, f"rank 0: {told}"
    return result
