# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads arrays from files."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from . import _distview
from ._array import DistView
from ._comm import agreed, collective, communicator
from ._errors import LayoutError, UsageError, short
from ._file_arguments import (
    Path,
    StoredAttribute,
    alone,
    communicator_of,
    give_attributes,
    is_c_text,
    kind_of,
    read_arrays,
    read_path,
    settings,
)
from ._making import make
from ._save import alike
from ._section import Section

if TYPE_CHECKING:
    from ._types import Comm, Description, Device, Flags, Grid, Options, Widths

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True)
class StoredField:
    """An array in a file. Local."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    #: Whether the first axis is the fastest; .npy and .npz files only.
    fortran_order: bool = False


@dataclass(frozen=True)
class FileContents:
    """The contents of a file, found by inspect(). Local."""

    #: Arrays by name; the array of a .npy file has the name "".
    fields: dict[str, StoredField]
    #: Attributes of the root of an HDF5 file.
    attributes: dict[str, StoredAttribute]
    #: Times of the steps of an Hdf5Series.
    times: npt.NDArray[np.float64]


def _of_comm(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    """For collective(): the communicator of ``out``, else of ``comm``, as a keyword or by position."""
    if (found := communicator_of(kwargs.get("out"))) is not None:
        return found
    comm = kwargs.get("comm", args[2] if len(args) > 2 else None)
    return communicator(comm)


def _of_inspected(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    return communicator(kwargs.get("comm", args[1] if len(args) > 1 else None))


@collective("inspect", _of_inspected, "inspect_npy", "inspect_npz", "inspect_hdf5")
def inspect(path: Path, comm: Comm = None) -> FileContents:
    """Lists the contents of a file of any origin: arrays of numbers, attributes and times.

        contents = distview.inspect("state.h5", comm)
        contents.fields["h"].shape, contents.attributes["time"]

    path: as in save(). Axes of an HDF5 file are not among the fields. Collective over comm; without comm one process
    reads. Raises FileError if the file cannot be read or is not of the kind that its name says.
    """
    taken = (communicator(comm) if comm is not None else None) or alone("inspect")

    def prepare() -> tuple[str, str]:
        name = read_path("inspect", path)
        return name, kind_of("inspect", name)

    name, kind = agreed(taken, "inspect", prepare, lambda both: {"path": both[0]})
    return _contents(taken, kind, name)


def _contents(comm: _distview.Communicator, kind: str, path: str) -> FileContents:
    fields, attributes, times = _distview.inspect_file(comm, kind, path)
    return FileContents(
        {name: StoredField(np.dtype(typestr), tuple(shape), order) for name, typestr, shape, order in fields},
        give_attributes(attributes),
        np.array(times, np.float64),
    )


@overload
def load(path: Path, *, out: DistView[S], names: str | None = None, step: int | None = None, buffer_bytes: int = ...) -> DistView[S]: ...
@overload
def load(path: Path, *, out: Mapping[str, DistView[S]], step: int | None = None, buffer_bytes: int = ...) -> dict[str, DistView[S]]: ...
@overload
def load(
    path: Path, layout: Description = ..., comm: Comm = ..., *, names: str, step: int | None = ..., buffer_bytes: int = ...,
    **keywords: Unpack[Options],
) -> DistView[Any]: ...  # fmt: skip
@overload
def load(
    path: Path, layout: Description = ..., comm: Comm = ..., *, names: list[str] | tuple[str, ...], step: int | None = ...,
    buffer_bytes: int = ..., **keywords: Unpack[Options],
) -> dict[str, DistView[Any]]: ...  # fmt: skip
@overload
def load(
    path: Path, layout: Description = ..., comm: Comm = ..., *, names: None = ..., step: int | None = ...,
    buffer_bytes: int = ..., **keywords: Unpack[Options],
) -> Any: ...  # fmt: skip
@collective("load", _of_comm, "load_npy", "load_npz", "load_hdf5", "load_hdf5_step", "inspect_npy", "inspect_npz", "inspect_hdf5")
def load(
    path: Path,
    layout: Description = None,
    comm: Comm = None,
    *,
    names: str | Iterable[str] | None = None,
    step: int | None = None,
    out: DistView | Mapping[str, DistView] | None = None,
    buffer_bytes: int = 16 << 20,
    padding: Widths = 0,
    boundary: Widths | None = None,
    periodic: Flags = False,
    grid: Grid = None,
    device: Device = None,
) -> Any:
    """Reads arrays from a file of any origin, in any layout.

        u = distview.load("u.npy", comm=comm)                               # blocks
        h = distview.load("state.h5", "bc", comm, names="h", padding=1)     # one array of several
        all = distview.load("state.h5", comm=comm)                          # all of them, by name
        distview.load("state.h5", out={"h": h, "flow/u": u})                # into existing arrays

    path: as in save(). Returns one DistView for a .npy file or if names is one name; else a dictionary of DistViews.
    names: the arrays to read. By default all whose names are UTF-8; on several processes without single numbers.
    step: a step of an Hdf5Series, or of any HDF5 dataset whose first axis is time; by default the steps are the
    first axis. layout, comm, padding, boundary, periodic, grid, device: as in zeros(); the shape is the file's.

    out: existing arrays to fill, by name, in any layouts; load() returns it. Type of elements and shape must be
    those of the file. buffer_bytes: upper limit for each buffer of a rank.

    HDF5 datasets of numbers may be chunked, compressed or of either byte order; .npy files of either
    axis order and either byte order.
    Only interior cells are written: padding is not valid afterwards, exchange_padding() fills it. Checksums are
    compared if an HDF5 file has them; checksums of .npz members are ignored. Collective over comm, or over
    the communicator of out; without both one process reads. Raises FileError, which is an OSError, if the file
    cannot be read or is damaged; ShapeError if type or shape differ from out's; UsageError if the file lacks a
    name; the same on all ranks.
    """
    caller = "load"
    taken = communicator_of(out)
    if taken is None and (out is None or comm is not None):
        taken = communicator(comm)
    files = taken or alone(caller)

    def prepare() -> tuple[str, str, list[str] | None, int | None, list[tuple[str, Section[Any]]], _distview.FileSettings]:
        name = read_path(caller, path)
        kind = kind_of(caller, name)
        chosen = settings(caller, kind, buffer_bytes=buffer_bytes)
        if step is not None and kind != "hdf5":
            raise UsageError(f"{caller}: expected a step for HDF5 files only, got {short(step)}")
        wanted = _wanted(caller, kind, names)
        which = _step(caller, step)
        if out is None:
            return name, kind, wanted, which, [], chosen
        given = (layout, comm, padding, boundary, periodic, grid, device)
        for value, default in zip(given, (None, None, 0, None, False, None, None)):
            if type(value) is type(default) and value == default:
                continue
            raise UsageError(f"{caller}: expected no layout, comm or device together with out, which has its own")
        arrays: Any = out
        if kind != "npy" and isinstance(out, Section):
            if not isinstance(names, str):
                raise UsageError(f'{caller}: expected out to be arrays by name, as {{"u": u}}, or names to be the name of one')
            arrays = {names: out}
        elif names is not None:
            raise UsageError(f"{caller}: expected no names together with out, which has them")
        filled = read_arrays(caller, arrays, kind)
        _distview.check_file_arrays(caller, files, filled)
        return name, kind, wanted, which, filled, chosen

    name, kind, wanted, which, filled, chosen = agreed(
        files, caller, prepare, lambda p: {**alike(p[0], p[4]), "names": p[2], "step": p[3], "whether out": out is not None}
    )
    if out is None:
        contents = _contents(files, kind, name)
        stored = agreed(files, caller, lambda: _found(caller, name, contents, wanted, which, files.size))
        made = {
            each: make(
                DistView, caller, shape, layout, comm, dtype,
                padding=padding, boundary=boundary, periodic=periodic, grid=grid, device=device,
            )
            for each, (dtype, shape) in stored.items()
        }  # fmt: skip
        filled = list(made.items())
        agreed(files, caller, lambda: _distview.check_file_arrays(caller, files, filled))
    _distview.load_file(files, kind, name, filled, which, chosen)
    if out is not None:
        return dict(out) if isinstance(out, Mapping) else out
    return made[filled[0][0]] if kind == "npy" or isinstance(names, str) else made


def _wanted(caller: str, kind: str, names: Any) -> list[str] | None:
    if names is None:
        return None
    if kind == "npy":
        raise UsageError(f"{caller}: expected no names for a .npy file, which has one array without a name")
    wanted = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [names]
    for name in wanted:
        if not is_c_text(name):
            raise UsageError(f"{caller}: expected names of arrays, got {short(name)}")
    return wanted


def _step(caller: str, step: Any) -> int | None:
    if step is None:
        return None
    try:
        found = operator.index(step)
    except TypeError:
        raise UsageError(f"{caller}: expected step to be an integer, got {short(step)}") from None
    if not -(2**63) <= found < 2**63:
        raise UsageError(f"{caller}: expected step to fit 64 bits, got {short(step)}")
    return found


def _found(
    caller: str, path: str, contents: FileContents, wanted: list[str] | None, step: int | None, processes: int
) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
    """Types and shapes of the arrays to make."""
    result = {}
    # Other software may write names that are not UTF-8; no caller can ask for those arrays.
    names = [name for name in contents.fields if is_c_text(name)] if wanted is None else wanted
    if contents.fields and wanted is None and not names:
        there = ", ".join(map(short, contents.fields))
        raise UsageError(f"{caller}: expected arrays whose names are UTF-8 in {short(path)}, got {there}")
    for name in names:
        if name not in contents.fields:
            there = ", ".join(map(repr, contents.fields)) or "a file without arrays"
            raise UsageError(f"{caller}: expected an array {short(name)} in {short(path)}, got {there}")
        field = contents.fields[name]
        if field.dtype.kind == "V":
            raise UsageError(
                f"{caller}: expected an array of numbers, got {short(name)} of {field.dtype}: elements that are not "
                "numbers can be loaded into an existing array, passed as out"
            )
        if field.dtype.char in "gG":
            raise UsageError(
                f"{caller}: expected an array of numbers that zeros() supports, got {short(name)} of {field.dtype}: long "
                "doubles are supported in C++ alone"
            )
        shape = field.shape
        if step is not None:
            if not shape or not 0 <= step < shape[0]:
                count = shape[0] if shape else 0
                raise UsageError(f"{caller}: expected a step in [0, {count}) of {short(name)}, got {step}")
            shape = shape[1:]
        if not shape and processes > 1:
            # A single number has one process. A call without names reads only arrays that can be distributed.
            if wanted is None and len(contents.fields) > 1:
                continue
            raise LayoutError(
                f"{caller}: array {short(name)} is a single number, expected a communicator of 1 process, got one of "
                f"{processes}"
            )
        result[name] = field.dtype, shape
    return result
