# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of a program in a file."""

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
    """What Checkpoint.load() has found. Local."""

    #: By name.
    scalars: dict[str, StoredAttribute]
    #: Which file was read.
    path: str
    #: Why no later one was, of all of these; empty if it is the last one.
    damage: str


def _of_self(checkpoint: Checkpoint, *args: Any, **kwargs: Any) -> _distview.Communicator | None:
    return checkpoint._comm


def _of_comm(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    return communicator(kwargs.get("comm", args[2] if len(args) > 2 else None))


class Checkpoint:
    """The state of a program in a file: named arrays and numbers, from which it goes on in any layout on any ranks.

        checkpoint = distview.Checkpoint("run.h5", comm)
        checkpoint.save({"h": h, "u": u}, {"step": step, "time": time})
        ...
        step = checkpoint.load({"h": h, "u": u}).scalars["step"]

    A checkpoint replaces the one before only when it is whole and on the disk, so that there is always one to go on
    from, whenever a writer is killed; what a killed writer leaves is removed by the next one. Files are those of
    save(), with checksums.

    keep: how many there are at most: "run.h5", the last one, "run.h5.1", the one before. sync=False: save() returns
    when the system has the file, not only when the disk has. progress and other options: as save(). Collective over
    comm. Raises UsageError for arguments that cannot be, and in a build without HDF5.
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
        """Where the last checkpoint is."""
        return self._path

    @named("Checkpoint.path_of")
    def path_of(self, age: int) -> str:
        """The file that is ``age`` checkpoints older than the last one. Local."""
        if not is_int(age) or not 0 <= age < 2**31:
            raise UsageError(f"Checkpoint.path_of: expected a number of at least 0, got {short(age)}")
        return _distview.checkpoint_path(self._comm, self._path, int(age))

    @collective("Checkpoint.save", _of_self, "Checkpoint.save")
    def save(self, arrays: Mapping[str, Section[Any]], scalars: Attributes | None = None) -> None:
        """Writes a checkpoint of arrays and scalars by name. Collective.

        Raises FileError if it cannot be written: the checkpoints that there are stay as they are.
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
        """Fills arrays from the last checkpoint, of any layout and ranks. Collective.

        If that is damaged, cut short or not there: from the one before it if falls_back, else the FileError names that
        one; what the system refuses to read is a FileError in any case. Padding is not valid afterwards:
        exchange_padding() fills it. Raises ShapeError if shape or element type of an array differ, UsageError if its
        name is not there.
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
