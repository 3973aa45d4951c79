# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files to which a program appends arrays step by step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from . import _distview
from ._comm import agreed, collective
from ._errors import UsageError, short
from ._file_arguments import (
    Attributes,
    Hdf5Options,
    Path,
    alone,
    communicator_of,
    of_files,
    only,
    read_arrays,
    read_attributes,
    read_path,
    settings,
)
from ._layout_axes import real
from ._save import alike
from ._section import Section


def _of_self(series: Hdf5Series, *args: Any, **kwargs: Any) -> _distview.Communicator | None:
    return series._comm


class Hdf5Series:
    """A file to which the program appends arrays step by step; with a spacing ParaView plays it as a film.

        film = distview.Hdf5Series("film.vtkhdf", {"h": h}, spacing=(dy, dx))
        for step in range(100):
            ...
            film.append(time, {"h": h})
        distview.load("film.vtkhdf", comm=comm, names="h", step=7)

    Each array is one dataset whose first axis counts the steps; the dataset "time" has the times. A step is in the file
    once append() has returned; if the program ends during append(), the earlier steps remain. attributes and options:
    as in save(). Collective over the arrays' communicator.
    """

    @collective("Hdf5Series", of_files)
    def __init__(
        self,
        path: Path,
        arrays: Mapping[str, Section[Any]],
        attributes: Attributes | None = None,
        *,
        sync: bool = False,
        **options: Unpack[Hdf5Options],
    ) -> None:
        caller = "Hdf5Series"
        self._comm = communicator_of(arrays) or alone(caller)

        def prepare() -> tuple[str, list[tuple[str, Section[Any]]], dict[str, Any], _distview.FileSettings]:
            if not _distview.has_hdf5():
                raise UsageError(f"{caller}: expected a build with HDF5, got one without (see distview.save)")
            name, given = read_path(caller, path), read_arrays(caller, arrays)
            kept = read_attributes(caller, attributes)
            chosen = settings(caller, sync=sync, **only(caller, options, Hdf5Options))
            _distview.check_file_arrays(caller, self._comm, given)
            return name, given, kept, chosen

        self._path, given, kept, chosen = agreed(self._comm, caller, prepare, lambda p: alike(p[0], p[1]))
        self._file = _distview.SeriesFile(self._comm, self._path, given, kept, chosen)

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._path

    @property
    def steps(self) -> int:
        """Number of steps in the file."""
        return self._file.steps

    @collective("Hdf5Series.append", _of_self, "Hdf5Series")
    def append(self, time: float, arrays: Mapping[str, Section[Any]]) -> None:
        """Appends a step: arrays with the names, element types and shapes passed to the constructor, in any layouts.

        Collective. Raises FileError if the step cannot be written, UsageError or ShapeError for other arrays.
        """
        caller = "Hdf5Series.append"

        def prepare() -> tuple[float, list[tuple[str, Section[Any]]]]:
            try:
                at = real(time)
            except (TypeError, ValueError):
                raise UsageError(f"{caller}: expected time to be a number, got {short(time)}") from None
            given = read_arrays(caller, arrays)
            _distview.check_file_arrays(caller, self._comm, given)
            return at, given

        at, given = agreed(self._comm, caller, prepare, lambda p: alike(self._path, p[1]))
        self._file.append(at, given)
