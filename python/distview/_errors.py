# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The exceptions of the library; each represents the C++ class of the same name."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class Error(Exception):
    """Base of every exception that this library raises.

    In a collective call every rank raises the same class with the same text, which ends with the
    lowest rank that failed. Each class also derives from the Python exception that programs catch for such errors.
    """


class LayoutError(Error, ValueError):
    """A layout cannot exist: sizes, bounds, grids or padding contradict each other."""


class ShapeError(Error, ValueError):
    """Extents, numbers of axes or element types do not fit each other or their layout."""


class UsageError(Error, ValueError, TypeError):
    """An argument of a wrong value or type, arguments that differ between ranks, or a call at the wrong time."""


class AxisError(UsageError, IndexError):
    """An axis number that the array does not have."""


class FileError(Error, OSError):
    """A file cannot be written or read, has another format than expected, or is damaged."""


class MpiError(Error, RuntimeError):
    """A call of the MPI library failed; not recoverable."""


class DeadlineError(Error, RuntimeError):
    """A rank has waited for others longer than DISTVIEW_DEADLINE seconds; not recoverable.

    ranks: the ranks of its node that are missing, as far as this rank can see.
    """

    def __init__(self, message: str, ranks: list[int] | None = None) -> None:
        super().__init__(message)
        self.ranks = ranks or []


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

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.code, self.axis, self.key, self.process))


def short(value: Any) -> str:
    """The repr of a caller's value for messages; a long one is cut."""
    most = 77
    is_text = type(value) in (str, bytes)
    shown = repr(value[:most] if is_text else value)
    if len(shown) > most:
        return shown[:most] + "..."
    return shown + "..." if is_text and len(value) > most else shown


#: Names at the beginning of texts that no Python program has called: classes of the compiled part, internal helpers.
_INNER = (
    "AnyDistView", "ArrayLayout", "Communicator", "DistView", "PaddingExchangePlan", "PaddingExchangeSchedule",
    "Layout", "ProcessGrid", "RedistributionSchedule", "distview", "import_dist_view", "layout", "permute_axes",
)  # fmt: skip

#: Names of the compiled part elsewhere in a text, and their Python names.
_WORDS = (
    (re.compile(r"^Communicator: used after"), "distview: the communicator cannot be used after"),
    (re.compile(r"\bPaddingExchangePlan #\d+ combine\b"), "combine_padding"),
    (re.compile(r"\bPaddingExchangePlan #\d+ require\b"), "require_padding"),
    (re.compile(r"\bPaddingExchangePlan(?: #\d+ (?:execute|bind)\b|(?!:))"), "exchange_padding"),
    (re.compile(r"\bRedistributionPlan #\d+ (?:execute|combine|bind)\b"), "RedistributionPlan.execute"),
    (re.compile(r"\bimport_dist_view\b(?!:)"), "from_distarray"),
    (re.compile(r"\bCheckpoint::(?=(?:load|save)\b)"), "Checkpoint."),
    (re.compile(r"\bload\(fields, true\)"), "load(fields, falls_back=True)"),
)


def in_python(text: str) -> str:
    """Replaces names of the compiled part in a text by names of this package."""
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    return text


def named_after(error: Error, caller: str, inner: tuple[str, ...] = ()) -> None:
    """Lets an error's text begin with the function that the program has called, if it begins with a name of _INNER or of
    ``inner`` (functions from which the called one is built)."""
    text = in_python(str(error))
    name, colon, rest = text.partition(": ")
    if colon and (name in _INNER or name in inner):
        text = f"{caller}: {rest}"
    if text != str(error):
        error.args = (text, *error.args[1:])


def named(
    caller: str, *inner: str
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorator of functions that programs call; see named_after()."""

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            try:
                return function(*args, **kwargs)
            except Error as error:
                named_after(error, caller, inner)
                raise

        return call

    return decorate
