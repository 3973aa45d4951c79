# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of arguments and elements, for annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from . import _distview

if TYPE_CHECKING:
    from mpi4py import MPI
    from typing_extensions import TypeVar

    #: NumPy's type of an array's elements. By its default, DistView alone means any element type.
    Scalar = TypeVar("Scalar", bound=np.generic, covariant=True, default=Any)
    Comm: TypeAlias = MPI.Comm | _distview.Communicator | int | None

Indices: TypeAlias = npt.NDArray[np.int64]
Shape: TypeAlias = int | Sequence[int | None] | npt.NDArray[np.integer[Any]] | None
Description: TypeAlias = str | Sequence[Any] | npt.NDArray[np.integer[Any]] | _distview.Layout | None
Widths: TypeAlias = int | Sequence[int | Sequence[int]]
Flags: TypeAlias = bool | Sequence[bool]
Grid: TypeAlias = Sequence[int | None] | None
Device: TypeAlias = str | tuple[int, int] | None

# Values of dtype whose element type a type checker knows; other element types are known only at run time.
Float64: TypeAlias = Literal["float64", "f8", "<f8", "d", "double", "float"]
Boolean: TypeAlias = Literal["bool", "?"] | type[bool]
Integer: TypeAlias = (
    Literal["int64", "int32", "int16", "int8", "i8", "i4", "i2", "i1", "<i8", "<i4", "int",
            "uint64", "uint32", "uint16", "uint8", "u8", "u4", "u2", "u1"] | type[int]
)  # fmt: skip
Complex: TypeAlias = Literal["complex128", "complex64", "c16", "c8", "<c16", "complex"] | type[complex]
AnyType: TypeAlias = str | type[Any] | np.dtype[Any]


class LayoutOptions(TypedDict, total=False):
    """Keywords that complete a layout; see zeros()."""

    padding: Widths
    boundary: Widths | None
    periodic: Flags
    grid: Grid


class Options(LayoutOptions, total=False):
    """Keywords that complete a layout and select the memory."""

    device: Device
