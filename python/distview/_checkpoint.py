# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints: the state of a program in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from . import _distview
from ._comm import agreed, collective, communicator
from ._device import is_int
from ._errors import UsageError, in_python, named, short
from ._file_arguments import (
    Attributes,
    Hdf5Options,
    Path,
    StoredAttribute,
    alone,
    give_attributes,
    only,
    read_arrays,
    read_attributes,
    read_path,
    read_progress,
    settings,
)
from ._save import alike
from ._section import Section

if TYPE_CHECKING:
    from ._types import Comm


@dataclass(frozen=True)
class LoadedCheckpoint:
    """The result of Checkpoint.load(). Local."""

    #: Scalars by name.
    scalars: dict[str, StoredAttribute]
    #: The file that was read.
    path: str
    #: Why the later checkpoints were not read, each of them; empty if the last one was read.
    damage: str


def _of_self(checkpoint: Checkpoint, *args: Any, **kwargs: Any) -> _distview.Communicator | None:
    return checkpoint._comm


def _of_comm(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    return communicator(kwargs.get("comm", args[2] if len(args) > 2 else None))


class Checkpoint:
    """The state of a program in a file: named arrays and numbers. The program resumes in any layout, on any ranks.

        checkpoint = distview.Checkpoint("run.h5", comm)
        checkpoint.save({"h": h, "u": u}, {"step": step, "time": time})
        ...
        step = checkpoint.load({"h": h, "u": u}).scalars["step"]

    A checkpoint replaces the previous one only when it is complete and on the disk. Hence a usable checkpoint always
    exists, whenever a writer is killed; the next writer removes the remains of a killed one. Files have the format of
    save(), with checksums.

    keep: the greatest number of checkpoints: "run.h5" is the last one, "run.h5.1" the one before. sync=False: save()
    returns when the system has the file, possibly before the disk has it. progress and other options: as in save().
    Collective over comm. Raises UsageError for impossible arguments, and in a build without HDF5.
    """

    @collective("Checkpoint", _of_comm)
    def __init__(
        self,
        path: Path,
        comm: Comm = None,
        *,
        keep: int = 2,
        sync: bool = True,
        progress: Callable[[int, int], object] | None = None,
        **options: Unpack[Hdf5Options],
    ) -> None:
        caller = "Checkpoint"
        self._comm = communicator(comm) or alone(caller)

        def prepare() -> tuple[str, _distview.FileSettings, Any]:
            if not _distview.has_hdf5():
                raise UsageError(f"{caller}: expected a build with HDF5, got one without (see distview.save)")
            callback = read_progress(caller, progress)
            return read_path(caller, path), settings(caller, keep=keep, sync=sync, **only(caller, options, Hdf5Options)), callback

        self._path, self._settings, self._progress = agreed(
            self._comm, caller, prepare, lambda p: {"path": p[0], "keep": keep}
        )

    @property
    def path(self) -> str:
        """The file of the last checkpoint."""
        return self._path

    @named("Checkpoint.path_of")
    def path_of(self, age: int) -> str:
        """The file of the checkpoint that is ``age`` checkpoints older than the last one. Local."""
        if not is_int(age) or not 0 <= age < 2**31:
            raise UsageError(f"Checkpoint.path_of: expected a number of at least 0, got {short(age)}")
        return _distview.checkpoint_path(self._comm, self._path, int(age))

    @collective("Checkpoint.save", _of_self, "Checkpoint.save")
    def save(self, arrays: Mapping[str, Section[Any]], scalars: Attributes | None = None) -> None:
        """Writes a checkpoint of arrays and scalars by name. Collective.

        Raises FileError if it cannot be written: existing checkpoints stay as they are.
        """
        caller = "Checkpoint.save"

        def prepare() -> tuple[list[tuple[str, Section[Any]]], dict[str, Any]]:
            given = read_arrays(caller, arrays)
            kept = read_attributes(caller, scalars)
            _distview.check_file_arrays(caller, self._comm, given)
            return given, kept

        given, kept = agreed(self._comm, caller, prepare, lambda p: alike(self._path, p[0]))
        _distview.save_checkpoint(self._comm, self._path, given, kept, self._settings, self._progress)

    @collective("Checkpoint.load", _of_self, "Checkpoint.load")
    def load(self, arrays: Mapping[str, Section[Any]], falls_back: bool = False) -> LoadedCheckpoint:
        """Fills arrays from the last checkpoint, written in any layout on any ranks. Collective.

        If that checkpoint is damaged, truncated or missing, load() reads the latest complete one before it if
        falls_back is True, else it raises a FileError that names the previous one, if that exists. If the system
        refuses to read a file, it always raises a FileError. Padding is not valid afterwards: exchange_padding() fills it. Raises ShapeError if an array's shape
        or element type differs, UsageError if the checkpoint lacks its name.
        """
        caller = "Checkpoint.load"

        def prepare() -> list[tuple[str, Section[Any]]]:
            if not isinstance(falls_back, (bool, np.bool_)):
                raise UsageError(f"{caller}: expected falls_back to be True or False, got {short(falls_back)}")
            given = read_arrays(caller, arrays)
            _distview.check_file_arrays(caller, self._comm, given)
            return given

        given = agreed(
            self._comm, caller, prepare, lambda p: {**alike(self._path, p), "falls_back": bool(falls_back)}
        )
        scalars, path, damage = _distview.load_checkpoint(
            self._comm, self._path, given, bool(falls_back), self._settings
        )
        return LoadedCheckpoint(give_attributes(scalars), path, in_python(damage))
