# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of functions on files: paths, arrays by name, attributes, options."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from . import _distview
from ._comm import communicator
from ._errors import UsageError, short
from ._layout_axes import real
from ._section import Section

#: A number, a text or a row of numbers stored beside arrays.
Attribute: TypeAlias = (
    int | float | str | np.number[Any] | np.bool_ | Sequence[int] | Sequence[float] | npt.NDArray[np.number[Any]]
)
Attributes: TypeAlias = Mapping[str, Attribute]
#: The type of an attribute that is read from a file.
StoredAttribute: TypeAlias = int | float | str | npt.NDArray[np.int64] | npt.NDArray[np.float64]
Path: TypeAlias = str | os.PathLike[str]

#: Suffixes, and the compiled part's name for the kind of file.
_SUFFIXES = {".npy": "npy", ".npz": "npz", ".h5": "hdf5", ".hdf5": "hdf5", ".vtkhdf": "hdf5", ".nc": "hdf5"}


class Hdf5Options(TypedDict, total=False):
    """Options for writing HDF5 files; see save()."""

    spacing: float | Sequence[float] | None
    origin: float | Sequence[float] | None
    on_points: bool
    axis_names: Sequence[str] | None
    checksums: bool
    compression: int
    buffer_bytes: int


class SaveOptions(Hdf5Options, total=False):
    """Options of a function that writes a whole file in one call."""

    sync: bool
    progress: Callable[[int, int], object] | None


def read_path(caller: str, path: Any) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        raise UsageError(f"{caller}: expected a path, got {short(path)}") from None
    if not isinstance(text, str) or not is_c_text(text) or not text:
        raise UsageError(f"{caller}: expected a path that is a text without NUL, got {short(text)}")
    return text


def kind_of(caller: str, path: str) -> str:
    """npy, npz or hdf5, by suffix."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _SUFFIXES:
        raise UsageError(f"{caller}: expected a path that ends in {', '.join(_SUFFIXES)}, got {short(path)}")
    kind = _SUFFIXES[suffix]
    if kind == "hdf5" and not _distview.has_hdf5():
        raise UsageError(
            f"{caller}: expected a build with HDF5 for {short(path)}, got one without: install HDF5 and xxhash "
            "(Debian: libhdf5-openmpi-dev, libxxhash-dev) and build again; .npy and .npz need neither"
        )
    return kind


def is_c_text(value: Any) -> bool:
    """Whether the compiled part accepts the value as text: UTF-8 without NUL."""
    try:
        return isinstance(value, str) and "\0" not in value and value.encode() is not None
    except UnicodeEncodeError:
        return False


def read_arrays(caller: str, arrays: Any, kind: str = "hdf5") -> list[tuple[str, Section]]:
    """Arrays by name. A .npy file has one array without a name: the argument is the array itself."""
    if kind == "npy":
        if not isinstance(arrays, Section):
            raise UsageError(f"{caller}: expected one DistView for a .npy file, got {short(arrays)}")
        return [("", arrays)]
    if not isinstance(arrays, Mapping):
        raise UsageError(f'{caller}: expected arrays by name, as {{"u": u}}, got {short(arrays)}')
    for name, array in arrays.items():
        if not is_c_text(name):
            raise UsageError(f"{caller}: expected a name of an array, got {short(name)}")
        if not isinstance(array, Section):
            raise UsageError(f"{caller}: expected {short(name)} to be a DistView, got {short(array)}")
    return list(arrays.items())


def communicator_of(arrays: Any) -> _distview.Communicator | None:
    """The communicator of the first array that has one. The argument may be of any type: it is not checked yet."""
    if isinstance(arrays, Mapping):
        arrays = arrays.values()
    elif not isinstance(arrays, (list, tuple)):
        arrays = [arrays]
    for array in arrays:
        found = getattr(array, "_communicator", None)
        if isinstance(found, _distview.Communicator):
            return found
    return None


def of_files(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    """For collective(): the arrays' communicator, else that of ``comm``."""
    for argument in (*args, *kwargs.values()):
        if (found := communicator_of(argument)) is not None:
            return found
    return communicator(kwargs["comm"]) if kwargs.get("comm") is not None else None


def alone(caller: str) -> _distview.Communicator:
    """The communicator of one process, for calls without a communicator."""
    try:
        from mpi4py import MPI
    except ImportError:
        raise UsageError(
            f"{caller}: expected mpi4py, which a single process also needs for files, got none"
        ) from None
    found = communicator(MPI.COMM_SELF)
    assert found is not None
    return found


def is_one_of_several_ranks() -> bool:
    """Whether the program has several ranks. MPI runs: call alone() before."""
    return int(sys.modules["mpi4py.MPI"].COMM_WORLD.size) > 1


def read_attributes(caller: str, given: Any) -> dict[str, Any]:
    """Attribute values as the compiled part accepts them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f'{caller}: expected attributes by name, as {{"time": 1.5}}, got {short(given)}')
    result = {}
    for name, value in given.items():
        if not is_c_text(name) or not name:
            raise UsageError(f"{caller}: expected a name of an attribute, got {short(name)}")
        result[name] = _attribute(caller, name, value)
    return result


def _attribute(caller: str, name: str, value: Any) -> Any:
    expected = f"{caller}: expected attribute {short(name)} to be a number, a text or a row of numbers, got "
    if isinstance(value, str):
        if not is_c_text(value):
            raise UsageError(expected + f"the text {short(value)}, with characters that files cannot store")
        return value
    if isinstance(value, (bytes, Mapping, set, frozenset)):
        raise UsageError(expected + short(value))
    try:
        numbers = np.asarray(value)
    except ValueError:
        raise UsageError(expected + short(value)) from None
    if numbers.ndim > 1 or numbers.dtype.kind not in "biuf":
        raise UsageError(expected + short(value))
    if numbers.dtype.kind == "u" and numbers.size and int(numbers.max()) > np.iinfo(np.int64).max:
        raise UsageError(expected + f"{short(value)}, which does not fit 64 bits with a sign")
    numbers = numbers.astype(np.float64 if numbers.dtype.kind == "f" else np.int64)
    return numbers.tolist()


def give_attributes(found: Mapping[str, Any]) -> dict[str, StoredAttribute]:
    """Attributes as users get them: rows of numbers become NumPy arrays."""
    return {name: np.array(value) if isinstance(value, list) else value for name, value in found.items()}


def only(caller: str, options: Mapping[str, Any], known: type) -> dict[str, Any]:
    """Options, refused unless a TypedDict has their names: settings() accepts more, for other callers."""
    for name in options:
        if name not in known.__annotations__:
            raise UsageError(f"{caller}: got an unexpected keyword argument {short(name)}")
    return dict(options)


def settings(
    caller: str,
    kind: str = "hdf5",
    *,
    spacing: Any = None,
    origin: Any = None,
    on_points: Any = False,
    axis_names: Any = None,
    checksums: Any = True,
    compression: Any = 0,
    buffer_bytes: Any = 16 << 20,
    sync: Any = False,
    fortran_order: Any = False,
    keep: Any = 1,
) -> _distview.FileSettings:
    """Settings for the compiled part. Refuses wrong values, and options that the kind of file does not have."""
    for name, flag in (("on_points", on_points), ("checksums", checksums), ("sync", sync), ("fortran_order", fortran_order)):
        if not isinstance(flag, (bool, np.bool_)):
            raise UsageError(f"{caller}: expected {name} to be True or False, got {short(flag)}")
    if kind == "hdf5" and fortran_order:
        raise UsageError(f"{caller}: expected fortran_order for .npy and .npz only: HDF5 files are in C order")
    if kind != "hdf5" and not (spacing is origin is axis_names is None and not on_points):
        raise UsageError(f"{caller}: expected spacing, origin, on_points and axis_names for HDF5 files only")
    if not isinstance(compression, (int, np.integer)) or isinstance(compression, bool) or not 0 <= compression <= 9:
        raise UsageError(f"{caller}: expected compression to be an integer from 0 (none) to 9, got {short(compression)}")
    if kind != "hdf5" and compression != 0:
        raise UsageError(f"{caller}: expected compression for HDF5 files only")
    places = None if spacing is None else _numbers(caller, "spacing", spacing)
    start = [] if origin is None else _numbers(caller, "origin", origin)
    if places is None and (start or on_points):
        raise UsageError(f"{caller}: expected spacing together with origin and on_points, got None")
    names = [] if axis_names is None else _texts(caller, "axis_names", axis_names)
    bytes_and_keep = (("buffer_bytes", buffer_bytes, 2**62), ("keep", keep, 10**6))
    for name, number, most in bytes_and_keep:
        if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or not 1 <= number <= most:
            raise UsageError(f"{caller}: expected {name} to be an integer of at least 1, got {short(number)}")
    return _distview.FileSettings(
        buffer_bytes=int(buffer_bytes),
        sync=bool(sync),
        fortran_order=bool(fortran_order),
        checksum_bytes=4 << 20 if checksums else 0,
        compression=int(compression),
        spacing=places,
        origin=start,
        on_points=bool(on_points),
        axis_names=names,
        keep=int(keep),
    )


def read_progress(caller: str, given: Any) -> Callable[[int, int], object] | None:
    if given is not None and not callable(given):
        raise UsageError(f"{caller}: expected progress to be a function of two numbers, got {short(given)}")
    taken: Callable[[int, int], object] | None = given
    return taken


def _texts(caller: str, name: str, given: Any) -> list[str]:
    are_some = isinstance(given, Iterable) and not isinstance(given, str)
    try:
        # Iterate once: an iterator is empty afterwards.
        texts = list(given) if are_some else [None]
    except TypeError:  # a NumPy array without axes
        texts = [None]
    if not all(map(is_c_text, texts)):
        raise UsageError(f"{caller}: expected {name} to be texts, got {short(given)}")
    return list(map(str, texts))


def _numbers(caller: str, name: str, given: Any) -> list[float]:
    values = given if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, (str, bytes)) else [given]
    try:
        numbers = [real(value) for value in values]
    except (TypeError, ValueError):
        numbers = [math.nan]
    if not numbers or not all(map(math.isfinite, numbers)):
        raise UsageError(f"{caller}: expected {name} to be a number for each axis, got {short(given)}")
    return numbers
