# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Impossible arrays are refused, with a text that names expected and actual values."""

import distview
import numpy as np
import pytest
from whole_layouts import layout_of

KNOWN = ", expected 'b', 'n', 'c', ('c', block size), block bounds or index arrays"
NO_SHAPE = (
    "expected shape to be the sizes of the axes, got None, which needs a Layout or one axis with block bounds "
    "or index lists"
)
UNDISTRIBUTED = " not distributed ('n'); make one 'b', or use fewer processes (MPI.COMM_SELF: one)"


def refused(error, text, shape, layout=None, processes=1, **more):
    """Checks that functions for layouts and for arrays refuse it, with a text that begins with their name."""
    makers = {"make_layout": lambda: layout_of(shape, layout, processes, **more)}
    if processes == 1:
        makers["zeros"] = lambda: distview.zeros(shape, layout, **more)
    for name, make in makers.items():
        with pytest.raises(distview.Error) as caught:
            make()
        assert (type(caught.value), str(caught.value)) == (error, f"{name}: {text}")


def layout_error(text, *args, **kwargs):
    refused(distview.LayoutError, text, *args, **kwargs)


@pytest.mark.parametrize(
    "shape, text",
    [
        (2.0, "expected a size to be an integer, got 2.0"),
        ("5", "expected a size to be an integer, got '5'"),
        (True, "expected a size to be an integer, got True"),
        ((4, np.True_), "expected a size to be an integer, got np.True_"),
        ((4, [5]), "expected a size to be an integer, got [5]"),
        (np.zeros((2, 2), int), "expected a size to be an integer, got array([0, 0])"),
        ({4}, "expected a size to be an integer, got {4}"),
        (None, NO_SHAPE),
        ((4, None), "axis 1: expected a size, got None"),
        (-1, "axis 0: expected a size >= 0, got -1"),
        ((4, -(2**63)), f"axis 1: expected a size >= 0, got {-(2**63)}"),
        (2**63, f"expected a size to fit 64 bits, got {2**63}"),
        (2**200, f"expected a size to fit 64 bits, got {2**200}"),
        (2**61, f"axis 0: expected sizes and widths below 2^61, got {2**61}"),
        ((2**40, 2**40), "the product of the axes' sizes exceeds 2^63-1 at axis 1"),
        ((1,) * 9, "expected at most 8 axes, got 9"),
    ],
)
def test_shape(shape, text):
    layout_error(text, shape)


@pytest.mark.parametrize(
    "shape, layout, text",
    [
        (4, "bb", "expected a layout with one entry for the one axis, got 'bb'"),
        (4, "", "expected a layout with one entry for the one axis, got ''"),
        ((4, 4), "b", "expected a layout with one entry for each of the 2 axes, got 'b'"),
        ((4, 4), "bbb", "expected a layout with one entry for each of the 2 axes, got 'bbb'"),
        ((4, 4), ["b"], "expected a layout with one entry for each of the 2 axes, got ['b']"),
        (None, "bb", NO_SHAPE),
        (None, 3.5, NO_SHAPE),
        ((), "b", "expected a layout with one entry for each of the 0 axes, got 'b'"),
        (4, 5, "expected a layout with one entry for the one axis, got 5"),
        (4, {}, "expected a layout with one entry for the one axis, got {}"),
        (4, "q", "axis 0: 'q' is not a layout of an axis" + KNOWN),
        ((4, 4), "bB", "axis 1: 'B' is not a layout of an axis" + KNOWN),
        (4, ("b", "nonsense"), "axis 0: ('b', 'nonsense') is not a layout of an axis" + KNOWN),
        ((4, 4), ("b", "regular"), "axis 1: 'regular' is not a layout of an axis" + KNOWN),
        (4, ("b", 2), "axis 0: ('b', 2) is not a layout of an axis" + KNOWN),
        (4, ("n", 1), "axis 0: ('n', 1) is not a layout of an axis" + KNOWN),
        (4, ("c", 1, 2), "axis 0: ('c', 1, 2) is not a layout of an axis" + KNOWN),
        (4, ("u",), "axis 0: 'u' is not a layout of an axis" + KNOWN),
        (4, "u", "axis 0: 'u' is not a layout of an axis" + KNOWN),
        (4, ("u", [0, 1]), "axis 0: ('u', [0, 1]) is not a layout of an axis" + KNOWN),
        (4, ("u", []), "axis 0: ('u', []) is not a layout of an axis" + KNOWN),
        ((4, 4), ["b", 7], "axis 1: expected 'b', 'n', 'c', ('c', block size), block "
                           "bounds or index arrays, got 7"),
        ((4, 4), ["b", None], "axis 1: expected 'b', 'n', 'c', ('c', block size), block "
                              "bounds or index arrays, got None"),
        ((4, 4), ["b", [0, 2.5]], "axis 1: expected 'b', 'n', 'c', ('c', block size), "
                                  "block bounds or index arrays, got [0, 2.5]"),
        (4, ("c", 0), "axis 0: expected a block size >= 1, got 0"),
        (4, ("c", -2), "axis 0: expected a block size >= 1, got -2"),
        (4, ("c", 2.5), "expected the block size to be an integer, got 2.5"),
        (4, ("c", True), "expected the block size to be an integer, got True"),
        (4, ("c", "4"), "expected a layout with one entry for the one axis, got ('c', '4')"),
        (4, ("c", 2**63), f"expected the block size to fit 64 bits, got {2**63}"),
    ],
)  # fmt: skip
def test_layout(shape, layout, text):
    layout_error(text, shape, layout)


@pytest.mark.parametrize(
    "size, bounds, processes, text",
    [
        (4, [], 1, "axis 0: expected at least 2 block bounds, got []"),
        (4, [4], 1, "axis 0: expected at least 2 block bounds, got [4]"),
        (4, [0, 2, 4], 1, "expected a grid of 1 process, got (2,)"),
        (4, [0, 4], 2, "expected a grid of 2 processes, got (1,)"),
        (5, [0, 2, 4], 2, "axis 0: the shape has 5 elements, but the block bounds end at 4"),
        (4, [1, 2, 4], 2, "axis 0: expected the first block bound to be 0, got 1"),
        (4, [0, 5, 4], 2, "axis 0: expected ascending block bounds, got 5 before 4"),
        (4, ("b", [0, 2.0, 4]), 2, "expected a block bound to be an integer, got 2.0"),
        (4, ("b", [0, True, 4]), 2, "expected a block bound to be an integer, got True"),
        (4, ("b", [[0], [4, 5]]), 1, "expected a block bound to be an integer, got [0]"),
        (4, ("b", np.array([0.0, 4.0])), 1,
         "expected a block bound to be an integer, got np.float64(0.0)"),
        (2**64, [0, 2**64], 1, f"expected a size to fit 64 bits, got {2**64}"),
        (None, [0, 2**64], 1, f"expected a block bound to fit 64 bits, got {2**64}"),
    ],
)  # fmt: skip
def test_block_bounds(size, bounds, processes, text):
    layout_error(text, size, bounds, processes)


WANTED = "axis 0: expected one-dimensional arrays of integer indices that fit 64 bits, got "


@pytest.mark.parametrize(
    "size, lists, text",
    [
        (None, [["a"], []], WANTED + "1 dimensions of <U1"),
        (None, [[0.5], []], WANTED + "1 dimensions of float64"),
        (None, [[True], []], WANTED + "1 dimensions of bool"),
        (None, [[[1]], [2]], WANTED + "2 dimensions of int64"),
        (None, [[1, [2]], []], WANTED + "1 dimensions of object"),
        (None, [[2**70], []], WANTED + "1 dimensions of object"),
        (None, [np.zeros(2), np.zeros(0)], WANTED + "1 dimensions of float64"),
        (None, [np.zeros(0), [1]], WANTED + "1 dimensions of float64"),
        (None, [np.zeros((2, 2), int), [1]], WANTED + "2 dimensions of int64"),
        (None, [np.array([2**63], np.uint64), [1]],
         f"axis 0: expected indices below 2^63, got {2**63}"),
        (5, [[1, 2], [2]], "axis 0: the shape has 5 elements, but the lists have 2 distinct "
                           "indices"),
        (None, [[1, 2], [3, 3]], "axis 0: index 3 appears twice in the list of "
                                 "process 1"),
        (None, ("u", [[1, 2], [2]], True), "axis 0: one_to_one is true, but index 2 is on "
                                           "more than one process"),
        (None, ("u", [[1], [2]], 1), "axis 0: expected one_to_one to be True or False, "
                                     "got 1"),
        (None, ("u", [[1], [2]], None), "axis 0: expected one_to_one to be True or False, "
                                        "got None"),
        (None, ("u", [[1]]), "expected a grid of 2 processes, got (1,)"),
    ],
)  # fmt: skip
def test_index_lists(size, lists, text):
    layout_error(text, size, lists, 2)


def test_indices_of_this_process():
    for array in (np.zeros(3), np.array(3), np.zeros((1, 2), int), np.array([None])):
        with pytest.raises(distview.LayoutError, match="expected one-dimensional arrays of integer"):
            distview.zeros(None, array)
    with pytest.raises(distview.LayoutError, match="the shape has 4 elements, but the lists have 3"):
        distview.zeros(4, np.array([5, 6, 7]))


@pytest.mark.parametrize("name", ["padding", "boundary"])
@pytest.mark.parametrize(
    "shape, layout, value, text",
    [
        (4, "b", -1, "axis 0: expected {} >= 0, got (-1, -1)"),
        (4, "b", (0, -2), "axis 0: expected {} >= 0, got (0, -2)"),
        (4, "b", 1.0, "expected {} to be an integer, got 1.0"),
        (4, "b", "1", "expected {} to be an integer, got '1'"),
        (4, "b", True, "expected {} to be an integer, got True"),
        (4, "b", (1, False), "expected {} to be an integer, got False"),
        (4, "b", ((1, 2), (3, 4)), "expected {} to be an integer, got (1, 2)"),
        (4, "b", ((1, 2, 3),), "expected {} to be (low, high), got (1, 2, 3)"),
        (4, "b", np.array([1, 2]), "expected {} to be an integer, got array([1, 2])"),
        (4, "b", (), "expected {} of the one axis (a width or (low, high) each), got ()"),
        (4, "b", 2**61, f"axis 0: expected sizes and widths below 2^61, got {2**61}"),
        (4, "b", 2**63, f"expected {{}} to fit 64 bits, got {2**63}"),
        ((4, 4), "bb", (1, 2, 3),
         "expected {} of each of the 2 axes (a width or (low, high) each), got (1, 2, 3)"),
        ((4, 4), "bb", [1, [2]], "expected {} to be (low, high), got [2]"),
        ((4, 4), "bb", (1, None), "expected {} to be an integer, got None"),
    ],
)  # fmt: skip
def test_widths(name, shape, layout, value, text):
    text = text.replace("{}", name)
    layout_error(text.replace("boundary >= 0", "boundary padding >= 0"), shape, layout, **{name: value})


@pytest.mark.parametrize(
    "shape, layout, more, text",
    [
        (4, "c", dict(padding=1), "axis 0 is cyclic and cannot have padding"),
        (4, "c", dict(boundary=1), "axis 0 is cyclic and cannot have boundary padding"),
        (4, "c", dict(periodic=True), "axis 0 is cyclic and cannot be periodic"),
        (4, ("u", [[0, 1, 2, 3]]), dict(padding=1), "axis 0 is unstructured and cannot have padding"),
        ((4, 4), "cc", dict(padding=1), "axis 0 is cyclic and cannot have padding"),
        ((4, 4), "cc", dict(boundary=2), "axis 0 is cyclic and cannot have boundary padding"),
        ((4, 4), "cc", dict(periodic=True), "axis 0 is cyclic and cannot be periodic"),
        ((4, 4), "bc", dict(padding=(1, 1)), "axis 1 is cyclic and cannot have padding"),
        ((4, 4), "bc", dict(boundary=((1, 1), (0, 1))),
         "axis 1 is cyclic and cannot have boundary padding"),
        ((4, 4), "bc", dict(periodic=(False, True)), "axis 1 is cyclic and cannot be periodic"),
    ],
)  # fmt: skip
def test_padding_of_axes_that_cannot_have_it(shape, layout, more, text):
    layout_error(text, shape, layout, **more)


@pytest.mark.parametrize("value", [1, 0, None, "yes", [True, False], [1], (), np.array([True])])
def test_periodic(value):
    text = f"expected periodic to be True or False for the one axis, got {value!r}"
    layout_error(text, 4, "b", periodic=value)


@pytest.mark.parametrize(
    "grid, text",
    [
        (6, "expected grid to have a process count for each of the 2 axes, got 6"),
        ((6,), "expected grid to have a process count for each of the 2 axes, got (6,)"),
        ("23", "expected grid to have a process count for each of the 2 axes, got '23'"),
        ((2, 3, 1), "expected grid to have a process count for each of the 2 axes, got (2, 3, 1)"),
        ((2, 2.0), "expected a process count to be an integer, got 2.0"),
        ((2, False), "expected a process count to be an integer, got False"),
        ((2, "3"), "expected a process count to be an integer, got '3'"),
        ((-2, -3), "expected process counts >= 0, got (-2, -3)"),
        ((2, 2**70), f"expected a process count to fit 64 bits, got {2**70}"),
        ((2, 2), "expected a grid of 6 processes, got (2, 2)"),
        ((4, None), "expected a grid of 6 processes, got (4, 'any')"),
        ((7, 0), "expected a grid of 6 processes, got (7, 'any')"),
    ],
)
def test_grid(grid, text):
    layout_error(text, (8, 8), "bb", 6, grid=grid)


def test_grid_that_the_layout_contradicts():
    text = "axis 0 is laid out over {} processes, but the grid has {}"
    layout_error(text.format(2, 3), (8, 8), ([0, 4, 8], "b"), 6, grid=(3, 2))
    layout_error(text.format(1, 2), (8, 8), "nb", 6, grid=(2, 3))
    layout_error("expected a grid of 6 processes, got (2, 2)", (8, 8), [[0, 4, 8]] * 2, 6)
    layout_error("expected a grid of 2 processes, got ()", (), None, 2)


# Arrays that do not fit into memory


@pytest.mark.parametrize(
    "shape, dtype, more, extents",
    [
        (2**50, "f8", {}, (2**50,)),
        (2**60, "f8", {}, (2**60,)),  # the number of bytes overflows
        (2**60, "c16", {}, (2**60,)),
        ((2**31, 2**31), "f8", {}, (2**31, 2**31)),  # modulo 2^64 the number of bytes is 0
        (4, "i1", dict(padding=2**50), (2 * 2**50 + 4,)),
    ],
)
def test_more_elements_than_memory(shape, dtype, more, extents):
    with pytest.raises(distview.Error) as caught:
        distview.zeros(shape, dtype=dtype, **more)
    written = ", ".join(map(str, extents))
    n = np.dtype(dtype).itemsize
    assert str(caught.value) == (
        f"zeros: out of memory for a section of ({written}) elements of {n} "
        f"byte{'s' * (n > 1)}"
    )


def test_layouts_need_no_memory_for_their_elements():
    assert layout_of((2**30, 2**30), "bc", 4).local_shape(3) == (2**29, 2**29)
    assert distview.zeros((0, 2**60)).local_shape == (0, 2**60)


def test_undistributed_axes_over_several_processes():
    layout_error("expected a grid of 2 processes, got (1,): axis 0 is" + UNDISTRIBUTED, 4, "n", 2)
    layout_error("expected a grid of 3 processes, got (1, 1): axes 0, 1 are" + UNDISTRIBUTED, (4, 4), "nn", 3)


def test_wrap_of_nothing():
    with pytest.raises(distview.UsageError, match="an object of type NoneType offers neither the buffer protocol "):
        distview.wrap(None, (4,))
