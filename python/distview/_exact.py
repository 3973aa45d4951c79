# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact sums over NumPy arrays. Each result is a list: one sum, or two for the real and the imaginary part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _distview
from ._distview import ExactSum


def sums(part: np.ndarray) -> list[ExactSum]:
    """Exact sums of the elements."""
    result = []
    for numbers in _parts(part):
        found = ExactSum()
        for (chunk,) in _chunks(numbers):
            found.add(chunk)
        result.append(found)
    return result


def products(first: np.ndarray, second: np.ndarray) -> list[ExactSum]:
    """Exact sums of conj(first) * second; products are not rounded."""
    a, b = _parts(first), _parts(second)
    real = _of_pairs((x, y) for x, y in zip(a, b))
    if len(a) == len(b) == 1:
        return [real]
    if len(b) == 1:
        return [real, _of_pairs([(a[1], b[0])], negative=True)]
    if len(a) == 1:
        return [real, _of_pairs([(a[0], b[1])])]
    return [real, _of_pairs([(a[0], b[1])], into=_of_pairs([(a[1], b[0])], negative=True))]


def squares(part: np.ndarray) -> list[ExactSum]:
    """Exact sums of the squared absolute values."""
    return [_of_pairs((numbers, numbers) for numbers in _parts(part))]


def of_all_ranks(comm: _distview.Communicator | None, mine: list[ExactSum]) -> list[ExactSum]:
    """The totals over all ranks. Collective over comm, in one call."""
    return mine if comm is None else _distview.all_reduce_exact(comm, mine)


def _of_pairs(pairs: Any, negative: bool = False, into: ExactSum | None = None) -> ExactSum:
    found = ExactSum() if into is None else into
    for x, y in pairs:
        for one, other in _chunks(x, y):
            found.add_products(np.negative(one) if negative else one, other)
    return found


def _parts(part: np.ndarray) -> list[np.ndarray]:
    return [part.real, part.imag] if part.dtype.kind == "c" else [part]


def _chunks(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Contiguous pieces as float64, in any order, which is the same for all arrays."""
    pieces = np.nditer(
        arrays,
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[["readonly"]] * len(arrays),
        op_dtypes=[np.float64] * len(arrays),
        casting="unsafe",  # 64-bit integers and long doubles become the nearest float64, as elsewhere
        order="K",
        buffersize=1 << 16,
    )
    with pieces:
        for piece in pieces:
            chunks = (piece,) if isinstance(piece, np.ndarray) else piece
            yield tuple(np.ascontiguousarray(chunk) for chunk in chunks)
