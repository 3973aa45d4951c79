# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fill_random(): numbers that depend on seed and global indices only, the same as in C++."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _device
from ._errors import ShapeError, UsageError, named, short
from ._section import Section

Words = npt.NDArray[np.uint64]

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
#: Number of cells to fill at once.
_MOST = 1 << 16


@named("fill_random")
def fill_random(view: Section, seed: int, *, stream: int = 0, low: int | None = None, high: int | None = None) -> None:
    """Sets every interior cell to a random number that depends on seed, stream and its global indices only.

        distview.fill_random(u, 42)                     # of float32 or float64: uniform in [0, 1)
        distview.fill_random(n, 42, low=1, high=7)      # of integers: in [low, high)

    The values are the same on any number of processes, in any layout, and in C++ programs (Philox4x32-10; the
    cell's number in C order is the counter). seed, stream: integers in [0, 2**64); streams of one seed are
    independent: use them for several fields or time steps. Padding is not written: exchange_padding() fills it.
    On unstructured axes the listed indices count.

    Local.
    """
    if not isinstance(view, Section):
        raise UsageError(f"fill_random: expected a DistView, got {type(view).__name__}")
    shape = view._attached_layout("fill_random").shape
    key = (_integer("seed", seed), _integer("stream", stream))
    make = _maker(view, low, high)
    if view.readonly:
        raise ShapeError("fill_random: the array is read-only")
    view.mark_written()
    on_host = view.device[0] in _device.HOST_TYPES
    if on_host:
        _device.settle(view, "fill_random")
    indices = [np.asarray(view.global_indices(d, "interior")).astype(np.uint64) for d in range(view.ndim)]
    part = view._part("interior") if on_host else np.empty([len(i) for i in indices], view.dtype)
    rows = len(indices[0]) if indices else 1
    step = max(1, _MOST * max(rows, 1) // max(part.size, 1))
    with np.errstate(over="ignore"):
        for begin in range(0, rows if part.size else 0, step):
            some = [indices[0][begin : begin + step], *indices[1:]] if indices else []
            number: Any = np.zeros((1,) * len(some), np.uint64)
            for d, along in enumerate(some):
                number = number * np.uint64(shape[d]) + along.reshape([-1 if k == d else 1 for k in range(len(some))])
            values = make(*_halves(number, *key))
            part[(slice(begin, begin + step),) if indices else ()] = values
    if not on_host:
        view.copy_from_host(part, "interior")


def philox4x32(counter: list[Any], key: tuple[int, int]) -> list[Words]:
    """Philox4x32-10 of arrays of 32-bit words, each stored in 64 bits."""
    x0, x1, x2, x3 = (np.asarray(word, np.uint64) for word in counter)
    k0, k1 = key
    for _ in range(10):
        first = np.uint64(0xD2511F53) * x0
        second = np.uint64(0xCD9E8D57) * x2
        x0, x1 = (second >> _HALF) ^ x1 ^ np.uint64(k0), second & _LOW
        x2, x3 = (first >> _HALF) ^ x3 ^ np.uint64(k1), first & _LOW
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return [x0, x1, x2, x3]


def _halves(number: Words, seed: int, stream: int) -> tuple[Words, Words]:
    """128 random bits for each number, lower word first."""
    counter = [number & _LOW, number >> _HALF, stream % 2**32, stream >> 32]
    x0, x1, x2, x3 = philox4x32(counter, (seed % 2**32, seed >> 32))
    return (x1 << _HALF) | x0, (x3 << _HALF) | x2


def _maker(view: Section, low: Any, high: Any) -> Any:
    """A function that converts 128 random bits to elements of the array."""
    dtype = view.dtype
    if dtype.kind == "f" and dtype.itemsize in (4, 8):
        if low is not None or high is not None:
            raise UsageError("fill_random: low and high are for integers; scale the numbers in [0, 1)")
        if dtype.itemsize == 8:
            return lambda first, _: (first >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return lambda first, _: (first >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
    if dtype.kind not in "iu":
        raise ShapeError(f"fill_random: expected elements of float32, float64 or integers, got {dtype}")
    limits = np.iinfo(dtype)
    if low is None or high is None:
        raise UsageError("fill_random: expected low and high for an array of integers")
    least, most = (_integer(name, value, -math.inf, math.inf) for name, value in (("low", low), ("high", high)))
    if not limits.min <= least < most <= limits.max:
        raise UsageError(
            f"fill_random: expected low < high within {dtype}, got [{short(low)}, {short(high)})"
        )
    count = np.uint64(most - least)

    def integers(first: Words, second: Words) -> Words:
        below = first * count
        carried = (below + _high_product(second, count) < below).astype(np.uint64)
        offset = _high_product(first, count) + carried
        return (np.uint64(least % 2**64) + offset).view(np.int64 if dtype.kind == "i" else np.uint64).astype(dtype)

    return integers


def _high_product(a: Words, b: np.uint64) -> Words:
    """The upper 64 bits of products of 64-bit numbers."""
    low = (a & _LOW) * (b & _LOW)
    middle = (a >> _HALF) * (b & _LOW) + (low >> _HALF)
    other = (a & _LOW) * (b >> _HALF) + (middle & _LOW)
    return (a >> _HALF) * (b >> _HALF) + (middle >> _HALF) + (other >> _HALF)


def _integer(name: str, value: Any, least: float = 0, most: float = 2**64 - 1) -> int:
    try:
        result = operator.index(value)
    except TypeError:
        raise UsageError(f"fill_random: expected {name} to be an integer, got {short(value)}") from None
    if not least <= result <= most:
        raise UsageError(f"fill_random: expected {name} in [0, 2**64), got {short(value)}")
    return result
