# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of the library; each is the Python image of the C++ class of the same name."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Base of every exception that this library raises.

    In a collective call every rank raises the same class with the same text, which ends with the
    lowest rank that failed. Each class is also that of Python's which programs catch for such errors.
    """


class LayoutError(Error, ValueError):
    """A layout cannot exist: sizes, bounds, grids or padding contradict each other."""


class ShapeError(Error, ValueError):
    """Extents, numbers of axes or element types do not fit each other or their layout."""


class UsageError(Error, ValueError, TypeError):
    """An argument of a wrong value or type, arguments that differ between ranks, or a call at the wrong time."""


class AxisError(UsageError, IndexError):
    """The number of an axis that an array has not."""


class MpiError(Error, RuntimeError):
    """A call of the MPI library failed; not recoverable."""


class ProtocolError(Error, ValueError):
    """Dimension data break a rule of the Distributed Array Protocol.

    code: reason code of the broken rule, for example ``"stop_gt_size"`` (docs/protocol.md lists
    them); axis, key, process: where, None when the rule is not about one of them.
    """

    def __init__(
        self,
        message: str,
        code: str = "",
        axis: int | None = None,
        key: str | None = None,
        process: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.axis = axis
        self.key = key
        self.process = process

    def __reduce__(self):
        return (type(self), (str(self), self.code, self.axis, self.key, self.process))


def short(value: Any) -> str:
    """The repr of what a caller passed, for messages: its beginning, where it is long."""
    most = 77
    is_text = type(value) in (str, bytes)
    shown = repr(value[:most] if is_text else value)
    if len(shown) > most:
        return shown[:most] + "..."
    return shown + "..." if is_text and len(value) > most else shown
