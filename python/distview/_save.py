# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing arrays to files."""

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
    """Writes arrays to a new file, which load() reads in any layout on any number of ranks.

        distview.save("u.npy", u)
        distview.save("state.h5", {"h": h, "flow/u": u}, {"time": 3600.0, "step": 150})

    path: what it ends in says what it becomes. ".npy": one array, as numpy.save() writes it. ".npz": arrays by
    name, as numpy.savez() does. ".h5", ".hdf5", ".vtkhdf", ".nc": HDF5, which h5py, netCDF4 and xarray open, with one
    dataset for each array. What is written are interior cells, without padding; of unstructured axes in ascending
    order of their indices.

    attributes: numbers, texts and rows of numbers by name, of HDF5 only. fortran_order: of .npy and .npz, whether the
    first axis is the fastest. spacing: of HDF5, by axis, makes a uniform grid of it, which ParaView and VTK open as
    well (their x is the last axis): let the path end in ".vtkhdf". origin: of its first cell's lower corner, 0 unless
    given; on_points: whether elements are values at points instead of in cells. axis_names: "y", "x". checksums: of
    HDF5, of every 4 MiB, by which load() finds damage. compression: of HDF5, from 1 (fast) to 9 (small), which rank 0 does.
    sync: return when the disk has it. buffer_bytes: the most in one of a rank's buffers. progress: called on rank 0
    now and then with bytes written and bytes in all; it must not communicate, and what it raises is raised on all
    ranks when the file is written.

    The file appears under its name when it is whole: what was there before stays until then. Collective over the
    arrays' communicator; attributes and options are those of rank 0. Raises FileError, which is an OSError, with the
    system's reason; UsageError and ShapeError for arguments that cannot be, and for HDF5 in a build without; the same
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
    """See save(); or DistView.to_hdf5(): of one array, with its name, which may be none, and options as they were passed."""
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
    """What all ranks pass the same."""
    return {
        "path": path,
        "names of arrays": [name for name, _ in arrays],
        "creation numbers of the arrays": [array._slices_of or array._number for _, array in arrays],
    }
