# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes arrays to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _distview
from ._comm import agreed, collective
from ._errors import UsageError, short
from ._file_arguments import (
    Attributes,
    Path,
    SaveOptions,
    alone,
    communicator_of,
    is_c_text,
    is_one_of_several_ranks,
    kind_of,
    of_files,
    only,
    read_arrays,
    read_attributes,
    read_path,
    read_progress,
    settings,
)
from ._section import Section


@collective("save", of_files, "save_npy", "save_npz", "save_hdf5")
def save(
    path: Path,
    arrays: Section[Any] | Mapping[str, Section[Any]],
    attributes: Attributes | None = None,
    *,
    fortran_order: bool = False,
    spacing: float | Sequence[float] | None = None,
    origin: float | Sequence[float] | None = None,
    on_points: bool = False,
    axis_names: Sequence[str] | None = None,
    checksums: bool = True,
    compression: int = 0,
    sync: bool = False,
    buffer_bytes: int = 16 << 20,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Writes arrays to a new file. load() reads it in any layout on any number of ranks.

        distview.save("u.npy", u)
        distview.save("state.h5", {"h": h, "flow/u": u}, {"time": 3600.0, "step": 150})

    path: its suffix selects the format. ".npy": one array, as by numpy.save(). ".npz": arrays by name, as by
    numpy.savez(). ".h5", ".hdf5", ".vtkhdf", ".nc": HDF5 with one dataset per array; h5py, netCDF4 and xarray open it.
    Only interior cells are written, without padding; unstructured axes in ascending order of their indices.

    attributes: numbers, texts and rows of numbers by name; HDF5 only. fortran_order: makes the first axis the fastest;
    .npy and .npz only. spacing: cell size by axis, HDF5 only; makes the file a uniform grid, which ParaView and VTK
    open as well (their x is the last axis): use the suffix ".vtkhdf". origin: the lower corner of the grid's first
    cell, 0 by default; on_points: elements are values at points instead of in cells. axis_names: for example "y", "x".
    checksums: HDF5 only; one for every 4 MiB, by which load() detects damage. compression: HDF5 only; from 1 (fast)
    to 9 (small), done by rank 0. sync: returns only when the data are on the disk. buffer_bytes: upper limit for each
    buffer of a rank. progress: called from time to time on rank 0 with the bytes written and the total; it must
    not communicate. Its exception is raised on all ranks once the file is written.

    The complete file replaces an older one under its name; until then the older file stays. Collective over the
    arrays' communicator; rank 0's attributes and options count. Raises FileError, which is an OSError, with the
    system's reason; UsageError and ShapeError for impossible arguments, and for HDF5 in a build without it; the same
    on all ranks.
    """
    options = dict(
        fortran_order=fortran_order, spacing=spacing, origin=origin, on_points=on_points, axis_names=axis_names,
        checksums=checksums, compression=compression, sync=sync, buffer_bytes=buffer_bytes, progress=progress,
    )  # fmt: skip
    write("save", path, arrays, attributes, options)


def write(
    caller: str, path: Any, arrays: Any, attributes: Any, options: dict[str, Any], name: tuple[Any, ...] = ()
) -> None:
    """See save(). For DistView.to_hdf5(), ``arrays`` is one array, ``name`` holds its unchecked name, and options are
    unchecked."""
    comm = communicator_of(arrays) or alone(caller)

    def prepare() -> tuple[str, str, list[tuple[str, Section[Any]]], dict[str, Any], _distview.FileSettings, Any]:
        file = read_path(caller, path)
        kind = kind_of(caller, file)
        if name:
            if kind != "hdf5":
                raise UsageError(f"{caller}: expected a path with an ending of HDF5 files, got {file!r}")
            if not is_c_text(name[0]):
                raise UsageError(f"{caller}: expected a name of an array, got {short(name[0])}")
        chosen_options = only(caller, options, SaveOptions) if name else dict(options)
        callback = read_progress(caller, chosen_options.pop("progress", None))
        given = read_arrays(caller, {name[0]: arrays} if name else arrays, kind)
        if not given and is_one_of_several_ranks():
            raise UsageError(f"{caller}: expected at least one array, whose communicator the ranks share, got none")
        kept = read_attributes(caller, attributes)
        if kept and kind != "hdf5":
            raise UsageError(f"{caller}: expected attributes for HDF5 files only: .{kind} files cannot store them")
        chosen = settings(caller, kind, **chosen_options)
        _distview.check_file_arrays(caller, comm, given)
        return file, kind, given, kept, chosen, callback

    file, kind, given, kept, chosen, callback = agreed(
        comm, caller, prepare, lambda taken: alike(taken[0], taken[2])
    )
    _distview.save_file(caller, comm, kind, file, given, kept, chosen, callback)


def alike(path: str, arrays: list[tuple[str, Section[Any]]]) -> dict[str, Any]:
    """The arguments that must be the same on all ranks."""
    return {
        "path": path,
        "names of arrays": [name for name, _ in arrays],
        "creation numbers of the arrays": [array._slices_of or array._number for _, array in arrays],
    }
