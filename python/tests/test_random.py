# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fill_random(): known answers, the same numbers as C++, distributions, and refused arguments."""

import distview
import numpy as np
import pytest
from distview import _random
from random_numbers import bits


@pytest.mark.parametrize(("counter", "key", "expected"), [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
])  # fmt: skip
def test_published_known_answers(counter, key, expected):
    """Answers from Random123's file kat_vectors."""
    words = [[int(word, 16) for word in text.split()] for text in (counter, key, expected)]
    assert [int(word) for word in _random.philox4x32(words[0], tuple(words[1]))] == words[2]


def test_gives_the_numbers_of_cpp():
    """The same numbers are in tests/unit/algorithms/test_random.cpp."""
    u = distview.zeros(4)
    distview.fill_random(u, 42, stream=1)
    assert [x.hex() for x in u.view.tolist()] == [
        "0x1.028f489814998p-3", "0x1.fba43b2841ff2p-1", "0x1.f70ab07367940p-4", "0x1.5c74b57e3d1b8p-1"
    ]  # fmt: skip
    single = distview.zeros(2, dtype="f4")
    distview.fill_random(single, 42, stream=1)
    assert float(single.view[1]).hex() == "0x1.fba43a0000000p-1"
    n = distview.zeros(12, dtype="i4")
    distview.fill_random(n, 42, stream=1, low=-5, high=6)
    assert n.view.tolist() == [-4, 5, -4, 2, 1, 5, 0, -2, 5, -1, 5, -4]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u2", "i8", "u8"])
def test_any_shape_and_type(dtype, monkeypatch):
    monkeypatch.setattr(_random, "_MOST", 16)  # forces several pieces
    seed, stream = 2**64 - 3, 2**63 + 5
    for shape in ((), (7,), (3, 5), (40, 2, 3), (0, 4), (2, 30)):
        u = distview.zeros(shape, dtype=dtype, padding=[1] * len(shape))
        u.view[...] = 99
        limits = np.iinfo(dtype) if u.dtype.kind in "iu" else None
        kwargs = {"low": int(limits.min), "high": int(limits.max)} if limits else {}
        distview.fill_random(u, seed, stream=stream, **kwargs)
        for number, index in enumerate(np.ndindex(*shape)):
            first, second = bits(number, seed, stream)
            if limits:
                count = kwargs["high"] - kwargs["low"]
                expected = kwargs["low"] + (((first << 64) | second) * count >> 128)
            else:
                digits = 24 if dtype == "f4" else 53
                expected = (first >> (64 - digits)) * 2.0**-digits
            value = (u.interior if shape else u.view)[index]
            assert value == expected
        if shape and u.size:
            u.interior[...] = 99
            assert (u.view == 99).all()  # padding has not been written


def test_distribution():
    u = distview.zeros(20000)
    distview.fill_random(u, 7)
    ordered = np.sort(u.view)
    places = np.arange(1, u.size + 1) / u.size
    assert np.abs(ordered - places).max() < 2 / np.sqrt(u.size)
    n = distview.zeros(60000, dtype="i8")
    distview.fill_random(n, 7, low=1, high=7)
    assert set(np.unique(n.view)) == set(range(1, 7))
    counts = np.bincount(n.view)[1:]
    assert ((counts - 10000) ** 2 / 10000).sum() < 20.5  # exceeded for one in 1000 seeds


def test_what_is_refused():
    u, n = distview.zeros(3), distview.zeros(3, dtype="u1")
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    cases = [
        (lambda: distview.fill_random(np.zeros(3), 1), "fill_random: expected a DistView, got ndarray"),
        (lambda: distview.fill_random(u, "1"), "fill_random: expected seed to be an integer, got '1'"),
        (lambda: distview.fill_random(u, -1), "fill_random: expected seed in [0, 2**64), got -1"),
        (lambda: distview.fill_random(u, 1, stream=2**64), "fill_random: expected stream in [0, 2**64), got"),
        (lambda: distview.fill_random(u, 1, low=0, high=2), "fill_random: low and high are for integers"),
        (lambda: distview.fill_random(n, 1), "fill_random: expected low and high for an array of integers"),
        (lambda: distview.fill_random(n, 1, low=3, high=3), "fill_random: expected low < high within uint8, got [3"),
        (lambda: distview.fill_random(n, 1, low=0, high=256), "fill_random: expected low < high within uint8"),
        (lambda: distview.fill_random(distview.zeros(3, dtype="c8"), 1), "fill_random: expected elements of float32"),
        (lambda: distview.fill_random(distview.wrap(fixed, 3), 1), "fill_random: the array is read-only"),
    ]
    for call, text in cases:
        with pytest.raises((distview.UsageError, distview.ShapeError)) as caught:
            call()
        assert str(caught.value).startswith(text)
