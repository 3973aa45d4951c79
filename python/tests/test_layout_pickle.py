# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts are values: an unpickled layout is equal, and the contents of a pickle are checked."""

import copy
import itertools
import pickle
import warnings

import distview
import numpy as np
import pytest
from dap_cases import cyclic, export
from whole_layouts import LAYOUTS, layout_of


MORE = {
    "regular": layout_of(9, ("b", "regular"), 4, padding=1),
    "bounds and periodic": layout_of(None, [0, 3, 4, 9], 3, padding=(1, 0), periodic=True),
    "one to one": layout_of(None, ("u", [[3, 1], [2]], True), 2),
    "undistributed": layout_of((4, 6), "nb", 3, padding=((1, 2), 1), periodic=(True, False)),
    "periodic cyclic of version 0.9": distview.from_distarray(
        export("0.9.0", (cyclic(6, 1, 0, 0, periodic=True),), np.zeros(6))
    ).layout,
    "eight axes": layout_of((2,) * 8, "bcbcbcbc", 4),
}  # fmt: skip
EVERY = {**LAYOUTS, **MORE}

every_layout = pytest.mark.parametrize("name", EVERY)


def test_all_kinds_are_there():
    assert "".join(sorted(set("".join(layout.types for layout in EVERY.values())))) == "bcu"
    assert EVERY["periodic cyclic of version 0.9"].periodic == (True,)


@every_layout
def test_pickled_and_made_anew(name):
    layout = EVERY[name]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(layout, protocol))
        assert type(again) is distview.Layout and again is not layout
        assert again == layout and hash(again) == hash(layout) and again.fingerprint == layout.fingerprint
        assert str(again) == str(layout) and again.describe() == layout.describe()
        for process in range(layout.process_count):
            for axis in range(layout.rank):
                np.testing.assert_array_equal(
                    again.global_indices(axis, process), layout.global_indices(axis, process)
                )
                assert again.owned_range(axis, process) == layout.owned_range(axis, process)
                assert again.interior_range(axis, process) == layout.interior_range(axis, process)


@every_layout
def test_copied_among_other_things(name):
    layout = EVERY[name]
    things = {"layout": layout, "list": [layout, 1]}
    assert copy.deepcopy(things) == things and pickle.loads(pickle.dumps(things)) == things
    assert EVERY[name].permuted(range(layout.rank)) == layout


def test_other_layouts_are_other_pickles():
    pickles = {pickle.dumps(layout): name for name, layout in LAYOUTS.items() if name != "three axes, at"}
    assert len(pickles) == len(LAYOUTS) - 1


def test_long_lists_are_short_pickles():
    layout = layout_of(None, ("u", [np.arange(50_000), np.arange(50_000, 100_000)]), 2)
    assert len(pickle.dumps(layout)) < 8 * 100_000 + 2000


# Damaged contents of a pickle


def state_of(layout):
    constructor, (grid, axes) = layout.__reduce__()
    assert constructor is distview.Layout
    return grid, axes


JUNK = [
    None, -1, 0, 1.5, True, "b", "regular", b"b", (), [], {}, 2**31, 2**62, 2**63, -(2**63), 2**200, (1, 2, 3), ("a", "b"),
    (-1, 0), (2**62, 2**62), [[1]], [[1, 1]], [(0, 0)] * 3, np.zeros(3), np.arange(3), np.zeros((2, 2), int), np.array([2**63],
    np.uint64), object(), float("nan"), range(3), (x for x in ()),
]  # fmt: skip


def damaged_states(layout):
    grid, axes = state_of(layout)
    for junk in JUNK:
        yield junk, axes
        yield grid, junk
        yield (junk, *grid[1:]), axes
        for d, axis in enumerate(axes):
            yield grid, (*axes[:d], junk, *axes[d + 1 :])
            for key in axis:
                yield grid, (*axes[:d], {**axis, key: junk}, *axes[d + 1 :])
    for d, axis in enumerate(axes):
        for key in axis:
            yield grid, (*axes[:d], {k: v for k, v in axis.items() if k != key}, *axes[d + 1 :])
        yield grid, (*axes[:d], {**axis, "more": 1}, *axes[d + 1 :])
        yield grid, axes[:d]
        yield grid[:d], axes
        yield grid, (*axes, axis)
        yield (*grid, 1), axes
    for (d, axis), other in itertools.product(enumerate(axes), EVERY.values()):
        for foreign in state_of(other)[1]:
            yield grid, (*axes[:d], foreign, *axes[d + 1 :])
            yield grid, (*axes[:d], {**axis, **foreign}, *axes[d + 1 :])


@every_layout
def test_damaged_states_are_layout_errors(name):
    refused = 0
    for grid, axes in damaged_states(EVERY[name]):
        try:
            layout = distview.Layout(grid, axes)
        except distview.LayoutError as error:
            refused += 1
            assert str(error).startswith("Layout: ") and "ArrayLayout" not in str(error)
            assert isinstance(error, ValueError)
        else:  # some damage cannot be detected
            assert pickle.loads(pickle.dumps(layout)) == layout
    assert refused > 50


@pytest.mark.parametrize(
    "axis, text",
    [
        (len, "axis 0: expected a dictionary, got <built-in function len>"),
        ({"dist_type": "n"}, "axis 0: expected 'dist_type' to be one of 'b', 'c', 'u', got 'n'"),
        ({"dist_type": "c", "size": 3}, "axis 0: expected the key 'block_size'"),
        (
            {"dist_type": "c", "size": 3, "block_size": 2.0, "periodic": False},
            "axis 0: expected 'block_size' to be an integer of 64 bits, got 2.0",
        ),
        (
            {"dist_type": "c", "size": 3, "block_size": 1, "periodic": 1},
            "axis 0: expected 'periodic' to be a bool, got 1",
        ),
        (
            {"dist_type": "c", "size": -3, "block_size": 1, "periodic": False},
            "axis 0: expected a size >= 0, got -3",
        ),
        (
            {"dist_type": "b", "size": 4, "bounds": [0, 2, 5], "padding": (0, 0), "boundary": (0, 0), "periodic": False},
            "axis 0: expected block bounds that end at the size 4, got 5",
        ),
        (
            {"dist_type": "u", "lists": [[1], [1]], "one_to_one": True, "periodic": False},
            "axis 0: one_to_one is true, but index 1 is on more than one process",
        ),
    ],
)
def test_texts(axis, text):
    with pytest.raises(distview.LayoutError) as caught:
        distview.Layout((2,), [axis])
    assert str(caught.value).startswith("Layout: " + text)


def test_a_layout_that_was_never_made():
    empty = distview.Layout.__new__(distview.Layout)
    for use in (pickle.dumps, hash, lambda layout: layout.shape):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nanobind warns about this
            with pytest.raises(TypeError):
                use(empty)
    layout = EVERY["padded"]
    before = layout.shape
    with pytest.raises((TypeError, RuntimeError)):
        layout.__init__((1,), [])
    assert layout.shape == before
