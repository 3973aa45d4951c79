# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make_layout(): the Layout that zeros() would make, for any number of processes, without an array."""

import inspect

import distview
import numpy as np
import pytest


@pytest.mark.parametrize(
    "shape, layout, more",
    [
        (12, None, {}),
        ((4, 5), "bc", dict(padding=(1, 0))),
        ((4, 5), ("n", ("b", "regular")), dict(padding=((1, 2), 3), boundary=0, periodic=(True, False))),
        (None, [0, 12], dict(padding=2)),
        ((None, 3), (("u", [[4, 1, 2]]), "b"), dict(grid=(1, None))),
        (None, np.array([3, 1]), {}),
        ((), None, {}),
        (range(2, 5), "bbb", dict(grid=(1, 1, 1))),
    ],
)
def test_is_what_zeros_makes(shape, layout, more):
    made = distview.make_layout(shape, layout, **more)
    assert made == distview.zeros(shape, layout, **more).layout
    assert made == distview.make_layout(shape, layout, 1, **more)
    assert distview.zeros(None, made).layout == made


def test_arguments_are_those_of_zeros():
    ours = dict(inspect.signature(distview.make_layout).parameters)
    zeros = dict(inspect.signature(distview.zeros).parameters)
    assert ours.pop("processes").default is None
    for name in ("comm", "dtype", "device"):
        zeros.pop(name)
    assert list(ours) == list(zeros)
    assert [p.default for p in ours.values()] == [p.default for p in zeros.values()]


def test_number_of_processes():
    def make(*args, **more):
        return distview.make_layout(*args, **more).grid

    assert make((8, 9), "bb", 6) == (3, 2)
    assert make((8, 9), "bb", 6, grid=(None, 3)) == (2, 3)
    assert make((8, 9), "bb", grid=(4, 3)) == (4, 3)
    assert make((8, 9), "bb", grid=(4, None)) == (4, 1)
    assert make((8, 9), ([0, 3, 8], "b")) == (2, 1)
    assert make((8, 9), ([0, 3, 8], "b"), 6) == (2, 3)
    assert make(None, ("u", [[1], [2], [0]])) == (3,)
    assert make(8, "b", np.int64(5)) == (5,)
    assert make((8, 9), "bb", 2 * 3 * 1_000_003) == (1_000_003, 6)


def test_layouts_that_are_given():
    layout = distview.make_layout((8, 9), "bb", 6, padding=1)
    assert distview.make_layout((8, 9), layout) is layout
    assert distview.make_layout(None, layout, 6) is layout


@pytest.mark.parametrize(
    "args, more, text",
    [
        ((8, "b", 0), {}, "expected processes in [1, 2^31), got 0"),
        ((8, "b", -1), {}, "expected processes in [1, 2^31), got -1"),
        ((8, "b", 2**31), {}, f"expected processes in [1, 2^31), got {2**31}"),
        ((8, "b", 2.0), {}, "expected processes to be an integer, got 2.0"),
        ((8, "b", True), {}, "expected processes to be an integer, got True"),
        ((8, "n", 2), {}, "expected a grid of 2 processes, got (1,): axis 0 is not distributed"),
        ((8, "b", 4), dict(grid=(3,)), "expected a grid of 4 processes, got (3,)"),
        (
            (None, np.array([1, 2]), 2),
            {},
            "axis 0: expected ('u', lists) with the indices of all processes, got an array of the indices of one",
        ),
        (
            ((None, 4), (np.array([1, 2]), "b")),
            dict(grid=(None, 2)),
            "axis 0: expected ('u', lists) with the indices of all processes, got an array of the indices of one",
        ),
        (
            (9, distview.make_layout(9, "b", 3), 2),
            {},
            "the Layout has 3 processes, got processes=2 as well",
        ),
        ((9, distview.make_layout(9, "b", 3)), dict(padding=1), "a Layout has its own padding, got padding=1 as well"),
    ],
)
def test_refusals(args, more, text):
    with pytest.raises(distview.LayoutError) as caught:
        distview.make_layout(*args, **more)
    assert str(caught.value).startswith("make_layout: " + text)


def test_plans_and_pictures_without_arrays():
    rows = distview.make_layout((6, 4), "bn", 1)
    plan = distview.RedistributionPlan(rows, rows.permuted((1, 0)), permutation=(1, 0))
    assert (plan.elements, plan.source_layout) == (24, rows)
    a = distview.from_function(lambda i, j: 10 * i + j, None, rows)
    b = distview.zeros(None, plan.target_layout)
    plan.execute(a, b)
    assert (b.gather() == a.gather().T).all()
    assert "6 elements over 3 processes" in distview.describe(distview.make_layout(6, "b", 3))
